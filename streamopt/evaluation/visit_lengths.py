"""How long visits of phases last at least: a decision that needs to know the target's operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.perf.turns.bubbles import TimedTurn, least_iterations
from streamopt.perf.turns.stages import port_cycles
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.network import Network, Process
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


def visit_lengths(
    process: Process, network: Network, target: Target
) -> tuple[tuple[str, int], ...]:
    """Return pairs (phase, iterations that its visits last at least) of a sequential node."""
    memories = {memory.name: memory for memory in network.memories}
    found: list[tuple[str, int]] = []
    for turns in process.turns:
        named = {pipeline.name: pipeline for pipeline in process.pipelines}
        own = [named[name] for name in turns.pipelines]
        cycles = port_cycles(own, memories, turns.ii, target)
        least = least_iterations(turns, list(map(TimedTurn, own, cycles)))
        phases = (name.removeprefix(f"{process.name}.") for name in turns.pipelines)
        found += zip(phases, least, strict=True)
    return tuple(found)
