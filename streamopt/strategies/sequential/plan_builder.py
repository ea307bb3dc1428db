"""Plans of sequential nodes as built, each alone between arguments."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from streamopt.errors import SimulationError
from streamopt.evaluation.design import refuse_hazards
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.network import AccessMode
from streamopt.ir.operators import Operator
from streamopt.ir.program import Role
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS, Schedule, bound_implementation
from streamopt.perf.as_built.closed_form import predict
from streamopt.perf.costs import NodeCost, PublishedCosts, plain_plan
from streamopt.perf.paper.dsp import own_lane_dsps
from streamopt.perf.paper.timing import NestTiming
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.perf.turns.lengths import with_lengths
from streamopt.strategies.sequential.built_plan import BuiltPlan
from streamopt.strategies.sequential.lane_choices import UnitCost
from streamopt.strategies.sequential.lane_groups import idle_loops, lane_groups
from streamopt.strategies.sequential.plan_search import first_plan, searched_plans
from streamopt.target.resources import Fit
from streamopt.transforms.apply import apply
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.lower import lower
from streamopt.work import TUNING as WORK
from streamopt.work import spend, spent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.network import Network, Operation, Pipeline, PipelineTiming
    from streamopt.ir.program import Array
    from streamopt.ir.schedule import Binding, NodePlan
    from streamopt.ir.scheduled import ScheduledGraph
    from streamopt.ir.stepping.steps import Steps
    from streamopt.perf.costs import OpenPlans
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources


LUTS_OF_ONE = 0.98
"""Of a region: the rest is for what is around a node; an estimate."""
FEW_OTHERS = 0.02
"""Iterations of other nodes, to those of one, that leave it almost all; an estimate."""
LEAST_OF_EACH = 0.5
"""LUTs of each further lane, to those of one of several; an estimate."""
FEW_LANES = 4
"""Of a loop, to tell what each lane takes."""


class PlanBuilder:
    """Builds plans on one target, and remembers them: variants of a graph have nodes in common.

    Parameters
    ----------
    limits
        On all that a node takes.
    most_banks
        Of an argument.
    """

    def __init__(self, on: Target, limits: Resources, most_banks: int | None = None) -> None:
        self._on, self._limits = on, limits
        self._most_banks = MOST_ARGUMENT_BANKS if most_banks is None else most_banks
        self._built: dict[tuple[Graph, NodePlan], BuiltPlan] = {}
        self._plans: dict[tuple[Graph, OpenPlans, tuple[str, ...], bool], tuple[NodePlan, ...]] = {}

    def plans(self, graph: Graph, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return plans worth considering, first the one that begins: without lanes."""
        alone, luts = _alone(graph, node), self._limits.luts
        if wanted.most_luts is None or wanted.most_luts > luts:
            wanted = replace(wanted, most_luts=luts)
        key = alone, wanted, _straight(graph, node), _has_others(graph, node)
        if key not in self._plans:
            before = spent()
            self._plans[key] = self._searched(*key[:3], has_others=key[3])
            spend(before - spent())  # this has limits of its own, and leaves a search its effort
        return self._plans[key]

    def cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan."""
        return self.built(_alone(graph, node), plan).cost

    def built(self, alone: Graph, plan: NodePlan) -> BuiltPlan:
        """Return a plan of the node of a graph as built; it gets the lengths of visits.

        Raises
        ------
        LegalityError
            If it isn't one of the node.
        """
        if (alone, plan) not in self._built:
            whole = plan if plan.least_cycles else self._with_lengths(alone, plan)
            found = self._as_planned(alone, whole)
            self._built[alone, plan] = self._built[alone, whole] = found
        return self._built[alone, plan]

    def drafted(self, alone: Graph, plan: NodePlan) -> BuiltPlan:
        """Return a plan as built if no visit waits: all that it takes, and cycles at least.

        Raises
        ------
        LegalityError
            If it isn't one of the node.
        """
        return self._as_planned(alone, plan)

    def units(
        self, alone: Graph, steps: Steps, bindings: Sequence[Binding]
    ) -> Sequence[Mapping[str, UnitCost]]:
        """Return the cost of lanes of each phase, by its name, for each binding.

        Raises
        ------
        LegalityError
            If it can't be built.
        """
        (node,) = alone.nodes
        names = {phase.name: f"{node.name}.{phase.name}" for phase in steps.phases}
        one = first_plan(node, steps, ())
        few = {loop.name: min(FEW_LANES, max(1, loop.trip_count)) for loop in steps.loops}
        for idle in idle_loops(steps, lane_groups(steps))[:1]:
            few |= dict.fromkeys(idle, 1)
        laned = tuple((name, few[name] if name in steps.laned else 1) for name in one.order)
        networks = [self._lowered(alone, plan)[1] for plan in (one, replace(one, unroll=laned))]
        copies = {p.name: prod(few[loop.name] for loop in p.loops) for p in steps.phases}
        found: list[Mapping[str, UnitCost]] = []
        for binding in bindings:
            bound = [network.with_pipelines(partial(_bound, binding)) for network in networks]
            timings = [pipeline_timings(network, self._on) for network in bound]
            used = [
                resources(network, timed, self._on).pipelines
                for network, timed in zip(bound, timings, strict=True)
            ]
            pipelines = {p.name: p for process in bound[1].processes for p in process.pipelines}
            least = {name: _chain_cycles(pipelines[name], timings[1][name]) for name in used[1]}
            found.append(
                {
                    own: _unit((used[0][name], used[1][name]), copies[own], least[name])
                    for own, name in names.items()
                }
            )
        return found

    def is_safe(self, alone: Graph, built: BuiltPlan) -> bool:
        """Return whether iterations of a plan don't disturb each other, as far as is checked."""
        _, network = self._lowered(alone, built.plan)
        try:
            refuse_hazards(network, pipeline_timings(network, self._on))
        except SimulationError:
            return False
        return True

    def fits(self, built: BuiltPlan, wanted: OpenPlans) -> bool:
        """Return whether a plan is within the limits."""
        cost = built.cost
        within = wanted.most_dsps is None or cost.dsps <= wanted.most_dsps
        within &= wanted.most_luts is None or cost.luts <= wanted.most_luts
        spare = replace(self._limits, luts=int(LUTS_OF_ONE * self._limits.luts))
        return within and not built.used.over(spare)

    def lacks_memory(self, built: BuiltPlan) -> bool:
        """Return whether a plan takes more blocks of memory than there are."""
        return bool({"bram18", "uram"} & {*built.used.over(self._limits)})

    def _searched(
        self, alone: Graph, wanted: OpenPlans, straight: tuple[str, ...], *, has_others: bool
    ) -> tuple[NodePlan, ...]:
        (node,) = alone.nodes
        assert isinstance(node, SequentialNode)
        orders = steps_of(node)
        if not orders:
            return tuple(replace(plain_plan(node), binding=way) for way in wanted.bindings)
        if wanted.has_lanes:
            return searched_plans(alone, orders, wanted, self, straight, has_others=has_others)
        plans = [first_plan(node, orders[0], binding) for binding in wanted.bindings]
        if wanted.only_least_dsps:  # drafts tell it, in a fraction of the time
            plans = [min(plans, key=lambda plan: self.drafted(alone, plan).cost.dsps)]
        return tuple(self.built(alone, plan).plan for plan in plans)

    def _with_lengths(self, alone: Graph, plan: NodePlan) -> NodePlan:
        _, network = self._lowered(alone, plan)
        (process,) = network.processes
        return with_lengths(plan, process, network, self._on) if process.turns else plan

    def _as_planned(self, alone: Graph, plan: NodePlan) -> BuiltPlan:
        scheduled, network = self._lowered(alone, plan)
        timings = pipeline_timings(network, self._on)
        used = resources(network, timings, self._on)
        dsps = {name: own.dsps for name, own in used.pipelines.items()}
        (found,) = predict(scheduled, network, timings, dsps).nodes
        cycles = found.last_write_cycles
        timing = NestTiming(found.ii, cycles, cycles, dict.fromkeys(alone.nodes[0].inputs, 0))
        return BuiltPlan(plan, NodeCost(timing, found.dsps, used.total.luts), used.total)

    def _lowered(self, alone: Graph, plan: NodePlan) -> tuple[ScheduledGraph, Network]:
        spend(WORK.designs.process)
        schedule = Schedule(alone.name, (plan,), (), most_banks=self._most_banks)
        scheduled = apply(alone, schedule)
        return scheduled, lower(scheduled)


def _bound(binding: Binding, pipeline: Pipeline) -> Pipeline:
    passed: Counter[bool] = Counter()
    operations: list[Operation] = []
    for own in pipeline.operations:
        is_product = own.operator is Operator.MUL
        place = passed[is_product]
        built = bound_implementation(binding, own.operator, own.element, place)
        passed[is_product] += own.operator in (Operator.ADD, Operator.SUB, Operator.MUL)
        operations.append(replace(own, implementation=built))
    return replace(pipeline, operations=tuple(operations))


def _unit(used: tuple[Resources, Resources], copies: int, least_cycles: int) -> UnitCost:
    """Return the cost of lanes from that of one and of several."""
    one, several = used
    more = max(1, copies - 1)
    dsps, luts = (several.dsps - one.dsps) / more, (several.luts - one.luts) / more
    least = LEAST_OF_EACH * several.luts / copies  # where one lane has banks that are dear
    return UnitCost(one.dsps, one.luts, max(0.0, dsps), max(least, luts), least_cycles)


def _chain_cycles(pipeline: Pipeline, timing: PipelineTiming) -> int:
    """Return the cycles from a pipeline's first read to the first of its writes."""
    pairs = list(zip(pipeline.ports, timing.port_cycles, strict=False))
    writes = [cycle for port, cycle in pairs if port.mode is AccessMode.WRITE]
    if not writes:
        return timing.depth_cycles
    return min(writes) - min(cycle for _, cycle in pairs)


def _has_others(graph: Graph, node: SequentialNode) -> bool:
    """Return whether other nodes have so much to do that they share what there is."""
    points = prod(loop.trip_count for loop in node.loops)
    others = (prod(loop.trip_count for loop in own.loops) for own in graph.nodes if own != node)
    return sum(others) > FEW_OTHERS * points


def _touched_by_others(graph: Graph, node: SequentialNode) -> set[str]:
    return {name for one in graph.nodes if one != node for name in (*one.inputs, *one.outputs)}


def _alone(graph: Graph, node: SequentialNode) -> Graph:
    """Return a graph of one node; arrays that other nodes touch too cross its boundary."""
    others = _touched_by_others(graph, node)
    arrays: list[Array] = []
    for name in dict.fromkeys((*node.inputs, *node.outputs)):
        array = graph.array(name)
        if array.role is not Role.INTERNAL or name in others:
            array = replace(array, role=Role.OUTPUT if name in node.outputs else Role.INPUT)
        arrays.append(array)
    return Graph(node.name, tuple(arrays), (node,), ())


def _straight(graph: Graph, node: SequentialNode) -> tuple[str, ...]:
    """Return the arrays outside that only a node touches."""
    others = _touched_by_others(graph, node)
    return tuple(
        name
        for name in dict.fromkeys((*node.inputs, *node.outputs))
        if name not in others and graph.array(name).role is not Role.INTERNAL
    )


def published_costs(
    graph: Graph, on: Target, limits: Mapping[str, int] | None = None
) -> PublishedCosts:
    """Return the published costs of a graph; those of sequential nodes are as built.

    Where operators are our own, a lane has the DSPs of these.

    Parameters
    ----------
    limits
        On what a design takes, by field of `Resources`; those of a whole device where not given.
    """
    builder = PlanBuilder(on, replace(on.budget(Fit.DEVICE), **(limits or {})))
    return PublishedCosts(builder, own_lane_dsps(graph, on))
