"""Refusals of questions that the model of [1] cannot answer: opt6, ports and fixed decisions.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from streamopt.errors import Diagnostic, SolverError
from streamopt.perf.costs import PublishedCosts
from streamopt.space.level import PAPER_LEVELS, Level
from streamopt.strategies.problem import Problem


def check_published(level: Level, what: str, hint: str) -> None:
    """Refuse a level whose costs are not the published ones.

    Parameters
    ----------
    what
        That is asked for: "the exhaustive search".
    hint
        What to ask for instead.

    Raises
    ------
    SolverError
        E523.
    """
    if level.is_as_built:
        raise SolverError(_unpublished(level, what, hint))


def refusal(problem: Problem, what: str, hint: str) -> Diagnostic | None:
    """Return why a problem isn't one of the model of [1] alone; None if it is.

    Parameters
    ----------
    what, hint
        As for `check_published`.
    """
    if problem.level.is_as_built:
        return _unpublished(problem.level, what, hint)
    if problem.ports:
        hint = f"{hint}; or solve without, and emit with --port"
        return Diagnostic("E525", f"{what} has no ports at {problem.level.name}", hint=hint)
    costs = problem.space.costs
    if problem.space.fixed or (isinstance(costs, PublishedCosts) and costs.lane_dsps):
        kept = "fixed decisions" if problem.space.fixed else "the DSPs of our own operators"
        message = f"{kept} are kept by the exact search and the compact formulation only"
        return Diagnostic("E526", message, hint="leave --solver exhaustive and --formulation out")
    return None


def _unpublished(level: Level, what: str, hint: str) -> Diagnostic:
    message = f"{what} is for {PAPER_LEVELS[0]} to {PAPER_LEVELS[-1]}, not for {level.name}"
    return Diagnostic("E523", message, hint=hint)
