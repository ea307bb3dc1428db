"""Schedules of the least interval by exact search, with a proof: models/formulations/interval.md.

The distance of frames is the longest run of a node on its own, so whether T can be kept is a
question of DSPs: among the rows that run no longer than T, what do all nodes take at least? Times
of other nodes and orders of streams don't count, so only the shared unroll factors couple nodes.
"""

from dataclasses import replace

import numpy as np

from streamopt.space.assemble import (
    assemble_rows,
    violations,
)
from streamopt.space.horizon import HorizonFilter
from streamopt.space.row_values import NodeRows, Times
from streamopt.space.rows import node_rows
from streamopt.strategies.exact.shared_factors import SharedFactors
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution


class _IntervalSearch:
    """A run with its rows, each for itself."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.graph = run.problem.graph
        self._space = run.problem.decision_space()
        rows = {name: _alone(own) for name, own in node_rows(self._space).items()}
        channels = frozenset(edge.channel for edge in self.graph.edges)
        self._filter = HorizonFilter(replace(self._space, streamable=channels), rows)
        self._runs = sorted({run for own in rows.values() for run in own.times.last_write.tolist()})
        self._rows, self._shared = rows, SharedFactors(self._space, rows)
        plainest = run.problem.plainest()
        run.begin(plainest, run.problem.interval_cycles(plainest))
        run.bound = max(int(own.times.last_write.min()) for own in rows.values())

    def work(self) -> None:
        """Halve the intervals that are possible until one is proved."""
        run = self.run
        while not run.is_proved:
            assert run.cost is not None
            between = [cycles for cycles in self._runs if run.bound <= cycles < run.cost]
            if not between:
                run.bound = run.cost
            else:
                self._ask(between[(len(between) - 1) // 2])
            run.report()

    def _ask(self, interval: int) -> None:
        """Find a schedule of at most an interval, or raise the bound above it."""
        kept = self._filter.kept(interval)
        dsps = {name: own.dsps for name, own in self._rows.items()}
        found = None if kept is None else self._shared.cheapest(dsps, kept, self.run.clock.check)
        if found is None or found[0] > self._space.dsp_limit:
            self.run.bound = interval + 1
            return
        schedule = assemble_rows(self.graph, self._rows, found[1])
        cycles = self.run.problem.interval_cycles(schedule)
        broken = violations(self._space, schedule)
        assert not broken, broken
        assert cycles <= interval, f"{cycles} cycles, not {interval}"
        self.run.offer(schedule, cycles)


def _alone(rows: NodeRows) -> NodeRows:
    """Return rows that neither wait for other nodes nor make them wait.

    The latency of such rows, over channels that all stream, is the interval of the real ones; so
    everything that is known of horizons holds for intervals.
    """
    nothing = np.zeros_like(rows.times.last_write)
    epilogue = dict.fromkeys(rows.times.epilogue, nothing)
    return replace(rows, times=Times(nothing, rows.times.last_write, epilogue))


def solve_interval(run: Run) -> Solution:
    """Return a schedule of the least interval; at any time the best so far with its bound.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    SearchTooLargeError
        If the unroll factors are too entangled for any better schedule than the original.
    """
    search = _IntervalSearch(run)
    run.tell()
    with run.until_stopped("more combinations of unroll factors than the search can hold"):
        search.work()
    return run.solution()
