"""The least interval of a variant under limits on DSPs and LUTs: (I5), (I6) of interval.md.

Every node runs on its own, so a row has three numbers: how long it runs, its DSPs and its LUTs.
Both resources are weighed into one, of which the exact search has the least sum; weights at which
that is above the weighed limits prove that there is no schedule. With the shared factors of that
choice nodes are independent, so that the fewest LUTs within the DSPs are a knapsack.
"""

from collections.abc import Iterator, Mapping
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
from streamopt.strategies.opt6.frames.built_nodes import Amounts
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
Excess = dict[tuple[str, tuple[int, ...]], tuple[int, float]]
"""DSPs more and times the LUTs of rows, by node and factors; of others, by node and no factors."""
TARGET_IIS = (1, 2, 3, 4, 5, 6, 8, 12, 16)
"""Initiation intervals that rows may ask for where operators are of DSPs: lanes share these."""
FEW_IIS = (1, 2, 4, 8, 16)
"""Those where a binding is chosen as well, so that rows are many."""
CLOSE = 0.003
"""Share between the best interval and the bound, at which nothing more is looked for."""


@dataclass(frozen=True, slots=True)
class LeastInterval:
    """Rows of a least interval."""

    schedule: Schedule
    cycles: int
    used: Mapping[str, tuple[int, int]]
    """DSPs and LUTs of rows with their FIFOs, by node."""
    total: tuple[int, int]
    """DSPs and LUTs of all nodes, with what designs were seen to take beyond rows."""


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
        self._known: _HorizonRows | None = None
        self._left_out: set[tuple[str, tuple[int, ...]]] = set()
        self._narrowed: dict[tuple[str, frozenset[str]], int] = {}
        self._excess: Excess = {}

    def leave_out(self, node: str, factors: tuple[int, ...]) -> None:
        """Leave rows of a node out, as it takes longer with these factors than they say."""
        self._left_out.add((node, factors))
        if self._known is not None:
            self._known.leave_out(node, factors)

    def narrow(self, node: str, loops: frozenset[str], lanes: int) -> None:
        """Leave rows of a node out that have more lanes of some loops than weights come for."""
        self._narrowed[node, loops] = min(lanes, self._narrowed.get((node, loops), lanes))
        if self._known is not None:
            self._known.narrow(node, loops, lanes)

    def learn(self, schedule: Schedule, rows: Amounts, built: Amounts) -> None:
        """Count for rows what a design took beyond its own, node by node.

        LUTs are in proportion to those of rows, DSPs as many for each. Rows with the factors of
        an earlier design keep what that one took.

        Parameters
        ----------
        schedule
            Of the design.
        rows, built
            DSPs and LUTs by node, of its rows and as built.
        """
        plans = {plan.node: plan for plan in schedule.nodes}
        for name, (dsps, luts) in built.items():
            own_dsps, own_luts = rows[name]
            found = max(0, dsps - own_dsps), max(1.0, luts / max(1, own_luts))
            self._excess[name, ()] = found
            trips = self._problem.graph.node(name).trip_counts
            own = plans[name].factors
            self._excess[name, tuple(own.get(loop, 1) for loop in trips)] = found
        if self._known is not None:
            self._known.learn(self._excess)

    def least(self, dsps: int, luts: int, at_least: int = 0) -> LeastInterval | None:
        """Return the best rows that were found within limits.

        Parameters
        ----------
        at_least
            Cycles that no node needs to be quicker than.

        Raises
        ------
        SearchStoppedError
            If the time is up.
        SearchTooLargeError
            If the factors are too entangled.
        """
        while True:
            with suppress(InfeasibleError):
                found = self._within().least((dsps, luts), at_least)
                if found is not None:
                    return found
            if self._horizon == self._longest:
                return None
            self._known, self._horizon = None, min(self._longest, LONGER * self._horizon)

    def bound(self, dsps: int, luts: int) -> int:
        """Return cycles below which no rows within limits are, up to the horizon that was found."""
        with suppress(InfeasibleError):
            return self._within().bound((dsps, luts))
        return 0

    def _within(self) -> "_HorizonRows":
        """Return the rows within the horizon."""
        if self._known is None:
            self._known = _HorizonRows(self._problem, self._horizon, self._clock)
            self._known.learn(self._excess)
            for node, factors in self._left_out:
                self._known.leave_out(node, factors)
            for (node, loops), lanes in self._narrowed.items():
                self._known.narrow(node, loops, lanes)
        return self._known


class _HorizonRows:
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
        target_iis = FEW_IIS if space.bindings else TARGET_IIS
        shared = dict.fromkeys(
            (name for name, dsps in space.least_dsps.items() if dsps), target_iis
        )
        space = replace(space, target_iis=shared)
        self._graph, self._clock = problem.graph, clock
        self._rows = node_rows(space, check=clock.check)
        self._shared = SharedFactors(space, self._rows)
        self._runs = {name: own.times.last_write for name, own in self._rows.items()}
        used = {name: own.usage for name, own in self._rows.items()}
        self._usage = {name: sum(own.as_fifo.values(), own.own) for name, own in used.items()}
        self._least = {name: sum(own.as_buffer.values(), own.own) for name, own in used.items()}
        self._built = self._usage
        every = np.concatenate(list(self._runs.values()))
        least = max(int(runs.min()) for runs in self._runs.values())
        self._lone = dict(self._runs)
        self._horizon = horizon_cycles
        self._candidates = np.unique(np.maximum(every, least))
        self._odds = 1.0

    def leave_out(self, node: str, factors: tuple[int, ...]) -> None:
        """Leave rows of a node out."""
        self._runs[node] = np.where(self._alike(node, factors), NEVER, self._runs[node])

    def narrow(self, node: str, loops: frozenset[str], lanes: int) -> None:
        """Leave rows of a node out that have more lanes of some loops."""
        places = [at for at, name in enumerate(self._graph.node(node).trip_counts) if name in loops]
        factors = np.array(self._rows[node].factors, dtype=np.int64)
        too_wide = factors[:, places].prod(axis=1) > lanes
        self._runs[node] = np.where(too_wide, NEVER, self._runs[node])

    def learn(self, excess: Excess) -> None:
        """Count more DSPs, and LUTs in proportion, for some nodes and factors."""
        self._built = dict(self._usage)
        for (name, factors), (dsps, share) in sorted(excess.items()):  # those of all factors first
            used, own = self._usage[name], self._built[name].copy()
            alike = self._alike(name, factors) if factors else np.ones(len(used), dtype=np.bool_)
            own[alike, 0] = used[alike, 0] + dsps
            own[alike, 1] = np.ceil(share * used[alike, 1]).astype(np.int64)
            self._built[name] = own

    def _alike(self, node: str, factors: tuple[int, ...]) -> Flags:
        """Return which rows of a node have some factors."""
        return np.array([each == factors for each in self._rows[node].factors], dtype=np.bool_)

    def least(self, limits: tuple[int, int], at_least: int) -> LeastInterval | None:
        """Return the best rows that were found within limits."""
        candidates, best = self._candidates, None
        low, high = int(np.searchsorted(candidates, at_least)), len(candidates)
        while low < high:
            cycles = int(candidates[middle := (low + high - 1) // 2])
            found = self._asked(cycles, limits)
            if found is not None:
                best, high = found, int(np.searchsorted(candidates, found.cycles))
            else:
                low = middle + 1
            if best is not None and candidates[low] >= (1 - CLOSE) * best.cycles:
                break
        return best

    def bound(self, limits: tuple[int, int]) -> int:
        """Return the least interval that is not refuted: channels take what either kind does."""
        low, high = 0, len(self._candidates)
        while low < high:
            middle = (low + high) // 2
            if self._is_refuted(int(self._candidates[middle]), limits):
                low = middle + 1
            else:
                high = middle
        return int(self._candidates[low]) if low < len(self._candidates) else self._horizon + 1

    def _is_refuted(self, cycles: int, limits: tuple[int, int]) -> bool:
        """Return whether some weights prove that no rows of an interval are within limits."""
        kept = {name: runs <= cycles for name, runs in self._lone.items()}
        found = self._weighed_choices(self._least, kept, limits)
        return any(total > WHOLE for total, _ in found)

    def _asked(self, cycles: int, limits: tuple[int, int]) -> LeastInterval | None:
        """Return rows of an interval within limits, if some are found."""
        kept = {name: runs <= cycles for name, runs in self._runs.items()}
        for total, chosen in self._weighed_choices(self._built, kept, limits):
            if total > WHOLE:
                return None
            places = self._fewest_luts(chosen, kept, limits[0])
            if places is not None and (found := self._chosen(places)).total[1] <= limits[1]:
                return found
        return None

    def _weighed_choices(
        self, usage: Mapping[str, Integers], kept: Mapping[str, Flags], limits: tuple[int, int]
    ) -> Iterator[tuple[int, dict[str, int]]]:
        """Yield the least sum of weighed amounts, with the rows that have it, by pairs of weights.

        The odds move towards the resource that is short until both are within the limits. No rows
        agree at all where a sum exceeds all.
        """
        low, high = ODDS
        for turn in range(WEIGHTS):
            odds = self._odds if not turn else (low * high) ** 0.5
            self._clock.check()
            costs = _weighed(usage, odds / (1 + odds), limits)
            found = self._shared.cheapest(costs, kept, self._clock.check)
            if found is None:
                yield WHOLE + 1, {}
                return
            self._odds = odds
            yield found
            dsps, luts = _total(usage, found[1])
            if dsps <= limits[0] and luts <= limits[1]:
                return
            is_short_of_dsps = dsps * limits[1] > luts * limits[0]
            low, high = (odds, high) if is_short_of_dsps else (low, odds)

    def _fewest_luts(
        self, chosen: Mapping[str, int], kept: Mapping[str, Flags], dsps: int
    ) -> dict[str, int] | None:
        """Return rows of the fewest LUTs with the shared factors of chosen ones, within DSPs."""
        least = np.zeros(dsps + 1, dtype=np.int64)
        taken: list[tuple[str, Integers, Integers]] = []
        for name, place in chosen.items():
            places = np.flatnonzero(kept[name] & self._shared.agrees(name, place))
            places = places[minimal(np.zeros(len(places), np.int64), self._built[name][places])]
            places = places[self._built[name][places, 0] <= dsps]
            every = np.full((len(places), dsps + 1), FORBIDDEN, dtype=np.int64)
            for row, (own, luts) in zip(every, self._built[name][places].tolist(), strict=True):
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
            left -= int(self._built[name][found[name], 0])
        return {name: found[name] for name in chosen}

    def _chosen(self, places: Mapping[str, int]) -> LeastInterval:
        schedule = assemble_rows(self._graph, self._rows, places)
        used = {name: self._usage[name][place] for name, place in places.items()}
        return LeastInterval(
            schedule,
            max(int(self._runs[name][place]) for name, place in places.items()),
            {name: (int(own[0]), int(own[1])) for name, own in used.items()},
            _total(self._built, places),
        )


def _total(usage: Mapping[str, Integers], places: Mapping[str, int]) -> tuple[int, int]:
    """Return the DSPs and the LUTs of rows."""
    used = [usage[name][place] for name, place in places.items()]
    return sum(int(own[0]) for own in used), sum(int(own[1]) for own in used)


def _weighed(
    usage: Mapping[str, Integers], dsp_weight: float, limits: tuple[int, int]
) -> dict[str, Integers]:
    """Return the cost of every row as parts of the weighed limits, rounded down."""
    weights = np.array([dsp_weight / limits[0], (1.0 - dsp_weight) / limits[1]])
    return {
        name: np.minimum((used * weights).sum(axis=1) * WHOLE, 2.0 * WHOLE).astype(np.int64)
        for name, used in usage.items()
    }
