"""The chain of events that determines the end of a run, followed backwards from that end.

A stalling pipeline is late by what it waited for last: from then on it works. So the last wait
before the end leads to the process that ended the wait in the cycle before, at that event to its
own last wait, and so on to a process that began at cycle 0. The cycles between are work, and they
tile the whole run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from streamopt.sim.tokens.engine import HANDOVER_CYCLES
from streamopt.sim.tokens.state import PipelineRun
from streamopt.sim.waits import last_buffer

if TYPE_CHECKING:
    from streamopt.sim.tokens.engine import Engine
    from streamopt.sim.waits import PipelineWaits

MOST_SEGMENTS = 4096
"""Segments of a chain that are kept apart; of more, those of a process in a span are joined."""


class PathCause(StrEnum):
    """The reason why a process does something now and not sooner."""

    START = "the start of the run"
    INPUT = "input"
    """It waited for a token."""
    ROOM = "room"
    """It waited for a slot."""
    BUFFER = "a buffer"
    """It waited for the end of the process that fills, or empties, a ping-pong buffer."""
    TURN = "its turn"
    """Its own previous pipeline, or frame, had to end."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Cycles in which the end of a run waits for the work of one process."""

    process: str
    pipeline: str
    # start_cycle, end_cycle: the first, and the first after the last
    start_cycle: int
    end_cycle: int
    cause: PathCause
    """The last thing that it waited for, up to ``start_cycle``."""
    of: str
    """The FIFO or memory waited for; for its turn, the pipeline or process that ended; else ""."""
    steady_cycles: int
    """In which iterations follow one another: II times their number. In the other cycles an
    iteration goes through the stages of the pipeline, or a handover takes place."""

    @property
    def cycles(self) -> int:
        """Return its length."""
        return self.end_cycle - self.start_cycle


def critical_path(
    engine: Engine, waits: list[list[PipelineWaits]], samples: int
) -> tuple[Segment, ...]:
    """Return the segments that tile the run of an engine that has ended, in order.

    Parameters
    ----------
    samples
        Spans within which segments of a process are joined where there are more than
        `MOST_SEGMENTS`.
    """
    segments: list[Segment] = []
    width, most = 0, MOST_SEGMENTS
    for segment in _Walk(engine, waits).backwards():
        width = width or max(1, -(-segment.end_cycle // max(1, samples)))
        segments.append(segment)
        if len(segments) > 2 * most:
            segments = _joined(segments, width)
            most = max(most, len(segments))
    if len(segments) > MOST_SEGMENTS:
        segments = _joined(segments, width)
    return tuple(reversed(segments))


@dataclass(frozen=True, slots=True)
class _Event:
    """The end of a segment: a read or write of a pipeline, or its end, before a cycle."""

    position: int
    index: int
    """The pipeline's place in the history of its process."""
    before_cycle: int
    is_read: bool | None = None
    """None for its end."""


class _Walk:
    """A walk from the last event of an engine to the first that matters."""

    def __init__(self, engine: Engine, waits: list[list[PipelineWaits]]) -> None:
        self._engine = engine
        self._waits = waits
        self._starts = [[begun.start for begun in run.history] for run in engine.runs]

    def backwards(self) -> Iterator[Segment]:
        """Yield the segments, the last one first."""
        runs = [(run.history[-1].end or 0, run) for run in self._engine.runs if run.history]
        cycles, last = max(runs, key=lambda each: each[0], default=(0, None))
        if last is None:
            return
        position = self._engine.runs.index(last)
        event: _Event | None = _Event(position, len(last.history) - 1, cycles)
        while event is not None:
            segment, event = self._segment(event)
            yield segment

    def _segment(self, event: _Event) -> tuple[Segment, _Event | None]:
        """Return the segment that ends with an event, and the event that it had to wait for."""
        waits = self._waits[event.position][event.index]
        at = int(np.searchsorted(waits.cycles, event.before_cycle - 1, side="right")) - 1
        if at < 0:
            return self._first_segment(event)
        start, clock = int(waits.cycles[at]), int(waits.clocks[at])
        for_room = bool(waits.full_cycles[at] > 0)
        begun = self._begun(event)
        late = int(waits.outputs[at] if for_room else waits.inputs[at])
        channel = begun.accesses[late].channel.plan
        first = begun.plan.stages.iteration(clock, is_read=not for_room)
        cause = PathCause.ROOM if for_room else PathCause.INPUT
        peer = channel.reader if for_room else channel.writer
        before = _Event(peer, self._index(peer, start - 1), start, is_read=for_room)
        cycles = event.before_cycle - start
        return self._made(event, start, (cause, channel.fifo), (first, clock + cycles - 1)), before

    def _first_segment(self, event: _Event) -> tuple[Segment, _Event | None]:
        """Return the segment from the start of a pipeline that hasn't waited for a FIFO."""
        run, begun = self._engine.runs[event.position], self._begun(event)
        span = (0, event.before_cycle - 1 - begun.start)
        start = begun.start - HANDOVER_CYCLES
        frame, part = divmod(event.index, len(run.plan.pipelines))
        previous = run.history[event.index - 1] if event.index else None
        buffer = None if part else last_buffer(self._engine, event.position, frame)
        if buffer is not None and (previous is None or previous.end != start):
            memory, peer = buffer
            before = _Event(peer, self._index(peer, start - 1), start)
            return self._made(event, start, (PathCause.BUFFER, memory), span), before
        if previous is None:
            return self._made(event, 0, (PathCause.START, ""), span), None
        before = _Event(event.position, event.index - 1, start)
        name = previous.plan.name
        return self._made(event, start, (PathCause.TURN, name), span), before

    def _begun(self, event: _Event) -> PipelineRun:
        return self._engine.runs[event.position].history[event.index]

    def _index(self, position: int, cycle: int) -> int:
        """Return the pipeline that a process is in at a cycle."""
        return bisect_right(self._starts[position], cycle) - 1

    def _made(
        self, event: _Event, start: int, why: tuple[PathCause, str], span: tuple[int, int]
    ) -> Segment:
        """Return a segment; the span is from an iteration to the clock of the event."""
        begun, (first, clock) = self._begun(event), span
        stages, last = begun.plan.stages, begun.plan.iterations - 1
        if event.is_read is not None:
            last = stages.iteration(clock, is_read=event.is_read)
        cycles = event.before_cycle - start
        steady = min(max(0, stages.ii * (last - first)), cycles)
        name = self._engine.runs[event.position].plan.process.name
        return Segment(name, begun.plan.name, start, event.before_cycle, *why, steady_cycles=steady)


def _joined(segments: list[Segment], width_cycles: int) -> list[Segment]:
    """Return segments, the last one first, with those of a process in a span joined."""
    spans: dict[int, dict[str, list[Segment]]] = {}
    for segment in segments:
        within = spans.setdefault((segment.end_cycle - 1) // width_cycles, {})
        within.setdefault(segment.process, []).append(segment)
    found: list[Segment] = []
    until = segments[0].end_cycle
    for within in spans.values():
        for same in within.values():
            longest = max(same, key=lambda segment: segment.cycles)
            cycles = sum(segment.cycles for segment in same)
            steady = sum(segment.steady_cycles for segment in same)
            start = until - cycles
            found.append(replace(longest, start_cycle=start, end_cycle=until, steady_cycles=steady))
            until = start
    return found
