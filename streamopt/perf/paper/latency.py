"""When every node of a graph starts, first writes and finishes: table 3 of [1].

[1] Basalama and Cong, Stream-HLS, FPGA 2025, section 3.5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from streamopt.perf.paper.algebra import Arithmetic
from streamopt.perf.paper.timing import nest_timing

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamopt.ir.graph import Graph
    from streamopt.perf.paper.algebra import Algebra
    from streamopt.perf.paper.timing import NestTiming

__all__ = ["NodeTimes", "graph_times", "latency", "node_timings"]

T = TypeVar("T", bound=Arithmetic)
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
