"""Claims of solvers in floating point, held against the exact search.

A solver that computes with tolerances says that it is done; whether nothing is better is settled
by the search, in whole numbers. What it can't settle in time stays a claim, and is called one.
"""

import logging
from dataclasses import replace

from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.result import Proof
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.exact.strategy import ExactSearch
from streamopt.strategies.programs.solver_search import Answer, SolverSearch
from streamopt.strategies.run import NotReachedError, OutOfReachError
from streamopt.strategies.solution import Solution

logger = logging.getLogger(__name__)

LEAST_SECONDS = 5.0
"""For the search, however quick the solver was."""


def certified(search: SolverSearch, answer: Answer) -> Answer:
    """Return an answer whose proof is one, or is called a claim.

    The search gets as long as the solver took, and at least 5 s, of the time that is left. At
    opt4, whose schedules are some of those of opt5, it bounds them by opt5.
    """
    if search.solver.is_exact or not answer.proof.is_closed:
        return answer
    name, cost = search.solver.name, answer.incumbent.cost
    found = _searched(search)
    if found is None:
        return replace(answer, proof=Proof.CLAIMED)
    bound, other = found.bound, search.problem.cost(found.schedule)
    if bound >= cost:
        return replace(answer, proof=Proof.OPTIMAL)
    if other >= cost or found.problem.level is not search.problem.level:
        return replace(answer, proof=Proof.CLAIMED)
    message = f"{name} claims that {cost} is the least, but the exact search has found {other}"
    logger.warning("%s", message)
    return replace(answer, bound=bound, proof=Proof.FEASIBLE, message=message)


def _searched(search: SolverSearch) -> Solution | None:
    problem, clock = search.problem, search.clock
    if clock.left() <= 0:
        return None
    if problem.level.untiled_first:
        problem = problem.within(level=LEVELS[LevelName.OPT5])
    run = search.run.part(problem, silent=True, most=max(LEAST_SECONDS, clock.spent()))
    try:
        return ExactSearch().solve(run)
    except (NotReachedError, OutOfReachError, SearchTooLargeError):
        return None  # it found none in time, or contradicts the solver
