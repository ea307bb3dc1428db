"""A few tile classes set free, and all else as it is: an exact search of what lies between (E22).

What comes before the nodes of the window becomes nodes of one row that write when they do now;
what comes after becomes nodes of one row that take as long as its tail.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.instance import Arc, Choices, SearchInstance

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from streamopt.search.local.paths import InWire, Paths

    Integers = npt.NDArray[np.int64]

__all__ = ["window"]

NEVER_CYCLES = -(1 << 38)


def _one(value: float) -> Integers:
    return np.array([max(value, NEVER_CYCLES)], dtype=np.int64)


class _Part:
    """The window under construction."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.nodes: list[Choices] = []
        self.channels: list[Arc] = []
        self.ins: list[list[int]] = []
        self.outs: list[list[int]] = []

    def add(self, choices: Choices, name: str = "") -> int:
        self.names.append(name)
        self.nodes.append(choices)
        self.ins.append([])
        self.outs.append([])
        return len(self.nodes) - 1

    def fixed(self, first: float, last: float) -> int:
        zero = np.zeros(1, dtype=np.int64)
        return self.add(Choices(_one(first), _one(last), zero, {}, {}, {}, _no_amounts(1)))

    def connect(self, producer: int, consumer: int, *, streams: bool) -> int:
        self.channels.append(Arc(producer, consumer, streams))
        number = len(self.channels) - 1
        self.outs[producer].append(number)
        self.ins[consumer].append(number)
        return number

    def join(
        self,
        wire: InWire,
        producer: tuple[int, Integers],
        consumer: tuple[int, Integers],
        tail: float,
    ) -> None:
        """Connect two nodes, each with the rows of the graph's node that it has."""
        (source, written), (node, read) = producer, consumer
        if wire.written is None or wire.read is None or wire.epilogue is None:
            self.connect(source, node, streams=False)
            return
        channel = self.connect(source, node, streams=True)
        self.nodes[source].walks[channel] = wire.written[written]
        self.nodes[node].walks[channel] = wire.read[read]
        self.nodes[node].epilogue[channel] = (wire.epilogue[read] + tail).astype(np.int64)

    def instance(self, dsp_limit: int) -> SearchInstance:
        seen = Counter(k for own in self.nodes for k in own.factors)
        return SearchInstance(
            names=tuple(self.names),
            nodes=tuple(self.nodes),
            channels=tuple(self.channels),
            ins=tuple(map(tuple, self.ins)),
            outs=tuple(map(tuple, self.outs)),
            users=seen,
            dsp_limit=dsp_limit,
        )


def window(paths: Paths, low: int, kept: Sequence[Integers], dsp_limit: int) -> SearchInstance:
    """Return the instance of the nodes from ``low`` on, each with the rows that are kept.

    The names are the nodes' places in nested order, empty for what is fixed. Its latency is that
    of the whole graph; the limit is what the window's nodes may take.
    """
    wires, part = paths.wires, _Part()
    high = low + len(kept) - 1
    number: dict[int, int] = {}
    for p in sorted({w.producer for at in range(low, high + 1) for w in wires.ins[at]}):
        if p < low:
            number[p] = part.fixed(paths.first[p], paths.last[p])
    is_whole = high == len(wires) - 1
    around = None if is_whole else part.fixed(0, paths.around(low, high))
    for at in range(low, high + 1):
        number[at] = part.add(
            _chosen(wires.problem.nodes[wires.order[at]], kept[at - low]), str(at)
        )
        for wire in wires.ins[at]:
            p = wire.producer
            written = kept[p - low] if p >= low else np.array([paths.rows[p]])
            part.join(wire, (number[p], written), (number[at], kept[at - low]), 0.0)
    if around is not None:
        ends = [around]
        for c in sorted({c for p in range(low, high + 1) for c, _ in wires.outs[p] if c > high}):
            ends.append(part.fixed(0, paths.from_start[c]))
            for wire in wires.ins[c]:
                if low <= wire.producer <= high:
                    source = number[wire.producer], kept[wire.producer - low]
                    consumer = ends[-1], np.array([paths.rows[c]])
                    part.join(wire, source, consumer, paths.from_last[c])
        last = part.fixed(0, 0)
        for end in ends:
            part.connect(end, last, streams=False)
    return part.instance(dsp_limit)


def _chosen(own: Choices, rows: Integers) -> Choices:
    return Choices(
        own.first_write[rows],
        own.last_write[rows],
        own.dsps[rows],
        {},
        {k: factors[rows] for k, factors in own.factors.items()},
        {},
        _no_amounts(len(rows)),
    )


def _no_amounts(rows: int) -> Integers:
    return np.zeros((rows, 0), dtype=np.int64)
