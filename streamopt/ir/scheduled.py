"""A scheduled graph: loops with tiles, channels with lanes, arrays with partitions.

Made by `streamopt.transforms.apply`; what the simulator runs and the back ends print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from streamopt.ir.graph import Edge, Graph, Node
from streamopt.ir.line_buffer import LineBuffer
from streamopt.ir.ports import RamBlock
from streamopt.ir.schedule import Binding, ChannelKind, Schedule
from streamopt.ir.stepping.stepped import SteppedNest


@dataclass(frozen=True, slots=True)
class TiledLoop:
    """``for tile in range(tiles)``, with ``unroll`` copies of the body inside.

    The original iterator is ``tile * unroll + lane``. Where the factor doesn't divide the trip
    count, the last lanes of the last tile have no iteration: the loop is partial.
    """

    name: str
    trip_count: int
    unroll: int

    @property
    def tiles(self) -> int:
        """Return the trip count of the tile loop."""
        return -(-self.trip_count // self.unroll)

    @property
    def last_lanes(self) -> int:
        """Return the lanes that have an iteration in the last tile."""
        return self.trip_count - (self.tiles - 1) * self.unroll

    @property
    def is_partial(self) -> bool:
        """Return whether some lanes have no iteration in the last tile."""
        return self.last_lanes < self.unroll

    def __str__(self) -> str:
        """Return tiles times lanes: ``j 16 x 4``, ``j 16 x 4 (last 2)`` for a partial loop."""
        lanes = f" x {self.unroll}" if self.unroll > 1 else ""
        last = f" (last {self.last_lanes})" if self.is_partial else ""
        return f"{self.name} {self.tiles}{lanes}{last}"


@dataclass(frozen=True, slots=True)
class ArrayPartition:
    """Cyclic partition of one array; a factor for each dimension, 1 where not partitioned."""

    array: str
    factors: tuple[int, ...]
    in_words: bool = False
    """Whether what all banks have at one place is one word, of one memory."""

    def __str__(self) -> str:
        """Return one line: the array and its factors."""
        words = " in words" if self.in_words else ""
        return f"partition {self.array}: {' x '.join(map(str, self.factors)) or 1}{words}"


@dataclass(frozen=True, slots=True)
class ScheduledNode:
    """A node with its tile loops, outermost first; the innermost one is pipelined."""

    node: Node
    loops: tuple[TiledLoop, ...]
    binding: Binding = ()
    """Resources of its floating-point operators; empty for the tool's choice."""
    line_buffers: tuple[LineBuffer, ...] = ()
    """Of its windows."""
    target_ii: int = 1
    """Initiation interval that is asked of the vendor's tool; it takes a longer one if it must."""
    stepped: SteppedNest | None = None
    """Of a sequential node: how it is built."""
    blocks: tuple[tuple[str, RamBlock], ...] = ()
    """Pairs (local memory, block that it is bound to) where the tool doesn't choose."""

    def __str__(self) -> str:
        """Return one line: name, tile loops from the outermost in, and statements."""
        return self.node.text_over(self.loops)

    def loop(self, name: str) -> TiledLoop:
        """Return the tiled loop of that name; raises KeyError."""
        for loop in self.loops:
            if loop.name == name:
                return loop
        raise KeyError(name)

    @property
    def lanes(self) -> int:
        """Return the copies of the loop body that work in parallel."""
        return prod(loop.unroll for loop in self.loops)

    @property
    def tile_loops(self) -> tuple[TiledLoop, ...]:
        """Return the tile loops that are built: those of more than one tile, or one of them all.

        An innermost loop of a single iteration makes the vendor's tool pipeline further out
        (`streamopt.perf.pipelines.timings`).
        """
        return tuple(loop for loop in self.loops if loop.tiles > 1) or self.loops[-1:]


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel as built."""

    edge: Edge
    kind: ChannelKind
    lanes: tuple[int, ...]
    """FIFO: streams along each array dimension (the unroll factor of the loop that indexes it).
    Ping-pong: cyclic partition factors along each dimension."""
    depth_elems: int
    """FIFO: elements that one lane holds. Ping-pong: 0."""
    block: RamBlock | None = None
    """The block that its memory is bound to; None where the tool chooses."""

    def __str__(self) -> str:
        """Return one line: both nodes, kind, lanes and depth."""
        lanes = " x ".join(map(str, self.lanes)) or "1"
        depth = f" of {self.depth_elems}" if self.depth_elems else ""
        ends = f"{self.edge.producer} -> {self.edge.consumer}"
        return f"channel {self.edge.channel}: {ends}, {lanes} {self.kind}{depth}"


@dataclass(frozen=True, slots=True)
class ScheduledGraph:
    """A graph with a schedule applied; nodes in topological order."""

    graph: Graph
    schedule: Schedule
    nodes: tuple[ScheduledNode, ...]
    channels: tuple[Channel, ...]
    partitions: tuple[ArrayPartition, ...]
    """Partitions of the arrays that cross the design's boundary, in the graph's array order."""

    def __str__(self) -> str:
        """Return a line for each node, channel and partitioned array."""
        split = (p for p in self.partitions if any(factor > 1 for factor in p.factors))
        parts = (*self.nodes, *self.channels, *split)
        return "\n".join([f"scheduled graph {self.graph.name}", *map(str, parts)])

    def asking(self, intervals: Mapping[str, int]) -> ScheduledGraph:
        """Return the graph with the initiation intervals that nodes ask the vendor's tool for."""
        nodes = (replace(n, target_ii=intervals.get(n.node.name, n.target_ii)) for n in self.nodes)
        return replace(self, nodes=tuple(nodes))

    def channel(self, name: str) -> Channel:
        """Return the channel of that name; raises KeyError."""
        for channel in self.channels:
            if channel.edge.channel == name:
                return channel
        raise KeyError(name)

    @property
    def may_reorder_sums(self) -> bool:
        """Return whether nodes may add terms of sums in another order than the source does."""
        return any(node.stepped is not None for node in self.nodes)

    @property
    def processes(self) -> tuple[tuple[ScheduledNode, ...], ...]:
        """Return the nodes of each process, in topological order of the processes.

        A dataflow region wants one producer for every array, so nodes that write the same one (a
        border of zeros, then the inside) are one process. It stands where its last node does: all
        that one of its nodes reads was written before, and nobody reads its array earlier.
        """
        groups: dict[str, list[ScheduledNode]] = {}
        for node in self.nodes:
            array = node.node.outputs[0]
            groups[array] = [*groups.pop(array, []), node]
        return tuple(tuple(nodes) for nodes in groups.values())


def process_name(nodes: Sequence[ScheduledNode]) -> str:
    """Return the name of the process that runs some nodes."""
    return "_".join(node.node.name for node in nodes)
