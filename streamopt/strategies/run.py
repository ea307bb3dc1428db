"""A problem under way: clock, limits, listeners, the best schedule, the bound, why it ended."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from streamopt.ir.schedule import Schedule
from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.problem import Problem
from streamopt.strategies.solution import OnIncumbent, Solution

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
        self._reported = 0.0

    def part(self, problem: Problem, *, silent: bool = False, most: float | None = None) -> Run:
        """Return a run of another problem in the effort that is left, or in less.

        Parameters
        ----------
        silent
            Whether neither progress nor incumbents are told.
        most
            At most so much of what the clock counts.
        """
        options, clock = self.clock.part(self.options, most)
        if silent:
            return Run(problem, replace(options, on_progress=None), clock=clock)
        return Run(problem, options, self.on_incumbent, clock)

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
        self._reported = self.clock.spent()
        if self.options.on_progress is not None:
            known = None if self.cost is None else float(self.cost)
            self.options.on_progress(self.clock.progress(known, float(self.bound)))

    def should_stop(self) -> bool:
        """Return whether to stop; every now and then, report that the search goes on."""
        if self.clock.spent() - self._reported > HEARTBEAT_SECONDS:
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
