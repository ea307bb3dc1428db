"""Rows that a window's node computes when it has read all: (O31) of opt6.md.

Table 3 of [1] lets a node end an epilogue after its producer. One with a window delays its rows, so
that the last of them come all at once, as fast as it can, when nothing is read any more. A slower
consumer then has these rows before it still. So the last write of such a node is replaced by that
of the first of these rows, and the last read of its consumer likewise.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, section 3.5.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node
from streamopt.perf.as_built.first_slices import is_taken_along
from streamopt.perf.costs import chosen
from streamopt.perf.paper.timing import NestTiming

NEVER = 2**40
"""A last read so late that its producer's end says nothing."""


@dataclass(frozen=True, slots=True)
class _RowTail:
    """The last rows of an array."""

    dimension: int
    first: int
    """Of them."""


class LastRows:
    """The rows of a graph's arrays that come when their nodes have read all.

    Parameters
    ----------
    passing
        By node: whether each of its elements is of one element of each operand.
    """

    def __init__(self, graph: Graph, passing: Mapping[str, bool]) -> None:
        self._written = _last_rows(graph, passing)
        self._read = {
            name: {e.array: rows for e in edges if (rows := self._written.get(e.producer))}
            for name, edges in graph.in_edges().items()
        }

    def ended(
        self, node: Node, order: Sequence[str], tiles: Mapping[str, Any], timing: NestTiming[Any]
    ) -> NestTiming[Any]:
        """Return the times of a row, with the first of the last rows in place of their end.

        Parameters
        ----------
        order, tiles
            Loops as built, outermost first, and the trip counts of their tiles.
        """
        written, read = self._written.get(node.name), self._read[node.name]
        if not written and not read:
            return timing
        run = _TailRun(node, order, tiles)
        last, reads = timing.last_write, dict(timing.last_read)
        for array, rows in read.items():
            reads[array] = reads[array] - timing.ii * run.since_read(array, rows)
        if written:
            last = last - timing.ii * run.since_write(written)
            is_after = run.is_after_all(written) if node.windows else True
            reads = {array: chosen(is_after, read, NEVER) for array, read in reads.items()}
        return replace(timing, last_write=last, last_read=reads)


class _TailRun:
    """The iterations of a row."""

    def __init__(self, node: Node, order: Sequence[str], tiles: Mapping[str, Any]) -> None:
        self._node, self._order, self._tiles = node, order, tiles
        self._built = node.built_trip_counts

    def since_write(self, rows: _RowTail) -> Any:
        """Return the iterations from the write of the first of the last rows to that of all."""
        return self._since(self._walked(self._node.write), rows)

    def since_read(self, array: str, rows: _RowTail) -> Any:
        """Return likewise the iterations between reads."""
        window = self._node.window(array)
        if window is None:
            return self._since(self._walked(self._node.reads_of(array)[0]), rows)
        own = ((s.as_iterator(), at) for at, s in enumerate(window.taken.subscripts))
        walked = {at: (name, 0, window.ends[name] - 1) for name, at in own if name is not None}
        return self._since(walked, rows)

    def is_after_all(self, rows: _RowTail) -> Any:
        """Return whether the last rows begin in a later tile than the one that reads the last."""
        row, delay, _ = self._walked(self._node.write)[rows.dimension]
        first = delay + rows.first
        return self._tile(row, first) > self._tile(row, first - 1)

    def _walked(self, access: Access) -> dict[int, tuple[str, int, int]]:
        """Return by dimension the loop that moves along it, and its first and last iteration."""
        delays, trips = self._node.delays, self._node.trip_counts
        own = ((s.as_iterator(), at) for at, s in enumerate(access.subscripts))
        return {
            at: (name, delays.get(name, 0), delays.get(name, 0) + trips[name] - 1)
            for name, at in own
            if name is not None
        }

    def _since(self, walked: Mapping[int, tuple[str, int, int]], rows: _RowTail) -> Any:
        row, first, _ = walked[rows.dimension]
        begins = {name: start for name, start, _ in walked.values()} | {row: first + rows.first}
        ends = {name: end for name, _, end in walked.values()}
        found, stride = 0, 1
        for name in reversed(self._order[self._order.index(row) :]):
            if name in ends:
                tiles = self._tile(name, ends[name]) - self._tile(name, begins[name])
                found = found + tiles * stride
            stride = stride * self._tiles[name]
        return found

    def _tile(self, name: str, iteration: int) -> Any:
        if iteration == self._built[name] - 1:
            return self._tiles[name] - 1
        return iteration // (self._built[name] // self._tiles[name])


def _last_rows(graph: Graph, passing: Mapping[str, bool]) -> dict[str, _RowTail]:
    ins, outs = graph.in_edges(), graph.out_edges()
    work: dict[str, int] = {}
    for node in reversed(graph.nodes):
        after = (edge.consumer for edge in outs[node.name])
        few = (work[n] if passing[n] else graph.node(n).iterations for n in after)
        work[node.name] = min(few, default=0)
    found: dict[str, _RowTail] = {}
    for node in graph.nodes:
        name = node.name
        rows = None
        if passing[name]:
            rows = _handed_on(node, ins[name], found)
        elif node.windows and work[name] > node.iterations:
            rows = _delayed(node, ins[name])
        if rows and len(graph.writers(node.write.array)) == 1 and outs[name]:
            readers = ((graph.node(edge.consumer), edge) for edge in outs[name])
            if all(_is_read_along(reader, edge, rows) for reader, edge in readers):
                found[name] = rows
    return found


def _delayed(node: Node, ins: Iterable[Edge]) -> _RowTail | None:
    """Return the rows that are left when a node has taken all of its windows."""
    windows = [node.window(edge.array) for edge in ins]
    rows = [window.row_loop for window in windows if window is not None]
    places = [subscript.as_iterator() for subscript in node.write.subscripts]
    if len(rows) < len(windows) or rows[0] not in places:
        return None
    end = max(window.ends[rows[0]] for window in node.windows)
    first = end - node.delays.get(rows[0], 0)
    return _RowTail(places.index(rows[0]), first) if 0 < first < node.trip_counts[rows[0]] else None


def _handed_on(node: Node, ins: Iterable[Edge], known: Mapping[str, _RowTail]) -> _RowTail | None:
    """Return the rows that a node hands on, if they are the same of all operands."""
    places = [subscript.as_iterator() for subscript in node.write.subscripts]
    found: set[_RowTail | None] = set()
    for edge in ins:
        rows = known.get(edge.producer)
        if rows is not None:
            loop = edge.reads[0].subscripts[rows.dimension].as_iterator()
            is_kept = loop is not None and loop in places
            rows = _RowTail(places.index(loop), rows.first) if is_kept else None
        found.add(rows)
    return found.pop() if len(found) == 1 else None


def _is_read_along(node: Node, edge: Edge, rows: _RowTail) -> bool:
    """Return whether a consumer takes the rows of an array one by one, by one of its loops."""
    window = node.window(edge.array)
    if window is not None and (window.counted_rows or window.prefilled):
        return False
    if node.part(edge.array) is not None:
        return False
    return is_taken_along(node, edge, rows.dimension)
