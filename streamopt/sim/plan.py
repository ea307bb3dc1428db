"""A network compiled for the engine: accesses at local clocks, and channels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.network import (
    AccessMode,
    Fifo,
    Network,
    Pipeline,
    PipelineTiming,
    Place,
    Process,
    Turns,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.sim.accesses import Stages, stream_patterns
from streamopt.sim.in_turn.visits import iterations_in_turn
from streamopt.sim.wellformed import check_rate

if TYPE_CHECKING:
    from streamopt.sim.accesses import Pattern

Streams: TypeAlias = "Mapping[tuple[int, ...], Pattern]"
Times: TypeAlias = "NDArray[np.signedinteger[Any]]"
"""Cycles, or local clocks: of 32 bits where these suffice, as there are many."""
Cycle: TypeAlias = "type[np.int32] | type[np.int64]"
Side: TypeAlias = tuple[str, AccessMode]
"""A pipeline's name, and what it does."""


LONGEST = np.iinfo(np.int32).max >> 1
"""Times beyond which they have 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class AccessPlan:
    """The accesses of one pipeline to one channel in one direction."""

    channel: int
    """Position in `Plan.channels`."""
    is_read: bool
    clocks: Times
    """Local clock of each access, strictly ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class PipelinePlan:
    """A pipeline, or all that take turns as one, as a list of accesses."""

    name: str
    tiles: tuple[Loop, ...]
    """Tile loops of a pipeline; none of those that take turns, which access no FIFO."""
    iterations: int
    """Bubbles included."""
    stages: Stages
    last_clock: int
    """Local clock at which its last iteration ends."""
    accesses: tuple[AccessPlan, ...]
    word_cycles: int = 1
    """In which an iteration's part of a stream from outside comes."""

    def words_there(self, frame: int) -> int:
        """Return when what comes from outside is there for the first iteration of a frame."""
        return self.word_cycles * (frame * self.iterations + 1) - 1


@dataclass(frozen=True, slots=True, eq=False)
class ProcessPlan:
    """A process, and the processes with which it shares arrays."""

    process: Process
    pipelines: tuple[PipelinePlan, ...]
    filled_by: tuple[tuple[str, int], ...]
    """Pairs (memory, position of the process that writes what this one reads)."""
    emptied_by: tuple[tuple[str, int], ...]
    """Pairs (memory, position of the process that reads what this one writes)."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenChannelPlan:
    """Streams of one FIFO that both sides access at the same clocks: one wide FIFO."""

    fifo: str
    streams: tuple[tuple[int, ...], ...]
    """Subscripts of each."""
    depth_elems: int
    # writer, reader: positions of the processes at its ends
    writer: int
    reader: int
    # writes, reads: accesses to each stream in a frame
    writes: int
    reads: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Processes and channels, ready to run; ``flushable`` if writes go on while reads wait."""

    processes: tuple[ProcessPlan, ...]
    channels: tuple[TokenChannelPlan, ...]
    flushable: bool

    def cycle(self, frames: int) -> Cycle:
        """Return the type of all cycles of a run.

        Each follows another by clocks of one pipeline, or is the next for the sake of another
        process: so none is beyond all clocks and accesses together.
        """
        lines = [line for process in self.processes for line in process.pipelines]
        latest = sum(frames * (line.last_clock + 2) for line in lines)
        latest += frames * sum(channel.writes + channel.reads for channel in self.channels)
        latest += max((line.words_there(frames) for line in lines), default=0)
        return np.int64 if self.flushable or latest > LONGEST else np.int32


def make_plan(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    depths: Mapping[str, int],
    *,
    flushable: bool,
) -> Plan:
    """Return a well-formed network as the engine runs it.

    Parameters
    ----------
    depths
        Elements that each stream of a FIFO holds, where other than the network says.

    Raises
    ------
    SimulationError
        If a subscript leaves a FIFO (E806), or a pipeline accesses a stream more often in an
        iteration than it has cycles (E807).
    """
    touched = {
        (fifo.name, (pipeline.name, mode)): stream_patterns(pipeline, fifo, mode)
        for pipeline in network.pipelines
        for fifo in network.fifos
        for mode in AccessMode
        if any(port.target == fifo.name and port.mode is mode for port in pipeline.ports)
    }
    stages = {
        pipeline.name: _stages(pipeline, timings[pipeline.name], touched, flushable=flushable)
        for pipeline in network.pipelines
    }
    channels: list[TokenChannelPlan] = []
    accesses: dict[str, list[AccessPlan]] = {pipeline.name: [] for pipeline in network.pipelines}
    clocks: dict[tuple[Side, bytes], Times] = {}
    for fifo in network.fifos:
        sides = {side: streams for (name, side), streams in touched.items() if name == fifo.name}
        for streams, patterns in _classes(sides):
            for side, pattern in patterns.items():
                name, mode = side
                is_read = mode is AccessMode.READ
                key = (side, pattern.key)
                if key not in clocks:
                    clocks[key] = stages[name].clocks(pattern, is_read=is_read)
                    if not flushable and clocks[key][-1] <= LONGEST:
                        clocks[key] = clocks[key].astype(np.int32)
                accesses[name].append(AccessPlan(len(channels), is_read, clocks[key]))
            depth_elems = depths.get(fifo.name, fifo.depth_elems)
            channels.append(_channel(network, fifo, streams, patterns, depth_elems))
    alone = {
        pipeline.name: PipelinePlan(
            pipeline.name,
            pipeline.tiles,
            pipeline.iterations,
            stages[pipeline.name],
            stages[pipeline.name].last_clock(pipeline.iterations)
            + timings[pipeline.name].answer_cycles,
            tuple(accesses[pipeline.name]),
            timings[pipeline.name].word_cycles,
        )
        for pipeline in network.pipelines
    }
    processes = tuple(
        ProcessPlan(process, _in_order(process, alone, timings), *buffers)
        for process, buffers in zip(network.processes, _buffers(network), strict=True)
    )
    return Plan(processes, tuple(channels), flushable)


def _in_order(
    process: Process, alone: Mapping[str, PipelinePlan], timings: Mapping[str, PipelineTiming]
) -> tuple[PipelinePlan, ...]:
    """Return the pipelines of a process in order, those that take turns as one."""
    taking = {name: turns for turns in process.turns for name in turns.pipelines}
    found: dict[str, PipelinePlan] = {}
    for pipeline in process.pipelines:
        turns = taking.get(pipeline.name)
        if turns is None:
            found[pipeline.name] = alone[pipeline.name]
        elif turns.name not in found:
            found[turns.name] = _in_turn(turns, timings)
    return tuple(found.values())


def _in_turn(turns: Turns, timings: Mapping[str, PipelineTiming]) -> PipelinePlan:
    """Return pipelines that take turns; one pipeline, as deep as the deepest, does them all."""
    own = [timings[name] for name in turns.pipelines]
    ii = max(turns.ii, *(timing.ii for timing in own))
    depth_cycles = max(timing.depth_cycles for timing in own)
    stages = Stages.of_copy(PipelineTiming(ii, depth_cycles), 0)
    iterations = iterations_in_turn(turns)
    return PipelinePlan(turns.name, (), iterations, stages, stages.last_clock(iterations), ())


def _stages(
    pipeline: Pipeline,
    timing: PipelineTiming,
    touched: Mapping[tuple[str, Side], Streams],
    *,
    flushable: bool,
) -> Stages:
    most = dict.fromkeys(AccessMode, 0)
    for (fifo, (name, mode)), streams in touched.items():
        if name == pipeline.name and streams:
            counts = {s: pattern.most_per_iteration for s, pattern in streams.items()}
            worst = max(counts, key=counts.__getitem__)
            check_rate(pipeline, timing, mode, (fifo, worst), counts[worst])
            most[mode] = max(most[mode], counts[worst])
    reads, writes = most[AccessMode.READ], most[AccessMode.WRITE]
    computes = any(operation.operator is not Operator.COPY for operation in pipeline.operations)
    if not computes and not writes:
        return Stages.of_copy(timing, reads)
    return Stages.of(timing, reads, writes, flushable=flushable)


def _classes(
    sides: Mapping[Side, Streams],
) -> list[tuple[tuple[tuple[int, ...], ...], dict[Side, Pattern]]]:
    """Return the streams of a FIFO, those together that every side accesses alike."""
    found: dict[tuple[tuple[Side, bytes], ...], list[tuple[int, ...]]] = {}
    for stream in sorted({stream for streams in sides.values() for stream in streams}):
        key = tuple((side, s[stream].key) for side, s in sides.items() if stream in s)
        found.setdefault(key, []).append(stream)
    return [
        (tuple(streams), {side: sides[side][streams[0]] for side, _ in key})
        for key, streams in found.items()
    ]


def _channel(
    network: Network,
    fifo: Fifo,
    streams: tuple[tuple[int, ...], ...],
    patterns: Mapping[Side, Pattern],
    depth_elems: int,
) -> TokenChannelPlan:
    count = dict.fromkeys(AccessMode, 0)
    for (_, mode), pattern in patterns.items():
        count[mode] += pattern.iterations.size
    ends = {
        port.mode: position
        for position, process in enumerate(network.processes)
        for pipeline in process.pipelines
        for port in pipeline.ports
        if port.target == fifo.name
    }
    return TokenChannelPlan(
        fifo.name,
        streams,
        depth_elems,
        ends[AccessMode.WRITE],
        ends[AccessMode.READ],
        count[AccessMode.WRITE],
        count[AccessMode.READ],
    )


def _buffers(
    network: Network,
) -> list[tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]]:
    """Return `ProcessPlan.filled_by` and `ProcessPlan.emptied_by` of each process.

    An argument that one process writes and a later one reads has one bank a frame, outside: the
    reader waits for the writer's end, and the writer for nobody.
    """
    pairs = [
        (memory, writer, reader)
        for memory in network.memories
        if memory.place is not Place.LOCAL
        for reader, second in enumerate(network.processes)
        if _touches(second, memory.name, AccessMode.READ)
        for writer, first in enumerate(network.processes[:reader])
        if _touches(first, memory.name, AccessMode.WRITE)
    ]
    return [
        (
            tuple((memory.name, writer) for memory, writer, reader in pairs if reader == position),
            tuple(
                (memory.name, reader)
                for memory, writer, reader in pairs
                if writer == position and memory.place is Place.PING_PONG
            ),
        )
        for position in range(len(network.processes))
    ]


def _touches(process: Process, target: str, mode: AccessMode) -> bool:
    return any(
        port.target == target and port.mode is mode
        for pipeline in process.pipelines
        for port in pipeline.ports
    )
