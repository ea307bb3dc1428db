"""Waits of stalling pipelines: when, how long, for which channel, and how much of it in each span.

Between two accesses a pipeline's clock runs as far as their clocks are apart; what is more between
their cycles was waited, right before the second one. The engine keeps the cycles of all tokens, so
that waits cost nothing while it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from streamopt.sim.tokens.engine import BANKS, HANDOVER_CYCLES
from streamopt.sim.tokens.state import ChannelAccess, PipelineRun

if TYPE_CHECKING:
    from streamopt.sim.tokens.engine import Engine

Cycles = NDArray[np.int64]


class WaitKind(StrEnum):
    """Missing thing that a process waits for."""

    EMPTY = "empty"
    """A token in a stream that it reads."""
    FULL = "full"
    """A slot in a stream that it writes."""
    BUFFER = "buffer"
    """A ping-pong buffer to start on: filled where it reads it, emptied where it writes it."""


@dataclass(frozen=True, slots=True)
class SampledWait:
    """How long a process waited for one thing, in each of equal spans of a run."""

    kind: WaitKind
    of: str
    """A FIFO, or the array of a ping-pong buffer."""
    peer: str
    """The process that acted too late."""
    span_cycles: tuple[int, ...]
    """Cycles of waiting in each span."""

    @property
    def cycles(self) -> int:
        """Return the cycles of waiting in the whole run."""
        return sum(self.span_cycles)


@dataclass(frozen=True, slots=True, eq=False)
class PipelineWaits:
    """The events of a pipeline in one frame at which it waited, in order."""

    # cycles, clocks: of each such event, when the wait was over
    cycles: Cycles
    clocks: Cycles
    # empty_cycles, full_cycles: how long it waited for inputs, and then for room
    empty_cycles: Cycles
    full_cycles: Cycles
    # inputs, outputs: the positions in the pipeline's accesses of the input and the output that
    # came last
    inputs: NDArray[np.intp]
    outputs: NDArray[np.intp]


def engine_waits(engine: Engine) -> list[list[PipelineWaits]]:
    """Return, by process, the waits of every pipeline that it has begun."""
    return [list(_process_waits(run.history)) for run in engine.runs]


def _process_waits(history: list[PipelineRun]) -> Iterator[PipelineWaits]:
    """Yield the waits of each pipeline; tokens of a channel go on from frame to frame."""
    seen: dict[tuple[int, bool], int] = {}
    for begun in history:
        firsts: list[int] = []
        for access in begun.accesses:
            key = (id(access.channel), access.is_read)
            firsts.append(seen.get(key, 0))
            seen[key] = firsts[-1] + access.done
        yield _pipeline_waits(begun, firsts)


def _pipeline_waits(begun: PipelineRun, firsts: list[int]) -> PipelineWaits:
    done = [access.clocks[: access.done] for access in begun.accesses]
    clocks = np.unique(np.concatenate([np.empty(0, np.int64), *done]))
    cycles = np.empty(clocks.size, np.int64)
    ready = {side: np.zeros(clocks.size, np.int64) for side in (True, False)}
    late = {side: np.zeros(clocks.size, np.intp) for side in (True, False)}
    for position, (access, first) in enumerate(zip(begun.accesses, firsts, strict=True)):
        at = np.searchsorted(clocks, done[position])
        channel, side = access.channel, access.is_read
        cycles[at] = (channel.read if side else channel.written)[first : first + access.done]
        needed = _ready(access, first)
        later = needed > ready[side][at]
        ready[side][at[later]] = needed[later]
        late[side][at[later]] = position
    waited = np.diff(cycles - clocks, prepend=begun.start)
    empty = np.clip(ready[True] - (cycles - waited), 0, waited)
    some = waited > 0
    return PipelineWaits(
        cycles[some],
        clocks[some],
        empty[some],
        (waited - empty)[some],
        late[True][some],
        late[False][some],
    )


def _ready(access: ChannelAccess, first: int) -> Cycles:
    """Return the cycles from which the accesses of a pipeline in a frame could happen."""
    channel = access.channel
    if access.is_read:
        return channel.written[first : first + access.done] + 1
    slots = np.arange(first, first + access.done) - channel.depth_elems
    fresh = int(np.searchsorted(slots, 0))
    return np.concatenate([np.zeros(fresh, np.int64), channel.read[slots[fresh:]] + 1])


def sampled_waits(
    engine: Engine, position: int, waits: list[PipelineWaits], borders: Cycles
) -> tuple[SampledWait, ...]:
    """Return how long a process waited for each thing within each span between two borders.

    Parameters
    ----------
    borders
        Ascending cycles, one more than there are spans.
    """
    found: dict[tuple[WaitKind, str, str], Cycles] = {}
    spans = (*_fifo_waits(engine, position, waits), *_buffer_waits(engine, position))
    for kind, of, peer, ends, lengths in spans:
        name = engine.runs[peer].plan.process.name
        inside = _inside(ends, lengths, borders)
        key = (kind, of, name)
        found[key] = found[key] + inside if key in found else inside
    return tuple(SampledWait(*key, tuple(spans.tolist())) for key, spans in found.items())


Waited = tuple[WaitKind, str, int, "Cycles", "Cycles"]
"""Kind, FIFO or memory, position of the peer, and ends and lengths of waits, in order."""


def _fifo_waits(engine: Engine, position: int, waits: list[PipelineWaits]) -> Iterator[Waited]:
    for begun, own in zip(engine.runs[position].history, waits, strict=True):
        for kind, lengths, blamed, later in (
            (WaitKind.EMPTY, own.empty_cycles, own.inputs, own.full_cycles),
            (WaitKind.FULL, own.full_cycles, own.outputs, np.zeros_like(own.full_cycles)),
        ):
            late: list[int] = np.unique(blamed[lengths > 0]).tolist()
            for at in late:
                channel = begun.accesses[at].channel.plan
                mine = (blamed == at) & (lengths > 0)
                peer = channel.writer if kind is WaitKind.EMPTY else channel.reader
                yield kind, channel.fifo, peer, (own.cycles - later)[mine], lengths[mine]


def _buffer_waits(engine: Engine, position: int) -> Iterator[Waited]:
    run = engine.runs[position]
    count = len(run.plan.pipelines)
    for index in range(0, len(run.history), count):
        start = run.history[index].start
        before = run.history[index - 1].end if index else None
        free = 0 if before is None else before + HANDOVER_CYCLES
        last = last_buffer(engine, position, index // count)
        if start > free and last is not None:
            yield WaitKind.BUFFER, *last, np.array([start]), np.array([start - free])


def last_buffer(engine: Engine, position: int, frame: int) -> tuple[str, int] | None:
    """Return the (memory, process) that a process got last of what it needs for a frame."""
    process = engine.runs[position].plan
    ends: Iterable[tuple[int | None, tuple[str, int]]] = [
        *((engine.frame_end(pair[1], frame), pair) for pair in process.filled_by),
        *((engine.frame_end(pair[1], frame - BANKS), pair) for pair in process.emptied_by),
    ]
    known = [(end, pair) for end, pair in ends if end is not None and end >= 0]
    return max(known, key=lambda each: each[0])[1] if known else None


def _inside(ends: Cycles, lengths: Cycles, borders: Cycles) -> Cycles:
    """Return the cycles of waits within each span; waits are in order and don't overlap."""
    total = np.concatenate([[0], np.cumsum(lengths)])
    passed = np.searchsorted(ends, borders, side="right")
    until = total[passed]
    later = passed < ends.size
    coming = passed[later]
    until[later] += np.maximum(borders[later] - (ends[coming] - lengths[coming]), 0)
    return np.diff(until)
