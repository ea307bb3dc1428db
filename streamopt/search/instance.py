"""The rows of a graph as integer arrays, with nodes, channels and tile classes by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]

NO_WALK = -1
"""Number of the walk of a row that can't stream on a channel."""


@dataclass(frozen=True, slots=True)
class Arc:
    """A channel by the numbers of its two nodes."""

    producer: int
    consumer: int
    streams: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The rows of one node; all arrays have one entry a row."""

    first_write: Integers
    last_write: Integers
    usage: Integers
    """Shape (rows, resources); the first resource are the DSPs."""
    epilogue: dict[int, Integers] = field(default_factory=dict[int, "Integers"])
    """LW - LR by number of the incoming channel, of those that can stream."""
    factors: dict[int, Integers] = field(default_factory=dict[int, "Integers"])
    """Unroll factor by number of the tile class, for classes of several nodes."""
    walks: dict[int, Integers] = field(default_factory=dict[int, "Integers"])
    """Number of the order in which the row walks a channel, by number of the channel."""
    # as_fifo, as_buffer: usage of incoming channels that can stream, by number, as FIFOs and
    # ping-pong buffers; of none if channels take nothing that is limited
    as_fifo: dict[int, Integers] = field(default_factory=dict[int, "Integers"])
    as_buffer: dict[int, Integers] = field(default_factory=dict[int, "Integers"])

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.last_write)

    @property
    def dsps(self) -> Integers:
        """Return the DSPs of every row."""
        return self.usage[:, 0]

    @property
    def least_usage(self) -> Integers:
        """Return the least usage of the node and its channels."""
        least: Integers = self.usage.min(axis=0)
        for channel, fifo in self.as_fifo.items():
            least = least + np.minimum(fifo, self.as_buffer[channel]).min(axis=0)
        return least


@dataclass(frozen=True, slots=True)
class SearchInstance:
    """One problem in numbers; nodes are in topological order, the last one ends them all.

    A node that has several channels that can't stream waits for them at a join node, which has
    one row that takes no time and no resources; the last node is the join of all ends.
    """

    names: tuple[str, ...]
    """Of the graph's nodes; empty for a join node."""
    nodes: tuple[Choices, ...]
    channels: tuple[Arc, ...]
    # ins, outs: numbers of the channels of every node
    ins: tuple[tuple[int, ...], ...]
    outs: tuple[tuple[int, ...], ...]
    users: Mapping[int, int]
    """How many nodes each tile class of several nodes has."""
    limits: tuple[int, ...]
    """Of the resources, the first of which are the DSPs."""

    @property
    def dsp_limit(self) -> int:
        """Return the limit on the DSPs."""
        return self.limits[0]

    def of_resources(self, columns: Sequence[int]) -> SearchInstance:
        """Return the instance with some of the resources only, by their places."""
        chosen = list(columns)

        def some(used: dict[int, Integers]) -> dict[int, Integers]:
            return {channel: own[:, chosen] for channel, own in used.items()}

        nodes = (
            replace(
                own,
                usage=own.usage[:, chosen],
                as_fifo=some(own.as_fifo),
                as_buffer=some(own.as_buffer),
            )
            for own in self.nodes
        )
        limits = tuple(self.limits[column] for column in chosen)
        return replace(self, limits=limits, nodes=tuple(nodes))

    def without_slack(self) -> SearchInstance:
        """Return the instance without further resources whose limits no choice of rows exceeds."""
        most = np.zeros(len(self.limits), dtype=np.int64)
        for own in self.nodes:
            most = most + own.usage.max(axis=0)
            for channel, fifo in own.as_fifo.items():
                most = most + np.maximum(fifo, own.as_buffer[channel]).max(axis=0)
        tight = [c for c, limit in enumerate(self.limits) if not c or most[c] > limit]
        return self if len(tight) == len(self.limits) else self.of_resources(tight)

    def named_rows(self, rows: Mapping[int, int]) -> dict[str, int]:
        """Return rows by the names of nodes, without those of join nodes."""
        return {self.names[node]: row for node, row in rows.items() if self.names[node]}


class Wiring:
    """An instance under construction."""

    def __init__(self, limits: tuple[int, ...]) -> None:
        self.limits = limits
        self.names: list[str] = []
        self.nodes: list[Choices] = []
        self.channels: list[Arc] = []
        self.ins: list[list[int]] = []
        self.outs: list[list[int]] = []

    def add(self, choices: Choices, name: str = "") -> int:
        """Add a node; return its number."""
        self.names.append(name)
        self.nodes.append(choices)
        self.ins.append([])
        self.outs.append([])
        return len(self.nodes) - 1

    def add_fixed(self, first_cycles: int, last_cycles: int) -> int:
        """Add a node of one row that takes no resources; return its number."""
        times = np.array([[first_cycles], [last_cycles]], dtype=np.int64)
        none = np.zeros((1, len(self.limits)), dtype=np.int64)
        return self.add(Choices(times[0], times[1], none))

    def connect(self, producer: int, consumer: int, *, streams: bool = False) -> int:
        """Add a channel; return its number."""
        self.channels.append(Arc(producer, consumer, streams))
        number = len(self.channels) - 1
        self.outs[producer].append(number)
        self.ins[consumer].append(number)
        return number

    def join_node(self, producers: Iterable[int]) -> int:
        """Add a node that waits for all of some nodes; return its number."""
        node = self.add_fixed(0, 0)
        for producer in producers:
            self.connect(producer, node)
        return node

    def instance(self) -> SearchInstance:
        """Return the instance; users of tile classes are its own nodes."""
        return SearchInstance(
            names=tuple(self.names),
            nodes=tuple(self.nodes),
            channels=tuple(self.channels),
            ins=tuple(map(tuple, self.ins)),
            outs=tuple(map(tuple, self.outs)),
            users=Counter(index for own in self.nodes for index in own.factors),
            limits=self.limits,
        )


def instance(
    space: DecisionSpace, rows: Mapping[str, NodeRows], limits: tuple[int, ...] | None = None
) -> SearchInstance:
    """Return the numbers of a space whose nodes may take these rows.

    Parameters
    ----------
    limits
        Of the further resources of rows; if None, LUTs are one if the space limits them and some
        choice of rows exceeds that.
    """
    luts = () if space.lut_limit is None else (space.lut_limit,)
    wiring = Wiring((space.dsp_limit, *(luts if limits is None else limits)))
    loops, walks, ins = _class_loops(space), _walks(space, rows), space.graph.in_edges()
    number: dict[str, int] = {}
    spend(WORK.rows.row * sum(map(len, rows.values())))
    for node in space.graph.nodes:
        name, own = node.name, rows[node.name]
        whole = [number[e.producer] for e in ins[name] if e.channel not in space.streamable]
        before = [wiring.join_node(whole)] if len(whole) > 1 else whole
        choices = _choices(own, loops[name], len(wiring.limits))
        number[name] = wiring.add(choices, name)
        for producer in before:
            wiring.connect(producer, number[name])
        for edge in ins[name]:
            if edge.channel not in space.streamable:
                continue
            channel = wiring.connect(number[edge.producer], number[name], streams=True)
            source = wiring.nodes[number[edge.producer]]
            source.walks[channel], choices.walks[channel] = walks[edge.channel]
            choices.epilogue[channel] = own.times.epilogue[edge.array]
            if edge.array in own.usage.as_fifo:
                choices.as_fifo[channel] = own.usage.as_fifo[edge.array]
                choices.as_buffer[channel] = own.usage.as_buffer[edge.array]
    wiring.join_node([node for node, out in enumerate(wiring.outs) if not out])
    found = wiring.instance()
    return found.without_slack() if limits is None else found


def _class_loops(space: DecisionSpace) -> dict[str, dict[int, int]]:
    """Return by node: for each class that other nodes share, the place of its first loop in it."""
    found: dict[str, dict[int, int]] = {node.name: {} for node in space.graph.nodes}
    places = {node.name: list(node.trip_counts) for node in space.graph.nodes}
    for index, group in enumerate(space.classes):
        if len(group.factors) > 1 and len({node for node, _ in group.members}) > 1:
            for node, loop in group.members:
                found[node].setdefault(index, places[node].index(loop))
    return found


def _walks(
    space: DecisionSpace, rows: Mapping[str, NodeRows]
) -> dict[str, tuple[Integers, Integers]]:
    """Return the numbered walks of both sides of every channel that can stream."""
    found: dict[str, tuple[Integers, Integers]] = {}
    for edge in space.graph.edges:
        if edge.channel not in space.streamable:
            continue
        known: dict[tuple[int, ...], int] = {}
        written, read = (
            np.array(
                [
                    NO_WALK if order is None else known.setdefault(order, len(known))
                    for order in rows[name].streams[edge.channel]
                ],
                dtype=np.int64,
            )
            for name in (edge.producer, edge.consumer)
        )
        found[edge.channel] = (written, read)
    return found


def _choices(rows: NodeRows, loops: Mapping[int, int], resources: int) -> Choices:
    """Return the rows without what belongs to a channel."""
    taken = np.array(rows.factors if loops else (), dtype=np.int64).reshape(len(rows), -1)
    return Choices(
        first_write=rows.times.first_write,
        last_write=rows.times.last_write,
        usage=rows.usage.own[:, :resources],
        factors={index: taken[:, place] for index, place in loops.items()},
    )
