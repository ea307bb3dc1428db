"""Layout of an emitted design: ports, channels and processes, with their C++ names.

A dataflow region wants one producer for every channel, so nodes that write the same array (a
border of zeros, then the inside) become one process with their nests in program order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from streamopt.analysis.addresses.bank_padding import padded_shape
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.expressions import FUNCTION_NAMES
from streamopt.codegen.names import LIBRARY, TYPES, Names, identifier, suits_top
from streamopt.codegen.packing import Packing, packing_of
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read
from streamopt.ir.graph import Node, Passes
from streamopt.ir.ports import FILLING_BITS, WORD_FIFO_DEPTH, PortKind, RamBlock, words_of
from streamopt.ir.program import Array, Loop, Role
from streamopt.ir.schedule import ChannelKind
from streamopt.ir.scheduled import (
    ArrayPartition,
    Channel,
    ScheduledGraph,
    ScheduledNode,
    TiledLoop,
    process_name,
)

BYTE_BITS = 8


@dataclass(frozen=True, slots=True)
class CppPort:
    """An array or a group of streams, as the top function has it and its processes use it."""

    name: str
    array: Array
    factors: tuple[int, ...]
    """Cyclic partition factors of an array, streams along each dimension of a group."""
    depth_elems: int | None = None
    """Elements that each stream holds; None for an array."""
    kind: PortKind = PortKind.MEMORY
    """How an array crosses the boundary of the design."""
    packing: Packing | None = None
    """How its elements are packed into words outside; None for an array on the chip."""
    by_value: bool = False
    """Whether it is a single number that the caller hands over by value."""
    dialect: Dialect = Dialect.HLS
    """The library that its streams and words are from."""
    parts: tuple[str, ...] = ()
    """C++ names of the memories that hold the array, where there are several."""
    depth_words: int = 0
    """Words that each stream of a `WordMover` holds; 0 for a stream of the boundary."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of its parameters: one, or one for each memory."""
        return self.parts or (self.name,)

    @property
    def is_stream(self) -> bool:
        """Return whether it is streams, which a process may not have as const."""
        return self.is_group or self.kind is PortKind.STREAM

    @property
    def is_table(self) -> bool:
        """Return whether it is a table in each process that reads it, and handed to none."""
        return self.kind is PortKind.ROM

    @property
    def is_group(self) -> bool:
        """Return whether it is a group of streams between processes."""
        return self.depth_elems is not None

    @property
    def packed(self) -> Packing:
        """Return its packing; only of an array outside."""
        assert self.packing is not None
        return self.packing

    @property
    def word_type(self) -> str:
        """Return the type of a word of a packed array: of bytes where elements share them."""
        each, element = self.elems_a_byte, self.array.element.value
        element, elems = element if each == 1 else "uint8_t", self.packed.words.elems // each
        return element if elems == 1 else f"{self.dialect}<{element}, {elems}>"

    @property
    def elems_a_byte(self) -> int:
        """Return the elements that share a byte outside; 1 where an element takes one, or more."""
        return 1 if self.packing is None else max(1, BYTE_BITS // self.array.element.outside_bits)

    def declarations(self) -> tuple[str, ...]:
        """Return type, name and extents of its parameters."""
        if self.packing is None:
            return (self.declaration(),)
        if self.kind is PortKind.STREAM:
            depth = f", {self.depth_words}" if self.depth_words else ""
            return tuple(f"hls::stream<{self.word_type}{depth}> &{name}" for name in self.names)
        return tuple(f"{self.word_type} *{name}" for name in self.names)

    def declaration(self) -> str:
        """Return type, name and extents; a scalar is an array of one element, or a value."""
        element = self.array.element.value
        if self.by_value:
            return f"{element} {self.name}"
        if self.depth_elems is None:
            return f"{element} {self.name}{extents_text(self.array.shape)}"
        lanes = extents_text(self.factors)
        return f"hls::stream<{element}, {self.depth_elems}> {self.name}{lanes}"

    def stream(self, lanes: Sequence[str]) -> str:
        """Return the stream of a group at a lane of each dimension."""
        return self.dialect.stream(self.name, lanes, self.factors)

    def element(self, subscripts: str) -> str:
        """Return an element of an array, or the value."""
        return self.name if self.by_value else f"{self.name}{subscripts}"


def extents_text(extents: tuple[int, ...]) -> str:
    """Return ``[4][8]``; ``[1]`` for a scalar."""
    return "".join(f"[{extent}]" for extent in extents or (1,))


@dataclass(frozen=True, slots=True)
class CppProcess:
    """One function of the dataflow region."""

    name: str
    nodes: tuple[ScheduledNode, ...]
    """In program order."""
    reads: Mapping[tuple[str, str], CppPort]
    """CppPort by (node, array)."""
    writes: tuple[CppPort, ...]
    """Ports that every node writes; those of a sequential node may be of several arrays."""
    arrays: Mapping[str, Array]
    """Every array of the graph, by name."""

    @property
    def inputs(self) -> tuple[CppPort, ...]:
        """Return the ports read that are handed to it, each once."""
        return tuple(port for port in self._read if not port.is_table)

    @property
    def tables(self) -> tuple[CppPort, ...]:
        """Return the tables that it reads, each once."""
        return tuple(port for port in self._read if port.is_table)

    @property
    def _read(self) -> tuple[CppPort, ...]:
        return tuple({port.name: port for port in self.reads.values()}.values())


@dataclass(frozen=True, slots=True)
class WordMover:
    """A process that carries the words of an array between memory and a stream, one a cycle.

    It has nothing but a flat loop, of which the vendor's tool makes long bursts: each memory has
    one access in one region, at addresses that follow each other (AMD UG1399, "Preconditions and
    Limitations of Burst Transfer"). The process behind the stream packs or unpacks the words.
    """

    name: str
    outside: CppPort
    stream: CppPort


@dataclass(frozen=True, slots=True)
class Resident:
    """An array in memory of the design, with the processes that fill it before the first frame."""

    memory: CppPort
    words: WordMover
    fill: CppProcess
    block: RamBlock | None
    in_words: bool
    """Whether its banks are words of one memory."""

    @property
    def outside(self) -> CppPort:
        """Return the argument that it is filled from."""
        return self.words.outside

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the names of the functions that fill it."""
        return self.words.name, self.fill.name


@dataclass(frozen=True, slots=True)
class DesignLayout:
    """The whole design; processes in an order in which each finds its inputs complete."""

    top: str
    boundary: tuple[CppPort, ...]
    """Arguments of the top function, streams last, which a host can't hand over."""
    channels: tuple[CppPort, ...]
    processes: tuple[CppProcess, ...]
    tables: tuple[CppPort, ...] = ()
    """Arrays whose values are in the design."""
    copies: tuple[tuple[str, str], ...] = ()
    """Pairs (array, original) of the boundary, as in `streamopt.ir.graph.Graph`."""
    word_movers: tuple[WordMover, ...] = ()
    """Of the arrays in memory off the chip."""
    blocks: tuple[tuple[str, RamBlock | None], ...] = ()
    """Pairs (C++ name of a channel, block that it is bound to)."""
    passes: Passes | None = None
    """How often the region runs, where that is more than once."""
    residents: tuple[Resident, ...] = ()

    @property
    def region_ports(self) -> tuple[CppPort, ...]:
        """Return the ports of the dataflow region: resident memories, not their arguments."""
        kept = {resident.outside.name: resident.memory for resident in self.residents}
        return tuple(kept.get(port.name, port) for port in self.boundary)

    def home(self, port: CppPort) -> CppPort:
        """Return the port whose memory a port has: an input's, if it is updated in place."""
        given = dict(self.passes.in_place if self.passes is not None else ())
        source = given.get(port.array.name, port.array.name)
        return next((own for own in self.boundary if own.array.name == source), port)

    @property
    def calls(self) -> tuple[tuple[str, tuple[CppPort, ...]], ...]:
        """Return the processes and the ports that each is handed; words are read first."""
        movers = [(m.outside.array.is_given, m) for m in self.word_movers]
        return (
            *((m.name, (m.outside, m.stream)) for is_given, m in movers if is_given),
            *((process.name, (*process.inputs, *process.writes)) for process in self.processes),
            *((m.name, (m.stream, m.outside)) for is_given, m in movers if not is_given),
        )

    @property
    def packed(self) -> tuple[CppPort, ...]:
        """Return the ports whose arrays are words outside."""
        return tuple(port for port in self.boundary if port.packing is not None)

    @property
    def streamed(self) -> tuple[CppPort, ...]:
        """Return the ports that are streams."""
        return tuple(port for port in self.boundary if port.kind is PortKind.STREAM)


def plan_layout(scheduled: ScheduledGraph, dialect: Dialect = Dialect.HLS) -> DesignLayout:
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
        partition.array: replace(_boundary_port(scheduled, partition, names), dialect=dialect)
        for partition in scheduled.partitions
    }
    channels: dict[tuple[str, str], CppPort] = {}
    blocks: dict[str, RamBlock | None] = {}
    for channel in scheduled.channels:
        key = (channel.edge.array, channel.edge.consumer)
        if key not in channels:
            channels[key] = replace(_channel_port(scheduled, channel, names), dialect=dialect)
            blocks[channels[key].name] = channel.block
    ports = (*boundary.values(), *channels.values())
    taken = (*FUNCTION_NAMES, *LIBRARY, *TYPES, *(port.name for port in ports))
    functions = Names([identifier(top), *taken])
    movers = {
        name: _word_mover(port, names, functions)
        for name, port in boundary.items()
        if port.kind is PortKind.AXI and port.packing is not None
    }
    residents = {
        name: _resident(scheduled, port, names, functions)
        for name, port in boundary.items()
        if port.kind is PortKind.RESIDENT
    }
    inside = {**boundary, **{name: mover.stream for name, mover in movers.items()}}
    inside |= {name: resident.memory for name, resident in residents.items()}
    processes = tuple(
        _process(scheduled, nodes, functions, inside, channels) for nodes in scheduled.processes
    )
    taken_over = [port for port in boundary.values() if not port.is_table]
    outside = sorted(taken_over, key=lambda port: port.kind is PortKind.STREAM)
    tables = tuple(port for port in boundary.values() if port.is_table)
    copies = tuple(pair for pair in graph.copies if {*pair} <= {p.array.name for p in outside})
    return DesignLayout(
        identifier(top),
        (*outside,),
        (*channels.values(),),
        processes,
        tables,
        copies,
        (*movers.values(),),
        (*blocks.items(),),
        graph.passes,
        (*residents.values(),),
    )


def _resident(scheduled: ScheduledGraph, port: CppPort, names: Names, functions: Names) -> Resident:
    """Return the memory of a resident array and what fills it: words of its banks in turn."""
    array, factors = port.array, port.factors
    held = replace(array, shape=padded_shape(array.shape, factors))
    memory = CppPort(names.unique(f"{array.name}_kept"), held, factors)
    words = _word_mover(port, names, functions)
    loops = tuple(Loop(f"d{at}", extent) for at, extent in enumerate(array.shape))
    place = tuple(Affine.iterator(loop.name) for loop in loops)
    name = functions.unique(f"fill_{port.name}")
    node = Node(name, loops, Access(memory.name, place), Read(Access(array.name, place)))
    tiled = (TiledLoop(p.name, p.trip_count, f) for p, f in zip(loops, factors, strict=True))
    arrays = {array.name: array, memory.name: held}
    reads = {(name, array.name): words.stream}
    fill = CppProcess(name, (ScheduledNode(node, tuple(tiled)),), reads, (memory,), arrays)
    block = next(plan.block for plan in scheduled.schedule.ports if plan.array == array.name)
    in_words = next(p.in_words for p in scheduled.partitions if p.array == array.name)
    return Resident(memory, words, fill, block, in_words)


def _word_mover(port: CppPort, names: Names, functions: Names) -> WordMover:
    stream = replace(
        port,
        name=names.unique(f"{port.name}_words"),
        kind=PortKind.STREAM,
        parts=tuple(names.unique(f"{part}_words") for part in port.parts),
        depth_words=WORD_FIFO_DEPTH,
    )
    name = f"{'read' if port.array.is_given else 'write'}_{port.name}"
    return WordMover(functions.unique(name), port, stream)


def _boundary_port(scheduled: ScheduledGraph, partition: ArrayPartition, names: Names) -> CppPort:
    array = scheduled.graph.array(partition.array)
    port = CppPort(names.unique(array.name), array, partition.factors)
    plans = {plan.array: plan for plan in scheduled.schedule.ports}
    plan = plans.get(array.name)
    if plan is not None and plan.kind is PortKind.ROM:
        return replace(port, kind=plan.kind)
    if plan is not None and plan.kind is PortKind.RESIDENT and array.size_elems > 1:
        order, factors = tuple(range(len(array.shape))), partition.factors
        words = words_of(prod(factors), array.element.outside_bits, most_bits=FILLING_BITS)
        packing = Packing(array.shape, order, factors, words)
        return replace(port, kind=plan.kind, packing=packing)
    if not any(other.kind.is_outside for other in plans.values()):
        return port
    if array.is_given and array.size_elems == 1:
        return replace(port, by_value=True)
    if plan is None or not plan.kind.is_outside:
        return port
    users = [n for n in scheduled.nodes if array.name in (*n.node.inputs, *n.node.outputs)]
    mover = users[0]
    access = next(s for s in (*mover.node.reads, mover.node.write) if s.array == array.name)
    packing = packing_of(array, access, mover, max(1, len(plan.channels)))
    several = range(packing.words.memories if packing.words.memories > 1 else 0)
    parts = tuple(names.unique(f"{port.name}_{at}") for at in several)
    return replace(port, kind=plan.kind, packing=packing, parts=parts)


def _channel_port(scheduled: ScheduledGraph, channel: Channel, names: Names) -> CppPort:
    edge, array = channel.edge, scheduled.graph.array(channel.edge.array)
    consumers = {other.consumer for other in scheduled.graph.edges if other.array == array.name}
    is_shared = len(consumers) > 1 or array.role is not Role.INTERNAL
    wanted = f"{array.name}_{edge.consumer}" if is_shared else array.name
    depth = channel.depth_elems if channel.kind is ChannelKind.FIFO else None
    return CppPort(names.unique(wanted), array, channel.lanes, depth)


def _process(
    scheduled: ScheduledGraph,
    nodes: tuple[ScheduledNode, ...],
    functions: Names,
    boundary: Mapping[str, CppPort],
    channels: Mapping[tuple[str, str], CppPort],
) -> CppProcess:
    reads: dict[tuple[str, str], CppPort] = {}
    for node in (scheduled_node.node for scheduled_node in nodes):
        for array in node.inputs:
            source = channels.get((array, node.name))
            if source is None and scheduled.graph.array(array).is_given:
                source = boundary[array]
            if source is None:
                message = f"no channel brings {array} to node '{node.name}'"
                raise CodegenError(Diagnostic("E602", message, node.loc))
            reads[node.name, array] = source
    writes: list[CppPort] = []
    for written in nodes[0].node.outputs:
        writes += [port for (array, _), port in channels.items() if array == written]
        if written in boundary:
            writes.append(boundary[written])
    if not writes:
        written = ", ".join(nodes[0].node.outputs)
        message = f"node '{nodes[0].node.name}' writes {written}, which nobody takes"
        raise CodegenError(Diagnostic("E602", message, nodes[0].node.loc))
    arrays = {array.name: array for array in scheduled.graph.arrays}
    return CppProcess(functions.unique(process_name(nodes)), nodes, reads, tuple(writes), arrays)
