"""Which strategy answers a request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError, SolverError
from streamopt.solvers.registry import WITHOUT_SOLVER
from streamopt.solvers.result import Proof
from streamopt.space.level import LEVELS
from streamopt.space.objective import Objective
from streamopt.strategies.diagnosis import latency_target_missed
from streamopt.strategies.programs.certified import search_exactly
from streamopt.strategies.reach import NotReachedError, OutOfReachError
from streamopt.strategies.resources.branch_and_bound import NoneWithinError, solve_within
from streamopt.strategies.resources.infeasible_limits import limits_missed

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.resources.limits import Limits
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

__all__ = ["AUTO", "FORMULATIONS", "ORACLE", "RACE", "SEARCH", "choose", "one_objective", "racers"]

AUTO, SEARCH, ORACLE, RACE = WITHOUT_SOLVER
FORMULATIONS = ("compact", "paper")
LEAST_SECONDS = 1e-3
"""What the second of two objectives gets where the first has used up the time."""


def choose(
    request: Request,
    solver: str,
    formulation: str,
    options: SolveOptions,
    on_incumbent: OnIncumbent = None,
) -> Solution:
    """Return the answer of the exact search, the oracle, or a solver on one of the formulations.

    ``auto`` is the exact search, and the default solver (CP-SAT where it is installed, else HiGHS)
    where that doesn't do: at opt4, for the paper's program, and on graphs that are too entangled
    for it. ``race`` is the exact search beside the default solver, ``race:NAME,NAME`` are those
    that are named.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401 to E405).
    SolverError
        If the formulation is unknown (E514) or can't state the objective (E517), the exact
        search is asked for what it can't do (E515), no schedule within the latency target was
        found in time (E516), no design within other limits was found (E522) or is looked for
        by this solver (E521), or as the strategy raises.
    """
    _check_target(request)

    def answer(asked: Request, left: SolveOptions) -> Solution:
        return one_objective(asked, solver, formulation, left, on_incumbent)

    if request.limits is not None:
        return _within(request, solver, formulation, options, on_incumbent)
    try:
        if request.objective is Objective.LATENCY_DSPS and solver != ORACLE:
            return _latency_then_dsps(request, options, answer)
        return answer(request, options)
    except OutOfReachError:
        silent = replace(options, on_progress=None)
        alone = AUTO if _is_race(solver) else solver
        raise latency_target_missed(
            request, lambda asked: choose(asked, alone, formulation, silent)
        ) from None
    except NotReachedError as error:
        raise SolverError(
            Diagnostic(
                "E516",
                f"{error.solver} was stopped before it found a schedule of {request.graph.name} "
                f"within {request.latency_target_cycles} cycles; one takes "
                f"{error.bound_dsps} DSPs or more",
                hint="give more time, or a higher --latency-target",
            )
        ) from None


def _is_race(solver: str) -> bool:
    return solver.partition(":")[0] == RACE


def racers(solver: str) -> tuple[str, ...]:
    """Return who runs in ``race`` or ``race:NAME,NAME``.

    Raises
    ------
    SolverError
        If a name is unknown (E501) or its wheel missing (E504), or there are less than two (E518).
    """
    from streamopt.solvers.registry import default_solver, get

    _, _, text = solver.partition(":")
    names = tuple(dict.fromkeys(text.split(","))) if text else (SEARCH, default_solver())
    for name in names:
        if name != SEARCH:
            get(name)
    if len(names) < 2:
        message = f"'{solver}' is a race of one"
        hint = f"name two or more, such as {RACE}:{SEARCH},{default_solver()}"
        raise SolverError(Diagnostic("E518", message, hint=hint))
    return names


def _within(
    request: Request,
    solver: str,
    formulation: str,
    options: SolveOptions,
    on_incumbent: OnIncumbent,
) -> Solution:
    """Return the answer without limits where it keeps them, and else the best that does."""
    limits = request.limits
    assert limits is not None
    silent = replace(options, on_progress=None)
    free = choose(replace(request, limits=None), solver, formulation, silent)
    used = limits.costing.usage(free.schedule)
    if limits.admit(used):
        return replace(free, request=request, used=used)
    searches = solver == SEARCH or (solver == AUTO and formulation == "compact")
    is_plain = request.objective is Objective.LATENCY and not LEVELS[request.level].untiled_first
    if not searches or not is_plain:
        raise _cannot_limit(request, limits, used)
    left = _what_is_left(options, free.solve_seconds)
    try:
        found = solve_within(request, limits, free.bound_cycles, left, on_incumbent)
    except NoneWithinError as error:
        if error.is_proved:
            rest = _what_is_left(silent, free.solve_seconds + error.solve_seconds)
            raise limits_missed(request, limits, rest) from None
        raise _none_within(request, limits, error) from None
    return replace(found, solve_seconds=found.solve_seconds + free.solve_seconds)


def _what_is_left(options: SolveOptions, spent_seconds: float) -> SolveOptions:
    limit = options.time_limit_seconds
    if limit is None:
        return options
    return replace(options, time_limit_seconds=max(LEAST_SECONDS, limit - spent_seconds))


def _check_target(request: Request) -> None:
    target, wanted = request.latency_target_cycles, request.objective is Objective.DSPS
    if wanted and target is None:
        message = "--objective dsps needs a latency that is to be kept"
        hint = "give --latency-target CYCLES"
    elif not wanted and target is not None:
        message = f"--latency-target has no meaning for --objective {request.objective}"
        hint = "it is for --objective dsps; leave it out"
    elif target is not None and target < 1:
        raise InfeasibleError(
            Diagnostic(
                "E402",
                f"--latency-target is {target}",
                hint="give a whole number of at least 1",
            )
        )
    else:
        return
    raise InfeasibleError(Diagnostic("E404", message, hint=hint))


def _latency_then_dsps(
    request: Request,
    options: SolveOptions,
    answer: Callable[[Request, SolveOptions], Solution],
) -> Solution:
    """Return a schedule of fewest DSPs among those of the least latency that was found."""
    first = answer(replace(request, objective=Objective.LATENCY), options)
    spent = first.solve_seconds
    left = _what_is_left(options, spent)
    target = first.objective_cycles
    kept = replace(request, objective=Objective.DSPS, latency_target_cycles=target)
    try:
        second = answer(kept, left)
    except NotReachedError as error:
        note = "the DSPs were not made fewer in time"
        return replace(
            first,
            request=request,
            proof=Proof.FEASIBLE,
            stop=error.stop,
            bound_dsps=error.bound_dsps,
            message=note,
        )
    is_proved = first.proof.is_closed
    proof = second.proof if is_proved else Proof.FEASIBLE
    if proof is Proof.OPTIMAL:
        proof = first.proof
    return replace(
        second,
        request=request,
        bound_cycles=first.bound_cycles,
        bound_dsps=second.bound_dsps if is_proved else 0,
        proof=proof,
        stop=second.stop if is_proved else first.stop,
        solve_seconds=spent + second.solve_seconds,
        message=second.message if is_proved else first.message,
    )


def one_objective(
    request: Request,
    solver: str,
    formulation: str,
    options: SolveOptions,
    on_incumbent: OnIncumbent,
) -> Solution:
    """Return the answer for a request of one objective.

    Raises
    ------
    OutOfReachError, NotReachedError
        If the latency target is not reached.
    InfeasibleError, SolverError
        As `choose`.
    """
    if _is_race(solver):
        from streamopt.strategies.portfolio.portfolio import race

        return race(request, racers(solver), formulation, options, on_incumbent)
    if solver == ORACLE:
        from streamopt.strategies.oracle.strategy import solve_exhaustively

        return solve_exhaustively(request)
    if solver == SEARCH or (solver == AUTO and formulation == "compact"):
        found = search_exactly(request, options, on_incumbent)
        if found is not None:
            return found
        if solver == SEARCH:
            raise _cannot_search(request)
    if solver == AUTO:
        from streamopt.solvers.registry import default_solver

        solver = default_solver()
    from streamopt.strategies.programs.minlp import solve_compact, solve_paper

    if formulation == "compact":
        return solve_compact(request, solver, options, on_incumbent)
    if formulation == "paper" and request.objective is Objective.LATENCY:
        return solve_paper(request, solver, options, on_incumbent)
    raise _cannot_formulate(request, formulation)


def _cannot_limit(request: Request, limits: Limits, used: tuple[int, ...]) -> SolverError:
    over = ", ".join(
        f"{amount} {limit.resource} are more than {limit.most}"
        for amount, limit in zip(used, limits.each, strict=True)
        if amount > limit.most
    )
    return SolverError(
        Diagnostic(
            "E521",
            f"the best schedule of {request.graph.name} at {request.level} is too large ({over}), "
            "and only the exact search looks for smaller ones",
            hint="leave --solver, --formulation and --objective out, at a level other than opt4",
        )
    )


def _none_within(request: Request, limits: Limits, error: NoneWithinError) -> SolverError:
    wanted = ", ".join(f"{limit.option} {limit.most}" for limit in limits.each)
    return SolverError(
        Diagnostic(
            "E522",
            f"no design of {request.graph.name} within {wanted} was found; none takes less than "
            f"{error.bound_cycles} cycles",
            hint="give more time, or higher limits",
        )
    )


def _cannot_search(request: Request) -> SolverError:
    return SolverError(
        Diagnostic(
            "E515",
            f"the exact search can't do {request.graph.name} at {request.level} for the "
            f"{request.objective}",
            hint="leave the solver out, or choose one of `streamopt solvers`",
        )
    )


def _cannot_formulate(request: Request, formulation: str) -> SolverError:
    if formulation in FORMULATIONS:
        return SolverError(
            Diagnostic(
                "E517",
                f"the {formulation} formulation minimises the latency, not the {request.objective}",
                hint="use the compact formulation",
            )
        )
    return SolverError(
        Diagnostic(
            "E514",
            f"there is no formulation '{formulation}'",
            hint=f"choose one of {', '.join(FORMULATIONS)}",
        )
    )
