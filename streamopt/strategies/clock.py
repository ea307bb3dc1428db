"""The clock of one search: what time it has taken, and whether it is to stop."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from streamopt.search.labels.component import SearchStoppedError
from streamopt.solvers.result import Stop

if TYPE_CHECKING:
    from streamopt.solvers.base import SolveOptions

__all__ = ["LEAST_SECONDS", "SearchClock", "WorkClock"]


LEAST_SECONDS = 1e-3
"""For what must still give an answer when the time is up."""


MOST_WAITING = 4.0
"""Seconds on the wall for a second of the limit, at most."""


class SearchClock:
    """Runs from its making, under the time limit and the wishes of the options."""

    def __init__(self, options: SolveOptions) -> None:
        self._started = perf_counter()
        self._options = options
        self._is_interrupted = False

    @property
    def stop(self) -> Stop:
        """Return why a search was stopped, if it was."""
        return Stop.INTERRUPTED if self._is_interrupted else Stop.TIME_LIMIT

    def seconds(self) -> float:
        """Return the time since the start."""
        return perf_counter() - self._started

    def seconds_left(self) -> float | None:
        """Return the time up to the limit, below 0 after it; None without one."""
        limit = self._options.time_limit_seconds
        return None if limit is None else limit - self.seconds()

    def seconds_for_solver(self) -> float | None:
        """Return the time up to the limit as solvers take it, who know none of 0 or less."""
        left = self.seconds_left()
        return None if left is None else max(LEAST_SECONDS, left)

    def interrupt(self) -> Stop:
        """Note that the user pressed Ctrl-C, and return that as the reason to stop."""
        self._is_interrupted = True
        return self.stop

    def leave(self, seconds: float) -> None:
        """Stop that long before the limit, if there is one."""
        limit = self._options.time_limit_seconds
        if limit is not None:
            left = max(LEAST_SECONDS, limit - seconds)
            self._options = replace(self._options, time_limit_seconds=left)

    def should_stop(self) -> bool:
        """Return whether the time is up, or the search is no longer wanted."""
        asked = self._options.should_stop
        if asked is not None and asked():
            self._is_interrupted = True
        left = self.seconds_left()
        return self._is_interrupted or (left is not None and left < 0)

    def check(self) -> None:
        """Raise SearchStoppedError if the search is to stop."""
        if self.should_stop():
            raise SearchStoppedError


class WorkClock(SearchClock):
    """Counts the seconds of the processor, so that a busy machine finds what an idle one does.

    Waiting counts a quarter, and no second counts twice where several threads work.
    """

    def __init__(self, options: SolveOptions) -> None:
        super().__init__(options)
        self._worked = process_time()

    def seconds(self) -> float:
        """Return the time since the start."""
        elapsed = super().seconds()
        return min(elapsed, max(process_time() - self._worked, elapsed / MOST_WAITING))
