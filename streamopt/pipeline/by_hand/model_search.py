"""The search of a model that its user has changed: rising horizons, and checks in integers.

A horizon T leaves out the rows of which no schedule with latency at most T has any
(`streamopt.space.horizon`). What a user requires can only take more of them, so the first horizon
that is feasible has the optimum of the changed model.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from streamopt.errors import Diagnostic, InfeasibleError, SolverError
from streamopt.formulation.compact.variables import Compact
from streamopt.formulation.tags import enforce, pyo
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.solvers.result import Proof, SolveResult
from streamopt.space.assemble import assemble_rows, violations
from streamopt.space.horizon import HorizonFilter
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.dispatch import answer, strategies
from streamopt.strategies.problem import Problem
from streamopt.strategies.programs.solver_search import Answer, Incumbent, SolverSearch
from streamopt.strategies.run import SEARCH, Run
from streamopt.strategies.solution import Solution

HORIZONS = (1.0, 1.05, 1.2, 1.6, 2.5, 5.0, 20.0)
"""Horizons to try, as multiples of a lower bound."""
BY_BUFFER = "C7"
"""Equation of a start behind the end of the producer, unless the channel is a FIFO."""
TOLERANCE = 1e-6
"""Of a user's constraint, relative."""
CONFLICT_SECONDS = 20.0
"""For each question which constraints can't be met together."""


@dataclass(frozen=True, slots=True)
class ChangedModel:
    """A program, and the changes of its user."""

    program: Compact
    own: Mapping[str, list[Any]]
    """The user's constraints by name."""
    objective: Any
    """The active objective of the Pyomo model."""
    objective_name: str
    """Of the user's own objective; empty where the latency is minimized."""
    words: str
    """The user's changes of the model in words; empty for none."""

    @property
    def pyomo(self) -> Any:
        """Return the Pyomo model."""
        return self.program.formulation.model


def exact_answer(problem: Problem, run: Run | None = None) -> Solution:
    """Return the answer of the exact search, silently."""
    if run is None:
        return answer(Run(problem), strategies(SEARCH))
    return answer(run.part(problem, silent=True), strategies(SEARCH))


class ModelSearch:
    """One search of a changed model."""

    def __init__(self, changed: ChangedModel, run: Run, solver: str) -> None:
        self.changed, self.run = changed, run
        self.program = changed.program
        self.search = SolverSearch(run, solver)
        self.horizons = HorizonFilter(self.program.space, self.program.rows)

    def answer(self) -> Solution:
        """Return the best schedule that was found.

        Raises
        ------
        InfeasibleError
            E411.
        SolverError
            E516, E527, or as the solver raises.
        """
        base = self._unchanged()
        lower = self.horizons.least_horizon(self.program.horizon_cycles)
        lower = lower if base is None else max(lower, base.bound)
        result, below = self._solved(lower)
        name = self.program.space.graph.name
        if result.proof is Proof.INFEASIBLE:
            raise self._conflict(base)
        if not result.values:
            message = f"{self.search.solver.name} was stopped before it found a schedule of {name}"
            message += f" with {self.changed.words}" * bool(self.changed.words)
            raise SolverError(Diagnostic("E516", message, hint="give more time"))
        schedule = self._kept(result)
        cost = self.run.problem.cost(schedule)
        found = self._stated(result, schedule, cost, below)
        is_latency = not self.changed.objective_name
        if found.proof is Proof.CLAIMED and is_latency and base and base.bound >= cost:
            found = replace(found, proof=Proof.OPTIMAL)  # of more schedules, so of these, too
        return replace(self.search.solution(found), changed_by=self.changed.words)

    def _stated(self, result: SolveResult, schedule: Schedule, cost: int, below: int) -> Answer:
        """Return the answer with the bound of the latency, and the proof of the objective."""
        best = Incumbent(schedule, cost)
        closed = Proof.OPTIMAL if self.search.solver.is_exact else Proof.CLAIMED
        name = self.changed.objective_name
        if name:
            value = pyo.value(self.changed.objective.expr)
            limit = "" if result.bound is None else f", bound {result.bound:,.6g}"
            message = f"'{name}' is {value:,.6g}{limit}"
            proof = closed if result.proof.is_closed else Proof.FEASIBLE
            return Answer(best, min(below, cost), proof, result.stop, message)
        bound = below if result.bound is None else max(below, round(result.bound))
        proof = closed if bound >= cost else Proof.FEASIBLE
        return Answer(best, min(bound, cost), proof, result.stop, result.message)

    def _unchanged(self) -> Solution | None:
        """Return the answer of the exact search to the unchanged problem; None if out of reach."""
        problem = self.run.problem
        if problem.level.untiled_first:
            problem = problem.within(level=LEVELS[LevelName.OPT5])
        try:
            return exact_answer(problem, self.run)
        except SolverError:
            return None

    def _solved(self, lower: int) -> tuple[SolveResult, int]:
        """Return the result at the first feasible horizon, and a bound of the latency."""
        last = self.program.horizon_cycles
        steps = [int(lower * step) for step in HORIZONS if int(lower * step) < last]
        steps = [last] if self.changed.objective_name else [*steps, last]
        for horizon in dict.fromkeys(steps):
            with self._within(horizon) as is_possible:
                if not is_possible and horizon < last:
                    continue
                result = self.search.solve(self.changed.pyomo, self._read_back, lower)
            if result.proof is not Proof.INFEASIBLE or horizon == last:
                return result, lower
            lower = horizon + 1
        raise AssertionError

    @contextmanager
    def _within(self, horizon: int) -> Generator[bool]:
        """Fix the rows that a horizon leaves out; they are free again afterwards."""
        kept = self.horizons.kept(horizon)
        fixed: list[Any] = []
        for name, flags in ({} if kept is None else kept).items():
            variables = self.program.row[name]
            fixed += [
                v for v, flag in zip(variables, flags, strict=True) if not flag and not v.fixed
            ]
        for variable in fixed:
            variable.fix(0)
        self._bound_times(horizon)
        try:
            yield kept is not None
        finally:
            for variable in fixed:
                variable.unfix()
            self._bound_times(self.program.horizon_cycles)

    def _bound_times(self, horizon: int) -> None:
        """Bound all times, and let constraints that a FIFO lifts be lifted by no more."""
        model, formulation = self.changed.pyomo, self.program.formulation
        for time in (*model.start.values(), *model.last.values(), model.latency):
            time.setub(horizon)
        edges = {edge.channel: edge for edge in self.program.space.graph.edges}
        for row, (fifo, active, _) in [*model.enforced_by.items()]:
            tag = formulation.tags.get(row.name)
            if tag is not None and tag.equation == BY_BUFFER:
                edge = edges[tag.subject]
                gap = model.start[edge.consumer] - model.last[edge.producer]
                row.set_value(gap + max(1, horizon) * fifo >= 0)
                enforce(formulation, row, fifo, active, max(1, horizon))

    def _read_back(self, values: Mapping[str, float]) -> Schedule:
        """Return the schedule of a point of the solver, with FIFOs wherever they can be."""
        return assemble_rows(self.program.space.graph, self.program.rows, self._chosen(values))

    def _chosen(self, values: Mapping[str, float]) -> dict[str, int]:
        return {
            node: max(range(len(choices)), key=lambda at: values[choices[at].name])
            for node, choices in self.program.row.items()
        }

    def _kept(self, result: SolveResult) -> Schedule:
        """Return the schedule of a result that keeps all constraints, and set it in the model.

        A channel is a FIFO where it can be, or else, if a constraint is against that, where the
        solver has made it one.
        """
        free = self._read_back(result.values)
        fifos = {c for c, fifo in self.program.fifo.items() if result.values[fifo.name] > 0.5}
        asked = tuple(
            plan if plan.channel in fifos else ChannelPlan(plan.channel, ChannelKind.PING_PONG)
            for plan in free.channels
        )
        chosen = self._chosen(result.values)
        most = result.objective
        broken: list[str] = []
        for schedule in (free, replace(free, channels=asked)):
            self._set(schedule, chosen)
            broken = [*self._broken(most), *violations(self.program.space, schedule)]
            if not broken:
                return schedule
        message = f"{', '.join(broken)} asks for times of a schedule that waits, or isn't kept"
        hint = "times are as early as they can be: constrain choices, such as dsps or has_order"
        raise SolverError(Diagnostic("E527", message, hint=hint))

    def _set(self, schedule: Schedule, chosen: Mapping[str, int]) -> None:
        """Give all variables the values that a schedule has, in whole numbers."""
        program, model = self.program, self.changed.pyomo
        for node, choices in program.row.items():
            for at, variable in enumerate(choices):
                _give(variable, int(at == chosen[node]))
        for index, choices in program.factor.items():
            group = program.space.classes[index]
            node, loop = group.members[0]
            taken = schedule.node(node).factors[loop]
            for factor, variable in zip(group.factors, choices, strict=True):
                _give(variable, int(factor == taken))
        for channel, variable in program.fifo.items():
            _give(variable, int(channel in schedule.fifos))
        prediction = self.run.problem.evaluate(schedule)
        for node in prediction.nodes:
            _give(model.start[node.node], node.start_cycles)
            _give(model.last[node.node], node.last_write_cycles)
        _give(model.latency, prediction.latency_cycles)

    def _broken(self, most: float | None) -> list[str]:
        """Return the user's constraints that the values of the model don't keep, and the claim."""
        found = [
            f"'{name}'"
            for name, rows in self.changed.own.items()
            if any(row.slack() < -TOLERANCE * max(1, abs(pyo.value(row.body))) for row in rows)
        ]
        value = pyo.value(self.changed.objective.expr)
        if most is not None and value > most + TOLERANCE * max(1.0, abs(most)):
            found.append(f"the objective of {most:,.6g}")
        return found

    def _conflict(self, base: Solution | None) -> InfeasibleError:
        """Return that no schedule meets all constraints, and which of the user's are the cause."""
        space = self.program.space
        where = f"{space.graph.name} at {self.run.problem.level.name}"
        cause = self._cause()
        own = " and ".join(f"'{name}'" for name in cause)
        message = f"no schedule of {where} within {space.dsp_limit} DSPs meets {own}"
        if not cause:
            message = f"no schedule of {where} fits {space.dsp_limit} DSPs"
        hint = "give dsp a larger number"
        if cause:
            hint = f"loosen {'it' if len(cause) == 1 else 'one of them'}"
        if base is not None:
            hint += f"; without constraints there is one of {base.latency_cycles:,} cycles"
        return InfeasibleError(Diagnostic("E411", message, hint=hint))

    def _cause(self) -> list[str]:
        """Return names of constraints that can't be met together, none of them left out."""
        kept = [*self.changed.own]
        objective = self.changed.objective
        objective.deactivate()
        self.changed.pyomo.no_objective = pyo.Objective(expr=0)
        try:
            for name in [*kept] if len(kept) > 1 else []:
                rows = self.changed.own[name]
                for row in rows:
                    row.deactivate()
                if self._is_infeasible():
                    kept.remove(name)
                    continue
                for row in rows:
                    row.activate()
        finally:
            self.changed.pyomo.del_component("no_objective")
            objective.activate()
            for rows in self.changed.own.values():
                for row in rows:
                    row.activate()
        return kept

    def _is_infeasible(self) -> bool:
        options = replace(self.run.options, time_limit_seconds=CONFLICT_SECONDS)
        result = self.search.solver.solve(self.changed.pyomo, options)
        return result.proof is Proof.INFEASIBLE


def _give(variable: Any, value: int) -> None:
    variable.set_value(value, skip_validation=True)
