"""Rows that a latency of at most T leaves, and the least T that leaves any.

Three necessary conditions are applied until nothing changes: a node must fit between the earliest
start that its producers allow and the least tail that its consumers need; the least resources of
all other nodes must leave enough for it; and each loop of a tile class must be able to take the
same factor. A schedule with latency at most T keeps all of its rows, so a program over the rows
that are left has the same optimum if that is at most T, and none left means none exists.
"""

from collections.abc import Mapping
from operator import itemgetter
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from streamopt.ir.schedule import Schedule
from streamopt.space.assemble import assemble_rows
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

T = TypeVar("T")

DIVE_WIDTH = 8
"""Rows that a node may try while diving before it gives up."""


class HorizonFilter:
    """The rows of a space, ready to be filtered by several horizons."""

    def __init__(self, space: DecisionSpace, rows: Mapping[str, NodeRows]) -> None:
        self._space = space
        self._rows = rows
        self._names = [node.name for node in space.graph.nodes]
        self._factors = {
            name: np.array(rows[name].factors, dtype=np.int64).reshape(len(rows[name]), -1)
            for name in self._names
            if not rows[name].plans
        }
        self._ins = space.graph.in_edges()
        self._outs = space.graph.out_edges()
        self._places = {node.name: list(node.trip_counts) for node in space.graph.nodes}
        self._shared = [group for group in space.classes if len(group.members) > 1]

    def within(self, horizon_cycles: int) -> dict[str, NodeRows] | None:
        """Return the rows that a latency of at most the horizon leaves; None if some node has none.

        The time is linear in the rows, for each of a few rounds.
        """
        kept = self.kept(horizon_cycles)
        if kept is None:
            return None
        return chosen_rows(self._rows, kept)

    def least_horizon(self, highest_cycles: int, *, closeness: float = 0.0) -> int:
        """Return the least horizon that leaves rows, or less: a lower bound of the latency.

        Parameters
        ----------
        highest_cycles
            A horizon that leaves rows, such as the latency of a known schedule.
        closeness
            How far below the least horizon the result may be, relative; for large graphs.
        """
        low, high = 0, highest_cycles
        while low < high * (1.0 - closeness):
            middle = (low + high) // 2 if not closeness else int((max(1, low) * high) ** 0.5)
            if self.kept(middle) is None:
                low = middle + 1
            else:
                high = middle
        return low

    def dive(self, horizon_cycles: int, *, few_lanes: bool) -> dict[str, int] | None:
        """Return one row for every node, chosen quickly; None if that fails.

        Nodes choose in topological order: rows that keep channels streaming first, then those
        with the fewest DSPs, as the horizon already limits their time. After each choice the
        horizon is applied again. The latency of the result may exceed the horizon.

        Parameters
        ----------
        few_lanes
            Whether nodes without DSPs take few lanes, which force little on other nodes, or many.
        """
        kept = self.kept(horizon_cycles)
        chosen: dict[str, int] = {}
        for name in self._names:
            if kept is None:
                return None
            places: list[int] = np.flatnonzero(kept[name]).tolist()
            ranks = {row: self._rank(name, row, chosen, few_lanes) for row in places}
            ranked = sorted(places, key=ranks.__getitem__)
            kept, taken = self._first_fit(kept, name, ranked[:DIVE_WIDTH], horizon_cycles)
            chosen[name] = taken
        return chosen if kept is not None else None

    def schedule(self, chosen: Mapping[str, int]) -> Schedule:
        """Return the schedule that takes one row of every node."""
        return assemble_rows(self._space.graph, self._rows, chosen)

    def _rank(
        self, name: str, row: int, chosen: Mapping[str, int], few_lanes: bool
    ) -> tuple[int, int, int]:
        rows = self._rows[name]
        breaks = sum(
            rows.streams[edge.channel][row]
            != self._rows[edge.producer].streams[edge.channel][chosen[edge.producer]]
            for edge in self._ins[name]
            if edge.channel in rows.streams
        )
        dsps, last_write = rows.dsps[row], rows.times.last_write[row]
        return breaks, dsps, -last_write if few_lanes and not dsps else last_write

    def _first_fit(
        self, kept: dict[str, Flags], name: str, ranked: list[int], horizon: int
    ) -> tuple[dict[str, Flags] | None, int]:
        for row in ranked:
            only = np.zeros_like(kept[name])
            only[row] = True
            left = self._narrowed({**kept, name: only}, horizon)
            if left is not None:
                return left, row
        return None, -1

    def kept(self, horizon: int) -> dict[str, Flags] | None:
        """Return the flags of the rows of `within`, by node; None if some node has none."""
        every = {name: np.ones(len(self._rows[name]), dtype=bool) for name in self._names}
        return self._narrowed(every, horizon)

    def _narrowed(self, start: Mapping[str, Flags], horizon: int) -> dict[str, Flags] | None:
        kept = {name: flags.copy() for name, flags in start.items()}
        size = sum(map(len, kept.values()))
        while True:
            before = sum(int(flags.sum()) for flags in kept.values())
            spend(WORK.rows.filtered * size)
            for narrow in (self._fit_times, self._fit_usage, self._fit_factors):
                narrow(kept, horizon)
                if not all(flags.any() for flags in kept.values()):
                    return None
            if sum(int(flags.sum()) for flags in kept.values()) == before:
                return kept

    def _fit_times(self, kept: dict[str, Flags], horizon: int) -> None:
        starts, ends = self._earliest(kept)
        tails = self._tails(kept)
        for name in self._names:
            times = self._rows[name].times
            finish = starts[name] + times.last_write
            for edge in self._ins[name]:
                finish = np.maximum(finish, ends[edge.producer] + times.epilogue[edge.array])
            kept[name] &= finish + tails[name] <= horizon

    def _tails(self, kept: Mapping[str, Flags]) -> dict[str, int]:
        tails: dict[str, int] = {}
        for name in reversed(self._names):
            after = [
                self._least_epilogue(kept, edge.consumer, edge.array) + tails[edge.consumer]
                for edge in self._outs[name]
            ]
            tails[name] = max(after, default=0)
        return tails

    def _earliest(self, kept: Mapping[str, Flags]) -> tuple[dict[str, int], dict[str, int]]:
        starts: dict[str, int] = {}
        ends: dict[str, int] = {}
        firsts: dict[str, int] = {}
        for name in self._names:
            times, flags = self._rows[name].times, kept[name]
            arrivals = [
                firsts[edge.producer]
                if edge.channel in self._space.streamable
                else ends[edge.producer]
                for edge in self._ins[name]
            ]
            starts[name] = max(arrivals, default=0)
            firsts[name] = starts[name] + int(times.first_write[flags].min())
            ends[name] = max(
                starts[name] + int(times.last_write[flags].min()),
                *(
                    ends[edge.producer] + self._least_epilogue(kept, name, edge.array)
                    for edge in self._ins[name]
                ),
                0,
            )
        return starts, ends

    def _least_epilogue(self, kept: Mapping[str, Flags], name: str, array: str) -> int:
        return int(self._rows[name].times.epilogue[array][kept[name]].min())

    def _fit_usage(self, kept: dict[str, Flags], _: int) -> None:
        """Drop rows that leave the other nodes less of a resource than they need at least."""
        for column, limit in enumerate(self._space.limits):
            if not all(flags.any() for flags in kept.values()):
                return
            used = {name: self._rows[name].usage.own[:, column] for name in self._names}
            least = {name: int(used[name][kept[name]].min()) for name in self._names}
            spare = limit - sum(least.values())
            for name in self._names:
                kept[name] &= used[name] <= least[name] + spare

    def _fit_factors(self, kept: dict[str, Flags], _: int) -> None:
        for group in self._shared:
            size = max(group.factors) + 1
            allowed = np.ones(size, dtype=bool)
            for node, loop in group.members:
                own = np.zeros(size, dtype=bool)
                own[self._taken(node, loop)[kept[node]]] = True
                allowed &= own
            for node, loop in group.members:
                kept[node] &= allowed[self._taken(node, loop)]

    def _taken(self, node: str, loop: str) -> Integers:
        return self._factors[node][:, self._places[node].index(loop)]


def chosen_rows(rows: Mapping[str, NodeRows], kept: Mapping[str, Flags]) -> dict[str, NodeRows]:
    """Return those rows of every node whose flag is set."""
    return {name: _take(own, np.flatnonzero(kept[name])) for name, own in rows.items()}


def same_rows(
    rows: Mapping[str, NodeRows], few: Mapping[str, NodeRows], chosen: Mapping[str, int]
) -> dict[str, int]:
    """Return the places among all rows of rows that were chosen among a few of them."""
    found: dict[str, int] = {}
    for name, place in chosen.items():
        own, some = rows[name], few[name]
        wanted = some.orders[place], some.factors[place], some.bindings[place]
        known = list(zip(own.orders, own.factors, own.bindings, strict=True))
        found[name] = known.index(wanted)
    return found


def _take(rows: NodeRows, places: Integers) -> NodeRows:
    each: list[int] = places.tolist()
    getter = itemgetter(*each) if len(each) > 1 else None

    def pick(values: tuple[T, ...]) -> tuple[T, ...]:
        return getter(values) if getter else tuple(values[place] for place in each)

    return NodeRows(
        node=rows.node,
        orders=pick(rows.orders),
        factors=pick(rows.factors),
        bindings=pick(rows.bindings),
        target_iis=pick(rows.target_iis) if rows.target_iis else (),
        times=rows.times.taken(places),
        streams={channel: pick(orders) for channel, orders in rows.streams.items()},
        untiled=rows.untiled.taken(places) if rows.untiled is not None else None,
        usage=rows.usage.taken(places),
        plans=pick(rows.plans) if rows.plans else (),
    )
