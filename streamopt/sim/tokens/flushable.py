"""A flushable pipeline: an empty input holds back later iterations, those inside go on.

Such a pipeline has two parts. The front, up to the stage of the last read, stands still while an
input is empty; a bubble enters the back, which goes on. A full output freezes both. In *flow time*,
which stands still while an output is full, the front's clocks come at ``flow = clock + shift`` with
a shift that grows with each wait for input, and a write comes as long after its iteration has left
the front as it is stages away. A list of bubbles (clock, shift) says when iterations left the
front, and a list of freezes (flow time, cycles) leads from flow time to cycles.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.sim.tokens.stalling import merged, places_in
from streamopt.sim.tokens.state import NEVER, ChannelAccess, PipelineRun

FEW = 16
"""Events that are taken one by one before many are tried at once: what a block costs."""
FEWEST, MOST = 64, 1 << 20
"""Accesses of one kind that a block tries: as many more as went well."""


def advance_flushable(run: PipelineRun) -> bool:
    """Let all happen that is known to; return whether that was anything.

    The pipeline has ended when no access is left; its ``shift`` is then that of the last
    iteration, freezes included.
    """
    moved, window = False, FEWEST
    while True:
        for _ in range(FEW):
            if not _event(run):
                if not run.has_accesses_left:
                    run.shift = run.flow.front + run.flow.frozen
                return moved
            moved = True
        window = min(2 * window, MOST) if _block(run, window) >= window else FEWEST


def blocked_flushable(run: PipelineRun) -> list[ChannelAccess]:
    """Return the accesses that the pipeline waits for: writes if an output is full, else reads."""
    _, written = _next_write(run)
    for due in (written, _due(run.reads)[1]):
        missing = [access for access in due if access.ready() == NEVER]
        if missing:
            return missing
    return []


def _event(run: PipelineRun) -> bool:
    """Do the reads or the writes that come next; return False if that isn't known."""
    flow = run.flow
    flow_write, writes = _next_write(run)
    clock, reads = _due(run.reads)
    filled = max((access.ready() for access in reads), default=NEVER)
    flow_read = max(clock + flow.front, flow.at(filled)) if filled < NEVER else NEVER
    if flow_write <= flow_read:
        emptied = max((access.ready() for access in writes), default=NEVER)
        if emptied == NEVER:
            return False
        time = max(flow_write + flow.frozen, emptied)
        run.full_cycles += flow.write(flow_write, time)
        _happen(writes, time)
        return True
    run.empty_cycles += flow_read - clock - flow.front
    _happen(reads, flow.read(clock, flow_read))
    return True


def _next_write(run: PipelineRun) -> tuple[int, list[ChannelAccess]]:
    """Return the flow time of the next writes, NEVER if their iteration is in the front."""
    clock, due = _due(run.writes)
    if clock == NEVER:
        return NEVER, []
    leaves = int(_leaves(run, clock))
    if min(access.next for access in run.reads) <= leaves:
        return NEVER, []
    return clock + run.flow.leave(leaves), due


def _leaves(run: PipelineRun, clock: Any) -> Any:
    """Return the clock at which the iteration that writes at a clock leaves the front."""
    stages = run.plan.stages
    return stages.iteration(clock, is_read=False) * stages.ii + stages.last_read


def _due(accesses: list[ChannelAccess]) -> tuple[int, list[ChannelAccess]]:
    """Return the next clock of accesses, and those due at it; NEVER and none after the last."""
    clock = min(access.next for access in accesses)
    return clock, [access for access in accesses if access.next == clock < NEVER]


def _happen(due: list[ChannelAccess], time: int) -> None:
    for access in due:
        access.happen(time)


def _block(run: PipelineRun, window: int) -> int:
    """Do what can happen before the first write that would freeze; return how many clocks' reads.

    At most ``window`` accesses of a kind are tried.
    """
    flow = run.flow
    if flow.freezes:
        return 0
    limit = min((_clock_after(access, window) for access in run.reads), default=NEVER)
    spans = [access.ahead(limit) for access in run.reads]
    clocks = merged([span for span in spans if span.size])
    places = [places_in(clocks, span) for span in spans]
    shifts = clocks - clocks + flow.front
    for access, place in zip(run.reads, places, strict=True):
        needed = access.ready_block(place.size) - flow.frozen - clocks[place]
        shifts[place] = np.maximum(shifts[place], needed)
    shifts = np.maximum.accumulate(shifts)
    stop = _write_block(run, (clocks, shifts), limit, window)
    count = int(np.searchsorted(clocks + shifts, stop))
    fresh = np.flatnonzero(np.diff(shifts[:count], prepend=flow.front))
    flow.bubbles.extend(zip(clocks[fresh].tolist(), shifts[fresh].tolist(), strict=True))
    if count:
        run.empty_cycles += int(shifts[count - 1]) - flow.front
        flow.front = int(shifts[count - 1])
    for access, place in zip(run.reads, places, strict=True):
        kept = place[: int(np.searchsorted(place, count))]
        if kept.size:
            access.happen_block((clocks + shifts)[kept] + flow.frozen)
    return count


def _write_block(
    run: PipelineRun,
    front: tuple[NDArray[np.int64], NDArray[np.int64]],
    limit: int,
    window: int,
) -> int:
    """Do the writes before the first that would freeze; return its flow time, NEVER if none."""
    flow = run.flow
    spans = [access.ahead(NEVER)[: min(access.known(), window) + 1] for access in run.writes]
    clocks = merged([span for span in spans if span.size])
    clocks = clocks[: int(np.searchsorted(_leaves(run, clocks), limit))]
    met = np.array(flow.bubbles, np.int64).reshape(-1, 2)
    knots = np.concatenate([[-1], met[:, 0], front[0]])
    shifts = np.concatenate([[flow.back], met[:, 1], front[1]])
    flows = clocks + shifts[np.searchsorted(knots, _leaves(run, clocks), side="right") - 1]
    end = int(clocks[-1]) + 1 if clocks.size else 0
    places = [np.searchsorted(clocks, span[: int(np.searchsorted(span, end))]) for span in spans]
    late = np.zeros(clocks.size, np.bool_)
    for access, place in zip(run.writes, places, strict=True):
        known = min(access.known(), window, place.size)
        late[place[known:]] = True
        late[place[:known]] |= access.ready_block(known) > flows[place[:known]] + flow.frozen
    count = int(np.argmax(late)) if late.any() else clocks.size
    for access, place in zip(run.writes, places, strict=True):
        kept = place[: int(np.searchsorted(place, count))]
        if kept.size:
            access.happen_block(flows[kept] + flow.frozen)
    return int(flows[count]) if count < clocks.size else NEVER


def _clock_after(access: ChannelAccess, window: int) -> int:
    """Return the clock of the first access that a block leaves; NEVER if it leaves none."""
    within = access.done + min(access.known(), window)
    return access.clock_at[within] if within < access.size else NEVER
