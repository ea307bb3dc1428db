"""The least interval of a variant under limits on DSPs and LUTs: (I5), (I6) of interval.md.

Every node runs on its own, so a row has three numbers: how long it runs, its DSPs and its LUTs.
Both resources are weighed into one, of which the exact search has the least sum; weights at which
that is above the weighed limits prove that there is no schedule. With the shared factors of that
choice nodes are independent, so that the fewest LUTs within the DSPs are a knapsack.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from streamopt.errors import InfeasibleError
from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import LoneCosts
from streamopt.search.elimination import FORBIDDEN
from streamopt.space.assemble import assemble_rows
from streamopt.space.dominance import minimal
from streamopt.space.rows import node_rows
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.exact.shared_factors import Flags, Integers, SharedFactors
from streamopt.strategies.problem import Problem

WHOLE = 2**24
"""Of the weighed limits, of which the weighed costs of rows are parts."""
WEIGHTS = 12
"""Pairs of weights that are tried for an interval."""
ODDS = (1e-4, 1e4)
"""Weight of DSPs over that of LUTs, at least and at most."""
NEVER = 2**62
"""Cycles of a row that is left out."""
LONGER = 2
"""Times of a horizon that has no schedule within limits: the next one."""
CLOSE = 0.003
"""Share between the best interval and the bound, at which nothing more is looked for."""


@dataclass(frozen=True, slots=True)
class LeastInterval:
    """Rows of a least interval."""

    schedule: Schedule
    cycles: int
    used: Mapping[str, tuple[int, int]]
    """DSPs and LUTs, by node."""

    @property
    def total(self) -> tuple[int, int]:
        """Return the DSPs and the LUTs of all rows."""
        dsps, luts = zip(*self.used.values(), strict=True)
        return sum(dsps), sum(luts)


class IntervalRows:
    """The rows of a variant, each on its own, that run no longer than a horizon.

    Parameters
    ----------
    problem
        Of the variant.
    first_cycles
        The first horizon; longer ones follow where it has no schedule within limits.
    """

    def __init__(self, problem: Problem, first_cycles: int, clock: SearchClock) -> None:
        self._problem, self._clock = problem, clock
        self._longest = problem.interval_cycles(problem.plainest())
        self._horizon = min(max(1, first_cycles), self._longest)
        self._known: _Rows | None = None
        self._left_out: set[tuple[str, tuple[int, ...]]] = set()

    def leave_out(self, node: str, factors: tuple[int, ...]) -> None:
        """Leave rows of a node out, as it takes longer with these factors than they say."""
        self._left_out.add((node, factors))
        if self._known is not None:
            self._known.leave_out(node, factors)

    def least(self, dsps: int, luts: int) -> tuple[LeastInterval | None, int]:
        """Return the best rows that were found within limits, and a bound of all.

        Raises
        ------
        SearchStoppedError
            If the time is up.
        SearchTooLargeError
            If the factors are too entangled.
        """
        while True:
            with suppress(InfeasibleError):
                self._known = self._known or self._rows()
                found, bound = self._known.least(dsps, luts)
                if found is not None:
                    return found, bound
            if self._horizon == self._longest:
                return None, 0
            self._known, self._horizon = None, min(self._longest, LONGER * self._horizon)

    def _rows(self) -> "_Rows":
        found = _Rows(self._problem, self._horizon, self._clock)
        for node, factors in self._left_out:
            found.leave_out(node, factors)
        return found


class _Rows:
    """The rows within one horizon.

    Raises
    ------
    InfeasibleError
        If a node has no row (E401).
    """

    def __init__(self, problem: Problem, horizon_cycles: int, clock: SearchClock) -> None:
        costs = LoneCosts(problem.space.costs)
        asked = problem.within(costs=costs, horizon_cycles=horizon_cycles)
        space = replace(asked.decision_space(), streamable=frozenset())  # walks don't count
        self._graph, self._clock = problem.graph, clock
        self._rows = node_rows(space, check=clock.check)
        self._shared = SharedFactors(space, self._rows)
        self._runs = {name: own.times.last_write for name, own in self._rows.items()}
        self._usage = {name: own.usage.own for name, own in self._rows.items()}
        every = np.concatenate(list(self._runs.values()))
        least = max(int(runs.min()) for runs in self._runs.values())
        self._candidates = np.unique(np.maximum(every, least))
        self._odds = 1.0

    def leave_out(self, node: str, factors: tuple[int, ...]) -> None:
        """Leave rows of a node out."""
        own = np.array([each == factors for each in self._rows[node].factors], dtype=np.bool_)
        self._runs[node] = np.where(own, NEVER, self._runs[node])

    def least(self, dsps: int, luts: int) -> tuple[LeastInterval | None, int]:
        """Return the best rows that were found within limits, and a bound of all."""
        candidates, best = self._candidates, None
        low, high, bound = 0, len(candidates), int(candidates[0])
        while low < high:
            cycles = int(candidates[middle := (low + high - 1) // 2])
            found, is_proved = self._asked(cycles, (dsps, luts))
            if found is not None:
                best, high = found, int(np.searchsorted(candidates, found.cycles))
            else:
                low = middle + 1
                bound = cycles + 1 if is_proved else bound
            if best is not None and candidates[low] >= (1 - CLOSE) * best.cycles:
                break
        return best, bound

    def _asked(self, cycles: int, limits: tuple[int, int]) -> tuple[LeastInterval | None, bool]:
        """Return rows of an interval within limits, or whether there are none for certain."""
        kept = {name: runs <= cycles for name, runs in self._runs.items()}
        low, high = ODDS
        for turn in range(WEIGHTS):
            odds = self._odds if not turn else (low * high) ** 0.5
            self._clock.check()
            costs = self._weighed(odds / (1 + odds), limits)
            found = self._shared.cheapest(costs, kept, self._clock.check)
            if found is None or found[0] > WHOLE:
                return None, True
            total = self._chosen(found[1]).total
            places = self._fewest_luts(found[1], kept, limits[0])
            if places is not None and (chosen := self._chosen(places)).total[1] <= limits[1]:
                self._odds = odds
                return chosen, False
            is_short_of_dsps = total[0] * limits[1] > total[1] * limits[0]
            low, high = (odds, high) if is_short_of_dsps else (low, odds)
        return None, False

    def _fewest_luts(
        self, chosen: Mapping[str, int], kept: Mapping[str, Flags], dsps: int
    ) -> dict[str, int] | None:
        """Return rows of the fewest LUTs with the shared factors of chosen ones, within DSPs."""
        least = np.zeros(dsps + 1, dtype=np.int64)
        taken: list[tuple[str, Integers, Integers]] = []
        for name, place in chosen.items():
            places = np.flatnonzero(kept[name] & self._shared.agrees(name, place))
            places = places[minimal(np.zeros(len(places), np.int64), self._usage[name][places])]
            places = places[self._usage[name][places, 0] <= dsps]
            every = np.full((len(places), dsps + 1), FORBIDDEN, dtype=np.int64)
            for row, (own, luts) in zip(every, self._usage[name][places].tolist(), strict=True):
                row[own:] = least[: dsps + 1 - own] + luts
            if not len(places):
                return None
            best = every.argmin(axis=0)
            least = every.min(axis=0)
            taken.append((name, places, best))
        if least[-1] >= FORBIDDEN:
            return None
        found, left = dict[str, int](), dsps
        for name, places, best in reversed(taken):
            found[name] = int(places[best[left]])
            left -= int(self._usage[name][found[name], 0])
        return {name: found[name] for name in chosen}

    def _weighed(self, dsp_weight: float, limits: tuple[int, int]) -> dict[str, Integers]:
        """Return the cost of every row as parts of the weighed limits, rounded down."""
        found: dict[str, Integers] = {}
        for name, used in self._usage.items():
            weights = np.array([dsp_weight / limits[0], (1.0 - dsp_weight) / limits[1]])
            each = (used * weights).sum(axis=1)
            found[name] = np.minimum(each * WHOLE, 2.0 * WHOLE).astype(np.int64)
        return found

    def _chosen(self, places: Mapping[str, int]) -> LeastInterval:
        schedule = assemble_rows(self._graph, self._rows, places)
        used = {name: self._usage[name][place] for name, place in places.items()}
        return LeastInterval(
            schedule,
            max(int(self._runs[name][place]) for name, place in places.items()),
            {name: (int(own[0]), int(own[1])) for name, own in used.items()},
        )
