"""From a graph to HIDA's schedule: fuse, balance, then the largest parallel factor within the DSPs.

Every decision is told as a step, in the names of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.graph import Graph, Node
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.strategies.hida.parallelize import Parallelizer, largest_within
from streamopt.strategies.hida.partition import partitions
from streamopt.strategies.hida.quality import FactorChoice, loop_order
from streamopt.strategies.hida.tasks import (
    Task,
    functional_dataflow,
    fuse_least_critical,
    fuse_patterns,
    task_of,
)
from streamopt.strategies.rival import DesignStep, RivalAnswer, RivalRequest, ping_pongs
from streamopt.transforms.rewrites import changed_by

if TYPE_CHECKING:
    from streamopt.strategies.hida.parallelize import Parallelization

PATTERNS = ("fold_borders", "fold_copies", "fold_pointwise")
"""Fusions of Algorithm 2 that leave one nest: fills and copies, and element-wise operations."""
STRUCTURE = ("private_arguments", "balance_paths")
"""A port for each use of an array outside, and copies on short paths."""


def design(request: RivalRequest) -> RivalAnswer:
    """Return the design of HIDA for a graph.

    Raises
    ------
    StrategyError
        E532 if the design without lanes takes more DSPs than the limit.
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    first, graph = changed_by(request.graph, PATTERNS)
    fused = fuse_least_critical(graph, fuse_patterns(graph, functional_dataflow(graph)))
    more, balanced = changed_by(graph, STRUCTURE)
    tasks = _with_copies(fused, balanced)
    parallelizer = Parallelizer(balanced, request.target)
    found = largest_within(balanced, tasks, parallelizer, request.dsp_limit)
    return RivalAnswer(
        schedule=_schedule(balanced, (*first, *more), found.choices),
        steps=tuple(told(request.graph, balanced, tasks, parallelizer, found)),
        estimated_cycles=_latency_cycles(balanced, found.choices),
        estimated_dsps=found.dsps,
    )


def _with_copies(tasks: tuple[Task, ...], graph: Graph) -> tuple[Task, ...]:
    """Return the tasks with one for each node that came after them."""
    known = task_of(tasks)
    return (*tasks, *(task for task in functional_dataflow(graph) if task.nodes[0] not in known))


def _schedule(
    graph: Graph, rewrites: tuple[str, ...], choices: Mapping[str, FactorChoice]
) -> Schedule:
    nodes = tuple(_plan(node, choices[node.name]) for node in graph.nodes)
    return Schedule(graph.name, nodes, ping_pongs(graph), rewrites)


def _plan(node: Node, choice: FactorChoice) -> NodePlan:
    if choice.plan is not None:
        return choice.plan
    unroll = tuple(zip(node.trip_counts, choice.factors, strict=True))
    return NodePlan(node.name, loop_order(node), unroll)


def _latency_cycles(graph: Graph, choices: Mapping[str, FactorChoice]) -> int:
    """Return the longest path: with ping-pong buffers a node waits for those before it."""
    ends: dict[str, int] = {}
    waits = graph.in_edges()
    for node in graph.nodes:
        start = max((ends[edge.producer] for edge in waits[node.name]), default=0)
        ends[node.name] = start + choices[node.name].latency_cycles
    return max(ends.values())


FUSION = "task fusion"
BALANCE = "data path balancing"
PARALLEL = "parallelization"


def told(
    before: Graph,
    graph: Graph,
    tasks: Sequence[Task],
    parallelizer: Parallelizer,
    found: Parallelization,
) -> Iterator[DesignStep]:
    """Yield the decisions in the order in which they were made.

    Parameters
    ----------
    before, graph
        As read, and after all rewrites.
    """
    kept = {node.name for node in graph.nodes}
    for node in before.nodes:
        if node.name not in kept:
            yield DesignStep(FUSION, f"{node.name} is part of what reads {', '.join(node.outputs)}")
    for task in tasks:
        if len(task.nodes) > 1:
            yield DesignStep(FUSION, f"{task.name} are one task of {task.intensity} iterations")
    known = {node.name for node in before.nodes}
    for node in graph.nodes:
        if node.name not in known:
            what = f"{node.name} passes {node.inputs[0]} on as {node.outputs[0]}"
            yield DesignStep(BALANCE, f"{what}, beside a longer path")
    what = f"maximum parallel factor {found.most}: {found.dsps} DSPs by its own count"
    yield DesignStep(PARALLEL, what)
    for node in parallelizer.order:
        yield DesignStep(PARALLEL, _lanes(node, parallelizer, found))
    yield from _banks(graph, found)


def _lanes(node: Node, parallelizer: Parallelizer, found: Parallelization) -> str:
    choice = found.choices[node.name]
    if choice.plan is not None:
        unrolled = ", ".join(f"{n} by {factor}" for n, factor in choice.plan.unroll if factor > 1)
        what = f"unroll {unrolled}" if unrolled else "no loop is unrolled"
        return f"{node.name} keeps its order, at most {found.most_lanes[node.name]} lanes: {what}"
    loops, factors = [*node.trip_counts], choice.factors
    unrolled = ", ".join(f"{loop} by {factor}" for loop, factor in zip(loops, factors, strict=True))
    asked = parallelizer.heard(node.name)
    agrees = f", in agreement with {', '.join(asked)}" if asked else ""
    most = found.most_lanes[node.name]
    order = ", ".join(loop_order(node))
    return f"{node.name} in order {order}, at most {most} lanes: unroll {unrolled}{agrees}"


def _banks(graph: Graph, found: Parallelization) -> Iterator[DesignStep]:
    factors = {
        node.name: dict(zip(node.trip_counts, found.choices[node.name].factors, strict=True))
        for node in graph.nodes
    }
    for array, banks in partitions(graph, factors).items():
        if prod(banks) > 1:
            cyclic = " x ".join(map(str, banks))
            yield DesignStep("array partition", f"{array} in {cyclic} cyclic banks")
    passed = dict.fromkeys(edge.array for edge in graph.edges)
    if passed:
        yield DesignStep("buffers", f"ping-pong: {', '.join(passed)}")
