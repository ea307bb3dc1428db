"""How long visits of phases last at least: a decision that needs to know the target's operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.perf.turns.lengths import visit_lengths
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import NodePlan, Schedule
    from streamopt.target.device import Target


def with_visit_lengths(graph: Graph, schedule: Schedule, target: Target) -> Schedule:
    """Return a schedule that says how long visits of all phases last at least.

    Lengths that it has are kept.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    """
    if all(_is_known(graph, plan) for plan in schedule.nodes):
        return schedule
    network = lower(apply(graph, schedule))
    processes = {process.name: process for process in network.processes}

    def known(plan: NodePlan) -> NodePlan:
        if plan.least_cycles or plan.node not in processes:
            return plan
        lengths = visit_lengths(processes[plan.node], network, target)
        return replace(plan, least_cycles=lengths)

    return replace(schedule, nodes=tuple(map(known, schedule.nodes)))


def _is_known(graph: Graph, plan: NodePlan) -> bool:
    """Return whether a plan says all; rewrites make no sequential node."""
    node = next((node for node in graph.nodes if node.name == plan.node), None)
    return bool(plan.least_cycles) or not isinstance(node, SequentialNode)
