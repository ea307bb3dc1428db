"""Large neighbourhoods [1]: a few tile classes are free, all else is as it is (E22).

What comes before the nodes of the window becomes nodes of one row that write when they do now;
what comes after becomes nodes of one row that take as long as its tail. An exact search of the
result is one step.

[1] Shaw, Using constraint programming and local search methods to solve vehicle routing problems,
    CP 1998.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import Choices, SearchInstance, Wiring
from streamopt.search.local.paths import InWire, Paths

Integers = npt.NDArray[np.int64]

NEVER_CYCLES = -(1 << 38)


class _Neighbourhood(Wiring):
    """The neighbourhood under construction."""

    def fixed(self, first: float, last: float) -> int:
        """Add a node of one row with these times, which may be those of no path."""
        return self.add_fixed(*(int(max(time, NEVER_CYCLES)) for time in (first, last)))

    def join(
        self,
        wire: InWire,
        producer: tuple[int, Integers],
        consumer: tuple[int, Integers],
        tail: float = 0.0,
    ) -> None:
        """Connect two nodes, each with the rows of the graph's node that it has."""
        (source, written), (node, read) = producer, consumer
        if wire.written is None or wire.read is None or wire.epilogue is None:
            self.connect(source, node)
            return
        channel = self.connect(source, node, streams=True)
        self.nodes[source].walks[channel] = wire.written[written]
        self.nodes[node].walks[channel] = wire.read[read]
        self.nodes[node].epilogue[channel] = (wire.epilogue[read] + tail).astype(np.int64)


def window(paths: Paths, low: int, kept: Sequence[Integers], dsp_limit: int) -> SearchInstance:
    """Return the instance of the nodes from ``low`` on, each with the rows that are kept.

    The names are the nodes' places in nested order, empty for what is fixed. Its latency is that
    of the whole graph; the limit is what the window's nodes may take.
    """
    wires, part = paths.wires, _Neighbourhood((dsp_limit,))
    high = low + len(kept) - 1
    number: dict[int, int] = {}
    for p in sorted({w.producer for at in range(low, high + 1) for w in wires.ins[at]}):
        if p < low:
            number[p] = part.fixed(paths.first[p], paths.last[p])
    is_whole = high == len(wires) - 1
    around = None if is_whole else part.fixed(0, paths.around(low, high))
    for at in range(low, high + 1):
        own = wires.problem.nodes[wires.order[at]]
        number[at] = part.add(_chosen(own, kept[at - low]), str(at))
        for wire in wires.ins[at]:
            p = wire.producer
            written = kept[p - low] if p >= low else np.array([paths.rows[p]])
            part.join(wire, (number[p], written), (number[at], kept[at - low]))
    if around is not None:
        ends = [around]
        for c in sorted({c for p in range(low, high + 1) for c, _ in wires.outs[p] if c > high}):
            ends.append(part.fixed(0, paths.from_start[c]))
            for wire in wires.ins[c]:
                if low <= wire.producer <= high:
                    source = number[wire.producer], kept[wire.producer - low]
                    consumer = ends[-1], np.array([paths.rows[c]])
                    part.join(wire, source, consumer, paths.from_last[c])
        part.join_node(ends)
    return part.instance()


def _chosen(own: Choices, rows: Integers) -> Choices:
    return Choices(
        own.first_write[rows],
        own.last_write[rows],
        own.usage[rows, :1],
        factors={k: factors[rows] for k, factors in own.factors.items()},
    )
