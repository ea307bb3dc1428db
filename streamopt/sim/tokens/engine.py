"""Runs a plan: each process as far as what it needs is known, until nothing is left to do."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SimulationError
from streamopt.sim.tokens.flushable import advance_flushable
from streamopt.sim.tokens.stalling import advance_stalling
from streamopt.sim.tokens.state import (
    ChannelAccess,
    FlowTime,
    PipelineRun,
    ProcessRun,
    TokenChannel,
)
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from streamopt.sim.plan import Plan

HANDOVER_CYCLES = 1
"""Cycles between the end of a process and the start of what waits for it."""
BANKS = 2
"""Banks of a ping-pong buffer."""


class Engine:
    """A network while it runs.

    Attributes
    ----------
    runs, channels
        In the order of the plan.
    """

    def __init__(self, plan: Plan, frames: int, most_turns: float = inf) -> None:
        self.plan, self._turns_left = plan, most_turns
        self.frames = frames
        self._cycle = plan.cycle(frames)
        self.reset()
        self._peers = [self._peers_of(position) for position in range(len(plan.processes))]

    def reset(self) -> None:
        """Go back to the start."""
        self.channels = [
            TokenChannel(each, self.frames, self._cycle) for each in self.plan.channels
        ]
        self.runs = [ProcessRun(process) for process in self.plan.processes]

    def run(self) -> bool:
        """Run to the end, or to a standstill; return whether every frame has ended."""
        waiting = deque(range(len(self.runs)))
        queued = set(waiting)
        while waiting:
            position = waiting.popleft()
            queued.discard(position)
            self._take_turn()
            if self._advance(position):
                fresh = self._peers[position] - queued
                waiting.extend(sorted(fresh))
                queued |= fresh
        return all(self.frames_ended(run) == self.frames for run in self.runs)

    def run_again(self, position: int) -> bool:
        """Run a process from the start, others as they ran; return whether every frame has ended.

        Its tokens and slots have the times of others that are known. Its own times are made anew.
        """
        for channel in self.channels:
            if channel.plan.reader == position:
                channel.reads = 0
            if channel.plan.writer == position:
                channel.writes = 0
        self.runs[position] = ProcessRun(self.plan.processes[position])
        self._take_turn()
        self._advance(position)
        return self.frames_ended(self.runs[position]) == self.frames

    def _take_turn(self) -> None:
        """Count a turn of a process; raise E815 if none is left."""
        spend(WORK.designs.turn)
        self._turns_left -= 1
        if self._turns_left < 0:
            message = "tokens move one by one for longer than was asked for"
            raise SimulationError(Diagnostic("E815", message, hint="give FIFOs more slots"))

    def frames_ended(self, run: ProcessRun) -> int:
        """Return how many frames a process has finished."""
        done = len(run.history) - (1 if self.current(run) else 0)
        return done // len(run.plan.pipelines)

    def current(self, run: ProcessRun) -> PipelineRun | None:
        """Return the pipeline that a process is in; None between frames and after the last."""
        return run.history[-1] if run.history and run.history[-1].end is None else None

    def frame_end(self, position: int, frame: int) -> int | None:
        """Return when a process ended a frame; None if it hasn't. Frames before 0 are no wait."""
        if frame < 0:
            return -HANDOVER_CYCLES
        run = self.runs[position]
        last = (frame + 1) * len(run.plan.pipelines) - 1
        return run.history[last].end if last < len(run.history) else None

    def missing_buffers(self, position: int) -> list[tuple[str, int]]:
        """Return the (buffer, process) whose ends a process needs to start its next frame."""
        run, frame = self.runs[position], self.frames_ended(self.runs[position])
        needed = [(pair, frame) for pair in run.plan.filled_by]
        needed += [(pair, frame - BANKS) for pair in run.plan.emptied_by]
        return [pair for pair, at in needed if self.frame_end(pair[1], at) is None]

    def sharing_buffers(self, position: int) -> set[int]:
        """Return the processes that wait for ends of one, as they share a buffer."""
        return {
            other
            for other, process in enumerate(self.plan.processes)
            if any(at == position for _, at in (*process.filled_by, *process.emptied_by))
        }

    def _peers_of(self, position: int) -> set[int]:
        """Return the processes that may wait for one."""
        peers = self.sharing_buffers(position)
        for channel in self.plan.channels:
            ends = {channel.writer, channel.reader}
            if position in ends:
                peers |= ends
        return peers - {position}

    def _advance(self, position: int) -> bool:
        """Let a process come as far as is known; return whether it moved."""
        run, moved = self.runs[position], False
        while (pipeline := self.current(run) or self._begin(position)) is not None:
            flows = self.plan.flushable and pipeline.reads and pipeline.writes
            moved |= (advance_flushable if flows else advance_stalling)(pipeline)
            if pipeline.has_accesses_left:
                return moved
            pipeline.end = pipeline.shift + pipeline.plan.last_clock + 1
            moved = True
        return moved

    def _begin(self, position: int) -> PipelineRun | None:
        """Start the next pipeline of a process; None if there is none, or a buffer is missing."""
        run = self.runs[position]
        frame, index = divmod(len(run.history), len(run.plan.pipelines))
        if frame == self.frames:
            return None
        start = 0
        if run.history and (end := run.history[-1].end) is not None:
            start = end + HANDOVER_CYCLES
        if index == 0:
            if self.missing_buffers(position):
                return None
            freed = self._buffers_ready(position, frame)
            run.buffer_cycles += max(freed - start, 0)
            start = max(start, freed)
        plan = run.plan.pipelines[index]
        start = max(start, plan.words_there(frame))
        made = [ChannelAccess(access, self.channels[access.channel]) for access in plan.accesses]
        reads = [access for access in made if access.is_read]
        writes = [access for access in made if not access.is_read]
        run.history.append(
            PipelineRun(plan, start, start, FlowTime(start, start), reads, writes, made)
        )
        return run.history[-1]

    def _buffers_ready(self, position: int, frame: int) -> int:
        """Return when the last buffer that a process needs for a frame was ready; all are."""
        process = self.plan.processes[position]
        ends = [self.frame_end(other, frame) for _, other in process.filled_by]
        ends += [self.frame_end(other, frame - BANKS) for _, other in process.emptied_by]
        return max((end + HANDOVER_CYCLES for end in ends if end is not None), default=0)
