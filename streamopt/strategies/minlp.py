"""Schedules by mathematical optimization: the levels opt1 to opt5 with a proof.

The compact program is solved over a ladder of horizons. A program over the rows that a horizon T
leaves holds every schedule with latency at most T: if it has an optimum, that is the optimum of
the whole problem; if it has none, T + 1 is a lower bound and the next horizon is tried. The
first horizons leave few rows, so most problems end within milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from streamopt.errors import Diagnostic, SolverError
from streamopt.formulation.compact import model as compact
from streamopt.formulation.paper import model as paper
from streamopt.solvers.registry import get
from streamopt.solvers.result import Proof, SolveResult, Stop
from streamopt.space.assemble import (
    assemble,
    baseline,
    evaluate,
    interval_cycles,
    violations,
)
from streamopt.space.horizon import HorizonFilter
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Objective
from streamopt.space.rows import node_rows
from streamopt.strategies.clock import SearchClock
from streamopt.strategies.diving import DIVE_STEPS, dive
from streamopt.strategies.reach import NotReachedError, OutOfReachError, least_dsps
from streamopt.strategies.solution import Request, Solution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from streamopt.ir.schedule import Schedule
    from streamopt.solvers.base import SolveOptions
    from streamopt.space.rows import NodeRows
    from streamopt.strategies.solution import OnIncumbent

    ReadBack: TypeAlias = Callable[[Mapping[str, float]], Schedule]

__all__ = ["solve_compact", "solve_paper"]


@dataclass(frozen=True, slots=True)
class _Incumbent:
    """The best schedule so far and its objective: cycles, or DSPs."""

    schedule: Schedule
    cost: int


@dataclass(frozen=True, slots=True)
class _Answer:
    """How a search ended; the bound is in the objective's unit."""

    incumbent: _Incumbent
    bound: int
    proof: Proof
    stop: Stop
    message: str = ""


@dataclass(frozen=True, slots=True)
class _Untiled:
    """Level opt4: the loop orders to begin with, and what latency without tiles they have."""

    schedule: Schedule
    limit_cycles: int | None
    is_proved: bool
    stop: Stop


class _Search:
    """One request with its solver and clock."""

    def __init__(
        self,
        request: Request,
        solver: str,
        options: SolveOptions,
        on_incumbent: OnIncumbent = None,
    ) -> None:
        self.clock = SearchClock(options)
        self._on_incumbent = on_incumbent
        self.objective = request.objective
        self.target_cycles = request.latency_target_cycles
        self.request = request
        self.options = options
        self.solver = get(solver)
        self.space = request.space()

    def run(self, model: Any) -> SolveResult:
        """Solve one model in the time that is left."""
        left = self.clock.seconds_left()
        if left is not None and left <= 0:
            return _out_of_time(self)
        result = self.solver.solve(model, replace(self.options, time_limit_seconds=left))
        if result.stop is Stop.FAILED:
            raise SolverError(
                Diagnostic(
                    "E511",
                    f"{self.solver.name} failed on {self.request.graph.name}: {result.message}",
                    hint="try another solver: streamopt solvers lists them",
                )
            )
        return result

    def checked(self, schedule: Schedule, claimed: SolveResult) -> _Incumbent:
        """Return the schedule with its objective in plain integers.

        Raises
        ------
        SolverError
            If the schedule breaks a constraint or costs more than the solver says (E512): the
            solver's answer can't be trusted.
        """
        cost = self.cost(schedule)
        broken = violations(self.space, schedule)
        cycles, target = self.request.evaluate(schedule).latency_cycles, self.target_cycles
        if target is not None and cycles > target:
            broken.append(f"its schedule takes {cycles} cycles, more than {target}")
        if claimed.objective is None or cost > round(claimed.objective) or broken:
            unit = "DSPs" if self.objective is Objective.DSPS else "cycles"
            reason = "; ".join(broken) or f"its schedule takes {cost} {unit}"
            raise SolverError(
                Diagnostic(
                    "E512",
                    f"{self.solver.name} claims {claimed.objective} {unit}, but {reason}",
                    hint="try another solver or a stricter profile",
                )
            )
        return _Incumbent(schedule, cost)

    def cost(self, schedule: Schedule) -> int:
        """Return the objective of a schedule, in cycles or DSPs."""
        if self.objective is Objective.INTERVAL:
            return interval_cycles(self.request.graph, schedule, self.request.costs)
        found = self.request.evaluate(schedule)
        return found.dsps if self.objective is Objective.DSPS else found.latency_cycles

    def offer(self, incumbent: _Incumbent, bound: int) -> None:
        """Tell whoever keeps incumbents of a better one."""
        if self._on_incumbent is not None:
            answer = _Answer(incumbent, bound, Proof.FEASIBLE, Stop.INTERRUPTED, "not final")
            self._on_incumbent(self.solution(answer))

    def solution(self, answer: _Answer) -> Solution:
        """Return the answer as a solution."""
        bounds = dict.fromkeys(Objective, 0) | {self.objective: answer.bound}
        return Solution(
            request=self.request,
            schedule=answer.incumbent.schedule,
            prediction=self.request.evaluate(answer.incumbent.schedule),
            bound_cycles=bounds[Objective.LATENCY],
            bound_dsps=bounds[Objective.DSPS],
            bound_interval_cycles=bounds[Objective.INTERVAL],
            proof=answer.proof,
            stop=answer.stop,
            solver=self.solver.name,
            solver_version=self.solver.version(),
            seed=self.options.seed,
            solve_seconds=self.clock.seconds(),
            message=answer.message,
        )


def _out_of_time(search: _Search) -> SolveResult:
    return SolveResult(
        proof=Proof.NONE,
        stop=Stop.TIME_LIMIT,
        objective=None,
        bound=None,
        wall_seconds=0.0,
        solver=search.solver.name,
        version=search.solver.version(),
        seed=search.options.seed,
        values={},
    )


def solve_compact(
    request: Request, solver: str, options: SolveOptions, on_incumbent: OnIncumbent = None
) -> Solution:
    """Return a best schedule by the compact exact program, for one objective.

    For the latency and the interval there is always an incumbent: at worst the original loop
    orders without unrolling (opt4: the loop orders of opt2), with the bound that was reached.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    OutOfReachError
        If none has the latency target.
    SolverError
        If the solver is missing, fails, or its answer doesn't survive the check (E5xx).
    NotReachedError
        If it was stopped before it found a schedule within the latency target.
    """
    search = _Search(request, solver, options, on_incumbent)
    untiled = _untiled(search, solver)
    ways = {
        Objective.LATENCY: _least_latency,
        Objective.INTERVAL: _least_interval,
        Objective.DSPS: _least_dsps,
    }
    answer = ways[request.objective](search, untiled)
    if not untiled.is_proved and answer.proof is Proof.OPTIMAL:
        note = "the loop orders of opt2 are not proved best"
        answer = replace(answer, proof=Proof.FEASIBLE, stop=untiled.stop, message=note)
    return search.solution(answer)


def _untiled(search: _Search, solver: str) -> _Untiled:
    request = search.request
    if not search.space.level.untiled_first:
        return _Untiled(baseline(request.graph), None, is_proved=True, stop=Stop.FINISHED)
    orders_only = replace(
        request,
        level=LevelName.OPT2,
        objective=Objective.LATENCY,
        latency_target_cycles=None,
    )
    orders = solve_compact(orders_only, solver, search.options)
    is_proved = orders.proof is Proof.OPTIMAL
    return _Untiled(orders.schedule, orders.objective_cycles, is_proved, orders.stop)


def _least_latency(search: _Search, untiled: _Untiled) -> _Answer:
    rows = node_rows(search.space)
    horizons = HorizonFilter(search.space, rows)
    known = _Incumbent(untiled.schedule, search.cost(untiled.schedule))
    lower = horizons.least_horizon(known.cost)
    known = _dive(search, horizons, known, lower, untiled.limit_cycles)
    search.offer(known, lower)
    for horizon in _steps(lower, known.cost):
        left = horizons.within(horizon)
        if left is None:
            continue
        result, read_back = _solved(search, left, horizon, untiled)
        if result.proof is Proof.INFEASIBLE:
            lower = horizon + 1
            continue
        return _answer(search, result, known, lower, read_back)
    return _Answer(known, known.cost, Proof.OPTIMAL, Stop.FINISHED)


def _least_interval(search: _Search, untiled: _Untiled) -> _Answer:
    known = _Incumbent(untiled.schedule, search.cost(untiled.schedule))
    search.offer(known, 0)
    result, read_back = _solved(search, node_rows(search.space), known.cost, untiled)
    return _answer(search, result, known, 0, read_back)


def _least_dsps(search: _Search, untiled: _Untiled) -> _Answer:
    target = search.request.latency_target_cycles
    assert target is not None
    left = HorizonFilter(search.space, node_rows(search.space)).within(target)
    if left is None:
        raise OutOfReachError
    result, read_back = _solved(search, left, target, untiled)
    if result.proof is Proof.INFEASIBLE and untiled.is_proved:
        raise OutOfReachError
    bound = max(0 if result.bound is None else round(result.bound), least_dsps(left))
    if not result.values:
        raise NotReachedError(search.solver.name, bound, result.stop)
    found = search.checked(read_back(result.values), result)
    proof = Proof.OPTIMAL if found.cost <= bound else Proof.FEASIBLE
    return _Answer(found, min(bound, found.cost), proof, result.stop, result.message)


def _solved(
    search: _Search, rows: Mapping[str, NodeRows], horizon_cycles: int, untiled: _Untiled
) -> tuple[SolveResult, ReadBack]:
    program = compact.build(
        search.space,
        rows,
        horizon_cycles=horizon_cycles,
        untiled_limit_cycles=untiled.limit_cycles,
        objective=search.objective,
    )
    return search.run(program.formulation.model), partial(compact.read_back, program)


def _dive(
    search: _Search,
    horizons: HorizonFilter,
    known: _Incumbent,
    lower: int,
    untiled_limit: int | None,
) -> _Incumbent:
    """Return a better schedule than the known one if quick choices at some horizon give one."""

    def is_wanted(schedule: Schedule, cycles: int) -> bool:
        allowed = untiled_limit is None or _untiled_cycles(search, schedule) <= untiled_limit
        return allowed and cycles < known.cost

    found = dive(search.space, horizons, _steps(lower, known.cost), is_wanted)
    return known if found is None else _Incumbent(*found)


def _untiled_cycles(search: _Search, schedule: Schedule) -> int:
    graph = search.request.graph
    orders = {plan.node: plan.order for plan in schedule.nodes}
    ones = {node.name: (1,) * len(node.loops) for node in graph.nodes}
    return search.request.evaluate(assemble(graph, orders, ones)).latency_cycles


def _steps(lower: int, highest: int) -> Iterator[int]:
    """Yield rising horizons, the last one being a latency that is known to be reached."""
    for step in DIVE_STEPS:
        if int(lower * step) < highest:
            yield int(lower * step)
    yield highest


def _answer(
    search: _Search, result: SolveResult, known: _Incumbent, lower: int, read_back: ReadBack
) -> _Answer:
    bound = lower if result.bound is None else max(lower, round(result.bound))
    if not result.values:
        optimal = known.cost <= bound
        proof = Proof.OPTIMAL if optimal else Proof.FEASIBLE
        note = "no better schedule than the starting one was found"
        return _Answer(known, min(bound, known.cost), proof, result.stop, note)
    found = search.checked(read_back(result.values), result)
    bound = min(bound, found.cost)
    proof = Proof.OPTIMAL if found.cost == bound else Proof.FEASIBLE
    return _Answer(found, bound, proof, result.stop, result.message)


def solve_paper(request: Request, solver: str, options: SolveOptions) -> Solution:
    """Return a best schedule by the paper's MINLP as printed; for nonlinear solvers.

    Raises
    ------
    SolverError
        If the level is opt4, which is two programs (E513), or as for `solve_compact`.
    """
    if LEVELS[request.level].untiled_first:
        raise SolverError(
            Diagnostic(
                "E513",
                "the paper's program states one level at a time; opt4 is opt2 and then opt3",
                hint="use the compact formulation for opt4",
            )
        )
    search = _Search(request, solver, options)
    start = baseline(request.graph)
    known = _Incumbent(start, request.evaluate(start).latency_cycles)
    program = paper.build(search.space, horizon_cycles=known.cost)
    result = search.run(program.formulation.model)
    return search.solution(_answer(search, result, known, 0, lambda v: paper.read_back(program, v)))
