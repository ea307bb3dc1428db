"""The rows of a graph as integer arrays, with nodes, channels and tile classes by number."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.amounts import Amounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.rows import NodeRows

    Integers = npt.NDArray[np.int64]

__all__ = ["NO_WALK", "Arc", "Choices", "SearchInstance", "instance"]

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
    """The rows of one node; all arrays have one entry a row.

    Attributes
    ----------
    epilogue
        LW - LR by number of the incoming channel, of those that can stream.
    factors
        Unroll factor by number of the tile class, for classes of several nodes.
    walks
        Number of the order in which the row walks a channel, by number of the channel.
    amounts
        Of further resources, shape (rows, resources).
    as_fifo, as_buffer
        Likewise, by number of the incoming channel, of those that can stream.
    """

    first_write: Integers
    last_write: Integers
    dsps: Integers
    epilogue: dict[int, Integers]
    factors: dict[int, Integers]
    walks: dict[int, Integers]
    amounts: Integers
    as_fifo: dict[int, Integers] = field(default_factory=dict[int, "Integers"])
    as_buffer: dict[int, Integers] = field(default_factory=dict[int, "Integers"])

    @property
    def least_amounts(self) -> Integers:
        """Return what the node and its channels take at least of each further resource."""
        least: Integers = self.amounts.min(axis=0)
        for channel, fifo in self.as_fifo.items():
            least = least + np.minimum(fifo, self.as_buffer[channel]).min(axis=0)
        return least


@dataclass(frozen=True, slots=True)
class SearchInstance:
    """One problem in numbers; nodes are in topological order, the last one ends them all.

    A node that has several channels that can't stream waits for them at a barrier, a node of its
    own with one row that takes no time and no DSPs; the last node is the barrier for all ends.

    Attributes
    ----------
    names
        Of the graph's nodes; empty for a barrier.
    ins, outs
        Numbers of the channels of every node.
    users
        How many nodes each tile class of several nodes has.
    limits
        Of the further resources.
    """

    names: tuple[str, ...]
    nodes: tuple[Choices, ...]
    channels: tuple[Arc, ...]
    ins: tuple[tuple[int, ...], ...]
    outs: tuple[tuple[int, ...], ...]
    users: Mapping[int, int]
    dsp_limit: int
    limits: tuple[int, ...] = ()


class _Wiring:
    """Channels and nodes under construction."""

    def __init__(self, resources: int) -> None:
        self.resources = resources
        self.names: list[str] = []
        self.nodes: list[Choices] = []
        self.channels: list[Arc] = []
        self.ins: list[list[int]] = []
        self.outs: list[list[int]] = []

    def add(self, name: str, choices: Choices) -> int:
        self.names.append(name)
        self.nodes.append(choices)
        self.ins.append([])
        self.outs.append([])
        return len(self.nodes) - 1

    def connect(self, producer: int, consumer: int, *, streams: bool) -> int:
        self.channels.append(Arc(producer, consumer, streams))
        number = len(self.channels) - 1
        self.outs[producer].append(number)
        self.ins[consumer].append(number)
        return number

    def barrier(self, producers: list[int]) -> int:
        nothing = np.zeros(1, dtype=np.int64)
        none = np.zeros((1, self.resources), dtype=np.int64)
        node = self.add("", Choices(nothing, nothing, nothing, {}, {}, {}, none))
        for producer in producers:
            self.connect(producer, node, streams=False)
        return node


def instance(
    space: DecisionSpace, rows: Mapping[str, NodeRows], amounts: Amounts | None = None
) -> SearchInstance:
    """Return the numbers of a space whose nodes may take these rows.

    Parameters
    ----------
    amounts
        What the rows take of further resources, if these have limits.
    """
    members = {
        index: {node for node, _ in group.members}
        for index, group in enumerate(space.classes)
        if len(group.factors) > 1
    }
    users = {index: len(nodes) for index, nodes in members.items() if len(nodes) > 1}
    loops = _class_loops(space, users)
    walks = _walks(space, rows)
    ins = space.graph.in_edges()
    amounts = _lut_amounts(space, rows) if amounts is None else amounts
    limits = () if amounts is None else amounts.limits
    wiring, number = _Wiring(len(limits)), dict[str, int]()
    for node in space.graph.nodes:
        streams = [e for e in ins[node.name] if e.channel in space.streamable]
        whole = [number[e.producer] for e in ins[node.name] if e.channel not in space.streamable]
        barrier = wiring.barrier(whole) if len(whole) > 1 else None
        plain = _plain(rows[node.name], loops[node.name])
        if amounts is not None:
            plain = replace(plain, amounts=amounts.nodes[node.name])
        own = number[node.name] = wiring.add(node.name, plain)
        for producer in whole if barrier is None else [barrier]:
            wiring.connect(producer, own, streams=False)
        for edge in streams:
            channel = wiring.connect(number[edge.producer], own, streams=True)
            producer = wiring.nodes[number[edge.producer]]
            producer.walks[channel], wiring.nodes[own].walks[channel] = walks[edge.channel]
            cycles = rows[node.name].times.epilogue[edge.array]
            wiring.nodes[own].epilogue[channel] = np.array(cycles, dtype=np.int64)
            if amounts is not None:
                wiring.nodes[own].as_fifo[channel] = amounts.as_fifo[edge.channel]
                wiring.nodes[own].as_buffer[channel] = amounts.as_buffer[edge.channel]
    wiring.barrier([node for node, out in enumerate(wiring.outs) if not out])
    return SearchInstance(
        names=tuple(wiring.names),
        nodes=tuple(wiring.nodes),
        channels=tuple(wiring.channels),
        ins=tuple(map(tuple, wiring.ins)),
        outs=tuple(map(tuple, wiring.outs)),
        users=users,
        dsp_limit=space.dsp_limit,
        limits=limits,
    )


def _lut_amounts(space: DecisionSpace, rows: Mapping[str, NodeRows]) -> Amounts | None:
    """Return the LUTs of rows and channels, where some choice of rows exceeds a limit on them."""
    if space.lut_limit is None:
        return None
    luts = {name: np.array(own.luts, dtype=np.int64)[:, None] for name, own in rows.items()}
    fifos: dict[str, Integers] = {}
    buffers: dict[str, Integers] = {}
    for edge in space.graph.edges:
        if edge.channel in space.streamable:
            own = rows[edge.consumer]
            none = (0,) * len(own)
            for kind, by_array in ((fifos, own.as_fifo), (buffers, own.as_buffer)):
                each = np.array(by_array.get(edge.array, none), dtype=np.int64)
                kind[edge.channel] = each[:, None]
    amounts = Amounts((space.lut_limit,), luts, fifos, buffers)
    return amounts if amounts.may_exceed() else None


def _class_loops(space: DecisionSpace, users: Mapping[int, int]) -> dict[str, dict[int, int]]:
    """Return by node: for each class that it shares, the place of its first loop in it."""
    found: dict[str, dict[int, int]] = {node.name: {} for node in space.graph.nodes}
    places = {node.name: list(node.trip_counts) for node in space.graph.nodes}
    for index in users:
        for node, loop in space.classes[index].members:
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


def _plain(rows: NodeRows, loops: Mapping[int, int]) -> Choices:
    """Return the rows without what belongs to a channel."""
    taken = np.array(rows.factors, dtype=np.int64).reshape(len(rows), -1)
    return Choices(
        first_write=np.array(rows.times.first_write, dtype=np.int64),
        last_write=np.array(rows.times.last_write, dtype=np.int64),
        dsps=np.array(rows.dsps, dtype=np.int64),
        epilogue={},
        factors={index: taken[:, place] for index, place in loops.items()},
        walks={},
        amounts=np.zeros((len(rows), 0), dtype=np.int64),
    )
