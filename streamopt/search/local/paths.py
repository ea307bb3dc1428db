"""The latency of chosen rows, and of many changes to them at once (E19).

Every node has its times from the start of all (heads), and the longest time from them to the end
of all (tails), as in job-shop scheduling [1]. A change moves the times between its first and its
last node; the rest is known from the tails of the channels that leave this range. With a blur, the
latest of several times becomes the logarithm of the sum of their exponentials.

[1] Carlier, The one-machine sequencing problem, European Journal of Operational Research 11, 1982.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, inf, log1p

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import NO_WALK, SearchInstance
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

Change = tuple[tuple[int, int], ...]
"""(node, row) of every node that takes another row."""


def nested_order(problem: SearchInstance) -> tuple[int, ...]:
    """Return the nodes in a topological order that keeps what feeds a node together."""
    order: list[int] = []
    is_done = [False] * len(problem.nodes)
    waiting = [(len(problem.nodes) - 1, False)]
    while waiting:
        node, is_left = waiting.pop()
        if is_left:
            order.append(node)
        elif not is_done[node]:
            is_done[node] = True
            waiting.append((node, True))
            sources = [problem.channels[e].producer for e in problem.ins[node]]
            waiting += [(p, False) for p in reversed(sources) if not is_done[p]]
    return tuple(order)


@dataclass(frozen=True, slots=True)
class InWire:
    """An incoming channel of a node; the arrays are None if it can't stream."""

    producer: int
    written: Integers | None
    read: Integers | None
    epilogue: Floats | None


class Wires:
    """An instance with its nodes in nested order, times as floats."""

    def __init__(self, problem: SearchInstance) -> None:
        self.problem = problem
        self.order = nested_order(problem)
        place = {node: at for at, node in enumerate(self.order)}
        self.first_write = [problem.nodes[n].first_write.astype(float) for n in self.order]
        self.last_write = [problem.nodes[n].last_write.astype(float) for n in self.order]
        self.dsps: list[list[int]] = [problem.nodes[n].dsps.tolist() for n in self.order]
        self.dsp_columns = [problem.nodes[n].dsps.astype(float) for n in self.order]
        self.ins: list[tuple[InWire, ...]] = []
        self.outs: list[list[tuple[int, InWire]]] = [[] for _ in self.order]
        for at, node in enumerate(self.order):
            entering: list[InWire] = []
            for e in problem.ins[node]:
                channel = problem.channels[e]
                source = place[channel.producer]
                if channel.streams:
                    written = problem.nodes[channel.producer].walks[e]
                    own = problem.nodes[node]
                    wire = InWire(source, written, own.walks[e], own.epilogue[e].astype(float))
                else:
                    wire = InWire(source, None, None, None)
                entering.append(wire)
                self.outs[source].append((at, wire))
            self.ins.append(tuple(entering))

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.order)


def _latest(first: float, second: float) -> float:
    return first if first > second else second


def _blurred(first: float, second: float) -> float:
    high, low = (first, second) if first > second else (second, first)
    return high if low == -inf else high + log1p(exp(low - high))


class Paths:
    """Chosen rows with their heads and tails."""

    def __init__(self, wires: Wires, rows: Sequence[int], blur_cycles: float = 0.0) -> None:
        self.wires = wires
        self.rows = list(rows)
        self.unit = blur_cycles or 1.0
        self._later: Callable[[float, float], float] = _blurred if blur_cycles else _latest
        self._all_later = np.logaddexp if blur_cycles else np.maximum
        self._crossing: dict[int, list[tuple[int, InWire, int]]] = {}
        spend(WORK.paths.path * len(self.rows))
        self._run_heads()
        self._run_tails()
        self.dsps = sum(d[r] for d, r in zip(wires.dsps, self.rows, strict=True))

    @property
    def cycles(self) -> float:
        """Return the latency, blurred where that was asked for."""
        return self.last[-1] * self.unit

    def streams(self, wire: InWire, node: int) -> bool:
        """Return whether a channel is a FIFO."""
        if wire.written is None or wire.read is None:
            return False
        walk = wire.written[self.rows[wire.producer]]
        return bool(walk != NO_WALK and walk == wire.read[self.rows[node]])

    def _run_heads(self) -> None:
        self.first: list[float] = []
        self.last: list[float] = []
        for node, row in enumerate(self.rows):
            start, end = (-inf, -inf) if self.wires.ins[node] else (0.0, -inf)
            for wire in self.wires.ins[node]:
                last = self.last[wire.producer]
                arrival = self.first[wire.producer] if self.streams(wire, node) else last
                start = self._later(start, arrival)
                if wire.epilogue is not None:
                    end = self._later(end, last + float(wire.epilogue[row]) / self.unit)
            self.first.append(start + float(self.wires.first_write[node][row]) / self.unit)
            run = float(self.wires.last_write[node][row]) / self.unit
            self.last.append(self._later(start + run, end))

    def _run_tails(self) -> None:
        size = len(self.rows)
        self.from_start = [0.0] * size
        self.from_last = [-inf] * size
        self.from_last[-1] = 0.0
        self.later_sources = [-inf] * size
        coming = -inf
        for node in range(size - 1, -1, -1):
            from_first, from_last = -inf, self.from_last[node]
            for consumer, wire in self.wires.outs[node]:
                if self.streams(wire, consumer):
                    from_first = self._later(from_first, self.from_start[consumer])
                else:
                    from_last = self._later(from_last, self.from_start[consumer])
                if wire.epilogue is not None:
                    cycles = float(wire.epilogue[self.rows[consumer]]) / self.unit
                    from_last = self._later(from_last, cycles + self.from_last[consumer])
            row = self.rows[node]
            self.from_last[node] = from_last
            first = float(self.wires.first_write[node][row]) / self.unit
            last = float(self.wires.last_write[node][row]) / self.unit
            self.from_start[node] = self._later(first + from_first, last + from_last)
            self.later_sources[node] = coming
            if not self.wires.ins[node]:
                coming = self._later(coming, self.from_start[node])

    def after(self, changes: Sequence[Change]) -> Floats:
        """Return the latency after each of several changes."""
        low = min(node for change in changes for node, _ in change)
        high = max(node for change in changes for node, _ in change)
        spend((WORK.paths.path + WORK.paths.change * len(changes)) * (high - low + 1))
        taken = self._taken(changes)
        firsts: dict[int, Floats | float] = {}
        lasts: dict[int, Floats | float] = {}
        for node in range(low, high + 1):
            self._step(node, taken, firsts, lasts)
        if high == len(self.rows) - 1:
            total = lasts[high]
        else:
            total = self._across(high, taken, firsts, lasts)
        return np.broadcast_to(np.asarray(total), (len(changes),)) * self.unit

    def _taken(self, changes: Sequence[Change]) -> dict[int, Integers]:
        places: dict[int, tuple[list[int], list[int]]] = {}
        for place, change in enumerate(changes):
            for node, row in change:
                columns = places.setdefault(node, ([], []))
                columns[0].append(place)
                columns[1].append(row)
        taken: dict[int, Integers] = {}
        for node, (at, rows) in places.items():
            column = np.full(len(changes), self.rows[node], dtype=np.int64)
            column[at] = rows
            taken[node] = column
        return taken

    def _arrival(
        self,
        wire: InWire,
        node: int,
        taken: dict[int, Integers],
        times: tuple[Floats | float, Floats | float],
    ) -> Floats | float:
        first, last = times
        if wire.written is None or wire.read is None:
            return last
        if wire.producer not in taken and node not in taken:
            return first if self.streams(wire, node) else last
        written = wire.written[taken.get(wire.producer, self.rows[wire.producer])]
        read = wire.read[taken.get(node, self.rows[node])]
        return np.where((written == read) & (read != NO_WALK), first, last)

    def _step(
        self,
        node: int,
        taken: dict[int, Integers],
        firsts: dict[int, Floats | float],
        lasts: dict[int, Floats | float],
    ) -> None:
        row = taken.get(node, self.rows[node])
        start: Floats | float | None = None
        end: Floats | float | None = None
        for wire in self.wires.ins[node]:
            p = wire.producer
            times = firsts.get(p, self.first[p]), lasts.get(p, self.last[p])
            arrival = self._arrival(wire, node, taken, times)
            start = arrival if start is None else self._all_later(start, arrival)
            if wire.epilogue is not None:
                over = times[1] + wire.epilogue[row] / self.unit
                end = over if end is None else self._all_later(end, over)
        start = 0.0 if start is None else start
        firsts[node] = start + self.wires.first_write[node][row] / self.unit
        last = start + self.wires.last_write[node][row] / self.unit
        lasts[node] = last if end is None else self._all_later(last, end)

    def _across(
        self,
        high: int,
        taken: dict[int, Integers],
        firsts: dict[int, Floats | float],
        lasts: dict[int, Floats | float],
        below: int | None = None,
    ) -> Floats | float:
        """Return the latency over the channels that leave the nodes up to ``high``.

        Parameters
        ----------
        below
            Only channels of nodes before this one count.
        """
        total: Floats | float = self.later_sources[high]
        for p, wire, consumer in self._leaving(high):
            if below is not None and p >= below:
                continue
            times = firsts.get(p, self.first[p]), lasts.get(p, self.last[p])
            arrival = self._arrival(wire, consumer, taken, times)
            total = self._all_later(total, arrival + self.from_start[consumer])
            if wire.epilogue is not None:
                cycles = wire.epilogue[self.rows[consumer]] / self.unit
                total = self._all_later(total, times[1] + cycles + self.from_last[consumer])
        return total

    def around(self, low: int, high: int) -> float:
        """Return the latest end of all that no node from ``low`` to ``high`` delays."""
        return float(self._across(high, {}, {}, {}, low))

    def _leaving(self, high: int) -> Iterable[tuple[int, InWire, int]]:
        if high not in self._crossing:
            self._crossing[high] = [
                (node, wire, consumer)
                for node in range(high + 1)
                for consumer, wire in self.wires.outs[node]
                if consumer > high
            ]
        return self._crossing[high]
