"""What every strategy returns: a schedule, and what is known of how good it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir.text import html_table
from streamopt.perf.costs import PUBLISHED
from streamopt.space.assemble import baseline, evaluate, interval_cycles, plainest
from streamopt.space.decisions import decision_space
from streamopt.space.fixed import NOTHING_FIXED
from streamopt.space.level import LEVELS
from streamopt.space.objective import Objective
from streamopt.transforms.apply import planned_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamopt.errors import Diagnostic
    from streamopt.ir.graph import Graph
    from streamopt.ir.ports import PortPlan
    from streamopt.ir.schedule import Binding, Prediction, Schedule
    from streamopt.perf.costs import CostModel
    from streamopt.solvers.result import Proof, Stop
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.fixed import Fixed
    from streamopt.space.level import LevelName
    from streamopt.strategies.resources.limits import Limit, Limits

    OnIncumbent: TypeAlias = Callable[["Solution"], None] | None

__all__ = ["OnIncumbent", "Request", "Solution"]


@dataclass(frozen=True, slots=True)
class Request:
    """What to solve: a graph at a level, under limits.

    Attributes
    ----------
    tiling_limit
        Least trip count of a tile loop, for loops longer than it.
    latency_target_cycles
        Latency that must be kept; for the objective DSPs only.
    ports
        How arrays cross the boundary; the graph has movers for them.
    limits
        On the design as built; None for none but that on DSPs in the paper's accounting.
    partial_tiles
        Whether unroll factors need not divide trip counts.
    lut_limit
        On LUTs as the costs count them; None for none.
    fixed
        What is decided already; None for nothing.
    """

    graph: Graph
    level: LevelName
    dsp_limit: int
    tiling_limit: int = 16
    objective: Objective = Objective.LATENCY
    latency_target_cycles: int | None = None
    limits: Limits | None = None
    costs: CostModel = PUBLISHED
    bindings: Mapping[str, tuple[Binding, ...]] = field(
        default_factory=dict[str, "tuple[Binding, ...]"]
    )
    horizon_cycles: int | None = None
    ports: tuple[PortPlan, ...] = ()
    partial_tiles: bool = False
    lut_limit: int | None = None
    fixed: Fixed | None = None

    def space(self) -> DecisionSpace:
        """Return what may be decided.

        Raises
        ------
        InfeasibleError
            If no schedule fits the limits (E401, E402) or what is fixed (E408, E409).
        """
        space = decision_space(
            self.graph,
            LEVELS[self.level],
            dsp_limit=self.dsp_limit,
            tiling_limit=self.tiling_limit,
            costs=self.costs,
            bindings=self.bindings,
            partial_tiles=self.partial_tiles,
            fixed=self.fixed or NOTHING_FIXED,
        )
        return replace(space, horizon_cycles=self.horizon_cycles, lut_limit=self.lut_limit)

    def plainest(self) -> Schedule:
        """Return a schedule to begin with: nothing is decided but what is fixed."""
        return plainest(self.space()) if self.fixed else baseline(self.graph)

    def evaluate(self, schedule: Schedule) -> Prediction:
        """Return the times and DSPs of a schedule under the request's costs, in integers."""
        return evaluate(self.graph, schedule, self.costs)

    def interval_cycles(self, schedule: Schedule) -> int:
        """Return the distance of frames of a schedule under the request's costs."""
        return interval_cycles(self.graph, schedule, self.costs)


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """A schedule with its certificate.

    A bound is what no schedule of the request can be below; 0 where the objective doesn't ask.

    Attributes
    ----------
    prediction
        The performance model's integers for the schedule.
    bound_cycles
        Of the latency; equal to it where the latency is proved least.
    proof, stop
        What was proved, and why the search ended. Optimal is said of the whole objective.
    solve_seconds
        From the request to the answer: rows, models, searches and read-back.
    bound_dsps
        Of the DSPs, among the schedules of the least latency or within the latency target.
    bound_interval_cycles
        Of the distance of frames.
    used
        Of each resource with a limit, as built.
    region
        Limits of the part of a device that a design of opt6 is within.
    least_found_cycles
        Least latency in the model of all schedules that were found, where that is of another one
        than `schedule`, which simulates faster; else 0.
    simulated_cycles
        Latency of the design in the simulation; 0 where nothing was simulated.
    warnings
        What is to be known before it is built; see `streamopt.pipeline.warning`.
    """

    request: Request
    schedule: Schedule
    prediction: Prediction
    bound_cycles: int
    proof: Proof
    stop: Stop
    solver: str
    solver_version: str
    seed: int
    solve_seconds: float
    message: str = ""
    bound_dsps: int = 0
    bound_interval_cycles: int = 0
    used: tuple[int, ...] = ()
    region: tuple[Limit, ...] = ()
    least_found_cycles: int = 0
    simulated_cycles: int = 0
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Return all limits on the design as built."""
        asked = self.request.limits
        return self.region if asked is None else asked.each

    @property
    def objective_cycles(self) -> int:
        """Return the latency of the schedule."""
        return self.prediction.latency_cycles

    @property
    def interval_cycles(self) -> int:
        """Return the distance of frames in the model."""
        graph = planned_graph(self.request.graph, self.schedule)
        return interval_cycles(graph, self.schedule, self.request.costs)

    @property
    def gap(self) -> float:
        """Return how far the objective may be above the optimum, relative to the objective.

        Of two objectives it is that of the first, or of the second where the first is proved.
        """
        match self.request.objective:
            case Objective.LATENCY:
                return _gap(self.objective_cycles, self.bound_cycles)
            case Objective.INTERVAL:
                return _gap(self.interval_cycles, self.bound_interval_cycles)
            case Objective.DSPS:
                return _gap(self.prediction.dsps, self.bound_dsps)
            case Objective.LATENCY_DSPS:
                cycles = _gap(self.objective_cycles, self.bound_cycles)
                return cycles or _gap(self.prediction.dsps, self.bound_dsps)

    @property
    def search_gap(self) -> float:
        """Return how far the least latency that was found may be above the optimum of the model.

        It is `gap` but where a schedule that simulates faster was returned instead.
        """
        return _gap(self.least_found_cycles or self.objective_cycles, self.bound_cycles)

    def __repr__(self) -> str:
        """Return what was found and proved, on one line; `streamopt.record` has all of it."""
        request = self.request
        simulated = f"{self.simulated_cycles:,} cycles simulated, " * bool(self.simulated_cycles)
        found = f"{self.objective_cycles:,} in the model, bound {self.bound_cycles:,}"
        warned = f", {len(self.warnings)} warnings" * bool(self.warnings)
        name = f"{request.graph.name} at {request.level}"
        return f"<Solution {name}: {simulated}{found}, {self.proof} by {self.solver}{warned}>"

    def _repr_html_(self) -> str:
        """Show what was found and proved, and every node's loops, in a notebook."""
        request, times = self.request, {node.node: node for node in self.prediction.nodes}
        title = f"{request.graph.name} at {request.level}: {self.objective_cycles:,} cycles, "
        title += f"bound {self.bound_cycles:,}, {self.proof} by {self.solver}"
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
