"""The first strategy that accepts a problem answers it, with the latency that was asked for."""

from collections.abc import Sequence

from streamopt.errors import Diagnostic, SolverError
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.space.objective import FewestDsps
from streamopt.strategies.exact.strategy import too_large
from streamopt.strategies.protocol import Strategy
from streamopt.strategies.run import NotReachedError, Run
from streamopt.strategies.solution import Solution


def first_accepting(run: Run, asked: Sequence[Strategy]) -> Solution:
    """Return the answer of the first strategy that accepts the problem and can hold it.

    Raises
    ------
    SolverError
        With the reason of the last, if there is none.
    OutOfReachError, NotReachedError
        If the latency of `FewestDsps` is not reached.
    """
    reason: Diagnostic | None = None
    for strategy in asked:
        reason = strategy.accepts(run.problem)
        if reason is None:
            run.solver = strategy.name
            try:
                return _reached(strategy.solve(run))
            except SearchTooLargeError:
                reason = too_large(run.problem)
    assert reason is not None, "no strategy was asked"
    raise SolverError(reason)


def _reached(found: Solution) -> Solution:
    """Return a solution that has the latency asked for; raises NotReachedError for another."""
    objective = found.problem.objective
    if isinstance(objective, FewestDsps) and found.latency_cycles > objective.within_cycles:
        raise NotReachedError(found.solver, found.bound, found.stop)
    return found
