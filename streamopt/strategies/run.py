"""A problem under way: clock, limits, listeners, the best schedule, the bound, why it ended."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.strategies.solution import Solution

if TYPE_CHECKING:
    from collections.abc import Generator

    from streamopt.ir.schedule import Schedule
    from streamopt.strategies.problem import Problem
    from streamopt.strategies.solution import OnIncumbent

__all__ = [
    "LEAST_SECONDS",
    "NotReachedError",
    "OutOfReachError",
    "Run",
    "SearchClock",
    "WorkClock",
]

LEAST_SECONDS = 1e-3
"""For what must still give an answer when the time is up."""
MOST_WAITING = 4.0
"""Seconds on the wall for a second of the limit, at most."""
HEARTBEAT_SECONDS = 1.0
"""Between reports while nothing changes."""
NOT_FINAL = "not final"
"""Message of an incumbent."""
SEARCH = "search"
VERSION = "1"
"""Of strategies of our own."""


class OutOfReachError(Exception):
    """No schedule of the problem has the latency that is wanted: this is proved."""


class NotReachedError(Exception):
    """The search was stopped before it had any schedule of the latency that is wanted.

    Attributes
    ----------
    bound
        DSPs that such a schedule takes at least.
    """

    def __init__(self, solver: str, bound: int, stop: Stop) -> None:
        self.solver = solver
        self.bound = bound
        self.stop = stop
        super().__init__(f"{solver} has none in time")


class SearchClock:
    """Starts when it is made; honours the time limit and `should_stop` of the options."""

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
        """Return the time up to the limit, above 0 as solvers want it; None without one."""
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


class Run:
    """One problem while it is solved.

    A strategy takes its problem, options and clock from here, begins with a schedule if there is
    one, offers every better one, raises the bound, and works inside `until_stopped`; then
    `solution` has the best that was found, whatever ended the work.

    Attributes
    ----------
    schedule, cost
        The best so far, with the objective's cost; None before there is any.
    bound
        No schedule costs less.
    has_found
        Whether a schedule was offered, beyond that to begin with.
    solver
        Name of the strategy, for the solution.
    stop, message
        Why the work ended, and what is to be said of it.
    used
        What the best schedule takes of each resource with a limit.
    """

    def __init__(
        self,
        problem: Problem,
        options: SolveOptions | None = None,
        on_incumbent: OnIncumbent = None,
        clock: SearchClock | None = None,
    ) -> None:
        self.problem = problem
        self.options = options or SolveOptions()
        self.on_incumbent = on_incumbent
        self.clock = clock or SearchClock(self.options)
        self.schedule: Schedule | None = None
        self.cost: int | None = None
        self.bound = 0
        self.has_found = False
        self.solver = SEARCH
        self.stop = Stop.FINISHED
        self.message = ""
        self.used: tuple[int, ...] = ()
        self._reported_seconds = 0.0

    def part(self, problem: Problem, *, silent: bool = False, seconds: float | None = None) -> Run:
        """Return a run of another problem in the time that is left, or in less.

        Parameters
        ----------
        silent
            Whether neither progress nor incumbents are told.
        seconds
            At most that long.
        """
        left = self.clock.seconds_for_solver()
        limits = [each for each in (left, seconds) if each is not None]
        options = replace(self.options, time_limit_seconds=min(limits, default=None))
        if silent:
            return Run(problem, replace(options, on_progress=None))
        return Run(problem, options, self.on_incumbent)

    @property
    def is_proved(self) -> bool:
        """Return whether no schedule can be better than the best so far."""
        return self.cost is not None and self.bound >= self.cost

    def begin(self, schedule: Schedule, cost: int) -> None:
        """Take a schedule to begin with."""
        self.schedule, self.cost = schedule, cost

    def offer(self, schedule: Schedule, cost: int, used: tuple[int, ...] = ()) -> None:
        """Take a better schedule, and tell it."""
        self.schedule, self.cost, self.used = schedule, cost, used
        self.has_found = True
        self.tell()

    def tell(self) -> None:
        """Report the incumbent."""
        if self.on_incumbent is not None and self.schedule is not None:
            self.on_incumbent(replace(self.solution(), stop=Stop.INTERRUPTED, message=NOT_FINAL))

    def raise_bound(self, bound: int) -> None:
        """Take a bound, and report it if it is higher."""
        if bound > self.bound:
            self.bound = bound
            self.report()

    def report(self) -> None:
        """Report progress."""
        self._reported_seconds = self.clock.seconds()
        if self.options.on_progress is not None:
            known = None if self.cost is None else float(self.cost)
            self.options.on_progress(Progress(self.clock.seconds(), known, float(self.bound)))

    def should_stop(self) -> bool:
        """Return whether to stop; every now and then, report that the search goes on."""
        if self.clock.seconds() - self._reported_seconds > HEARTBEAT_SECONDS:
            self.report()
        return self.clock.should_stop()

    @contextmanager
    def until_stopped(self, too_large: str = "") -> Generator[None]:
        """Work until the end, the time limit or Ctrl-C: what was found by then stays.

        Parameters
        ----------
        too_large
            What to say where the search could not hold all, but has found something.

        Raises
        ------
        SearchTooLargeError
            If it could not and hasn't.
        """
        try:
            yield
        except SearchStoppedError:
            self.stop = self.clock.stop
        except KeyboardInterrupt:
            self.stop = self.clock.interrupt()
        except SearchTooLargeError:
            if not (self.has_found and too_large):
                raise
            self.message = too_large

    def solution(self) -> Solution:
        """Return the best schedule with its bound, as the answer of a strategy of our own."""
        assert self.schedule is not None, "begin or offer a schedule first"
        assert self.cost is not None
        return Solution(
            problem=self.problem,
            schedule=self.schedule,
            prediction=self.problem.evaluate(self.schedule),
            bound=min(self.bound, self.cost),
            proof=Proof.OPTIMAL if self.is_proved else Proof.FEASIBLE,
            stop=self.stop,
            solver=self.solver,
            solver_version=VERSION,
            seed=self.options.seed,
            solve_seconds=self.clock.seconds(),
            message=self.message,
            used=self.used,
        )
