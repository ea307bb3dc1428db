"""Places for the nodes of a DAG: layers from top to bottom, with few crossings.

The steps of [1]: nodes go into layers by their longest path from a source, long edges get bends
in the layers between, and sweeps order every layer by the means of its neighbours.

[1] Sugiyama, Tagawa and Toda, Methods for visual understanding of hierarchical system structures,
IEEE Trans. SMC 11(2), 1981.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Layout", "layered"]

SWEEPS = 8
Point: TypeAlias = tuple[float, float]
Spot: TypeAlias = tuple[str, int]
"""A node and 0; or an edge by its name, and how many layers below its producer it bends."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in columns and layers; layers grow downwards.

    Attributes
    ----------
    routes
        Points of every edge, from its producer over its bends to its consumer.
    columns, layers
        Extent of the picture.
    """

    nodes: Mapping[str, Point]
    routes: Mapping[str, tuple[Point, ...]]
    columns: float
    layers: int


def layered(nodes: Sequence[str], edges: Sequence[tuple[str, str, str]]) -> Layout:
    """Return places for nodes, and routes for edges of (name, producer, consumer)."""
    import networkx as nx

    graph = cast("Any", nx).MultiDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((producer, consumer) for _, producer, consumer in edges)
    depth = {
        name: level
        for level, names in enumerate(cast("Any", nx).topological_generations(graph))
        for name in names
    }
    for name in nodes:
        if not graph.in_degree(name) and graph.out_degree(name):  # sources go down to their readers
            depth[name] = min(depth[reader] for reader in graph.successors(name)) - 1
    chains = {
        name: _chain(name, (producer, consumer), depth[consumer] - depth[producer])
        for name, producer, consumer in edges
    }
    level = {(name, 0): depth[name] for name in nodes}
    for name, producer, _ in edges:
        level.update((spot, depth[producer] + spot[1]) for spot in chains[name][1:-1])
    rows: list[list[Spot]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for spot, at in level.items():
        rows[at].append(spot)
    across = _ordered(rows, list(chains.values()))
    places = {spot: (across[spot], float(at)) for spot, at in level.items()}
    return Layout(
        {name: places[name, 0] for name in nodes},
        {name: tuple(places[spot] for spot in chain) for name, chain in chains.items()},
        max((len(row) for row in rows), default=1),
        len(rows),
    )


def _chain(name: str, ends: tuple[str, str], levels: int) -> list[Spot]:
    """Return the spots of an edge; bends are named so that no node has their name."""
    bends = [(f"edge {name}", below) for below in range(1, levels)]
    return [(ends[0], 0), *bends, (ends[1], 0)]


def _ordered(rows: list[list[Spot]], chains: list[list[Spot]]) -> dict[Spot, float]:
    """Return the column of every spot, each row centred."""
    above: dict[Spot, list[Spot]] = {}
    below: dict[Spot, list[Spot]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    widest = max((len(row) for row in rows), default=1)
    across = {spot: float(place) for row in rows for place, spot in enumerate(row)}
    for sweep in range(SWEEPS):
        neighbours, ordered = (below, rows[::-1]) if sweep % 2 else (above, rows)
        for row in ordered:
            means = {spot: _mean(spot, neighbours, across) for spot in row}
            row.sort(key=means.__getitem__)
            margin = (widest - len(row)) / 2
            across.update((spot, margin + place) for place, spot in enumerate(row))
    return across


def _mean(spot: Spot, neighbours: Mapping[Spot, list[Spot]], across: Mapping[Spot, float]) -> float:
    found = neighbours.get(spot, [])
    return sum(across[other] for other in found) / len(found) if found else across[spot]
