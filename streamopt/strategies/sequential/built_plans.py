"""Plans of sequential nodes as built, each alone between arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.ir.graph import Graph
from streamopt.ir.program import Role
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS, Schedule
from streamopt.perf.as_built.closed_form import predict
from streamopt.perf.costs import NodeCost, plain_plan
from streamopt.perf.paper.timing import NestTiming
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.schedule import NodePlan
    from streamopt.perf.costs import OpenPlans
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources


@dataclass(frozen=True, slots=True)
class BuiltPlan:
    """A plan with its cost, and all that the node takes alone."""

    cost: NodeCost
    used: Resources


class BuiltPlans:
    """The plans of the sequential nodes of one graph on one target.

    Parameters
    ----------
    most_banks
        Of an argument.
    """

    def __init__(self, graph: Graph, on: Target, most_banks: int | None) -> None:
        self._graph, self._on = graph, on
        self._most_banks = MOST_ARGUMENT_BANKS if most_banks is None else most_banks
        self._known: dict[NodePlan, BuiltPlan] = {}

    def plans(self, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return plans worth considering, first the one that begins: without lanes."""
        first = plain_plan(node)
        return tuple(replace(first, binding=binding) for binding in wanted.bindings)

    def cost(self, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan."""
        return self.built(node, plan).cost

    def built(self, node: SequentialNode, plan: NodePlan) -> BuiltPlan:
        """Return a plan as built."""
        if plan not in self._known:
            spend(WORK.designs.process)
            alone = _alone(self._graph, node)
            self._known[plan] = _built(alone, plan, self._on, self._most_banks)
        return self._known[plan]


def _alone(graph: Graph, node: SequentialNode) -> Graph:
    """Return a graph of one node, whose arrays cross its boundary."""
    arrays = (
        replace(graph.array(name), role=Role.OUTPUT if name in node.outputs else Role.INPUT)
        for name in dict.fromkeys((*node.inputs, *node.outputs))
    )
    return Graph(graph.name, tuple(arrays), (node,), ())


def _built(alone: Graph, plan: NodePlan, on: Target, most_banks: int) -> BuiltPlan:
    schedule = Schedule(alone.name, (plan,), (), most_banks=most_banks)
    scheduled = apply(alone, schedule)
    network = lower(scheduled)
    timings = pipeline_timings(network, on)
    used = resources(network, timings, on)
    dsps = {name: own.dsps for name, own in used.pipelines.items()}
    (found,) = predict(scheduled, network, timings, dsps).nodes
    (node,) = alone.nodes
    cycles = found.last_write_cycles
    timing = NestTiming(found.ii, cycles, cycles, dict.fromkeys(node.inputs, 0))
    luts = sum(own.luts for own in used.pipelines.values())
    return BuiltPlan(NodeCost(timing, found.dsps, luts), used.total)
