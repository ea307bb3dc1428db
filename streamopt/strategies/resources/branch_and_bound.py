"""Branch and bound [1] for the fastest schedule within limits on several resources: (R4) to (R6).

A relaxation in which every row takes its least amounts gives bounds and candidates; candidates
are judged as complete designs. Where the two differ, rows are split, the lowest bound first.

[1] Land and Doig, An automatic method of solving discrete programming problems, Econometrica
    28(3), 1960.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from streamopt.ir.schedule import Schedule
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.space.assemble import assemble_rows
from streamopt.space.horizon import HorizonFilter
from streamopt.space.row_values import NodeRows
from streamopt.space.rows import node_rows
from streamopt.strategies.resources.limits import Limits
from streamopt.strategies.resources.relaxation import Relaxed, relaxed
from streamopt.strategies.resources.splitting import chosen_usage, halves, single, split_around
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution

Integers = npt.NDArray[np.int64]
Rows = dict[str, NodeRows]


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
    """

    def __init__(self, bound_cycles: int, *, is_proved: bool) -> None:
        self.bound_cycles = bound_cycles
        self.is_proved = is_proved
        super().__init__("no schedule within the limits")


@dataclass(frozen=True, slots=True)
class _JudgedDesign:
    """A choice of rows as a complete design."""

    schedule: Schedule
    parts: Mapping[str, Integers]
    """Usage of every node and the channels to it, or less: FIFOs count as shallow."""
    used: tuple[int, ...]
    """Of the whole; or so much less that it still exceeds some limit."""
    fits: bool


class _BranchAndBound:
    """A run with its rows."""

    def __init__(self, run: Run, limits: Limits) -> None:
        self.run = run
        self.space = run.problem.decision_space()
        self.is_complete = False
        self._limits = limits
        self._rows = node_rows(self.space, prune=False)
        self._horizons = HorizonFilter(self.space, self._rows)

    def work(self) -> None:
        """Look for a schedule within rising horizons, and then for better ones and a proof."""
        longest = sum(int(rows.times.last_write.max()) for rows in self._rows.values())
        first = self.run.bound
        for step in TUNING.steps:
            self._climb(min(longest, int(first * step)))
            if self.run.cost is not None:
                break
        else:
            self._climb(longest)
        if not self.run.is_proved:
            self._prove(longest if self.run.cost is None else self.run.cost - 1)

    def _climb(self, horizon_cycles: int) -> None:
        """Look for a schedule within a horizon."""
        if horizon_cycles < self.run.bound:
            return
        rows = self._horizons.within(horizon_cycles)
        if rows is None:
            self.run.raise_bound(horizon_cycles + 1)
            return
        rows = self._with_usage(rows)
        found = self._relaxed(rows, horizon_cycles)
        if found.bound_cycles is None:
            self.run.raise_bound(horizon_cycles + 1)
            return
        self.run.raise_bound(found.bound_cycles)
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
        schedule = assemble_rows(self.space.graph, rows, chosen)
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
            heappush(waiting, (self.run.bound, 0, rows))
        for count in range(1, TUNING.splits + 1):
            least = waiting[0][0] if waiting else horizon_cycles + 1
            self.run.raise_bound(least if self.run.cost is None else min(least, self.run.cost))
            if not waiting or self.run.is_proved:
                self.is_complete = not waiting
                return
            bound, _, rows = heappop(waiting)
            for number, (cycles, part) in enumerate(self._parts(bound, rows, horizon_cycles)):
                heappush(waiting, (cycles, 2 * count + number, part))

    def _parts(self, bound: int, rows: Rows, horizon_cycles: int) -> list[tuple[int, Rows]]:
        """Return the parts of some rows that may hold a better schedule, with their bounds."""
        horizon = (
            horizon_cycles if self.run.cost is None else min(horizon_cycles, self.run.cost - 1)
        )
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
            if self.run.cost is not None and bound >= self.run.cost:
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
        return self._limits.costing.with_usage(rows, self.run.clock.should_stop)

    def _usage(
        self, rows: Rows, chosen: Mapping[str, int], schedule: Schedule
    ) -> dict[str, Integers]:
        return chosen_usage(self.space.graph, rows, chosen, schedule.fifos)

    def _relaxed(
        self, rows: Rows, horizon_cycles: int, limits: tuple[int, ...] | None = None
    ) -> Relaxed:
        limits = self._limits.most if limits is None else limits
        return relaxed(self.space, rows, limits, horizon_cycles, self.run.clock.should_stop)

    def _keep(self, judged: _JudgedDesign) -> None:
        cycles = self.run.problem.evaluate(judged.schedule).latency_cycles
        if self.run.cost is None or cycles < self.run.cost:
            self.run.offer(judged.schedule, cycles, judged.used)
        self.run.report()


def _sums(parts: Mapping[str, Integers]) -> tuple[int, ...]:
    return tuple(np.sum(list(parts.values()), axis=0).tolist())


def solve_within(run: Run, limits: Limits, least_cycles: int) -> Solution:
    """Return a fastest schedule within limits on several resources.

    Parameters
    ----------
    least_cycles
        A lower bound of the latency of every schedule of the problem.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits on DSPs and tiles (E401, E402).
    NoneWithinError
        If no schedule within the limits was found.
    """
    run.bound = least_cycles
    search = _BranchAndBound(run, limits)
    with suppress(SearchTooLargeError), run.until_stopped("more labels than the search can hold"):
        search.work()
    if run.schedule is None:
        raise NoneWithinError(run.bound, is_proved=search.is_complete)
    return run.solution()
