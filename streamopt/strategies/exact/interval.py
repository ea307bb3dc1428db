"""Schedules of the least interval by exact search, with a proof: models/formulations/interval.md.

The distance of frames is the longest run of a node on its own, so whether T can be kept is a
question of DSPs: among the rows that run no longer than T, what do all nodes take at least? Times
of other nodes and orders of streams don't count, so only the shared unroll factors couple nodes.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from streamopt.search.elimination import FORBIDDEN, CostTable, elimination_order, least_sum
from streamopt.space.assemble import (
    assemble_rows,
    violations,
)
from streamopt.space.horizon import HorizonFilter
from streamopt.space.row_values import NodeRows, Times
from streamopt.space.rows import node_rows
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
        self._places, sizes = self._shared()
        self._order = elimination_order([own.keys() for own in self._places.values()], sizes)
        plainest = run.problem.plainest()
        run.begin(plainest, run.problem.interval_cycles(plainest))
        run.bound = max(int(own.times.last_write.min()) for own in rows.values())

    def _shared(self) -> tuple[dict[str, dict[int, int]], dict[int, int]]:
        """Return by node the place of its first loop in each class of several nodes, and sizes."""
        places: dict[str, dict[int, int]] = {node.name: {} for node in self.graph.nodes}
        sizes: dict[int, int] = {}
        for index, group in enumerate(self._space.classes):
            if len(group.factors) < 2 or len({node for node, _ in group.members}) < 2:
                continue
            sizes[index] = len(group.factors)
            for node, loop in group.members:
                trips = self.graph.node(node).trip_counts
                places[node].setdefault(index, list(trips).index(loop))
        return places, sizes

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
        rows = self._filter.within(interval)
        chosen = None if rows is None else self._cheapest(rows)
        if rows is None or chosen is None:
            self.run.bound = interval + 1
            return
        schedule = assemble_rows(self.graph, rows, chosen)
        cycles = self.run.problem.interval_cycles(schedule)
        broken = violations(self._space, schedule)
        assert not broken, broken
        assert cycles <= interval, f"{cycles} cycles, not {interval}"
        self.run.offer(schedule, cycles)

    def _cheapest(self, rows: Mapping[str, NodeRows]) -> dict[str, int] | None:
        """Return the place of a row for every node, of least DSPs; None if they exceed the limit.

        A node has a table of its least DSPs for every choice of the factors that it shares.
        """
        values: dict[int, list[int]] = {}
        taken: dict[str, dict[int, list[int]]] = {}
        for name, places in self._places.items():
            columns = {i: [row[place] for row in rows[name].factors] for i, place in places.items()}
            taken[name] = columns
            for index, column in columns.items():
                values.setdefault(index, sorted(set(column)))
        tables: list[CostTable] = []
        for name, columns in taken.items():
            scope = tuple(sorted(columns))
            costs = np.full([1, *(len(values[i]) for i in scope)], FORBIDDEN, dtype=np.int64)
            at = [np.searchsorted(values[i], columns[i]) for i in scope]
            here = np.zeros(len(rows[name]), dtype=np.int64)
            np.minimum.at(costs, (here, *at), rows[name].dsps)
            tables.append(CostTable(scope, costs[0]))
        found = least_sum(tables, self._order, self.run.clock.check)
        if found is None or found[0] > self._space.dsp_limit:
            return None
        factor = {index: values[index][place] for index, place in found[1].items()}
        chosen: dict[str, int] = {}
        for name, columns in taken.items():
            own = rows[name]
            fits = (
                row
                for row in range(len(own))
                if all(column[row] == factor[index] for index, column in columns.items())
            )
            chosen[name] = min(fits, key=lambda r: (own.dsps[r], own.times.last_write[r]))
        return chosen


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
