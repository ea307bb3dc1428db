"""Which strategy answers a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError
from streamopt.space.level import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import Request, Solution

__all__ = ["AUTO", "FORMULATIONS", "ORACLE", "SEARCH", "choose"]

AUTO = "auto"
SEARCH = "search"
ORACLE = "exhaustive"
FORMULATIONS = ("compact", "paper")


def choose(request: Request, solver: str, formulation: str, options: SolveOptions) -> Solution:
    """Return the answer of the exact search, the oracle, or a solver on one of the formulations.

    ``auto`` is the exact search, and the default solver where that doesn't do: at opt4, for the
    paper's program, and on graphs that are too entangled for it.

    Raises
    ------
    SolverError
        If the formulation is unknown (E514), the exact search is asked for what it can't do
        (E515), or as the strategy raises.
    """
    if solver == ORACLE:
        from streamopt.strategies.oracle import solve_exhaustively

        return solve_exhaustively(request)
    if solver == SEARCH or (solver == AUTO and _is_for_search(request, formulation)):
        found = _searched(request, options)
        if found is not None:
            return found
        if solver == SEARCH:
            raise _cannot_search(request)
    if solver == AUTO:
        from streamopt.solvers.registry import DEFAULT_SOLVER

        solver = DEFAULT_SOLVER
    from streamopt.strategies.minlp import solve_compact, solve_paper

    ways: dict[str, Callable[[Request, str, SolveOptions], Solution]] = {
        "compact": solve_compact,
        "paper": solve_paper,
    }
    if formulation not in ways:
        raise SolverError(
            Diagnostic(
                "E514",
                f"there is no formulation '{formulation}'",
                hint=f"choose one of {', '.join(FORMULATIONS)}",
            )
        )
    return ways[formulation](request, solver, options)


def _is_for_search(request: Request, formulation: str) -> bool:
    return formulation == "compact" and not LEVELS[request.level].untiled_first


def _searched(request: Request, options: SolveOptions) -> Solution | None:
    """Return the answer of the exact search; None where it can't give one."""
    from streamopt.search.labels import SearchTooLargeError
    from streamopt.strategies.exact import solve_exact

    if LEVELS[request.level].untiled_first:
        return None
    try:
        return solve_exact(request, options)
    except SearchTooLargeError:
        return None


def _cannot_search(request: Request) -> SolverError:
    return SolverError(
        Diagnostic(
            "E515",
            f"the exact search can't do {request.graph.name} at {request.level}",
            hint="leave the solver out, or choose one of `streamopt solvers`",
        )
    )
