"""Consumers that wait for the second slice of an array: (O32) of opt6.md.

A layer with its result's channels outside reads its whole operand for the first of them, at the
pace of its producer, and comes to the second channel when that has ended. To wait for the first
element of such an array says nothing then, so the first write of its node is the first one of the
second slice, and all that read it by slices begin with that one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode


@dataclass(frozen=True, slots=True)
class Slices:
    """Whether the rows of a node hand slices over; iterations are of its nest."""

    # taken, written: by row, whether an operand, or the result, comes slice by slice
    taken: Any
    written: Any
    # first_read, first_write: iterations between the first element and that of the second slice
    first_read: Any
    first_write: Any


@dataclass(frozen=True, slots=True)
class _SlicedAccess:
    """An access, with the loop that goes from slice to slice."""

    access: Access
    loop: str

    def is_outside(self, order: Sequence[str], tiles: Mapping[str, Any]) -> Any:
        """Return by row whether the loop has several tiles, and no other moves outside of it."""
        found = tiles[self.loop] > 1
        for name in order[: order.index(self.loop)]:
            if name in self.access.iterators():
                found = found & (tiles[name] == 1)
        return found


class FirstSlices:
    """The slices of a graph's arrays, by nodes.

    Parameters
    ----------
    passing
        By node: whether each of its elements is of one element of each operand.
    """

    def __init__(self, graph: Graph, passing: Mapping[str, bool]) -> None:
        dimensions = _dimensions(graph, passing)
        self._written = {
            node.name: _SlicedAccess(node.write, loop)
            for node in graph.nodes
            if node.name in dimensions
            and (loop := node.write.subscripts[dimensions[node.name]].as_iterator()) is not None
        }
        self._taken: dict[str, _SlicedAccess] = {}
        for name, edges in graph.in_edges().items():
            for edge in edges:
                if edge.producer in dimensions:
                    node = graph.node(name)
                    loop = _loop(node, edge, dimensions[edge.producer])
                    assert loop is not None, "slices are moved along"
                    self._taken[name] = _SlicedAccess(_access(node, edge), loop)

    def of(self, node: Node, order: Sequence[str], tiles: Mapping[str, Any]) -> Slices:
        """Return the slices of rows, by loops as built."""
        taken, written = self._taken.get(node.name), self._written.get(node.name)
        return Slices(
            taken.is_outside(order, tiles) if taken else False,
            written.is_outside(order, tiles) if written else False,
            _inside(taken, order, tiles),
            _inside(written, order, tiles),
        )


def _inside(walked: _SlicedAccess | None, order: Sequence[str], tiles: Mapping[str, Any]) -> Any:
    found: Any = 1
    for name in order[order.index(walked.loop) + 1 :] if walked else ():
        found = found * tiles[name]
    return found


def _dimensions(graph: Graph, passing: Mapping[str, bool]) -> dict[str, int]:
    """Return by node the dimension of its array along which there may be slices."""
    ins, outs = graph.in_edges(), graph.out_edges()
    found: dict[str, int] = {}
    for node in graph.nodes:
        at = _along(node, ins[node.name], found)
        readers = ((graph.node(edge.consumer), edge) for edge in outs[node.name])
        is_alone = len(graph.writers(node.write.array)) == 1
        if at is not None and is_alone and all(is_taken_along(n, edge, at) for n, edge in readers):
            found[node.name] = at
    while mixed := {n for edges in ins.values() for n in _mixed(graph, edges, found)}:
        found = {name: at for name, at in found.items() if name not in mixed}
    return found


def _along(node: Node, ins: Sequence[Edge], known: Mapping[str, int]) -> int | None:
    """Return the dimension of a result for which its node reads all operands anew, or hands on."""
    if isinstance(node, SequentialNode) or not ins:
        return None
    places = [subscript.as_iterator() for subscript in node.write.subscripts]
    walked = {name for edge in ins for read in edge.reads for name in read.iterators()}
    again = [at for at, name in enumerate(places) if name is not None and name not in walked]
    if again:
        return again[0]
    handed = [_loop(node, edge, known[edge.producer]) for edge in ins if edge.producer in known]
    return places.index(handed[0]) if handed and handed[0] in places else None


def is_taken_along(node: Node, edge: Edge, dimension: int) -> bool:
    """Return whether a consumer takes an array along a dimension by one of its loops."""
    if isinstance(node, SequentialNode) or edge.is_whole or len(edge.reads) != 1:
        return False
    return _loop(node, edge, dimension) is not None


def _loop(node: Node, edge: Edge, dimension: int) -> str | None:
    return _access(node, edge).subscripts[dimension].as_iterator()


def _access(node: Node, edge: Edge) -> Access:
    """Return how a consumer takes elements."""
    window = node.window(edge.array)
    return edge.reads[0] if window is None else window.taken


def _mixed(graph: Graph, ins: Sequence[Edge], known: Mapping[str, int]) -> set[str]:
    """Return the producers of a node with slices, if the operands don't all come alike."""
    own = [edge for edge in ins if edge.producer in known]
    loops = {_loop(graph.node(e.consumer), e, known[e.producer]) for e in own}
    return set() if len(own) == len(ins) and len(loops) == 1 else {e.producer for e in own}
