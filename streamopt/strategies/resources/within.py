"""Limits on the design as built: the answer without them where it keeps them, else a search."""

from dataclasses import replace

from streamopt.errors import Diagnostic, SolverError
from streamopt.space.objective import Latency
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.branch_and_bound import NoneWithinError, solve_within
from streamopt.strategies.resources.infeasible_limits import limits_missed
from streamopt.strategies.resources.limits import Limits
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution


def answer_within(run: Run, limits: Limits, free: Solution, *, searches: bool) -> Solution:
    """Return the answer without limits where it keeps them, and else the best that does.

    Parameters
    ----------
    searches
        Whether the exact search was asked for, which alone looks for smaller designs.

    Raises
    ------
    InfeasibleError
        If no design keeps the limits (E405).
    SolverError
        If none was found (E522), or is looked for (E521).
    """
    problem = run.problem
    used = limits.costing.usage(free.schedule)
    if limits.admit(used):
        return replace(free, problem=problem, used=used)
    is_plain = isinstance(problem.objective, Latency) and not problem.level.untiled_first
    if not searches or not is_plain:
        raise _cannot_limit(problem, limits, used)
    try:
        found = solve_within(run.part(problem), limits, free.bound)
    except NoneWithinError as error:
        if error.is_proved:
            raise limits_missed(run.part(problem, silent=True), limits) from None
        raise _none_within(problem, limits, error) from None
    return replace(found, solve_seconds=run.clock.seconds())


def _cannot_limit(problem: Problem, limits: Limits, used: tuple[int, ...]) -> SolverError:
    return SolverError(
        Diagnostic(
            "E521",
            f"the best schedule of {problem.graph.name} at {problem.level.name} is too large "
            f"({limits.excess(used)}), and only the exact search looks for smaller ones",
            hint="leave --solver, --formulation and --objective out, at a level other than opt4",
        )
    )


def _none_within(problem: Problem, limits: Limits, error: NoneWithinError) -> SolverError:
    wanted = ", ".join(f"{limit.option} {limit.most}" for limit in limits.each)
    return SolverError(
        Diagnostic(
            "E522",
            f"no design of {problem.graph.name} within {wanted} was found; none takes less than "
            f"{error.bound_cycles} cycles",
            hint="give more time, or higher limits",
        )
    )
