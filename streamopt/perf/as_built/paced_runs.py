"""Times of nodes whose consumers wait for more than a first element: (O30) of opt6.md.

Table 3 of [1] starts a consumer at the first element of its producer and lets it go at its own
pace from there. A window of several rows, or a reduction, can't write before its producer has
written all that it needs, however slow that is. So the first write of a node is replaced by the
write that its consumer waits for: what is between the two runs at the pace of the node alone, and
comes before the first write of the consumer. In a chain every such time is counted once.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, section 3.5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.perf.as_built.first_slices import FirstSlices
from streamopt.perf.as_built.last_rows import LastRows
from streamopt.perf.costs import NodeCost, OtherCosts, Setting, chosen, later
from streamopt.perf.paper.timing import NestTiming

FEW_NODES = 5
"""Of a tree, at most, of which labels tell all schedules."""


def waits_in_tree(graph: Graph) -> bool:
    """Return whether a graph is a tree, of more than a few nodes, that streams through windows."""
    return _is_large_tree(graph) and any(node.windows for node in graph.nodes)


def waits_for_sums(graph: Graph) -> bool:
    """Return whether a tree without windows has sums that wait for all of what they add.

    Those of floats may be in DSPs or LUTs, which only labels choose from.
    """
    return _is_large_tree(graph) and not any(
        isinstance(node, SequentialNode)
        or node.windows
        or graph.array(node.write.array).element.is_float
        for node in graph.nodes
    )


def _is_large_tree(graph: Graph) -> bool:
    is_tree = all(len(own) <= 1 for own in graph.out_edges().values())
    return len(graph.nodes) > FEW_NODES and is_tree


@dataclass(frozen=True, slots=True)
class Prefix:
    """The last element of an array that is waited for: at the beginning but for its row."""

    dimension: int = 0
    """That of rows."""
    row: int = 0
    is_whole: bool = False
    """Whether all of the row is waited for: that which is inside of the loop of rows."""


@dataclass(frozen=True, slots=True)
class _Wait:
    """How a node waits, whatever its row."""

    prefix: Prefix
    """Of what it writes."""
    waits_for_rows: bool
    """Whether the rows that its windows reach come at the pace of the producer, not its own."""
    passes_on: bool
    """Whether each of its elements is of one element of each operand, so that it waits for these
    as its consumer does."""


class PacedRuns:
    """Times of the nodes of a graph, with the write that consumers wait for as the first.

    Parameters
    ----------
    is_rough
        Whether last rows and first slices are left out, by which rows of a search differ little,
        and of which it finds those that are told apart by what counts.
    """

    def __init__(self, graph: Graph, *, waits_for_all: bool = True, is_rough: bool = False) -> None:
        ins = graph.in_edges()
        passing = {node.name: _passes_on(node, ins[node.name]) for node in graph.nodes}
        self._waits = _waits(graph, passing, is_rough=is_rough)
        self._waits_for_all = waits_for_all
        self._slices = None if is_rough else FirstSlices(graph, passing)
        self._ends = None if is_rough else LastRows(graph, passing)

    def paced(
        self, node: Node, order: Sequence[str], tiles: Mapping[str, Any], timing: NestTiming[Any]
    ) -> NestTiming[Any]:
        """Return the times of a row.

        Parameters
        ----------
        order, tiles
            Loops as built, outermost first, and the trip counts of their tiles.
        timing
            FW, LW and LR of table 2.
        """
        if isinstance(node, SequentialNode):
            return timing
        wait, strides = self._waits[node.name], _strides(order, tiles)
        loops = [subscript.as_iterator() for subscript in node.write.subscripts]
        lead = timing.ii * _lead(node, order, tiles, strides, wait.prefix, loops)
        run = timing.last_write - timing.first_write
        own = self._own(node, tiles, strides, wait, timing)
        last = own + (later(run - lead, 0) if wait.passes_on else run)
        first = own if wait.passes_on else own + lead
        if self._slices is None or self._ends is None:
            return self._with_times(timing, first, last)
        slices = self._slices.of(node, order, tiles)
        taken = timing.ii * chosen(slices.taken, slices.first_read, 0)
        handed = chosen(slices.written, timing.ii * slices.first_write, lead)
        is_sliced = slices.taken | slices.written
        first = chosen(is_sliced, timing.first_write - taken + handed, first)
        last = chosen(is_sliced, timing.last_write - taken, last)
        return self._ends.ended(node, order, tiles, self._with_times(timing, first, last))

    def _with_times(self, timing: NestTiming[Any], first: Any, last: Any) -> NestTiming[Any]:
        reads = {a: last - timing.last_write + read for a, read in timing.last_read.items()}
        return replace(
            timing,
            first_write=first,
            last_write=last,
            last_read=reads,
            waits_for_all=self._waits_for_all,
        )

    @staticmethod
    def _own(
        node: Node,
        tiles: Mapping[str, Any],
        strides: Mapping[str, Any],
        wait: _Wait,
        timing: NestTiming[Any],
    ) -> Any:
        """Return the cycles between the last element that is waited for and the first write."""
        if not wait.waits_for_rows:
            return timing.first_write
        built = node.built_trip_counts
        delayed = sum(
            iterations // (built[name] // tiles[name]) * strides[name]
            for name, iterations in node.delays.items()
        )
        before = sum(prod(window.prefill(tiles, built).values()) for window in node.windows)
        return timing.first_write - timing.ii * delayed - before


@dataclass(frozen=True, slots=True)
class PacedCosts(OtherCosts):
    """The costs of a model, with the times of `PacedRuns`."""

    runs: PacedRuns

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        cost = self.whole.node_cost(node, order, factors, setting)
        tiles = {name: -(-trips // factors[name]) for name, trips in node.built_trip_counts.items()}
        found = self.runs.paced(node, order, tiles, cost.timing)
        return replace(cost, timing=found)


def _strides(order: Sequence[str], tiles: Mapping[str, Any]) -> dict[str, Any]:
    """Return by loop the iterations between two of its tiles."""
    found: dict[str, Any] = {}
    inside: Any = 1
    for name in reversed(order):
        found[name] = inside
        inside = inside * tiles[name]
    return found


def _lead(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, Any],
    strides: Mapping[str, Any],
    prefix: Prefix,
    loops: Sequence[str | None],
) -> Any:
    """Return the iterations from the first element to that of the end of a prefix.

    Parameters
    ----------
    loops
        By dimension, those that move along the array.
    """
    rows = loops[prefix.dimension]
    if (not prefix.row and not prefix.is_whole) or rows is None:
        return 0
    lanes = -(-node.trip_counts[rows] // tiles[rows])
    found = prefix.row // lanes * strides[rows]
    inside = order[order.index(rows) + 1 :] if prefix.is_whole else ()
    for name in [name for name in inside if name in loops and name not in node.delays]:
        found = found + (tiles[name] - 1) * strides[name]
    return found


def _waits(graph: Graph, passing: Mapping[str, bool], *, is_rough: bool) -> dict[str, _Wait]:
    ins, outs = graph.in_edges(), graph.out_edges()
    slowest: dict[str, int] = {}
    waiting: dict[str, bool] = {}
    for node in graph.nodes:
        before = max((slowest[edge.producer] for edge in ins[node.name]), default=0)
        own = before if is_rough and passing[node.name] else node.iterations
        slowest[node.name] = own if is_rough else max(before, own)
        waiting[node.name] = before > node.iterations
    found: dict[str, _Wait] = {}
    after: dict[str, set[str]] = {}
    for node in reversed(graph.nodes):
        name, own = node.name, outs[node.name]
        ends = {edge.consumer for edge in own}
        after[name] = ends.union(*(after[end] for end in ends))
        direct = [e for e in own if not any(e.consumer in after[end] for end in ends)]
        prefixes = {_prefix(graph.node(edge.consumer), edge, found) for edge in direct}
        is_alone = len(prefixes) == 1 and len(graph.writers(node.write.array)) == 1
        prefix = prefixes.pop() if is_alone else Prefix()
        waits = waiting[name] and bool(node.windows)
        found[name] = _Wait(prefix, waits, passing[name])
    return found


def _passes_on(node: Node, ins: Sequence[Edge]) -> bool:
    """Return whether each element is of one of every operand, at places of the same loops."""
    if isinstance(node, SequentialNode) or node.reduction_loops or node.stretches or not ins:
        return False
    if node.parts:
        return False
    written = node.write.iterators()
    taken = [edge.reads[0] for edge in ins if len(edge.reads) == 1 and not edge.is_whole]
    subscripts = (subscript for own in taken for subscript in own.subscripts)
    is_plain = all(not s.terms or s.as_iterator() is not None for s in subscripts)
    alike = all(set(own.iterators()) == set(written) for own in taken)
    return is_plain and alike and len(taken) == len(ins)


def _prefix(node: Node, edge: Edge, known: Mapping[str, _Wait]) -> Prefix:
    """Return the part of an operand that a node waits for before its first write."""
    if edge.is_whole or len(edge.reads) != 1:
        return Prefix()
    window, own = node.window(edge.array), known[node.name]
    if window is not None and own.waits_for_rows:
        rows = window.steps * node.delays.get(window.row_loop, 0) + window.rows_before
        extent = window.shape[window.dimension]
        return Prefix(window.dimension, min(rows, extent - 1), is_whole=rows >= extent)
    if not own.passes_on:
        return Prefix()
    name = node.write.subscripts[own.prefix.dimension].as_iterator()
    places = [subscript.as_iterator() for subscript in edge.reads[0].subscripts]
    return Prefix() if name is None else replace(own.prefix, dimension=places.index(name))
