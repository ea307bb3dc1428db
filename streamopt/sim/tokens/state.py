"""State of a running network: tokens in channels, and how far each process has come.

Times are recorded once and never change, so that everything that is known is final.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from streamopt.sim.plan import (
        AccessPlan,
        Cycle,
        PipelinePlan,
        ProcessPlan,
        Times,
        TokenChannelPlan,
    )

NEVER = 1 << 62
"""A clock that isn't reached."""


class TokenChannel:
    """The times at which the streams of a channel are written and read, as far as known.

    A token can be read in the cycle after its write, and a slot be written in the cycle after its
    read.
    """

    __slots__ = (
        "depth_elems",
        "plan",
        "read",
        "read_at",
        "reads",
        "writes",
        "written",
        "written_at",
    )

    def __init__(self, plan: TokenChannelPlan, frames: int, cycle: Cycle) -> None:
        self.plan = plan
        self.depth_elems = plan.depth_elems
        self.writes = 0
        self.reads = 0
        self.written: Times = np.empty(plan.writes * frames, cycle)
        self.read: Times = np.empty(plan.reads * frames, cycle)
        # The same memory, of which Python's integers are taken much faster.
        self.written_at = self.written.data
        self.read_at = self.read.data


class ChannelAccess:
    """The accesses of a running pipeline to one channel; ``next`` is the clock of the first due."""

    __slots__ = ("channel", "clock_at", "clocks", "done", "is_read", "next", "size")

    def __init__(self, plan: AccessPlan, channel: TokenChannel) -> None:
        self.channel = channel
        self.is_read = plan.is_read
        self.clocks = plan.clocks
        self.clock_at = plan.clocks.data
        self.size = plan.clocks.size
        self.done = 0
        self.next = self.clock_at[0]

    def known(self) -> int:
        """Return how many further accesses have known tokens or slots."""
        held = self.channel.writes - self.channel.reads
        return held if self.is_read else self.channel.depth_elems - held

    def ready(self) -> int:
        """Return the cycle from which the access that is due can happen; NEVER if not known."""
        channel = self.channel
        if self.is_read:
            if channel.reads >= channel.writes:
                return NEVER
            return channel.written_at[channel.reads] + 1
        slot = channel.writes - channel.depth_elems
        if slot < 0:
            return 0
        return channel.read_at[slot] + 1 if slot < channel.reads else NEVER

    def happen(self, time: int) -> None:
        """Record that the access that is due happens at a time."""
        channel = self.channel
        if self.is_read:
            channel.read_at[channel.reads] = time
            channel.reads += 1
        else:
            channel.written_at[channel.writes] = time
            channel.writes += 1
        self.done += 1
        self.next = self.clock_at[self.done] if self.done < self.size else NEVER

    def ready_block(self, count: int) -> Times:
        """Return, for the next ``count`` accesses, the cycles from which they can happen."""
        channel = self.channel
        if self.is_read:
            return channel.written[channel.reads : channel.reads + count] + 1
        first = channel.writes - channel.depth_elems
        fresh = min(max(-first, 0), count)
        slots = channel.read[first + fresh : first + count] + 1
        return np.concatenate([np.zeros(fresh, slots.dtype), slots]) if fresh else slots

    def happen_block(self, times: Times) -> None:
        """Record the times of the next accesses."""
        channel = self.channel
        if self.is_read:
            channel.read[channel.reads : channel.reads + times.size] = times
            channel.reads += times.size
        else:
            channel.written[channel.writes : channel.writes + times.size] = times
            channel.writes += times.size
        self.done += times.size
        self.next = self.clock_at[self.done] if self.done < self.size else NEVER

    def ahead(self, limit: int) -> Times:
        """Return the clocks below a limit at which the access has still to happen."""
        clocks = self.clocks[self.done :]
        return clocks[: int(np.searchsorted(clocks, limit))] if limit < NEVER else clocks


@dataclass(slots=True)
class PipelineRun:
    """A pipeline in one frame, from its start to as far as it has come."""

    plan: PipelinePlan
    start: int
    shift: int
    """Cycle minus local clock of what happened last; of a flushable pipeline at its end."""
    flow: FlowTime
    """In place of the shift, of a flushable pipeline."""
    reads: list[ChannelAccess]
    writes: list[ChannelAccess]
    accesses: list[ChannelAccess]
    # empty_cycles, full_cycles: cycles that it stood still for lack of input, and of room for
    # output
    empty_cycles: int = 0
    full_cycles: int = 0
    end: int | None = None
    """None while it runs."""

    @property
    def has_accesses_left(self) -> bool:
        """Return whether an access has still to happen."""
        return min([access.next for access in self.accesses], default=NEVER) < NEVER


@dataclass(slots=True)
class ProcessRun:
    """A process, and the pipelines that it has begun, frame after frame."""

    plan: ProcessPlan
    history: list[PipelineRun] = field(default_factory=list[PipelineRun])
    buffer_cycles: int = 0


@dataclass(slots=True)
class FlowTime:
    """How far the front of a pipeline has come, and what its back has still to meet."""

    front: int
    """Flow time minus clock of the last reads."""
    back: int
    """Flow time minus clock of the iteration that writes next, as it left the front."""
    bubbles: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    """Pairs (clock of reads, ``front`` since then) that iterations in the back haven't met."""
    frozen: int = 0
    """Cycles minus flow time of the last writes."""
    thawed: int = 0
    """The same of the last reads."""
    freezes: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    """Pairs (flow time of writes, ``frozen`` since then) that the front hasn't met."""

    def leave(self, clock: int) -> int:
        """Return flow time minus clock of the iteration that leaves the front at a clock.

        Clocks are asked in ascending order, each after the front has passed it.
        """
        while self.bubbles and self.bubbles[0][0] <= clock:
            self.back = self.bubbles.popleft()[1]
        return self.back

    def at(self, cycle: int) -> int:
        """Return the flow time from which the front can do what can happen from a cycle on."""
        frozen = self.thawed
        for flow, later in self.freezes:
            if cycle - frozen <= flow:
                break
            if cycle - later <= flow:
                return flow
            frozen = later
        return cycle - frozen

    def read(self, clock: int, flow: int) -> int:
        """Move the front to the reads of a clock, at a flow time; return their cycle."""
        if flow - clock > self.front:
            self.front = flow - clock
            self.bubbles.append((clock, self.front))
        while self.freezes and self.freezes[0][0] <= flow:
            self.thawed = self.freezes.popleft()[1]
        return flow + self.thawed

    def write(self, flow: int, cycle: int) -> int:
        """Let writes of a flow time happen at a cycle; return how long that freezes all."""
        waited = cycle - flow - self.frozen
        if waited:
            self.frozen += waited
            self.freezes.append((flow, self.frozen))
        return waited
