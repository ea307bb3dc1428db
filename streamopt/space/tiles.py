"""Which unroll factors a loop may take, and which loops must take the same one.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, equation 2: the tile size constraint ``x = x'`` for
the same array dimension on both sides of an edge, and the divisor constraint.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import prod

import networkx as nx

from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode

MOST_CHOICES = 8_000
"""Vectors of unroll factors of all nodes, beyond which factors with idle lanes are left out, where
nobody asks for another number."""

LoopKey = tuple[str, str]
"""(node, loop)."""


class Coupling(StrEnum):
    """Which loops of the two sides of an edge must take one unroll factor.

    ``published``: those that stand for a dimension on either side, windows included, as in [1].
    ``plain``: only those that are the whole subscript on both sides. A reader that walks windows
    can't stream, so its lanes are its own: (O9) of ``models/formulations/opt6.md``.
    """

    PUBLISHED = "published"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class TileClass:
    """Loops that share one unroll factor, and the factors that fit all of them, ascending."""

    members: tuple[LoopKey, ...]
    factors: tuple[int, ...]


def divisors(trip_count: int, tiling_limit: int) -> tuple[int, ...]:
    """Return the unroll factors of a loop, ascending.

    They divide the trip count and leave at least ``tiling_limit`` tile iterations; a loop that
    is not longer than the limit is not unrolled.
    """
    if trip_count <= tiling_limit:
        return (1,)
    small = [d for d in range(1, int(trip_count**0.5) + 1) if trip_count % d == 0]
    both = sorted({*small, *(trip_count // d for d in small)})
    return tuple(d for d in both if trip_count // d >= tiling_limit)


def least_factors(trip_count: int) -> tuple[int, ...]:
    """Return, ascending, the least unroll factor for each number of tiles that a loop can have.

    ``ceil(N / x)`` for ``x`` tiles, about ``2 sqrt(N)`` of them. A larger factor with as many
    tiles has more lanes and is no faster. The divisors are among them: (T2).
    """
    return tuple(sorted({-(-trip_count // tiles) for tiles in range(1, trip_count + 1)}))


def _idle_share(trip_count: int, factor: int) -> Fraction:
    """Return the lanes that have no iteration, over those that have one; 0 for a divisor."""
    tiles = -(-trip_count // factor)
    return Fraction(tiles * factor - trip_count, trip_count)


def _by_dimension(access: Access) -> dict[int, str]:
    """Return the iterator that stands for each array dimension that has any.

    Where all subscripts are plain iterators or constants, it is that iterator. Else the d-th
    dimension that has iterators takes the d-th iterator of the access, counted in order of first
    appearance: for ``P[c][h + kh][w + kw]`` these are c, h and kh. That is how the published
    models couple loops (operand d of the affine map for dimension d), and what their figures
    for convolutions rest on.
    """
    used = [d for d, subscript in enumerate(access.subscripts) if subscript.terms]
    plain = {d: access.subscripts[d].as_iterator() for d in used}
    if all(name is not None for name in plain.values()):
        return {d: name for d, name in plain.items() if name is not None}
    return dict(zip(used, access.iterators(), strict=False))


def _plain(access: Access) -> dict[int, str]:
    """Return the iterator of each array dimension whose subscript is one."""
    names = {d: subscript.as_iterator() for d, subscript in enumerate(access.subscripts)}
    return {d: name for d, name in names.items() if name is not None}


def _pairs(edge: Edge, coupling: Coupling) -> Iterator[tuple[LoopKey, LoopKey]]:
    iterators = _by_dimension if coupling is Coupling.PUBLISHED else _plain
    write = iterators(edge.write)
    for access in edge.reads:
        for dimension, iterator in iterators(access).items():
            if dimension in write:
                yield (edge.producer, write[dimension]), (edge.consumer, iterator)


def coupled_loops(
    graph: Graph, coupling: Coupling = Coupling.PUBLISHED
) -> tuple[tuple[LoopKey, ...], ...]:
    """Return the loops of all streaming nodes, grouped by equal unroll factor, in program order."""
    links: nx.Graph[LoopKey] = nx.Graph()
    links.add_nodes_from((n.name, loop.name) for n in _streaming(graph) for loop in n.loops)
    edges = (edge for edge in graph.edges if not edge.is_whole)
    links.add_edges_from(pair for edge in edges for pair in _pairs(edge, coupling))
    rank = {key: index for index, key in enumerate(links.nodes)}
    groups = (
        tuple(sorted(group, key=rank.__getitem__)) for group in nx.connected_components(links)
    )
    return tuple(sorted(groups, key=lambda group: rank[group[0]]))


def tile_classes(
    graph: Graph,
    tiling_limit: int,
    *,
    tiles: bool,
    coupling: Coupling = Coupling.PUBLISHED,
    partial_tiles: int = 0,
) -> tuple[TileClass, ...]:
    """Return the tile classes of a graph; loops of sequential nodes are in none.

    Parameters
    ----------
    tiling_limit
        Least trip count of a tile loop, for loops longer than it.
    tiles
        Whether unrolling is allowed at all; if not, every factor is 1.
    partial_tiles
        Vectors of factors of all nodes, beyond which factors with idle lanes are left out; 0 for
        none of these.
    """
    streaming = [*_streaming(graph)]
    trip_counts = {(n.name, loop.name): loop.trip_count for n in streaming for loop in n.loops}
    rows = {(node.name, window.row_loop) for node in graph.nodes for window in node.windows}
    built = {(n.name, s.loop): s.iterations for n in graph.nodes for s in n.stretches}
    for node in graph.nodes:
        counted = (window for window in node.windows if window.counted_rows)
        built |= {(node.name, n): e for window in counted for n, e in window.taken_beside.items()}
    ends: dict[LoopKey, set[int]] = {}
    for node in streaming:
        for part in node.parts:
            for name, span in part.within(node.trip_counts).items():
                ends.setdefault((node.name, name), set()).update(span)
    classes: list[TileClass] = []
    for group in coupled_loops(graph, coupling):
        common = {1}
        if tiles:
            common = set(divisors(trip_counts[group[0]], tiling_limit))
            for key in group:
                common &= set(divisors(trip_counts[key], tiling_limit))
                common &= set(divisors(built.get(key, trip_counts[key]), tiling_limit))
                common = {f for f in common if all(end % f == 0 for end in ends.get(key, ()))}
            if rows & {*group}:
                common = {1}
        classes.append(TileClass(group, tuple(sorted(common))))
    if partial_tiles and tiles:
        whole = {key for key in trip_counts if key in rows or key in built or key in ends}
        return _with_partial_tiles(classes, trip_counts, whole, tiling_limit, partial_tiles)
    return tuple(classes)


def _streaming(graph: Graph) -> Iterator[Node]:
    return (node for node in graph.nodes if not isinstance(node, SequentialNode))


def _with_partial_tiles(
    classes: Sequence[TileClass],
    trip_counts: Mapping[LoopKey, int],
    whole: Collection[LoopKey],
    tiling_limit: int,
    most_choices: int,
) -> tuple[TileClass, ...]:
    """Return the classes with further factors: those of fewest idle lanes, (T2) to (T5)."""
    shares = [
        {}
        if any(key in whole for key in group.members)
        else _idle_shares({trip_counts[key] for key in group.members}, tiling_limit)
        for group in classes
    ]
    kept = [{*own} for own in shares]
    by_node: dict[str, list[int]] = {}
    for place, group in enumerate(classes):
        for name in dict.fromkeys(name for name, _ in group.members):
            by_node.setdefault(name, []).append(place)
    for places in by_node.values():
        own = [shares[place] for place in places]
        fewest_idle = _with_fewest_idle_lanes(own, most_choices // len(by_node))
        for place, factors in zip(places, fewest_idle, strict=True):
            kept[place] &= factors
    return tuple(
        TileClass(group.members, tuple(sorted({*group.factors, *factors})))
        for group, factors in zip(classes, kept, strict=True)
    )


def _idle_shares(trip_counts: Collection[int], tiling_limit: int) -> dict[int, Fraction]:
    """Return by factor that fits loops of some trip counts the share of idle lanes of the worst."""
    shortest = min(trip_counts)
    factors = {factor for trips in trip_counts for factor in least_factors(trips)}
    return {
        factor: max(_idle_share(trips, factor) for trips in trip_counts)
        for factor in factors
        if factor <= shortest and (factor == 1 or -(-shortest // factor) >= tiling_limit)
    }


def _with_fewest_idle_lanes(
    shares: Sequence[Mapping[int, Fraction]], most_choices: int
) -> list[set[int]]:
    """Return the factors of a node's classes, the best first until there would be more choices."""
    ranked = sorted(
        (share, factor, place) for place, own in enumerate(shares) for factor, share in own.items()
    )
    found = [set[int]() for _ in shares]
    for share, factor, place in ranked:
        found[place].add(factor)
        if share and prod(max(1, len(factors)) for factors in found) > most_choices:
            found[place].remove(factor)
            break
    return found
