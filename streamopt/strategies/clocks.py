"""Clocks of searches: how much of an effort is spent, in seconds or in work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from time import perf_counter, process_time

from streamopt.search.labels.component import SearchStoppedError
from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.result import Stop
from streamopt.work import spent

LEAST_SECONDS = 1e-3
"""For what must still give an answer when all is spent."""
MOST_WAITING = 4.0
"""Seconds on the wall for a second of the limit, at most."""


class SearchClock:
    """Starts when it is made; honours the time limit and `should_stop` of the options.

    Attributes
    ----------
    on_beat
        Called whenever the search asks whether to stop, also by clocks of its parts.
    """

    def __init__(self, options: SolveOptions) -> None:
        self._started = perf_counter()
        self._options = options
        self._is_interrupted = False
        self.limit = options.time_limit_seconds or inf
        self.on_beat: Callable[[], None] | None = None

    @property
    def stop(self) -> Stop:
        """Return why a search was stopped, if it was."""
        return Stop.INTERRUPTED if self._is_interrupted else Stop.TIME_LIMIT

    def seconds(self) -> float:
        """Return the time since the start."""
        return perf_counter() - self._started

    def spent(self) -> float:
        """Return the effort since the start, of which there is a limit."""
        return self.seconds()

    def left(self) -> float:
        """Return the effort up to the limit, below 0 after it."""
        return self.limit - self.spent()

    def is_over(self) -> bool:
        """Return whether all of the effort is spent."""
        return self.left() <= 0

    def seconds_for_solver(self) -> float | None:
        """Return the time up to the limit, above 0 as solvers want it; None without one."""
        return _limit(max(LEAST_SECONDS, self.left()))

    def part(
        self, options: SolveOptions, most: float | None = None
    ) -> tuple[SolveOptions, SearchClock]:
        """Return the options and the clock of a part, within what is left or less."""
        seconds = max(LEAST_SECONDS, min(self.left(), inf if most is None else most))
        options = replace(options, time_limit_seconds=_limit(seconds))
        return options, self._heard(SearchClock(options))

    def _heard(self, clock: SearchClock) -> SearchClock:
        """Return the clock of a part, which beats as this one does."""
        clock.on_beat = self.on_beat
        return clock

    def progress(self, incumbent: float | None, bound: float | None) -> Progress:
        """Return the costs found and proved so far, with the effort that they took."""
        return Progress(self.seconds(), incumbent, bound, self.spent(), _limit(self.limit))

    def interrupt(self) -> Stop:
        """Note that the user pressed Ctrl-C, and return that as the reason to stop."""
        self._is_interrupted = True
        return self.stop

    def leave(self, effort: float) -> None:
        """Stop so much before the limit."""
        self.limit = max(LEAST_SECONDS, self.limit - effort)

    def should_stop(self) -> bool:
        """Return whether all is spent, or the search is no longer wanted."""
        if self.on_beat is not None:
            self.on_beat()
        asked = self._options.should_stop
        if asked is not None and asked():
            self._is_interrupted = True
        return self._is_interrupted or self.left() < 0

    def check(self) -> None:
        """Raise SearchStoppedError if the search is to stop."""
        if self.should_stop():
            raise SearchStoppedError


class WorkClock(SearchClock):
    """Counts work, and the seconds of the processor where these have a limit.

    Without such a limit, a search ends at the same point on every machine, whatever its load.
    Waiting counts a quarter, and no second counts twice where several threads work.

    Parameters
    ----------
    work
        The most that may be spent, in the unit of `streamopt.work`: about a processor second.
    """

    def __init__(self, options: SolveOptions, work: float = inf) -> None:
        super().__init__(options)
        self._worked, self._began = process_time(), spent()
        self._is_timed = options.time_limit_seconds is not None
        self.limit = min(self.limit, work)

    def seconds(self) -> float:
        """Return the time since the start."""
        elapsed = super().seconds()
        return min(elapsed, max(process_time() - self._worked, elapsed / MOST_WAITING))

    def spent(self) -> float:
        """Return the work since the start, or the seconds if these are more and have a limit."""
        work = spent() - self._began
        return max(work, self.seconds()) if self._is_timed else work

    def part(
        self, options: SolveOptions, most: float | None = None
    ) -> tuple[SolveOptions, SearchClock]:
        """Return the options and the clock of a part, within what is left or less."""
        effort = max(LEAST_SECONDS, min(self.left(), inf if most is None else most))
        limit = _limit(effort) if self._is_timed else None
        options = replace(options, time_limit_seconds=limit)
        return options, self._heard(WorkClock(options, effort))


def _limit(effort: float) -> float | None:
    return None if effort == inf else effort
