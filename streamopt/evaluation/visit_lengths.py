"""How long visits of phases last at least: a decision that needs to know the target's operators."""

from dataclasses import replace

from streamopt.errors import TargetError
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.perf.turns.lengths import with_lengths
from streamopt.target.device import Target, or_usual, target_of_part
from streamopt.transforms.apply import apply, planned_graph
from streamopt.transforms.lower import lower


def with_visit_lengths(graph: Graph, schedule: Schedule, target: Target) -> Schedule:
    """Return a schedule that says how long visits of all phases last at least.

    Lengths that it has are kept.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    """
    is_sequential = any(isinstance(node, SequentialNode) for node in graph.nodes)
    if not is_sequential or not _lacks_any(planned_graph(graph, schedule), schedule):
        return schedule
    network = lower(apply(graph, schedule))
    processes = {process.name: process for process in network.processes}

    def known(plan: NodePlan) -> NodePlan:
        if plan.least_cycles or plan.node not in processes:
            return plan
        return with_lengths(plan, processes[plan.node], network, target)

    return replace(schedule, nodes=tuple(map(known, schedule.nodes)))


def with_lengths_on_part(graph: Graph, schedule: Schedule, part: str, clock_ns: float) -> Schedule:
    """Return a schedule with lengths for the device of a part, or for the usual one.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    """
    try:
        return with_visit_lengths(graph, schedule, target_of_part(part, clock_ns))
    except TargetError:  # nothing is known of this clock
        return with_visit_lengths(graph, schedule, or_usual(None))


def _lacks_any(graph: Graph, schedule: Schedule) -> bool:
    own = {node.name for node in graph.nodes if isinstance(node, SequentialNode)}
    return any(plan.node in own and not plan.least_cycles for plan in schedule.nodes)
