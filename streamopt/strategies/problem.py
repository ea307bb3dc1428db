"""The question to every strategy: a graph, what may be decided, within what, and for what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from streamopt.evaluation.boundary_ports import with_boundary
from streamopt.ir.graph import Graph
from streamopt.ir.ports import PortPlan
from streamopt.ir.schedule import Prediction, Schedule
from streamopt.space.assemble import baseline, evaluate, first_plans, interval_cycles, plainest
from streamopt.space.decisions import DecisionSpace, SpaceOptions, decision_space
from streamopt.space.level import Level
from streamopt.space.objective import Latency, Objective
from streamopt.strategies.resources.limits import Limits
from streamopt.target.device import Target, or_usual
from streamopt.transforms.ports.movers import moved_arrays

LATENCY = Latency()


@dataclass(frozen=True, slots=True)
class Problem:
    """A graph, its decision space, limits and an objective."""

    graph: Graph
    space: SpaceOptions
    objective: Objective = LATENCY
    limits: Limits | None = None
    """On the design as built; None for none but that on DSPs in the accounting of the costs."""
    ports: tuple[PortPlan, ...] = ()
    """How arrays cross the boundary; the graph has movers for them."""

    @property
    def level(self) -> Level:
        """Return the level."""
        return self.space.level

    def within(self, **space: Any) -> Problem:
        """Return the problem with other options of its decision space."""
        return replace(self, space=replace(self.space, **space))

    def decision_space(self) -> DecisionSpace:
        """Return the open decisions.

        Raises
        ------
        InfeasibleError
            If no schedule fits the limits (E401, E402) or what is fixed (E408, E409).
        """
        return decision_space(self.graph, self.space)

    def plainest(self) -> Schedule:
        """Return a schedule to begin with: nothing is decided but what is fixed."""
        if self.space.fixed:
            return plainest(self.decision_space())
        return baseline(self.graph, first_plans(self.graph, self.space.costs))

    def evaluate(self, schedule: Schedule) -> Prediction:
        """Return the times and DSPs of a schedule under the problem's costs, in integers."""
        return evaluate(self.graph, schedule, self.space.costs)

    def interval_cycles(self, schedule: Schedule) -> int:
        """Return the distance of frames of a schedule under the problem's costs."""
        return interval_cycles(self.graph, schedule, self.space.costs)

    def cost(self, schedule: Schedule) -> int:
        """Return the objective's cost of a schedule, in plain integers."""
        return self.objective.cost(_Costs(self, schedule))


def problem_with_ports(problem: Problem, ports: tuple[PortPlan, ...], on: Target | None) -> Problem:
    """Return a problem whose graph has movers, and whose costs keep to their channels.

    At opt6 the graph and its costs are for each variant anew: see `boundary_of_form`.

    Raises
    ------
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, E334 for a table of one that
        is written or has no values.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    if not ports:
        return problem
    if problem.level.is_as_built:
        moved_arrays(problem.graph, ports)  # refuses ports of arrays that don't cross
        return replace(problem, ports=ports)
    graph, costs = with_boundary(problem.graph, problem.space.costs, ports, or_usual(on))
    return replace(problem, graph=graph, ports=ports).within(costs=costs)


@dataclass(frozen=True, slots=True)
class _Costs:
    """The costs of a schedule, each computed when it is asked for."""

    problem: Problem
    schedule: Schedule

    @property
    def latency_cycles(self) -> int:
        return self.problem.evaluate(self.schedule).latency_cycles

    @property
    def interval_cycles(self) -> int:
        return self.problem.interval_cycles(self.schedule)

    @property
    def dsps(self) -> int:
        return self.problem.evaluate(self.schedule).dsps
