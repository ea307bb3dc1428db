"""The fourth sentence: channels that are no FIFOs, why, and the most that this costs.

The cost is measured: with the array there from the start, so that its reader never waits for it,
the design is simulated again. No order of loops and no FIFO can save more than that, with all else
as it is.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from streamopt.errors import SourceLoc
from streamopt.evaluation.design import Evaluation
from streamopt.explanation.question import KnownDesign, listed, percent
from streamopt.ir.graph import Edge
from streamopt.ir.network import AccessMode, Network, Place, Port
from streamopt.ir.text import access_text
from streamopt.sim import WaitKind, simulate
from streamopt.space.buffering import BufferReason, buffer_reason

MOST_TOLD = 3
"""Channels that are told; the others are counted."""
MOST_TRIED = 8
"""Whose costs are simulated one by one, those with the longest waits."""


@dataclass(frozen=True, slots=True)
class BufferedChannel:
    """A ping-pong buffer."""

    channel: str
    producer: str
    consumer: str
    reason: BufferReason
    access: str
    """How the consumer reads it."""
    place: SourceLoc | None
    """The consumer's place in the source, or the producer's."""
    wait_cycles: int
    """That its consumer waits for it."""
    cost_cycles: int | None
    """The most that a FIFO could save; None where that wasn't simulated."""

    def words(self, total_cycles: int) -> str:
        """Return the channel, the reason, its place and cost."""
        place = f" at {self.place}" if self.place is not None else ""
        why = f"{self.reason}: {self.consumer} reads {self.access}{place}"
        if self.cost_cycles is None:
            return f"{self.channel} ({why})"
        if not self.cost_cycles:
            return f"{self.channel} ({why}; it costs nothing)"
        cost = f"{self.cost_cycles:,} cycles at most ({percent(self.cost_cycles, total_cycles)})"
        return f"{self.channel} ({why}; it costs {cost})"


@dataclass(frozen=True, slots=True)
class Buffering:
    """All channels that are ping-pong buffers, those that cost most first."""

    total_cycles: int
    fifos: int
    channels: tuple[BufferedChannel, ...]
    cost_cycles: int
    """The most that all of them together cost."""

    @property
    def words(self) -> str:
        """Return the sentence."""
        if not self.channels and not self.fifos:
            return "There are no channels between nodes."
        if not self.channels:
            names = {1: "Its channel is a FIFO", 2: "Both channels are FIFOs"}
            return f"{names.get(self.fifos, f'All {self.fifos} channels are FIFOs')}."
        count = f"{len(self.channels)} of {self.fifos + len(self.channels)} channels"
        verb = "are ping-pong buffers and no FIFOs"
        told = [channel.words(self.total_cycles) for channel in self.channels[:MOST_TOLD]]
        left = len(self.channels) - len(told)
        if left:
            told.append(f"{left} more")
        whole = ""
        if len(self.channels) > 1:
            most = percent(self.cost_cycles, self.total_cycles)
            whole = f"; without all these waits it would take {self.cost_cycles:,} cycles less "
            whole += f"({most})"
            whole = whole if self.cost_cycles else "; together they cost nothing"
        return f"{count} {verb}: {listed(told)}{whole}."


def buffering(design: KnownDesign) -> Buffering:
    """Return the ping-pong buffers of a design, with what they cost."""
    graph, found = design.scheduled.graph, design.evaluation
    told: list[tuple[Edge, BufferReason]] = []
    for edge in graph.edges:
        reason = buffer_reason(graph, edge, design.schedule)
        if reason is not None:
            told.append((edge, reason))
    waits = _buffer_waits(found)
    told.sort(key=lambda each: -waits.get(each[0].channel, 0))
    channels = [
        _channel(design, edge, reason, waits.get(edge.channel, 0), at < MOST_TRIED)
        for at, (edge, reason) in enumerate(told)
    ]
    channels.sort(key=lambda channel: -(channel.cost_cycles or 0))
    cost = sum(channel.cost_cycles or 0 for channel in channels)
    if len(channels) > 1:
        cost = _saved_cycles(found, [channel.channel for channel in channels])
    fifos = len(design.schedule.fifos)
    return Buffering(found.trace.cycles, fifos, tuple(channels), cost)


def _channel(
    design: KnownDesign, edge: Edge, reason: BufferReason, waited: int, is_tried: bool
) -> BufferedChannel:
    graph, found = design.scheduled.graph, design.evaluation
    cost = 0 if not waited else None
    if waited and is_tried:
        cost = _saved_cycles(found, [edge.channel])
    reads = [access_text(access) for access in edge.reads]
    access = "it as a whole" if edge.is_whole else listed(reads[:2])
    place = graph.node(edge.consumer).loc or graph.node(edge.producer).loc
    return BufferedChannel(
        edge.channel, edge.producer, edge.consumer, reason, access, place, waited, cost
    )


def _buffer_waits(found: Evaluation) -> dict[str, int]:
    """Return by buffer how long its reader waits for it."""
    waits: dict[str, int] = {}
    for process in found.trace.processes:
        for wait in process.waits:
            if wait.kind is WaitKind.BUFFER:
                waits[wait.of] = waits.get(wait.of, 0) + wait.cycles
    return waits


def _saved_cycles(found: Evaluation, channels: Collection[str]) -> int:
    """Return the cycles that a design saves if nobody waits for some of its ping-pong buffers."""
    timings = {name: timed.timing for name, timed in found.timed.items()}
    trace = simulate(_without_waits(found.network, channels), timings)
    return max(0, found.trace.cycles - trace.cycles)


def _without_waits(network: Network, channels: Collection[str]) -> Network:
    """Return a network in which the readers of some memories have copies that are there at once."""
    copies = {
        memory.name: replace(memory, name=f"{memory.name} at once", place=Place.ARGUMENT)
        for memory in network.memories
        if memory.name in channels and memory.place is Place.PING_PONG
    }

    def turned(port: Port) -> Port:
        copy = copies.get(port.target)
        is_read = port.mode is AccessMode.READ
        return replace(port, target=copy.name) if is_read and copy is not None else port

    found = network.with_pipelines(lambda p: replace(p, ports=tuple(map(turned, p.ports))))
    return replace(found, memories=(*network.memories, *copies.values()))
