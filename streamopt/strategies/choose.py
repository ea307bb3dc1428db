"""Which strategy answers a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import Request, Solution

__all__ = ["FORMULATIONS", "ORACLE", "choose"]

ORACLE = "exhaustive"
FORMULATIONS = ("compact", "paper")


def choose(request: Request, solver: str, formulation: str, options: SolveOptions) -> Solution:
    """Return the answer of the oracle, or of a solver on one of the two formulations.

    Raises
    ------
    SolverError
        If the formulation is unknown (E514), or as the strategy raises.
    """
    if solver == ORACLE:
        from streamopt.strategies.oracle import solve_exhaustively

        return solve_exhaustively(request)
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
