"""A window that stays on a ping-pong buffer, so that columns before it can have lanes.

Lanes along columns are the same from one FIFO to the next, and divide the columns of all nodes on
the way: after ``10`` columns a pool to ``5`` leaves none. Behind a ping-pong buffer it has lanes of
its own, as it needs few: (W12) of ``models/formulations/opt6.md``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd
from typing import ClassVar

import networkx as nx

from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.transforms.rebuilding import with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite

Loop = tuple[str, str]
"""(node, loop)."""


@dataclass(frozen=True, slots=True)
class BufferColumns(GraphRewrite):
    """Noted windows without the last of those whose nodes leave columns before them no lanes.

    Before: ``w 10: y[w] += x[w + k] * f[k]``, ``w 5: line[...] = next y; z[w] max= line[...]``
    After:  ``w 10: y[w] += x[w + k] * f[k]``, ``w 5: z[w] max= y[2 * w + k]  # two lanes before``
    """

    is_final: ClassVar[bool] = True

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph without one window for each kind of columns that had no lanes."""
        for lone in [own for own in _columns(graph) if _lanes(graph, own) == 1]:
            names = {name for name, _ in lone}
            for node in reversed(graph.nodes):
                if node.name in names and (freed := _freed(graph, node, lone)) is not None:
                    graph = freed
                    break
        return graph


def _freed(graph: Graph, node: Node, columns: frozenset[Loop]) -> Graph | None:
    """Return the graph without the windows of a node, if columns then have lanes; else None."""
    if all(window.counted_rows < 2 for window in node.windows):
        return None
    plain = replace(node, takes=(), stretches=())
    nodes = tuple(plain if own is node else own for own in graph.nodes)
    found = with_parts(graph, graph.arrays, nodes)
    parts = [own for own in _columns(found) if own < columns]
    return found if parts and all(_lanes(found, own) > 1 for own in parts) else None


def _columns(graph: Graph) -> Iterator[frozenset[Loop]]:
    """Yield the loops that share lanes, of columns that windows take."""
    links: nx.Graph[Loop] = nx.Graph()
    for edge in graph.edges:
        producer, consumer = graph.node(edge.producer), graph.node(edge.consumer)
        if edge.is_whole:
            continue
        for taken in consumer.taken_of(edge.array):
            for one, other in zip(edge.write.subscripts, taken.subscripts, strict=True):
                names = one.as_iterator(), other.as_iterator()
                if names[0] is not None and names[1] is not None:
                    links.add_edge((producer.name, names[0]), (consumer.name, names[1]))
    beside, rows = set[Loop](), set[Loop]()
    for node in graph.nodes:
        for window in node.windows:
            beside |= {(node.name, name) for name in {*window.taken_beside} - window.plain_loops}
            rows.add((node.name, window.row_loop))
    for found in nx.connected_components(links):
        if found & beside and not found & rows:
            yield frozenset(found)


def _lanes(graph: Graph, columns: frozenset[Loop]) -> int:
    """Return the most lanes that divide all columns that are read, taken or written."""
    return gcd(*(extent for key in columns for extent in _extents(graph, *key)))


def _extents(graph: Graph, name: str, loop: str) -> Iterator[int]:
    node = graph.node(name)
    if isinstance(node, SequentialNode):
        return
    yield node.trip_counts[loop]
    yield node.built_trip_counts[loop]
    for window in node.windows:
        yield window.taken_beside.get(loop, 0)
    for part in node.parts:
        yield from part.within(node.trip_counts).get(loop, ())
