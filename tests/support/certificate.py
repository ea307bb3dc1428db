"""The certificate of a schedule: all its claims again, from the graph and in plain integers.

It rests on `loop_walk_evaluator` alone and shares no code with the search or solver that chose the
schedule, so that it can contradict it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.strategies.oracle.loop_walk_evaluator import Oracle, unroll_choices
from streamopt.strategies.paper_only import check_published
from streamopt.transforms.rewrites import rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.schedule import NodePlan, Schedule
    from streamopt.space.level import Level
    from streamopt.strategies.resources.limits import Limits


@dataclass(frozen=True, slots=True)
class Certificate:
    """The cost of a schedule, and its violations.

    Attributes
    ----------
    latency_cycles, interval_cycles
        The last write of all, and the distance of frames, in the model of [1]; 0 where the
        schedule has no such times.
    untiled_cycles
        The latency of its loop orders without unrolling, which opt4 wants least.
    broken
        The constraints that it breaks, in words; empty for a valid schedule.
    used
        Of each resource that has a limit, as built: `streamopt.perf.resources.network` says so.
    """

    latency_cycles: int
    interval_cycles: int
    dsps: int
    untiled_cycles: int
    broken: tuple[str, ...]
    used: tuple[int, ...] = ()


def certify(
    graph: Graph,
    schedule: Schedule,
    *,
    level: Level,
    dsp_limit: int,
    tiling_limit: int,
    limits: Limits | None = None,
) -> Certificate:
    """Return the costs of a schedule by walking its loops, and all constraints that it breaks.

    The graph is as it is before the schedule's rewrites. Loop orders, unroll factors, their
    coupling, DSPs, and which channels may be FIFOs are checked, and limits on the design as built,
    with the FIFO depths of the schedule. The time is that of walking every loop nest once.

    Raises
    ------
    SolverError
        If the level is opt6 (E523).
    """
    check_published(level, "a certificate", "simulate the schedule, and verify its design")
    graph = rewritten(graph, schedule.rewrites)
    shape = tuple(_misshapen(graph, schedule))
    if shape:
        return Certificate(0, 0, 0, 0, shape)
    oracle = Oracle(graph)
    orders = {plan.node: plan.order for plan in schedule.nodes}
    factors = {
        node.name: {loop: schedule.node(node.name).factors[loop] for loop in node.trip_counts}
        for node in graph.nodes
    }
    ones = {name: dict.fromkeys(own, 1) for name, own in factors.items()}
    fifos = schedule.fifos
    broken = [
        *_reordered(graph, schedule, level),
        *_uncoupled(graph, schedule, level, tiling_limit),
    ]
    for edge in graph.edges:
        if edge.channel in fifos and not oracle.streams(edge, orders):
            broken.append(f"{edge.channel} is a FIFO, but its two sides walk in different orders")
    dsps = oracle.dsps(factors)
    if dsps > dsp_limit:
        broken.append(f"{dsps} DSPs are more than {dsp_limit}")
    used = () if limits is None else limits.costing.usage_as_is(schedule)
    for amount, limit in zip(used, () if limits is None else limits.each, strict=True):
        if amount > limit.most:
            broken.append(f"{amount} {limit.resource} are more than {limit.most}")
    times = oracle.times(orders, factors, fifos)
    return Certificate(
        latency_cycles=max((last for _, _, last in times.values()), default=0),
        interval_cycles=oracle.interval(orders, factors),
        dsps=dsps,
        untiled_cycles=oracle.latency(orders, ones) if level.untiled_first else 0,
        broken=tuple(broken),
        used=used,
    )


def _misshapen(graph: Graph, schedule: Schedule) -> Iterator[str]:
    """Yield what keeps a schedule from being one of this graph at all."""
    if [plan.node for plan in schedule.nodes] != [node.name for node in graph.nodes]:
        yield "the schedule has other nodes than the graph"
        return
    if [plan.channel for plan in schedule.channels] != [edge.channel for edge in graph.edges]:
        yield "the schedule has other channels than the graph"
    for node in graph.nodes:
        yield from _misshapen_plan(node, schedule.node(node.name))


def _misshapen_plan(node: Node, plan: NodePlan) -> Iterator[str]:
    if sorted(plan.order) != sorted(node.trip_counts):
        yield f"{node.name}: {', '.join(plan.order)} is no order of its loops"
    if sorted(plan.factors) != sorted(node.trip_counts):
        yield f"{node.name}: unroll factors of other loops than its own"
        return
    for loop, trips in node.trip_counts.items():
        factor = plan.factors[loop]
        if factor < 1 or trips % factor:
            yield f"{node.name}.{loop}: unroll factor {factor} doesn't divide {trips}"


def _reordered(graph: Graph, schedule: Schedule, level: Level) -> Iterator[str]:
    for node in graph.nodes:
        is_fixed = isinstance(node, SequentialNode) or not level.permutes
        if is_fixed and schedule.node(node.name).order != tuple(node.trip_counts):
            yield f"{node.name}: its loop order may not change"


def _uncoupled(graph: Graph, schedule: Schedule, level: Level, tiling_limit: int) -> Iterator[str]:
    for keys, allowed in unroll_choices(graph, tiling_limit):
        taken = {schedule.node(node).factors[loop] for node, loop in keys}
        loops = ", ".join(f"{node}.{loop}" for node, loop in sorted(keys))
        if len(taken) > 1:
            yield f"{loops} must have one unroll factor, not {sorted(taken)}"
        if not taken <= (set(allowed) if level.tiles else {1}):
            yield f"unroll factors {sorted(taken)} of {loops} are not allowed"
