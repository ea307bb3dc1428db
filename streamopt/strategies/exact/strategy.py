"""The exact search as a strategy: one search an objective."""

from dataclasses import dataclass

from streamopt.errors import Diagnostic
from streamopt.space.objective import FewestDsps, Interval
from streamopt.strategies.exact.fewest_dsps import solve_fewest
from streamopt.strategies.exact.interval import solve_interval
from streamopt.strategies.exact.latency import solve_latency
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import SEARCH, Run
from streamopt.strategies.solution import Solution


@dataclass(frozen=True, slots=True)
class ExactSearch:
    """Search over the graph by label setting; at every level but opt4."""

    @property
    def name(self) -> str:
        """Return the name."""
        return SEARCH

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why the search can't do a problem."""
        return too_large(problem) if problem.level.untiled_first else None

    def solve(self, run: Run) -> Solution:
        """Return the answer of the search for the objective."""
        match run.problem.objective:
            case Interval():
                return solve_interval(run)
            case FewestDsps():
                return solve_fewest(run)
            case _:
                return solve_latency(run)


def too_large(problem: Problem) -> Diagnostic:
    """Return that the search can't do a problem (E515)."""
    name, level = problem.graph.name, problem.level.name
    return Diagnostic(
        "E515",
        f"the exact search can't do {name} at {level} for the {problem.objective.name}",
        hint="leave the solver out, or choose one of `streamopt solvers`",
    )
