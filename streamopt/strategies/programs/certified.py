"""Claims of solvers in floating point, held against the exact search.

A solver that computes with tolerances says that it is done; whether nothing is better is settled
by the search, in whole numbers. What it can't settle in time stays a claim, and is called one.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.solvers.result import Proof
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Objective

if TYPE_CHECKING:
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.programs.solver_search import Answer, SolverSearch
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

__all__ = ["certified", "search_exactly"]

logger = logging.getLogger(__name__)

LEAST_SECONDS = 5.0
"""For the search, however quick the solver was."""


def search_exactly(
    request: Request, options: SolveOptions, on_incumbent: OnIncumbent = None
) -> Solution | None:
    """Return the answer of the exact search; None where it can't give one."""
    from streamopt.search.labels.component import SearchTooLargeError
    from streamopt.strategies.exact.fewest_dsps import solve_fewest
    from streamopt.strategies.exact.interval import solve_interval
    from streamopt.strategies.exact.latency import solve_exact

    if LEVELS[request.level].untiled_first:
        return None
    ways = {Objective.INTERVAL: solve_interval, Objective.DSPS: solve_fewest}
    try:
        return ways.get(request.objective, solve_exact)(request, options, on_incumbent)
    except SearchTooLargeError:
        return None


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
    bound, other = _bound(found), search.cost(found.schedule)
    if bound >= cost:
        return replace(answer, proof=Proof.OPTIMAL)
    if other >= cost or found.request.level is not search.request.level:
        return replace(answer, proof=Proof.CLAIMED)
    message = f"{name} claims that {cost} is the least, but the exact search has found {other}"
    logger.warning("%s", message)
    return replace(answer, bound=bound, proof=Proof.FEASIBLE, message=message)


def _searched(search: SolverSearch) -> Solution | None:
    from streamopt.strategies.reach import NotReachedError, OutOfReachError

    left, seconds = search.clock.seconds_left(), max(LEAST_SECONDS, search.clock.seconds())
    seconds = seconds if left is None else min(left, seconds)
    if seconds <= 0:
        return None
    options = replace(search.options, time_limit_seconds=seconds, on_progress=None, hint={})
    is_subset = LEVELS[search.request.level].untiled_first
    wider = replace(search.request, level=LevelName.OPT5) if is_subset else search.request
    try:
        return search_exactly(wider, options)
    except (NotReachedError, OutOfReachError):  # it found none in time, or contradicts the solver
        return None


def _bound(found: Solution) -> int:
    match found.request.objective:
        case Objective.INTERVAL:
            return found.bound_interval_cycles
        case Objective.DSPS:
            return found.bound_dsps
        case Objective.LATENCY | Objective.LATENCY_DSPS:
            return found.bound_cycles
