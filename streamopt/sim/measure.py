"""Reads the traces off an engine that has come to its end or to a standstill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamopt.sim.trace import FifoTrace, PipelineTrace, ProcessTrace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from streamopt.ir.network import Fifo, Network
    from streamopt.sim.engine import Engine
    from streamopt.sim.state import ProcessRun, TokenChannel

    Cycles = NDArray[np.int64]

__all__ = [
    "fifo_traces",
    "last_cycle",
    "process_traces",
    "standing_cycles",
]


def last_cycle(engine: Engine) -> int:
    """Return the last cycle in which something is known to have happened."""
    ends = [run.end - 1 for r in engine.runs for run in r.history if run.end is not None]
    starts = [run.start for r in engine.runs for run in r.history]
    reads = [channel.read_at[channel.reads - 1] for channel in engine.channels if channel.reads]
    writes = [
        channel.written_at[channel.writes - 1] for channel in engine.channels if channel.writes
    ]
    return max((*ends, *starts, *reads, *writes), default=0)


def process_traces(engine: Engine, samples: int) -> tuple[ProcessTrace, ...]:
    """Return the trace of every process, with its waits in ``samples`` equal spans."""
    borders = np.arange(samples + 1) * _span_cycles(last_cycle(engine) + 1, samples)
    return tuple(_process_trace(engine, position, borders) for position in range(len(engine.runs)))


def _span_cycles(total_cycles: int, samples: int) -> int:
    return -(-total_cycles // max(1, samples))


def _process_trace(engine: Engine, position: int, borders: NDArray[np.int64]) -> ProcessTrace:
    run = engine.runs[position]
    stalls = borders.size > 1 and not engine.plan.flushable
    count = len(run.plan.pipelines)
    ends = (engine.frame_end(position, frame) for frame in range(engine.frames_ended(run)))
    return ProcessTrace(
        run.plan.process.name,
        tuple(begun.start for begun in run.history[::count]),
        tuple(end for end in ends if end is not None),
        run.buffer_cycles,
        tuple(_pipeline_trace(run, index) for index in range(count)),
        standing_cycles(run, borders) if stalls else (),
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
        run.plan.pipelines[index].pipeline.name,
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
    used = [_slots_in_use(channel) for channel in channels]
    spans = np.zeros(samples, np.int64)
    for channel, slots in zip(channels, used, strict=True) if samples else ():
        width = _span_cycles(total_cycles, samples)
        begins = np.arange(samples) * width
        held = _written_by(channel, begins) - _read_before(channel, begins)
        np.maximum.at(held, channel.written[: channel.writes] // width, slots)
        spans = np.maximum(spans, held)
    return FifoTrace(
        fifo.name,
        sum(channel.writes * len(channel.plan.streams) for channel in channels),
        max((int(slots.max(initial=0)) for slots in used), default=0),
        channels[0].depth_elems if channels else fifo.depth_elems,
        tuple(spans.tolist()),
    )


def _slots_in_use(channel: TokenChannel) -> NDArray[np.int64]:
    """Return the slots in use in the cycle of each write."""
    written = channel.written[: channel.writes]
    return np.arange(1, channel.writes + 1) - _read_before(channel, written)


def _written_by(channel: TokenChannel, cycles: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(channel.written[: channel.writes], cycles, side="right")


def _read_before(channel: TokenChannel, cycles: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(channel.read[: channel.reads], cycles, side="left")


def standing_cycles(run: ProcessRun, borders: Cycles) -> tuple[int, ...]:
    """Return how long a process stood still within each span between two borders.

    Between two accesses a pipeline's clock runs as far as their clocks are apart; what is more
    between their cycles was waited, right before the second one.

    Parameters
    ----------
    borders
        Ascending cycles, one more than there are spans.
    """
    ends, waits = _waits(run)
    total = np.concatenate([[0], np.cumsum(waits)])
    passed = np.searchsorted(ends, borders, side="right")
    until = total[passed]
    later = passed < ends.size
    coming = passed[later]
    until[later] += np.maximum(borders[later] - (ends[coming] - waits[coming]), 0)
    return tuple(np.diff(until).tolist())


def _waits(run: ProcessRun) -> tuple[Cycles, Cycles]:
    """Return the ends and lengths of all waits, in order."""
    seen: dict[tuple[int, bool], int] = {}
    ends: list[Cycles] = [np.empty(0, np.int64)]
    waits: list[Cycles] = [np.empty(0, np.int64)]
    for begun in run.history:
        clocks: list[Cycles] = [np.empty(0, np.int64)]
        cycles: list[Cycles] = [np.empty(0, np.int64)]
        for access in begun.accesses:
            key = (id(access.channel), access.is_read)
            first = seen.get(key, 0)
            seen[key] = first + access.done
            times = access.channel.read if access.is_read else access.channel.written
            clocks.append(access.clocks[: access.done])
            cycles.append(times[first : first + access.done])
        order = np.argsort(np.concatenate(clocks), kind="stable")
        at = np.concatenate(cycles)[order]
        shifts = at - np.concatenate(clocks)[order]
        waited = np.diff(shifts, prepend=begun.start)
        ends.append(at[waited > 0])
        waits.append(waited[waited > 0])
    return np.concatenate(ends), np.concatenate(waits)
