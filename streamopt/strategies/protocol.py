"""The contract of a strategy that proves what it answers."""

from typing import Protocol

from streamopt.errors import Diagnostic
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution


class Strategy(Protocol):
    """A way to solve a problem; a frozen value, so that it can go to another process.

    Strategies of other systems prove nothing and count DSPs their own way; they have the smaller
    contract `streamopt.strategies.rival.Rival`.
    """

    @property
    def name(self) -> str:
        """Return the name in messages and results."""
        ...

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why a problem can't be solved this way; None if it can."""
        ...

    def solve(self, run: Run) -> Solution:
        """Return the answer to ``run.problem``; at any time, the best so far with its bound.

        Raises
        ------
        InfeasibleError
            If no schedule fits the limits.
        OutOfReachError, NotReachedError
            If no schedule has the latency of `FewestDsps`; if none was found in time.
        SearchTooLargeError
            If the problem turns out to be too large: the next strategy is tried.
        """
        ...
