"""Which loops take one unroll factor: those of one dimension on both sides of a FIFO.

A FIFO has one stream a lane, so a factor of a dimension that streams is propagated to the other
side ([1] section VI, inter-task optimization), and on from there.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import networkx as nx

from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.space.tiles import divisors

LoopKey = tuple[str, str]
"""(node, loop)."""


@dataclass(frozen=True, slots=True)
class Coupled:
    """The loops of a graph in groups of one unroll factor."""

    group: Mapping[LoopKey, int]
    """By loop: the number of its group."""
    factors: tuple[tuple[int, ...], ...]
    """By group: those that all of its loops can take, ascending."""
    fifo_loops: Mapping[str, frozenset[str]]
    """By node: the loops that move in an array that streams."""


def own_factors(node: Node) -> dict[str, tuple[int, ...]]:
    """Return the unroll factors of every loop, ascending: divisors of its trip count.

    1 for sequential nests, and for the loop in which a window takes rows.
    """
    built, rows = node.built_trip_counts, {window.row_loop for window in node.windows}
    found: dict[str, tuple[int, ...]] = {}
    for name, trips in node.trip_counts.items():
        if isinstance(node, SequentialNode) or name in rows:
            found[name] = (1,)
            continue
        longer = set(divisors(built[name], 1))
        found[name] = tuple(factor for factor in divisors(trips, 1) if factor in longer)
    return found


def coupled(graph: Graph, fifos: Collection[str]) -> Coupled:
    """Return the groups of loops, where the given channels are FIFOs."""
    links: nx.Graph[LoopKey] = nx.Graph()
    links.add_nodes_from((node.name, loop.name) for node in graph.nodes for loop in node.loops)
    moving: dict[str, set[str]] = {node.name: set() for node in graph.nodes}
    for edge in graph.edges:
        if edge.channel in fifos:
            for there, here in _pairs(edge):
                links.add_edge((edge.producer, there), (edge.consumer, here))
                moving[edge.producer].add(there)
                moving[edge.consumer].add(here)
    own = {node.name: own_factors(node) for node in graph.nodes}
    group: dict[LoopKey, int] = {}
    factors: list[tuple[int, ...]] = []
    for number, members in enumerate(nx.connected_components(links)):
        group |= dict.fromkeys(members, number)
        sides = [own[name][loop] for name, loop in members]
        factors.append(tuple(f for f in sides[0] if all(f in side for side in sides)))
    return Coupled(group, tuple(factors), {name: frozenset(own) for name, own in moving.items()})


def _pairs(edge: Edge) -> list[tuple[str, str]]:
    """Return the loops (of the producer, of the consumer) of the dimensions that both walk."""
    subscripts = zip(edge.write.subscripts, edge.reads[0].subscripts, strict=True)
    names = ((there.as_iterator(), here.as_iterator()) for there, here in subscripts)
    return [(there, here) for there, here in names if there is not None and here is not None]
