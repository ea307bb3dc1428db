"""The answer of every strategy: a schedule, and how good it is proved to be."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from streamopt.errors import DesignWarning
from streamopt.evaluation.design import Evaluation
from streamopt.ir.ports import PortKind
from streamopt.ir.schedule import Prediction, Schedule
from streamopt.ir.text import html_table
from streamopt.solvers.result import Proof, Stop
from streamopt.space.assemble import interval_cycles
from streamopt.space.objective import LatencyThenDsps
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.limits import Limit
from streamopt.transforms.apply import planned_graph

OnIncumbent: TypeAlias = Callable[["Solution"], None] | None


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """A schedule with its certificate."""

    problem: Problem
    schedule: Schedule
    prediction: Prediction
    """The performance model's integers for the schedule."""
    bound: int
    """No schedule of the problem costs less; equal to `cost` where that is proved least. Of two
    objectives, of the first."""
    # proof, stop: what was proved, and why the search ended. Optimal is said of the whole
    # objective.
    proof: Proof
    stop: Stop
    solver: str
    solver_version: str
    seed: int
    solve_seconds: float
    """From the request to the answer: rows, models, searches and read-back."""
    message: str = ""
    second_bound: int = 0
    """Of the second of two objectives, among the schedules that are best in the first; else 0."""
    used: tuple[int, ...] = ()
    """Of each resource with a limit, as built."""
    region: tuple[Limit, ...] = ()
    """Limits of the part of a device that a design of opt6 is within."""
    fit: str = ""
    """The part of the device that the design keeps to; empty for none."""
    least_found_cycles: int = 0
    """Least latency in the model of all schedules that were found, where that is of another one
    than `schedule`, which simulates faster; else 0."""
    evaluation: Evaluation | None = field(default=None, compare=False)
    """The design as built and simulated; None of an incumbent, and of a point of a front."""
    warnings: tuple[DesignWarning, ...] = ()
    """To be known before it is built; see `streamopt.warnings`."""
    changed_by: str = ""
    """Constraints and an objective of the user's own that the model had, in words; see
    `streamopt.model`. Bound and proof are those of the changed model."""

    @property
    def simulated_cycles(self) -> int:
        """Return the latency of the design in the simulation; 0 where nothing was simulated."""
        return 0 if self.evaluation is None else self.evaluation.trace.cycles

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Return all limits on the design as built."""
        asked = self.problem.limits
        return self.region if asked is None else asked.each

    @property
    def latency_cycles(self) -> int:
        """Return the latency of the schedule in the model."""
        return self.prediction.latency_cycles

    @property
    def interval_cycles(self) -> int:
        """Return the distance of frames in the model, which has no movers of streamed weights."""
        resident = {p.array for p in self.problem.ports if p.kind is PortKind.RESIDENT}
        ports = (
            replace(p, kind=PortKind.RESIDENT, again=()) if p.array in resident else p
            for p in self.schedule.ports
        )
        searched = replace(self.schedule, ports=tuple(ports))
        graph = planned_graph(self.problem.graph, searched)
        return interval_cycles(graph, self.schedule, self.problem.space.costs)

    @property
    def dsps(self) -> int:
        """Return the DSPs as the costs of the problem count them."""
        return self.prediction.dsps

    @property
    def cost(self) -> int:
        """Return the objective's cost of the schedule: cycles, or DSPs."""
        return self.problem.objective.cost(self)

    @property
    def gap(self) -> float:
        """Return how far the objective may be above the optimum, relative to the objective.

        Of two objectives it is that of the first, or of the second where the first is proved.
        """
        first = _gap(self.cost, self.bound)
        if first or not isinstance(self.problem.objective, LatencyThenDsps):
            return first
        return _gap(self.dsps, self.second_bound)

    @property
    def search_gap(self) -> float:
        """Return how far the least objective that was found may be above the optimum of the model.

        It is `gap` but where a schedule that simulates faster was returned instead.
        """
        return _gap(self.least_found_cycles or self.cost, self.bound)

    @property
    def _model(self) -> str:
        changed = f" with {self.changed_by}" if self.changed_by else ""
        return f"the {self.problem.level.name} model{changed}"

    def __repr__(self) -> str:
        """Return the figures of the hardware, then the proof and its model, on one line."""
        problem = self.problem
        level = problem.level.name
        found = f"{self.latency_cycles:,} in {self._model}, bound {self.bound:,}"
        warned = f", {count} warning{'s' * (count > 1)}" if (count := len(self.warnings)) else ""
        name = f"{problem.graph.name} at {level}"
        hardware = "" if self.evaluation is None else f"{self.evaluation.headline}; "
        return f"<Solution {name}: {hardware}{found}, {self.proof} by {self.solver}{warned}>"

    def _repr_html_(self) -> str:
        """Show the hardware, what was proved, and every node's loops, in a notebook."""
        problem, times = self.problem, {node.node: node for node in self.prediction.nodes}
        level = problem.level.name
        hardware = "" if self.evaluation is None else f"{self.evaluation.headline}; "
        title = f"{problem.graph.name} at {level}: {hardware}{self.latency_cycles:,} cycles in "
        title += f"{self._model}, bound {self.bound:,}, {self.proof} by {self.solver}"
        header = ("node", "loop order", "unroll", "II", "start", "last write", "lanes", "DSPs")
        rows = (
            (
                *(plan.node, " ".join(plan.order)),
                " ".join(f"{loop}:{u}" for loop, u in plan.unroll if u > 1),
                *(node.ii, node.start_cycles, node.last_write_cycles, node.lanes, node.dsps),
            )
            for plan in self.schedule.nodes
            if (node := times.get(plan.node)) is not None
        )
        return html_table(title, header, rows)


def _gap(found: int, bound: int) -> float:
    return (found - bound) / max(1, found)
