"""From a graph to a schedule: fuse, balance, then the largest parallel factor within the DSPs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.strategies.hida.parallelize import Parallelizer
from streamopt.strategies.hida.quality import loop_order
from streamopt.strategies.hida.tasks import (
    Task,
    functional_dataflow,
    fuse_least_critical,
    fuse_patterns,
    task_of,
)
from streamopt.strategies.hida.telling import told
from streamopt.strategies.hida.widening import largest_within
from streamopt.strategies.rival import RivalAnswer, ping_pongs
from streamopt.transforms.rewrites import changed_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.graph import Graph, Node
    from streamopt.strategies.hida.quality import Choice
    from streamopt.strategies.rival import RivalRequest

__all__ = ["design"]

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


def _schedule(graph: Graph, rewrites: tuple[str, ...], choices: Mapping[str, Choice]) -> Schedule:
    nodes = tuple(_plan(node, choices[node.name]) for node in graph.nodes)
    return Schedule(graph.name, nodes, ping_pongs(graph), rewrites)


def _plan(node: Node, choice: Choice) -> NodePlan:
    unroll = tuple(zip(node.trip_counts, choice.factors, strict=True))
    return NodePlan(node.name, loop_order(node), unroll)


def _latency_cycles(graph: Graph, choices: Mapping[str, Choice]) -> int:
    """Return the longest path: with ping-pong buffers a node waits for those before it."""
    ends: dict[str, int] = {}
    waits = graph.in_edges()
    for node in graph.nodes:
        start = max((ends[edge.producer] for edge in waits[node.name]), default=0)
        ends[node.name] = start + choices[node.name].latency_cycles
    return max(ends.values())
