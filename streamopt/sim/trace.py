"""Results of a simulation, read off an engine at its end or standstill."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.network import Fifo, Network
from streamopt.ir.text import html_table
from streamopt.sim.tokens.state import ProcessRun, TokenChannel
from streamopt.sim.waits import WaitKind, sampled_waits

if TYPE_CHECKING:
    from streamopt.sim.critical_path import Segment
    from streamopt.sim.tokens.engine import Engine
    from streamopt.sim.waits import PipelineWaits, SampledWait


@dataclass(frozen=True, slots=True)
class PipelineTrace:
    """When a pipeline ran, and what it waited for."""

    name: str
    # starts, ends: first cycle, and first cycle after the last, of each frame that it began and
    # ended
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    # empty_cycles, full_cycles: cycles in all frames in which it stood still because an input was
    # empty, an output full. While both are so, an input counts in a stalling pipeline and an output
    # in a flushable one, whose back is not held by its inputs.
    empty_cycles: int
    full_cycles: int


@dataclass(frozen=True, slots=True)
class ProcessTrace:
    """When a process ran."""

    name: str
    # starts, ends: first cycle, and first cycle after the last, of each frame that it began and
    # ended
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    buffer_cycles: int
    """Cycles in all frames in which it could have started but for a ping-pong buffer."""
    pipelines: tuple[PipelineTrace, ...]
    waits: tuple[SampledWait, ...] = ()
    """Its waits in each of equal spans of the run, where samples were asked for."""
    # fifo_reads, fifo_writes: cycles of its first and last read from a FIFO, and of its first and
    # last write to one, in all frames; None where it has none
    fifo_reads: tuple[int, int] | None = None
    fifo_writes: tuple[int, int] | None = None

    @property
    def empty_cycles(self) -> int:
        """Return the cycles in which it stood still for lack of input."""
        return sum(pipeline.empty_cycles for pipeline in self.pipelines)

    @property
    def full_cycles(self) -> int:
        """Return the cycles in which it stood still for lack of room for its output."""
        return sum(pipeline.full_cycles for pipeline in self.pipelines)

    @property
    def standing_cycles(self) -> tuple[int, ...]:
        """Return the cycles in which it stood still in each span, for input or room."""
        stalls = [wait.span_cycles for wait in self.waits if wait.kind is not WaitKind.BUFFER]
        return tuple(map(sum, zip(*stalls, strict=True)))


@dataclass(frozen=True, slots=True)
class FifoTrace:
    """Traffic of a FIFO."""

    name: str
    tokens: int
    """Elements written to all its streams."""
    peak_elems: int
    """Most slots in use in one stream; a slot is in use from the cycle of its write to that of its
    read. With this depth everything would happen in the same cycles."""
    depth_elems: int
    """Slots of each stream."""
    occupancy_elems: tuple[int, ...] = ()
    """Most slots in use, of any stream, in each of equal spans of the run, where samples were asked
    for."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A run to the end."""

    network: str
    frames: int
    cycles: int
    """Latency: from the start to the end of the first frame."""
    interval_cycles: int | None
    """Cycles from the end of a frame to that of the next, the mean of the last two such times
    rounded up, with two frames of the only one; None with one frame. Ping-pong buffers on paths of
    different lengths make a long time follow a short one, so that neither alone is the interval. A
    pattern of more than two frames isn't seen: see ``total_cycles``."""
    total_cycles: int
    """Cycles to the end of the last frame."""
    processes: tuple[ProcessTrace, ...]
    fifos: tuple[FifoTrace, ...]
    critical_path: tuple[Segment, ...] = ()
    """The work that determines the end of the last frame, from cycle 0 on without a hole; where
    samples were asked for, of stalling pipelines."""
    accesses: int = 0
    """Of streams in a frame, of which those that both sides access at the same clocks count once:
    each has a time that is kept while frames are simulated."""

    def __repr__(self) -> str:
        """Return the latency on one line."""
        frames = f", {self.frames} frames in {self.total_cycles:,}" if self.frames > 1 else ""
        return f"<Trace of {self.network}: {self.cycles:,} cycles{frames}>"

    def _repr_html_(self) -> str:
        """Show when every process ran and what it waited for, in a notebook."""
        header = ("process", "start", "end", "waits: input", "room", "buffer")
        rows = (
            (
                p.name,
                *(*p.starts[:1], *p.ends[:1]),
                *(p.empty_cycles, p.full_cycles, p.buffer_cycles),
            )
            for p in self.processes
        )
        return html_table(f"{self.network}: {self.cycles:,} cycles", header, rows)

    def process(self, name: str) -> ProcessTrace:
        """Return a process by name."""
        return next(process for process in self.processes if process.name == name)

    def fifo(self, name: str) -> FifoTrace:
        """Return a FIFO by name."""
        return next(fifo for fifo in self.fifos if fifo.name == name)


def last_cycle(engine: Engine) -> int:
    """Return the last cycle in which something is known to have happened."""
    ends = [run.end - 1 for r in engine.runs for run in r.history if run.end is not None]
    starts = [run.start for r in engine.runs for run in r.history]
    reads = [channel.read_at[channel.reads - 1] for channel in engine.channels if channel.reads]
    writes = [
        channel.written_at[channel.writes - 1] for channel in engine.channels if channel.writes
    ]
    return max((*ends, *starts, *reads, *writes), default=0)


def process_traces(
    engine: Engine, waits: list[list[PipelineWaits]], samples: int
) -> tuple[ProcessTrace, ...]:
    """Return the trace of every process, with its waits, if any are given, in equal spans."""
    borders = np.arange(samples + 1) * _span_cycles(last_cycle(engine) + 1, samples)
    sampled = [sampled_waits(engine, at, own, borders) for at, own in enumerate(waits)]
    return tuple(
        _process_trace(engine, position, sampled[position] if sampled else ())
        for position in range(len(engine.runs))
    )


def _span_cycles(total_cycles: int, samples: int) -> int:
    return -(-total_cycles // max(1, samples))


def _process_trace(engine: Engine, position: int, waits: tuple[SampledWait, ...]) -> ProcessTrace:
    run = engine.runs[position]
    count = len(run.plan.pipelines)
    ends = (engine.frame_end(position, frame) for frame in range(engine.frames_ended(run)))
    return ProcessTrace(
        run.plan.process.name,
        tuple(begun.start for begun in run.history[::count]),
        tuple(end for end in ends if end is not None),
        run.buffer_cycles,
        tuple(_pipeline_trace(run, index) for index in range(count)),
        waits,
        _span(c.read[: c.reads] for c in engine.channels if c.plan.reader == position),
        _span(c.written[: c.writes] for c in engine.channels if c.plan.writer == position),
    )


def _span(times: Iterable[NDArray[np.int64]]) -> tuple[int, int] | None:
    """Return the first and the last of ascending cycles; None if there are none."""
    found = [cycles for cycles in times if cycles.size]
    if not found:
        return None
    return min(int(cycles[0]) for cycles in found), max(int(cycles[-1]) for cycles in found)


def _pipeline_trace(run: ProcessRun, index: int) -> PipelineTrace:
    history = run.history[index :: len(run.plan.pipelines)]
    return PipelineTrace(
        run.plan.pipelines[index].name,
        tuple(frame.start for frame in history),
        tuple(frame.end for frame in history if frame.end is not None),
        sum(frame.empty_cycles for frame in history),
        sum(frame.full_cycles for frame in history),
    )


def fifo_traces(engine: Engine, network: Network, samples: int) -> tuple[FifoTrace, ...]:
    """Return the traffic of every FIFO, with its occupancy in ``samples`` equal spans."""
    total = last_cycle(engine) + 1
    return tuple(_fifo_trace(engine, fifo, total, samples) for fifo in network.fifos)


def _fifo_trace(engine: Engine, fifo: Fifo, total_cycles: int, samples: int) -> FifoTrace:
    channels = [channel for channel in engine.channels if channel.plan.fifo == fifo.name]
    spans = np.zeros(samples, np.int64)
    for channel in channels if samples else ():
        width = _span_cycles(total_cycles, samples)
        begins = np.arange(samples) * width
        held = _written_by(channel, begins) - _read_before(channel, begins)
        written = channel.written[: channel.writes]
        used = np.arange(1, channel.writes + 1) - _read_before(channel, written)
        np.maximum.at(held, written // width, used)
        spans = np.maximum(spans, held)
    return FifoTrace(
        fifo.name,
        sum(channel.writes * len(channel.plan.streams) for channel in channels),
        max(map(_most_slots_in_use, channels), default=0),
        channels[0].depth_elems if channels else fifo.depth_elems,
        tuple(spans.tolist()),
    )


def _most_slots_in_use(channel: TokenChannel) -> int:
    """Return the least number of slots after whose reads all writes come."""
    written, read = channel.written[: channel.writes], channel.read[: channel.reads]

    def suffice(slots: int) -> bool:
        later = written[slots:]
        return later.size <= read.size and bool(np.all(read[: later.size] < later))

    return bisect_left(range(min(channel.depth_elems, channel.writes)), True, key=suffice)


def _written_by(channel: TokenChannel, cycles: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(channel.written[: channel.writes], cycles, side="right")


def _read_before(channel: TokenChannel, cycles: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(channel.read[: channel.reads], cycles, side="left")
