"""One running solve: its clock, its progress events, and its reasons to stop early.

The native search runs in a worker thread while the calling thread delivers progress and looks for
Ctrl-C, so user callbacks always run in the caller's thread and an interrupt never loses the
incumbent.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import perf_counter
from typing import TypeVar

import numpy as np

from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.linear_form import LinearForm

POLL_SECONDS = 0.05
LEAST_LIMIT_SECONDS = 1e-3

NO_VALUE = 1e20  # SCIP's infinity; the others use 1e30, 1e100 or inf

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Point:
    """A point of a running search; its values are read only when it is delivered."""

    values: Callable[[], Mapping[str, float]]
    bound: float | None


def finite(value: float | None) -> float | None:
    """Return a solver's number, or None where it stands for infinity."""
    return value if value is not None and abs(value) < NO_VALUE else None


class Watch:
    """Clock and interrupt state of one solve, from the call of ``solve`` on."""

    def __init__(self, options: SolveOptions) -> None:
        self.options = options
        self.interrupted = False
        self._started = perf_counter()
        self._events: SimpleQueue[Progress | _Point] = SimpleQueue()

    def elapsed_seconds(self) -> float:
        """Seconds since ``solve`` was called."""
        return perf_counter() - self._started

    def remaining_seconds(self) -> float | None:
        """Return the rest of the time limit, never zero or less; None without a limit."""
        limit = self.options.time_limit_seconds
        if limit is None:
            return None
        return max(LEAST_LIMIT_SECONDS, limit - self.elapsed_seconds())

    def report(self, incumbent: float | None, bound: float | None) -> None:
        """Note a new incumbent or bound; may be called from any thread."""
        if self.options.on_progress is not None:
            event = Progress(self.elapsed_seconds(), finite(incumbent), finite(bound))
            self._events.put(event)

    def report_point(
        self, form: LinearForm, point: Callable[[], Iterable[float]], bound: float | None
    ) -> None:
        """Note the point of a new incumbent; it is asked for only if someone wants it."""
        if self.options.on_point is not None:
            taken = np.fromiter(point(), np.float64, len(form.names))
            self._events.put(_Point(lambda: form.values(taken), finite(bound)))

    def deliver(self) -> None:
        """Hand the noted events to the caller's callbacks, oldest first."""
        while True:
            try:
                event = self._events.get_nowait()
            except Empty:
                return
            if isinstance(event, Progress):
                if self.options.on_progress is not None:
                    self.options.on_progress(event)
            elif self.options.on_point is not None:
                self.options.on_point(event.values(), event.bound)

    def run(self, search: Callable[[], T], stop: Callable[[], object]) -> T:
        """Run a native search to its end or to an interrupt, and return what it returns.

        A first Ctrl-C, or a true ``should_stop``, asks the search to stop and waits for it; a
        second Ctrl-C raises ``KeyboardInterrupt``.

        Parameters
        ----------
        search
            Blocks until the solver returns; must release the interpreter lock meanwhile.
        stop
            Asks the search to return soon; may be called early, often and from this thread.
        """
        returned: list[T] = []
        raised: list[BaseException] = []
        done = Event()  # `Thread.join` would take a thread for ended after a Ctrl-C

        def work() -> None:
            try:
                returned.append(search())
            except BaseException as error:  # raised again below, in the caller's thread
                raised.append(error)
            finally:
                done.set()

        Thread(target=work, name="streamopt-solver", daemon=True).start()
        while not done.is_set():
            try:
                done.wait(POLL_SECONDS)
                self.deliver()
                self.interrupted = self.interrupted or self._is_asked_to_stop()
                if self.interrupted:
                    stop()
            except KeyboardInterrupt:
                if self.interrupted:
                    raise
                self.interrupted = True
            except BaseException:  # a callback of the user failed: end the search, then say so
                stop()
                done.wait()
                raise
        self.deliver()
        if raised:
            raise raised[0]
        return returned[0]

    def _is_asked_to_stop(self) -> bool:
        return self.options.should_stop is not None and self.options.should_stop()
