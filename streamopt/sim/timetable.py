"""All times of one frame at once: earliest ones under FIFO depths, latest ones under a deadline.

Where the engine advances each process as far as it knows, this sweeps over all of them in order,
with vectors: times only grow, from those of deeper FIFOs up to the least that satisfy everything
(a fixed point). A few sweeps do where FIFOs rarely fill, which is what the search for small
depths tries. Stalling pipelines only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from streamopt.sim.plan import PipelinePlan, Plan
from streamopt.sim.tokens.engine import HANDOVER_CYCLES, Engine
from streamopt.sim.tokens.settling import run_network
from streamopt.sim.tokens.stalling import merged
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Times = NDArray[np.int64]

MAX_SWEEPS = 40
"""Sweeps after which a fixed point is given up; FIFOs that fill all the time need many."""
FAR = 1 << 60
"""A time after all others."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Accesses of a pipeline to one channel: which events they are, and which tokens."""

    channel: int
    events: NDArray[np.intp]
    first: int

    @property
    def tokens(self) -> slice:
        """Return the tokens of the channel."""
        return slice(self.first, self.first + self.events.size)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """The events of one pipeline: the local clocks at which it touches any channel."""

    clocks: Times
    last_clock: int
    reads: tuple[_Ends, ...]
    writes: tuple[_Ends, ...]
    after: tuple[int, ...]
    """Lines that must have ended before it starts."""

    def record(self, times: Times, written: Sequence[Times], read: Sequence[Times]) -> None:
        """Note the times of its events in those of the tokens."""
        for sides, tokens in ((self.reads, read), (self.writes, written)):
            for side in sides:
                tokens[side.channel][side.tokens] = times[side.events]


@dataclass(frozen=True, slots=True, eq=False)
class TokenTimes:
    """Cycles in which each token of each channel is written and read, and the latency."""

    written: tuple[Times, ...]
    read: tuple[Times, ...]
    cycles: int

    def equals(self, other: TokenTimes) -> bool:
        """Return whether all times agree."""
        pairs = zip((*self.written, *self.read), (*other.written, *other.read), strict=True)
        return all(np.array_equal(one, two) for one, two in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Deadline:
    """When all must have ended, and by channel the last cycle for each write that lets it."""

    cycles: int
    written: tuple[Times, ...]

    def is_met_by(self, times: TokenTimes) -> bool:
        """Return whether nothing is late."""
        pairs = zip(times.written, self.written, strict=True)
        return times.cycles <= self.cycles and all(bool(np.all(t <= last)) for t, last in pairs)


class TokenTimetable:
    """The events of a plan, and their times under given depths.

    Attributes
    ----------
    fifos
        The FIFO of each channel.
    earliest
        The times where no FIFO is ever full.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._lines = _lines(plan)
        self.fifos = tuple(channel.fifo for channel in plan.channels)
        never_full = dict.fromkeys(self.fifos, FAR)
        none = Deadline(FAR, self._times(FAR)[0])
        earliest = self.under(never_full, none, TokenTimes(*self._times(0), 0))
        assert earliest is not None, "a network that ends at some depths ends without limits"
        self.earliest = earliest

    @property
    def accesses(self) -> int:
        """Return the reads and writes of all channels."""
        return sum(channel.writes + channel.reads for channel in self._plan.channels)

    def peaks(self) -> dict[str, int]:
        """Return the most slots in use in one stream of each FIFO, if none is ever full."""
        found: dict[str, int] = {}
        times = zip(self.fifos, self.earliest.written, self.earliest.read, strict=True)
        for fifo, written, read in times:
            used = np.arange(1, written.size + 1) - np.searchsorted(read, written, side="left")
            found[fifo] = max(found.get(fifo, 0), int(used.max(initial=0)))
        return found

    def deadline(self, cycles: int) -> Deadline:
        """Return the latest writes that let all end in so many cycles, whatever the depths."""
        written, read = self._times(FAR)
        ends = [cycles] * len(self._lines)
        for position in range(len(self._lines) - 1, -1, -1):
            line = self._lines[position]
            last = ends[position] - line.last_clock - 1
            shifts = np.full(line.clocks.size, last, np.int64)
            for side in line.writes:
                wanted = read[side.channel][side.tokens]
                events = side.events[: wanted.size]  # nobody waits for what is never read
                shifts[events] = np.minimum(shifts[events], wanted - 1 - line.clocks[events])
            shifts = np.minimum.accumulate(shifts[::-1])[::-1]
            line.record(line.clocks + shifts, written, read)
            start = int(shifts[0]) if shifts.size else last
            for other in line.after:
                ends[other] = min(ends[other], start - HANDOVER_CYCLES)
        return Deadline(cycles, written)

    def depth_bounds(self, deadline: Deadline) -> dict[str, int]:
        """Return depths below which each FIFO alone, the others endless, is too small.

        A write k waits for the read ``k - depth``, which happens no earlier than in the endless
        case, and must happen in time.
        """
        found: dict[str, int] = {}
        for fifo, read, last in zip(self.fifos, self.earliest.read, deadline.written, strict=True):
            free = np.searchsorted(read + 1, last, side="right")
            short = np.arange(1, last.size + 1) - free
            found[fifo] = max(found.get(fifo, 0), int(short.max(initial=0)))
        return found

    def under(
        self, depths: Mapping[str, int], deadline: Deadline, known: TokenTimes
    ) -> TokenTimes | None:
        """Return the times under these depths; None for a standstill, or if something is late.

        Parameters
        ----------
        known
            The times under depths that are nowhere smaller, to begin with.
        """
        for _ in range(MAX_SWEEPS):
            found = self._sweep(depths, known)
            if not deadline.is_met_by(found):
                return None
            if found.equals(known):
                return found
            known = found
        return self._stepped(depths, deadline)

    def _stepped(self, depths: Mapping[str, int], deadline: Deadline) -> TokenTimes | None:
        """Return the same from the engine, where FIFOs fill again and again."""
        channels = tuple(replace(c, depth_elems=depths[c.fifo]) for c in self._plan.channels)
        engine = Engine(replace(self._plan, channels=channels), frames=1)
        if not run_network(engine):
            return None
        found = TokenTimes(
            tuple(channel.written for channel in engine.channels),
            tuple(channel.read for channel in engine.channels),
            max((run.history[-1].end or 0 for run in engine.runs), default=0),
        )
        return found if deadline.is_met_by(found) else None

    def _times(self, cycle: int) -> tuple[tuple[Times, ...], tuple[Times, ...]]:
        """Return one cycle for all writes and reads, by channel."""
        channels = self._plan.channels
        return (
            tuple(np.full(channel.writes, cycle, np.int64) for channel in channels),
            tuple(np.full(channel.reads, cycle, np.int64) for channel in channels),
        )

    def _sweep(self, depths: Mapping[str, int], known: TokenTimes) -> TokenTimes:
        """Return later times: every event after what it waits for, as far as known."""
        written = tuple(times.copy() for times in known.written)
        read = tuple(times.copy() for times in known.read)
        ends: list[int] = []
        spend(WORK.designs.turn * len(self._lines) + WORK.designs.access * self.accesses)
        for line in self._lines:
            start = max((ends[other] + HANDOVER_CYCLES for other in line.after), default=0)
            shifts = np.full(line.clocks.size, start, np.int64)
            for side in line.reads:
                _raise(shifts, line, side.events, _at(written[side.channel], side.tokens))
            for side in line.writes:
                first = side.first - min(depths[self.fifos[side.channel]], FAR)
                fresh = min(max(0, -first), side.events.size)
                slots = slice(first + fresh, first + side.events.size)
                if fresh < side.events.size:
                    _raise(shifts, line, side.events[fresh:], _at(read[side.channel], slots))
            np.maximum.accumulate(shifts, out=shifts)
            line.record(line.clocks + shifts, written, read)
            ends.append((int(shifts[-1]) if shifts.size else start) + line.last_clock + 1)
        return TokenTimes(written, read, max(ends, default=0))


def _at(times: Times, tokens: slice) -> Times:
    """Return the cycles of tokens; what never happens is far."""
    found = times[tokens]
    missing = tokens.stop - tokens.start - found.size
    return np.concatenate([found, np.full(missing, FAR, np.int64)]) if missing else found


def _raise(shifts: Times, line: _Line, events: NDArray[np.intp], done: Times) -> None:
    """Let events happen no earlier than the cycle after what they wait for."""
    shifts[events] = np.maximum(shifts[events], done + 1 - line.clocks[events])


def _lines(plan: Plan) -> tuple[_Line, ...]:
    """Return the pipelines of all processes in order, each after what it waits for."""
    lines: list[_Line] = []
    last_of: list[int] = []
    done_reads, done_writes = [0] * len(plan.channels), [0] * len(plan.channels)
    for process in plan.processes:
        after = tuple(last_of[other] for _, other in process.filled_by)
        for pipeline in process.pipelines:
            lines.append(_line(pipeline, after, done_reads, done_writes))
            after = (len(lines) - 1,)
        last_of.append(len(lines) - 1)
    return tuple(lines)


def _line(
    pipeline: PipelinePlan,
    after: tuple[int, ...],
    done_reads: list[int],
    done_writes: list[int],
) -> _Line:
    clocks = merged([access.clocks for access in pipeline.accesses])
    sides: dict[bool, list[_Ends]] = {True: [], False: []}
    for access in pipeline.accesses:
        done = done_reads if access.is_read else done_writes
        events = np.searchsorted(clocks, access.clocks)
        sides[access.is_read].append(_Ends(access.channel, events, done[access.channel]))
        done[access.channel] += access.clocks.size
    return _Line(clocks, pipeline.last_clock, tuple(sides[True]), tuple(sides[False]), after)
