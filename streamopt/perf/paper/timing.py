"""When nodes read and write: tables 2 and 3 of [1], as integers, arrays or SymPy expressions.

The time function of a node is ``t(indices) = ii * (row-major position in the tile loops)``, one
tile an iteration, in cycles relative to the node's start (table 2). Times of a graph follow from
those of its nodes (table 3). For reports and notebooks the same lines give formulas over one symbol
for the trip count of every tile loop.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, sections 3.5 and 3.7.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from streamopt.ir.expression import Binary, Call, Expression, children
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.perf.paper.algebra import Algebra, Arithmetic, symbolic

ACCUMULATION_II = 4
"""Cycles between dependent additions: the published II of a node that reduces innermost."""

T = TypeVar("T", bound=Arithmetic)


@dataclass(frozen=True, slots=True)
class NestTiming(Generic[T]):
    """FW, LW and LR of table 2 [1], in cycles after the node's start."""

    ii: T | int
    first_write: T
    last_write: T
    last_read: Mapping[str, T]
    """LR by array that the node reads from another node."""
    waits_for_all: bool = False
    """Whether a node whose LR is no later than its FW starts so late that its producer has ended by
    LR: it can't write before."""

    def delayed(self, depth_cycles: T | int) -> NestTiming[T]:
        """Return the times of a pipeline of that depth: writes come so much later than reads."""
        return replace(
            self,
            first_write=self.first_write + depth_cycles,
            last_write=self.last_write + depth_cycles,
        )


def initiation_interval(node: Node, order: Sequence[str]) -> int:
    """Return the II of a node: `ACCUMULATION_II` if a reduction loop is innermost, else 1.

    A sequential node, which the paper doesn't have, waits for its longest chain of operations:
    `ACCUMULATION_II` for each.
    """
    if isinstance(node, SequentialNode):
        return max(1, ACCUMULATION_II * max(map(_chain, node.expressions)))
    return ACCUMULATION_II if order and order[-1] in node.reduction_loops else 1


def _chain(expression: Expression) -> int:
    """Return the operations on the longest path through an expression."""
    below = max(map(_chain, children(expression)), default=0)
    return below + isinstance(expression, Binary | Call)


def position(
    order: Sequence[str], tiles: Mapping[str, T], at_last: Collection[str], algebra: Algebra[T]
) -> T:
    """Return the row-major position of the iteration with some loops at their last tile.

    Parameters
    ----------
    order
        Tile loops, outermost first.
    tiles
        Trip count of every tile loop.
    at_last
        Loops whose iterator is at its last value; the others are at 0.
    """
    total = algebra.constant(0)
    for loop in order:
        total = total * tiles[loop]
        if loop in at_last:
            total = total + tiles[loop] + -1
    return total


def nest_run(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, T],
    operands: Collection[str],
    algebra: Algebra[T],
    ii: T | int,
) -> NestTiming[T]:
    """Return the relative times of one run at a given initiation interval, in cycles.

    FW has the reduction iterators at their last value and the others at 0; LW has all at their
    last value; LR has the operand's own iterators at their last value and the others at 0. An
    operand that is read in several ways counts the iterators of all of them.
    """

    def at(loops: Collection[str]) -> T:
        return position(order, tiles, loops, algebra) * ii

    own = {
        array: {name for access in node.reads_of(array) for name in access.iterators()}
        for array in operands
    }
    return NestTiming(
        ii=ii,
        first_write=at(node.reduction_loops),
        last_write=at(order),
        last_read={array: at(names) for array, names in own.items()},
    )


def nest_timing(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, T],
    operands: Sequence[str],
    algebra: Algebra[T],
    *,
    stores: int = 1,
) -> NestTiming[T]:
    """Return the relative times of one node, as published.

    Parameters
    ----------
    order
        Tile loops, outermost first.
    tiles
        Trip count of every tile loop: extent over unroll factor.
    operands
        Arrays that the node reads from other nodes.
    stores
        Channels that the output goes down. The published models add up LW over a node's store
        operations, so a node whose output was duplicated counts its run once for each; kept, as
        their figures for bypass paths (attention, residual MLP) can't be had otherwise.
    """
    run = nest_run(node, order, tiles, operands, algebra, initiation_interval(node, order))
    times = 1 if isinstance(node, SequentialNode) else max(1, stores)
    return replace(run, last_write=run.last_write * times)


NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NodeTimes(Generic[T]):
    """Absolute st, fw and lw of one node, in cycles."""

    start: T
    first_write: T
    last_write: T


def node_timings(
    graph: Graph,
    orders: Mapping[str, Sequence[str]],
    tiles: Mapping[str, Mapping[str, T]],
    algebra: Algebra[T],
) -> dict[str, NestTiming[T]]:
    """Return the relative times of every node; see `nest_timing`."""
    ins, outs = graph.in_edges(), graph.out_edges()
    return {
        node.name: nest_timing(
            node,
            orders[node.name],
            tiles[node.name],
            tuple(dict.fromkeys(edge.array for edge in ins[node.name])),
            algebra,
            stores=len(outs[node.name]),
        )
        for node in graph.nodes
    }


def graph_times(
    graph: Graph,
    timings: Mapping[str, NestTiming[T]],
    fifos: Collection[str],
    algebra: Algebra[T],
    waits_for: Mapping[str, Sequence[str]] = NOTHING,
) -> dict[str, NodeTimes[T]]:
    """Return st, fw and lw of every node, in topological order ([1] table 3).

    ``st = max(fw of FIFO producers, lw of the others)``, ``fw = st + FW`` and
    ``lw = max over producers of max(st + LR, lw(producer)) + LW - LR``.

    Parameters
    ----------
    fifos
        Names of the channels that are FIFOs; the others are ping-pong buffers.
    waits_for
        Other nodes that must have ended before a node starts; they come earlier in the graph.
    """
    ins = graph.in_edges()
    times: dict[str, NodeTimes[T]] = {}
    for node in graph.nodes:
        timing = timings[node.name]
        arrivals = [algebra.constant(0)]
        arrivals += [times[other].last_write for other in waits_for.get(node.name, ())]
        for edge in ins[node.name]:
            producer = times[edge.producer]
            streams = edge.channel in fifos
            arrivals.append(producer.first_write if streams else producer.last_write)
            last_read: Any = timing.last_read[edge.array]
            if timing.waits_for_all and last_read <= timing.first_write:
                arrivals.append(producer.last_write + last_read * -1)
        start = algebra.maximum(arrivals)
        ends = [start + timing.last_write]
        for edge in ins[node.name]:
            epilogue = timing.last_write + timing.last_read[edge.array] * -1
            ends.append(times[edge.producer].last_write + epilogue)
        times[node.name] = NodeTimes(start, start + timing.first_write, algebra.maximum(ends))
    return times


def latency(times: Mapping[str, NodeTimes[T]], algebra: Algebra[T]) -> T:
    """Return the cycle of the last write of any node: the objective of [1] equation 3."""
    return algebra.maximum([node.last_write for node in times.values()])


@dataclass(frozen=True, slots=True)
class SymbolicModel:
    """The performance model of a graph for fixed loop orders and channels; cycles."""

    tiles: Mapping[str, Mapping[str, Any]]
    """By node and loop: the symbol ``x_<node>_<loop>``, trip count of the tile loop."""
    timings: Mapping[str, NestTiming[Any]]
    """FW, LW and LR of every node."""
    times: Mapping[str, NodeTimes[Any]]
    """st, fw and lw of every node."""
    latency: Any
    """Last write of the whole graph."""


def symbolic_model(
    graph: Graph, orders: Mapping[str, Sequence[str]], fifos: Collection[str]
) -> SymbolicModel:
    """Return the model with symbolic tile loops.

    Parameters
    ----------
    orders
        Loop order of every node, outermost first.
    fifos
        Channels that are FIFOs.

    Raises
    ------
    MissingExtraError
        E890 if SymPy isn't installed.
    """
    algebra = symbolic()  # first, as it tells where SymPy is missing
    import sympy

    tiles: dict[str, dict[str, Any]] = {
        node.name: {
            loop.name: sympy.Symbol(f"x_{node.name}_{loop.name}", integer=True, positive=True)
            for loop in node.loops
        }
        for node in graph.nodes
    }
    timings = node_timings(graph, orders, tiles, algebra)
    times = graph_times(graph, timings, fifos, algebra)
    return SymbolicModel(tiles, timings, times, latency(times, algebra))
