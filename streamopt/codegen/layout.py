"""What the emitted design consists of: ports, channels and processes, with their C++ names.

A dataflow region wants one producer for every channel, so nodes that write the same array (a
border of zeros, then the inside) become one process with their nests in program order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.expressions import FUNCTION_NAMES
from streamopt.codegen.names import LIBRARY, TYPES, Names, identifier, suits_top
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.program import Role
from streamopt.ir.schedule import ChannelKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.program import Array
    from streamopt.ir.scheduled import Channel, ScheduledGraph, ScheduledNode

__all__ = ["Layout", "Port", "Process", "extents_text", "plan_layout"]


@dataclass(frozen=True, slots=True)
class Port:
    """An array or a group of streams, as the top function has it and its processes use it.

    Attributes
    ----------
    factors
        Cyclic partition factors of an array, streams along each dimension of a group.
    depth_elems
        Elements that each stream holds; None for an array.
    """

    name: str
    array: Array
    factors: tuple[int, ...]
    depth_elems: int | None = None

    @property
    def is_stream(self) -> bool:
        """Return whether it is a group of streams."""
        return self.depth_elems is not None

    def declaration(self) -> str:
        """Return type, name and extents; a scalar is an array of one element."""
        element = self.array.element.value
        if self.depth_elems is None:
            return f"{element} {self.name}{extents_text(self.array.shape)}"
        lanes = extents_text(self.factors)
        return f"hls::stream<{element}, {self.depth_elems}> {self.name}{lanes}"


def extents_text(extents: tuple[int, ...]) -> str:
    """Return ``[4][8]``; ``[1]`` for a scalar."""
    return "".join(f"[{extent}]" for extent in extents or (1,))


@dataclass(frozen=True, slots=True)
class Process:
    """One function of the dataflow region.

    Attributes
    ----------
    nodes
        In program order.
    reads
        Port by (node, array).
    writes
        Ports that every node writes; those of a sequential node may be of several arrays.
    arrays
        Every array of the graph, by name.
    """

    name: str
    nodes: tuple[ScheduledNode, ...]
    reads: Mapping[tuple[str, str], Port]
    writes: tuple[Port, ...]
    arrays: Mapping[str, Array]

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Return the ports read, each once."""
        return tuple({port.name: port for port in self.reads.values()}.values())


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole design; processes in an order in which each finds its inputs complete."""

    top: str
    boundary: tuple[Port, ...]
    channels: tuple[Port, ...]
    processes: tuple[Process, ...]


def plan_layout(scheduled: ScheduledGraph) -> Layout:
    """Return ports and processes of a scheduled graph.

    Raises
    ------
    CodegenError
        E602 for an array that a node reads and nobody brings, or writes and nobody takes.
    """
    graph = scheduled.graph
    top = graph.name if suits_top(graph.name) else f"kernel_{graph.name}"
    names = Names([identifier(top), *FUNCTION_NAMES])
    boundary = {
        partition.array: Port(
            names.unique(partition.array), graph.array(partition.array), partition.factors
        )
        for partition in scheduled.partitions
    }
    channels: dict[tuple[str, str], Port] = {}
    for channel in scheduled.channels:
        key = (channel.edge.array, channel.edge.consumer)
        if key not in channels:
            channels[key] = _channel_port(scheduled, channel, names)
    ports = (*boundary.values(), *channels.values())
    taken = (*FUNCTION_NAMES, *LIBRARY, *TYPES, *(port.name for port in ports))
    functions = Names([identifier(top), *taken])
    processes = tuple(
        _process(scheduled, nodes, functions, boundary, channels) for nodes in scheduled.processes
    )
    return Layout(identifier(top), (*boundary.values(),), (*channels.values(),), processes)


def _channel_port(scheduled: ScheduledGraph, channel: Channel, names: Names) -> Port:
    edge, array = channel.edge, scheduled.graph.array(channel.edge.array)
    consumers = {other.consumer for other in scheduled.graph.edges if other.array == array.name}
    wanted = array.name
    if len(consumers) > 1 or array.role is not Role.INTERNAL:
        wanted = f"{array.name}_{edge.consumer}"
    depth = channel.depth_elems if channel.kind is ChannelKind.FIFO else None
    return Port(names.unique(wanted), array, channel.lanes, depth)


def _process(
    scheduled: ScheduledGraph,
    nodes: tuple[ScheduledNode, ...],
    functions: Names,
    boundary: Mapping[str, Port],
    channels: Mapping[tuple[str, str], Port],
) -> Process:
    reads: dict[tuple[str, str], Port] = {}
    for node in (scheduled_node.node for scheduled_node in nodes):
        for array in node.inputs:
            source = channels.get((array, node.name))
            if source is None and scheduled.graph.array(array).is_given:
                source = boundary[array]
            if source is None:
                message = f"no channel brings {array} to node '{node.name}'"
                raise CodegenError(Diagnostic("E602", message, node.loc))
            reads[node.name, array] = source
    writes: list[Port] = []
    for written in nodes[0].node.outputs:
        writes += [port for (array, _), port in channels.items() if array == written]
        if written in boundary:
            writes.append(boundary[written])
    if not writes:
        written = ", ".join(nodes[0].node.outputs)
        message = f"node '{nodes[0].node.name}' writes {written}, which nobody takes"
        raise CodegenError(Diagnostic("E602", message, nodes[0].node.loc))
    name = functions.unique("_".join(node.node.name for node in nodes))
    arrays = {array.name: array for array in scheduled.graph.arrays}
    return Process(name, nodes, reads, tuple(writes), arrays)
