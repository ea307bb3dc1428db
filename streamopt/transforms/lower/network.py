"""Scheduled graph to network: processes, memories and FIFOs as the emitted code has them.

A sequential node is copies in, the nest on local arrays, and copies out.
"""

from collections.abc import Mapping
from dataclasses import replace

from streamopt.ir.graph import Node, SequentialNode
from streamopt.ir.network import Fifo, Memory, Network, Pipeline, Place, Process, Turns
from streamopt.ir.ports import PortKind
from streamopt.ir.program import Array
from streamopt.ir.schedule import ChannelKind
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode, process_name
from streamopt.transforms.lower.stepped import lower_stepped
from streamopt.transforms.lower.streaming import StreamingNode
from streamopt.transforms.ports.movers import moved_arrays


def lower(scheduled: ScheduledGraph) -> Network:
    """Return the network of a scheduled graph.

    FIFOs and ping-pong buffers have the names of their channels; boundary memories those of their
    arrays, with ``.argument`` where a channel has that name; pipelines those of their nodes (a
    sequential node's copies have ``bring_`` and ``hand_`` pipelines beside it). Tile iterators
    have the names of the loops; a loop that is unrolled has a lane iterator ``<loop>.lane`` too.
    """
    return _NetworkLowering(scheduled).network()


class _NetworkLowering:
    def __init__(self, scheduled: ScheduledGraph) -> None:
        self.scheduled = scheduled
        self.arrays = {array.name: array for array in scheduled.graph.arrays}
        self.channels = self._channels()
        self.boundary = self._boundary()
        self.local: list[Memory] = []
        self.turns: dict[str, Turns] = {}

    def network(self) -> Network:
        """Return the whole network."""
        processes = tuple(self._process(nodes) for nodes in self.scheduled.processes)
        channels = self.channels.values()
        buffers = [channel for channel in channels if isinstance(channel, Memory)]
        return Network(
            self.scheduled.graph.name,
            processes,
            (*self.boundary.values(), *buffers, *self.local),
            tuple(channel for channel in channels if isinstance(channel, Fifo)),
            self.scheduled.graph.pass_count,
        )

    def _boundary(self) -> dict[str, Memory]:
        """Return the memories outside; what has a channel of its name too gets another one."""
        taken = {channel.name for channel in self.channels.values()}
        found: dict[str, Memory] = {}
        ports = {port.array: port for port in self.scheduled.schedule.ports}
        moved = moved_arrays(self.scheduled.graph, self.scheduled.schedule.ports)
        outside = {name: ports[name].memories for name in moved}
        for partition in self.scheduled.partitions:
            name = f"{partition.array}.argument" if partition.array in taken else partition.array
            array = self.arrays[partition.array]
            found[partition.array] = _memory(array, name, Place.ARGUMENT, partition.factors)
            port = ports.get(array.name)
            if port is not None and port.kind is PortKind.ROM:
                found[array.name] = replace(found[array.name], place=Place.ROM)
            is_resident = port is not None and port.kind is PortKind.RESIDENT
            if port is not None and is_resident and array.size_elems > 1:
                found[array.name] = replace(
                    found[array.name],
                    place=Place.RESIDENT,
                    block=port.block,
                    in_words=tuple(range(len(partition.factors))) if partition.in_words else (),
                )
            if array.name in outside:
                shape = found[partition.array].shape
                found[partition.array] = replace(
                    found[partition.array],
                    place=Place.OFF_CHIP,
                    factors=(1,) * len(shape),
                    channels=outside[array.name],
                )
        return found

    def _channels(self) -> dict[tuple[str, str], Fifo | Memory]:
        """Return the FIFO or memory by (array, consumer); several producers share a buffer."""
        found: dict[tuple[str, str], Fifo | Memory] = {}
        free = self.scheduled.schedule.most_banks is None
        for channel in self.scheduled.channels:
            edge, array = channel.edge, self.arrays[channel.edge.array]
            key = (edge.array, edge.consumer)
            if key in found:
                continue
            if channel.kind is ChannelKind.FIFO:
                depth, block = channel.depth_elems, channel.block
                found[key] = Fifo(edge.channel, array.element, channel.lanes, depth, block)
            else:
                buffer = _memory(array, edge.channel, Place.PING_PONG, channel.lanes)
                splits = free and not buffer.is_partitioned
                found[key] = replace(buffer, tool_splits=splits, block=channel.block)
        return found

    def _process(self, nodes: tuple[ScheduledNode, ...]) -> Process:
        pipelines = [pipeline for node in nodes for pipeline in self._pipelines(node)]
        turns = (self.turns[n.node.name] for n in nodes if n.node.name in self.turns)
        return Process(process_name(nodes), tuple(pipelines), tuple(turns))

    def _pipelines(self, scheduled: ScheduledNode) -> tuple[Pipeline, ...]:
        node = scheduled.node
        sources = self._sources(node)
        if isinstance(node, SequentialNode):
            whole = {name: self._whole(source) for name, source in sources.items()}
            targets = [(name, self._whole(t)) for name, t in self._targets(node)]
            nest = lower_stepped(scheduled, whole, targets, self.arrays)
            self.local += nest.memories
            self.turns[node.name] = nest.turns
            return nest.pipelines
        streaming = StreamingNode(
            scheduled, sources, [target for _, target in self._targets(node)], self.arrays
        )
        pipelines = streaming.pipelines()
        bound = {f"{node.name}.{name}": block for name, block in scheduled.blocks}
        self.local += (replace(m, block=bound.get(m.name, m.block)) for m in streaming.memories)
        return pipelines

    def _sources(self, node: Node) -> Mapping[str, Fifo | Memory]:
        return {
            name: self.channels.get((name, node.name)) or self.boundary[name]
            for name in node.inputs
        }

    def _targets(self, node: Node) -> list[tuple[str, Fifo | Memory]]:
        found: list[tuple[str, Fifo | Memory]] = []
        for written in node.outputs:
            found += [(written, c) for (array, _), c in self.channels.items() if array == written]
            if written in self.boundary:
                found.append((written, self.boundary[written]))
        return found

    def _whole(self, channel: Fifo | Memory) -> Memory:
        assert isinstance(channel, Memory), "a sequential node hands arrays over as wholes (E312)"
        return channel


def _memory(array: Array, name: str, place: Place, factors: tuple[int, ...]) -> Memory:
    return Memory(name, place, array.element, array.shape or (1,), factors or (1,))
