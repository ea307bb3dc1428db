"""Branch and bound [1] for the fastest schedule within limits on several resources: (R4) to (R6).

A relaxation in which every row takes its least amounts gives bounds and candidates; candidates
are judged as complete designs. Where the two differ, rows are split, the lowest bound first.

[1] Land and Doig, An automatic method of solving discrete programming problems, Econometrica
    28(3), 1960.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Stop
from streamopt.space.assemble import assemble_rows
from streamopt.space.horizon import HorizonFilter
from streamopt.space.rows import node_rows
from streamopt.strategies.clock import SearchClock
from streamopt.strategies.resources.relaxation import relaxed
from streamopt.strategies.resources.splitting import chosen_usage, halves, single, split_around
from streamopt.strategies.searched import searched

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from streamopt.ir.schedule import Schedule
    from streamopt.solvers.base import SolveOptions
    from streamopt.space.rows import NodeRows
    from streamopt.strategies.resources.limits import Limits
    from streamopt.strategies.resources.relaxation import Relaxed
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

    Integers = npt.NDArray[np.int64]
    Rows = dict[str, NodeRows]

__all__ = ["BranchingTuning", "NoneWithinError", "solve_within"]


@dataclass(frozen=True, slots=True)
class BranchingTuning:
    """Efforts of the branch and bound; not measured."""

    # horizons to begin with, as multiples of the bound: low ones leave few rows
    steps: tuple[float, ...] = (1.0, 1.02, 1.1, 1.3, 1.7, 2.5, 5.0, 12.0, 50.0)
    splits: int = 400  # parts that are looked at before the bound is left as it is
    squeezes: int = 8  # tighter limits that are tried for a first schedule within one horizon
    # by how much of a limit each is tighter, beyond the excess of the design before
    squeeze: float = 0.01


TUNING = BranchingTuning()


class NoneWithinError(Exception):
    """No schedule within the limits was found.

    Attributes
    ----------
    is_proved
        Whether there is none.
    solve_seconds
        Time of the search.
    """

    def __init__(self, bound_cycles: int, solve_seconds: float, *, is_proved: bool) -> None:
        self.bound_cycles = bound_cycles
        self.solve_seconds = solve_seconds
        self.is_proved = is_proved
        super().__init__("no schedule within the limits")


@dataclass(frozen=True, slots=True)
class _JudgedDesign:
    """A choice of rows as a complete design.

    Attributes
    ----------
    parts
        Usage of every node and the channels to it, or less: FIFOs count as shallow.
    used
        Of the whole; or so much less that it still exceeds some limit.
    """

    schedule: Schedule
    parts: Mapping[str, Integers]
    used: tuple[int, ...]
    fits: bool


class _BranchAndBound:
    """One request with its rows, and what is known so far."""

    def __init__(
        self,
        request: Request,
        limits: Limits,
        least_cycles: int,
        options: SolveOptions,
        on_incumbent: OnIncumbent,
    ) -> None:
        self.clock = SearchClock(options)
        self.space = request.space()
        self.bound_cycles = least_cycles
        self.schedule: Schedule | None = None
        self.used: tuple[int, ...] = ()
        self.cycles: int | None = None
        self.is_complete = False
        self._request = request
        self._limits = limits
        self._options = options
        self._on_incumbent = on_incumbent
        self._rows = node_rows(self.space, prune=False)
        self._horizons = HorizonFilter(self.space, self._rows)

    @property
    def is_proved(self) -> bool:
        """Return whether no schedule can be better than the known one."""
        return self.cycles is not None and self.bound_cycles >= self.cycles

    def work(self) -> None:
        """Look for a schedule within rising horizons, and then for better ones and a proof."""
        longest = sum(int(rows.times.last_write.max()) for rows in self._rows.values())
        first = self.bound_cycles
        for step in TUNING.steps:
            self._climb(min(longest, int(first * step)))
            if self.cycles is not None:
                break
        else:
            self._climb(longest)
        if not self.is_proved:
            self._prove(longest if self.cycles is None else self.cycles - 1)

    def _climb(self, horizon_cycles: int) -> None:
        """Look for a schedule within a horizon."""
        if horizon_cycles < self.bound_cycles:
            return
        rows = self._horizons.within(horizon_cycles)
        if rows is None:
            self._raise_bound(horizon_cycles + 1)
            return
        rows = self._with_usage(rows)
        found = self._relaxed(rows, horizon_cycles)
        if found.bound_cycles is None:
            self._raise_bound(horizon_cycles + 1)
            return
        self._raise_bound(found.bound_cycles)
        for squeeze in range(1, TUNING.squeezes + 1):
            missing = self._judge_all(rows, found)
            if missing is None:
                return
            tighter = tuple(
                most - over - int(squeeze * TUNING.squeeze * most)
                for most, over in zip(self._limits.most, missing, strict=True)
            )
            found = self._relaxed(rows, horizon_cycles, tighter)
            if not found.candidates:
                return

    def _judge_all(self, rows: Rows, found: Relaxed) -> tuple[int, ...] | None:
        """Judge candidates until one fits, and keep it; else return the last one's excess.

        That is its usage beyond its least amounts, of the resources whose limits it exceeds.
        """
        missing = (0,) * len(self._limits.most)
        for chosen in found.candidates:
            judged = self._judged(rows, chosen)
            if judged.fits:
                self._keep(judged)
                return None
            said = _sums(self._usage(rows, chosen, judged.schedule))
            missing = tuple(
                max(0, u - s) if u > most else 0
                for u, s, most in zip(judged.used, said, self._limits.most, strict=True)
            )
        return missing

    def _judged(self, rows: Rows, chosen: dict[str, int]) -> _JudgedDesign:
        """Return the usage of a choice; FIFOs are only sized if that may be within the limits."""
        schedule = assemble_rows(self._request.graph, rows, chosen)
        exact = self._with_usage(single(rows, chosen))
        parts = self._usage(exact, dict.fromkeys(chosen, 0), schedule)
        used = _sums(parts)
        if self._limits.admit(used):
            used = self._limits.costing.usage(schedule)
        return _JudgedDesign(schedule, parts, used, self._limits.admit(used))

    def _prove(self, horizon_cycles: int) -> None:
        """Branch and bound over the rows within a horizon."""
        rows = self._horizons.within(horizon_cycles)
        waiting: list[tuple[int, int, Rows]] = []
        if rows is not None:
            heappush(waiting, (self.bound_cycles, 0, rows))
        for count in range(1, TUNING.splits + 1):
            least = waiting[0][0] if waiting else horizon_cycles + 1
            self._raise_bound(least if self.cycles is None else min(least, self.cycles))
            if not waiting or self.is_proved:
                self.is_complete = not waiting
                return
            bound, _, rows = heappop(waiting)
            for number, (cycles, part) in enumerate(self._parts(bound, rows, horizon_cycles)):
                heappush(waiting, (cycles, 2 * count + number, part))

    def _parts(self, bound: int, rows: Rows, horizon_cycles: int) -> list[tuple[int, Rows]]:
        """Return the parts of some rows that may hold a better schedule, with their bounds."""
        horizon = horizon_cycles if self.cycles is None else min(horizon_cycles, self.cycles - 1)
        left = HorizonFilter(self.space, rows).within(horizon)
        if left is None:
            return []
        left = self._with_usage(left)
        found = self._relaxed(left, horizon)
        if found.bound_cycles is None:
            return []
        bound = max(bound, found.bound_cycles)
        if not found.candidates:
            return [(bound, part) for part in halves(left)]
        chosen = found.candidates[0]
        judged = self._judged(left, chosen)
        if judged.fits:
            self._keep(judged)
            if self.cycles is not None and bound >= self.cycles:
                return []
        loose = self._looseness(judged, self._usage(left, chosen, judged.schedule))
        return [(bound, part) for part in split_around(self.space, left, chosen, loose)]

    def _looseness(self, judged: _JudgedDesign, said: Mapping[str, Integers]) -> dict[str, float]:
        """Return each node's excess over its least amounts, of the limits that are exceeded."""
        most = np.array(self._limits.most, dtype=np.int64)
        over = np.array(judged.used, dtype=np.int64) > most
        return {
            name: float((over * (judged.parts[name] - own) / np.maximum(1, most)).sum())
            for name, own in said.items()
        }

    def _with_usage(self, rows: Rows) -> Rows:
        return self._limits.costing.with_usage(rows, self.clock.should_stop)

    def _usage(
        self, rows: Rows, chosen: Mapping[str, int], schedule: Schedule
    ) -> dict[str, Integers]:
        return chosen_usage(self._request.graph, rows, chosen, schedule.fifos)

    def _relaxed(
        self, rows: Rows, horizon_cycles: int, limits: tuple[int, ...] | None = None
    ) -> Relaxed:
        limits = self._limits.most if limits is None else limits
        return relaxed(self.space, rows, limits, horizon_cycles, self.clock.should_stop)

    def _raise_bound(self, cycles: int) -> None:
        self.bound_cycles = max(self.bound_cycles, cycles)
        self._report()

    def _keep(self, judged: _JudgedDesign) -> None:
        cycles = self._request.evaluate(judged.schedule).latency_cycles
        if self.cycles is None or cycles < self.cycles:
            self.schedule, self.used, self.cycles = judged.schedule, judged.used, cycles
            if self._on_incumbent is not None:
                self._on_incumbent(self.solution(judged.schedule, Stop.INTERRUPTED, "not final"))
        self._report()

    def _report(self) -> None:
        if self._options.on_progress is not None:
            known = None if self.cycles is None else float(self.cycles)
            progress = Progress(self.clock.seconds(), known, float(self.bound_cycles))
            self._options.on_progress(progress)

    def solution(self, schedule: Schedule, stop: Stop, message: str) -> Solution:
        """Return the state of the search as a solution."""
        found = searched(
            self._request, schedule, stop, self._options, self.clock, is_proved=self.is_proved
        )
        return replace(
            found,
            bound_cycles=min(self.bound_cycles, found.prediction.latency_cycles),
            message=message,
            used=self.used,
        )


def _sums(parts: Mapping[str, Integers]) -> tuple[int, ...]:
    return tuple(np.sum(list(parts.values()), axis=0).tolist())


def solve_within(
    request: Request,
    limits: Limits,
    least_cycles: int,
    options: SolveOptions,
    on_incumbent: OnIncumbent = None,
) -> Solution:
    """Return a fastest schedule within limits on several resources.

    Parameters
    ----------
    least_cycles
        A lower bound of the latency of every schedule of the request.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits on DSPs and tiles (E401, E402).
    NoneWithinError
        If no schedule within the limits was found.
    """
    run = _BranchAndBound(request, limits, least_cycles, options, on_incumbent)
    stop, message = Stop.FINISHED, ""
    try:
        run.work()
    except SearchStoppedError:
        stop = run.clock.stop
    except KeyboardInterrupt:
        stop = run.clock.interrupt()
    except SearchTooLargeError:
        message = "more labels than the search can hold"
    if run.schedule is None:
        raise NoneWithinError(run.bound_cycles, run.clock.seconds(), is_proved=run.is_complete)
    return run.solution(run.schedule, stop, message)
