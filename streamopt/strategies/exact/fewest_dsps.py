"""Schedules of fewest DSPs within a latency, by exact search, with a proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Stop
from streamopt.strategies.clock import SearchClock
from streamopt.strategies.exact.boxes import Box, Boxes
from streamopt.strategies.exact.latency import LABELS
from streamopt.strategies.reach import NotReachedError, OutOfReachError
from streamopt.strategies.searched import SOLVER, searched

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

__all__ = ["solve_fewest"]

LEAST_LABELS = 256
"""Labels a state of the first round: the latency already leaves few rows."""


class _Fewest:
    """What is known of the fewest DSPs."""

    def __init__(self, request: Request, options: SolveOptions, on_incumbent: OnIncumbent) -> None:
        self.clock = SearchClock(options)
        self._boxes = Boxes(request, self.clock)
        self._options = options
        self._on_incumbent = on_incumbent
        assert request.latency_target_cycles is not None
        self._target = request.latency_target_cycles
        self._request = request
        self.schedule: Schedule | None = None
        self.dsps = request.dsp_limit + 1
        self.bound = 0

    @property
    def is_done(self) -> bool:
        """Return whether no schedule can take fewer DSPs."""
        return self.bound >= self.dsps

    def narrow(self, labels: int) -> None:
        """Ask whether fewer DSPs do, until a search finds none."""
        while not self.is_done:
            answer = self._boxes.ask(Box(self._target, self.dsps - 1), labels)
            least = min((dsps for _, dsps in answer.bounds), default=self.dsps)
            self.bound = max(self.bound, least)
            if answer.points:
                best = min(answer.points, key=lambda point: (point.dsps, point.cycles))
                self.schedule, self.dsps = best.schedule, best.dsps
            self._report()
            if not answer.points:
                return

    def _report(self) -> None:
        if self._options.on_progress is not None:
            known = None if self.schedule is None else float(self.dsps)
            progress = Progress(self.clock.seconds(), known, float(self.bound))
            self._options.on_progress(progress)
        if self._on_incumbent is not None and self.schedule is not None:
            self._on_incumbent(self.solution(self.schedule, Stop.INTERRUPTED, "not final"))

    def solution(self, schedule: Schedule, stop: Stop, message: str) -> Solution:
        """Return what is known as a solution."""
        found = searched(
            self._request, schedule, stop, self._options, self.clock, is_proved=self.is_done
        )
        return replace(found, bound_dsps=min(self.bound, self.dsps), message=message)


def solve_fewest(
    request: Request, options: SolveOptions, on_incumbent: OnIncumbent = None
) -> Solution:
    """Return a schedule of fewest DSPs within the request's latency target.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    OutOfReachError, NotReachedError
        If no schedule has the latency; if none was found in time.
    SearchTooLargeError
        If the graph is too entangled for the first round.
    """
    run = _Fewest(request, options, on_incumbent)
    stop, message = Stop.FINISHED, ""
    try:
        for labels in LABELS:
            if labels >= LEAST_LABELS and not run.is_done:
                run.narrow(labels)
    except SearchStoppedError:
        stop = run.clock.stop
    except KeyboardInterrupt:
        stop = run.clock.interrupt()
    except SearchTooLargeError:
        if run.schedule is None:
            raise
        message = "more labels than the search can hold"
    if run.schedule is None:
        if run.is_done:
            raise OutOfReachError
        raise NotReachedError(SOLVER, run.bound, stop)
    return run.solution(run.schedule, stop, message)
