"""Schedules by mathematical optimization: the levels opt1 to opt5 with a proof.

The compact program is solved over a ladder of horizons. A program over the rows that a horizon T
leaves holds every schedule with latency at most T: if it has an optimum, that is the optimum of
the whole problem; if it has none, T + 1 is a lower bound and the next horizon is tried. The
first horizons leave few rows, so most problems end within milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from streamopt.formulation.compact import model as compact
from streamopt.formulation.paper import model as paper
from streamopt.ir.schedule import Schedule
from streamopt.solvers.result import Proof, SolveResult, Stop
from streamopt.space.assemble import assemble, first_plans
from streamopt.space.horizon import HorizonFilter
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import FewestDsps, Interval, Latency
from streamopt.space.row_values import NodeRows
from streamopt.space.rows import node_rows
from streamopt.strategies.exact.diving import DIVE_STEPS, dive
from streamopt.strategies.programs.certified import certified
from streamopt.strategies.programs.solver_search import Answer, Incumbent, ReadBack, SolverSearch
from streamopt.strategies.run import NotReachedError, OutOfReachError, Run
from streamopt.strategies.solution import Solution


@dataclass(frozen=True, slots=True)
class _Untiled:
    """Level opt4: the loop orders to begin with, and what latency without tiles they have."""

    schedule: Schedule
    limit_cycles: int | None
    is_proved: bool
    stop: Stop


def solve_compact(run: Run, solver: str) -> Solution:
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
    search = SolverSearch(run, solver)
    untiled = _untiled(search, solver)
    match run.problem.objective:
        case Interval():
            answer = _least_interval(search, untiled)
        case FewestDsps(target):
            answer = _least_dsps(search, untiled, target)
        case _:
            answer = _least_latency(search, untiled)
    if not untiled.is_proved and answer.proof.is_closed:
        note = "the loop orders of opt2 are not proved best"
        answer = replace(answer, proof=Proof.FEASIBLE, stop=untiled.stop, message=note)
    return search.solution(certified(search, answer))


def _untiled(search: SolverSearch, solver: str) -> _Untiled:
    problem = search.problem
    if not problem.level.untiled_first:
        return _Untiled(problem.plainest(), None, is_proved=True, stop=Stop.FINISHED)
    orders_only = replace(problem, objective=Latency()).within(level=LEVELS[LevelName.OPT2])
    orders = solve_compact(Run(orders_only, search.run.options), solver)
    is_proved = orders.proof.is_closed
    return _Untiled(orders.schedule, orders.latency_cycles, is_proved, orders.stop)


def _least_latency(search: SolverSearch, untiled: _Untiled) -> Answer:
    rows = node_rows(search.space)
    horizons = HorizonFilter(search.space, rows)
    known = Incumbent(untiled.schedule, search.problem.cost(untiled.schedule))
    lower = horizons.least_horizon(known.cost)
    known = _dive(search, horizons, known, lower, untiled.limit_cycles)
    search.offer(known, lower)
    for horizon in _steps(lower, known.cost):
        left = horizons.within(horizon)
        if left is None:
            continue
        result, read_back = _solved(search, left, (lower, horizon), untiled)
        if result.proof is Proof.INFEASIBLE:
            lower = horizon + 1
            continue
        return _answer(search, result, known, lower, read_back)
    return Answer(known, known.cost, Proof.OPTIMAL, Stop.FINISHED)


def _least_interval(search: SolverSearch, untiled: _Untiled) -> Answer:
    known = Incumbent(untiled.schedule, search.problem.cost(untiled.schedule))
    search.offer(known, 0)
    result, read_back = _solved(search, node_rows(search.space), (0, known.cost), untiled)
    return _answer(search, result, known, 0, read_back)


def _least_dsps(search: SolverSearch, untiled: _Untiled, target: int) -> Answer:
    left = HorizonFilter(search.space, node_rows(search.space)).within(target)
    if left is None:
        raise OutOfReachError
    least = sum(int(found.dsps.min()) for found in left.values())
    result, read_back = _solved(search, left, (least, target), untiled)
    if result.proof is Proof.INFEASIBLE and untiled.is_proved:
        raise OutOfReachError
    bound = max(0 if result.bound is None else round(result.bound), least)
    if not result.values:
        raise NotReachedError(search.solver.name, bound, result.stop)
    found = search.checked(read_back(result.values), result)
    proof = Proof.OPTIMAL if found.cost <= bound else Proof.FEASIBLE
    return Answer(found, min(bound, found.cost), proof, result.stop, result.message)


def _solved(
    search: SolverSearch, rows: Mapping[str, NodeRows], limits: tuple[int, int], untiled: _Untiled
) -> tuple[SolveResult, ReadBack]:
    """Solve the program of some rows, between a lower bound of the objective and a horizon."""
    lower, horizon = limits
    program = compact.build(
        search.space,
        rows,
        horizon_cycles=horizon,
        untiled_limit_cycles=untiled.limit_cycles,
        objective=search.problem.objective,
    )
    read_back = partial(compact.read_back, program)
    return search.solve(program.formulation.model, read_back, lower), read_back


def _dive(
    search: SolverSearch,
    horizons: HorizonFilter,
    known: Incumbent,
    lower: int,
    untiled_limit: int | None,
) -> Incumbent:
    """Return a better schedule than the known one if quick choices at some horizon give one."""

    def is_wanted(schedule: Schedule, cycles: int) -> bool:
        allowed = untiled_limit is None or _untiled_cycles(search, schedule) <= untiled_limit
        return allowed and cycles < known.cost

    found = dive(search.space, horizons, _steps(lower, known.cost), is_wanted)
    return known if found is None else Incumbent(*found)


def _untiled_cycles(search: SolverSearch, schedule: Schedule) -> int:
    graph = search.problem.graph
    orders = {plan.node: plan.order for plan in schedule.nodes}
    ones = {node.name: (1,) * len(node.loops) for node in graph.nodes}
    plans = first_plans(graph, search.problem.space.costs)
    return search.problem.evaluate(assemble(graph, orders, ones, plans=plans)).latency_cycles


def _steps(lower: int, highest: int) -> Iterator[int]:
    """Yield rising horizons, the last one being a latency that is known to be reached."""
    for step in DIVE_STEPS:
        if int(lower * step) < highest:
            yield int(lower * step)
    yield highest


def _answer(
    search: SolverSearch, result: SolveResult, known: Incumbent, lower: int, read_back: ReadBack
) -> Answer:
    bound = lower if result.bound is None else max(lower, round(result.bound))
    if not result.values:
        optimal = known.cost <= bound
        proof = Proof.OPTIMAL if optimal else Proof.FEASIBLE
        note = "no better schedule than the starting one was found"
        return Answer(known, min(bound, known.cost), proof, result.stop, note)
    found = search.checked(read_back(result.values), result)
    bound = min(bound, found.cost)
    proof = Proof.OPTIMAL if found.cost == bound else Proof.FEASIBLE
    return Answer(found, bound, proof, result.stop, result.message)


def solve_paper(run: Run, solver: str) -> Solution:
    """Return a best schedule by the paper's MINLP as printed; for nonlinear solvers.

    Raises
    ------
    SolverError
        As for `solve_compact`.
    """
    search = SolverSearch(run, solver)
    start = run.problem.plainest()
    known = Incumbent(start, run.problem.cost(start))
    program = paper.build(search.space, horizon_cycles=known.cost)
    read_back = partial(paper.read_back, program)
    result = search.solve(program.formulation.model, read_back, 0)
    return search.solution(certified(search, _answer(search, result, known, 0, read_back)))
