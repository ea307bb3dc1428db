"""A run with a solver: models in, checked schedules and offers of them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import floor
from typing import Any, TypeAlias

from streamopt.errors import Diagnostic, SolverError
from streamopt.ir.schedule import Schedule
from streamopt.solvers.base import Progress
from streamopt.solvers.registry import get
from streamopt.solvers.result import Proof, SolveResult, Stop
from streamopt.space.assemble import violations
from streamopt.space.objective import FewestDsps
from streamopt.strategies.run import NOT_FINAL, Run
from streamopt.strategies.solution import Solution

ReadBack: TypeAlias = Callable[[Mapping[str, float]], Schedule]


@dataclass(frozen=True, slots=True)
class Incumbent:
    """The best schedule so far and its objective: cycles, or DSPs."""

    schedule: Schedule
    cost: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a search; the bound is in the objective's unit."""

    incumbent: Incumbent
    bound: int
    proof: Proof
    stop: Stop
    message: str = ""


class SolverSearch:
    """A run with its solver and decision space."""

    def __init__(self, run: Run, solver: str) -> None:
        self.run, self.problem, self.clock = run, run.problem, run.clock
        self.solver = get(solver)
        self.space = run.problem.decision_space()
        self._least_offered: int | None = None

    @property
    def _target_cycles(self) -> int | None:
        """Return the latency that must be kept, if one must."""
        wanted = self.problem.objective
        return wanted.within_cycles if isinstance(wanted, FewestDsps) else None

    def solve(self, model: Any, read_back: ReadBack, lower: int) -> SolveResult:
        """Solve one model in the time that is left; what it finds meanwhile is offered.

        Parameters
        ----------
        lower
            A bound that is known already.
        """
        if self.clock.left() <= 0:
            return _out_of_time(self)

        def on_point(values: Mapping[str, float], bound: float | None) -> None:
            schedule = read_back(values)
            if self._is_kept(schedule):
                found = Incumbent(schedule, self.problem.cost(schedule))
                self.offer(found, max(lower, 0 if bound is None else floor(bound)))

        options = replace(
            self.run.options,
            time_limit_seconds=self.clock.seconds_for_solver(),
            on_progress=self._progress(lower),
            on_point=None if self.run.on_incumbent is None else on_point,
        )
        result = self.solver.solve(model, options)
        if result.stop is Stop.FAILED:
            raise SolverError(
                Diagnostic(
                    "E511",
                    f"{self.solver.name} failed on {self.problem.graph.name}: {result.message}",
                    hint="try another solver: streamopt solvers lists them",
                )
            )
        return result

    def _progress(self, lower: int) -> Callable[[Progress], None] | None:
        """Return a listener that reports progress on the whole problem, not on one model."""
        tell = self.run.options.on_progress
        if tell is None:
            return None

        def on_progress(progress: Progress) -> None:
            known = [c for c in (progress.incumbent, self._least_offered) if c is not None]
            best = min(known, default=None)
            bound = max(float(lower), progress.bound or 0.0)
            tell(self.clock.progress(best, bound if best is None else min(best, bound)))

        return on_progress

    def _is_kept(self, schedule: Schedule) -> bool:
        """Return whether a point of a running solver is a schedule within all limits."""
        target = self._target_cycles
        if target is not None and self.problem.evaluate(schedule).latency_cycles > target:
            return False
        return not violations(self.space, schedule)

    def checked(self, schedule: Schedule, claimed: SolveResult) -> Incumbent:
        """Return the schedule with its objective in plain integers.

        Raises
        ------
        SolverError
            If the schedule breaks a constraint or costs more than the solver says (E512): the
            solver's answer can't be trusted.
        """
        cost = self.problem.cost(schedule)
        broken = violations(self.space, schedule)
        cycles, target = self.problem.evaluate(schedule).latency_cycles, self._target_cycles
        if target is not None and cycles > target:
            broken.append(f"its schedule takes {cycles} cycles, more than {target}")
        if claimed.objective is None or cost > round(claimed.objective) or broken:
            unit = self.problem.objective.unit
            reason = "; ".join(broken) or f"its schedule takes {cost} {unit}"
            raise SolverError(
                Diagnostic(
                    "E512",
                    f"{self.solver.name} claims {claimed.objective} {unit}, but {reason}",
                    hint="try another solver or a stricter profile",
                )
            )
        return Incumbent(schedule, cost)

    def offer(self, incumbent: Incumbent, bound: int) -> None:
        """Report an incumbent that is better than all before."""
        if self._least_offered is not None and incumbent.cost >= self._least_offered:
            return
        self._least_offered = incumbent.cost
        if self.run.on_incumbent is not None:
            bound = min(bound, incumbent.cost)
            answer = Answer(incumbent, bound, Proof.FEASIBLE, Stop.INTERRUPTED, NOT_FINAL)
            self.run.on_incumbent(self.solution(answer))

    def solution(self, answer: Answer) -> Solution:
        """Return the answer as a solution."""
        return Solution(
            problem=self.problem,
            schedule=answer.incumbent.schedule,
            prediction=self.problem.evaluate(answer.incumbent.schedule),
            bound=answer.bound,
            proof=answer.proof,
            stop=answer.stop,
            solver=self.solver.name,
            solver_version=self.solver.version(),
            seed=self.run.options.seed,
            solve_seconds=self.clock.seconds(),
            message=answer.message,
        )


def _out_of_time(search: SolverSearch) -> SolveResult:
    return SolveResult(
        proof=Proof.NONE,
        stop=Stop.TIME_LIMIT,
        objective=None,
        bound=None,
        wall_seconds=0.0,
        solver=search.solver.name,
        version=search.solver.version(),
        seed=search.run.options.seed,
        values={},
    )
