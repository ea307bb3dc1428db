"""Rows that come before the first window, taken by a nest of their own.

A node that reads ``X[h + k - 1]`` computes row h in iteration h + 2, as rows are taken as wholes:
two of its iterations compute nothing, however much is inside of them. A nest that does nothing but
take these rows is as short as the rows themselves, and the FIFO before it can hold them while the
node still computes the last rows of the frame before. (W10) of ``models/formulations/opt6.md``.

No loop may then be around that of rows, so all windows along a stream have to move on with the
same dimension of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from streamopt.ir.graph import Graph, Node
from streamopt.ir.window import Stretch
from streamopt.transforms.rebuilding import with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite


@dataclass(frozen=True, slots=True)
class PrefillWindows(GraphRewrite):
    """Noted windows, of which the rows before the first are taken by nests of their own.

    Before: ``h 34, k 3: line[h mod 4] = next x; y[h - 2] += line[(h + k - 3) mod 4] * f[k]``
    After:  ``h 2: line[h mod 4] = next x``, then
    ``h 32, k 3: line[(h + 2) mod 4] = next x; y[h] += line[(h + k - 1) mod 4] * f[k]``
    """

    is_final: ClassVar[bool] = True

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph in which windows don't delay what nodes compute."""
        nodes = tuple(
            _prefilled(node) if _is_outermost(graph, node) else node for node in graph.nodes
        )
        return graph if nodes == graph.nodes else with_parts(graph, graph.arrays, nodes)


def without_prefill(node: Node) -> Node:
    """Return a node that takes all rows in the nest that computes."""
    late = {window.row_loop: window.prefilled for window in node.windows if window.prefilled}
    if not late:
        return node
    built = node.built_trip_counts
    others = (stretch for stretch in node.stretches if stretch.loop not in late)
    own = (Stretch(loop, built[loop] + by, by) for loop, by in late.items())
    windows = tuple(replace(window, prefilled=0) for window in node.windows)
    return replace(node, takes=windows, stretches=(*own, *others))


def _is_outermost(graph: Graph, node: Node) -> bool:
    """Return whether the loop of a node's rows can be the outermost, for all that it streams to."""
    return bool(node.windows) and (
        _agrees_before(graph, node, node.windows[0].row_loop)
        and _agrees_behind(graph, node, node.windows[0].row_loop)
    )


def _agrees_behind(graph: Graph, node: Node, loop: str) -> bool:
    """Return whether rows of all windows behind move on with a loop of a node, as far as known."""
    places = [subscript.as_iterator() for subscript in node.write.subscripts]
    if loop not in places:
        return True
    at = places.index(loop)
    for edge in graph.out_edges()[node.name]:
        consumer = graph.node(edge.consumer)
        if edge.is_whole:
            continue
        window = consumer.window(edge.array)
        if window is not None and window.dimension != at:
            return False
        names = {access.subscripts[at].as_iterator() for access in edge.reads}
        name = names.pop() if len(names) == 1 and not consumer.windows else None
        if name is not None and not _agrees_behind(graph, consumer, name):
            return False
    return True


def _agrees_before(graph: Graph, node: Node, loop: str) -> bool:
    """Return whether a loop of a node may be outside of the rows of all windows before."""
    for edge in graph.in_edges()[node.name]:
        taken, producer = node.taken_of(edge.array), graph.node(edge.producer)
        places = {s.as_iterator(): at for one in taken for at, s in enumerate(one.subscripts)}
        name = edge.write.subscripts[places[loop]].as_iterator() if loop in places else None
        if name is None or edge.is_whole:
            continue
        if any(name != w.row_loop and name not in w.plain_loops for w in producer.windows):
            return False
        if not producer.windows and not _agrees_before(graph, producer, name):
            return False
    return True


def _prefilled(node: Node) -> Node:
    """Return a node whose windows have all their first rows before the nest, if they are late."""
    rows = node.windows[0].row_loop
    late = node.delays.get(rows, 0)
    windows = tuple(replace(window, prefilled=late) for window in node.windows)
    if not late or any(w.rows_before > w.shape[w.dimension] for w in windows):
        return node
    needed = max(window.ends[rows] for window in windows)
    return replace(node, takes=windows, stretches=tuple(_stretches(node, rows, needed)))


def _stretches(node: Node, rows: str, needed: int) -> Iterator[Stretch]:
    """Yield the loops that still need more iterations; that of rows to take the last ones."""
    for stretch in node.stretches:
        if stretch.loop != rows:
            yield stretch
        elif needed > node.trip_counts[rows]:
            yield Stretch(rows, needed)
