"""A stalling pipeline: whatever one access waits for, all stages wait.

All accesses of one local clock happen together, at the first cycle at which each of them can:
``t(c) = max(t(c') + c - c', tokens + 1, slots + 1)`` over the clocks c at which there are any. With
``shift = t - c`` that is a running maximum of what is needed, which NumPy makes for as many clocks
as there are known tokens and slots.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from streamopt.sim.plan import Times
from streamopt.sim.tokens.state import NEVER, ChannelAccess, PipelineRun

FEW = 16
"""Clocks that are taken one by one before many are tried at once: what a block costs."""
MOST = 1 << 20
"""Accesses of one kind in a block; bounds the memory that a block takes."""


def advance_stalling(run: PipelineRun) -> bool:
    """Let all happen that is known to; return whether that was anything.

    The pipeline has ended when no access is left.
    """
    accesses = run.accesses
    moved = False
    while accesses:
        for _ in range(FEW):
            if not _step(run, accesses):
                return moved
            moved = True
        _block(run, accesses)
    return moved


def blocked_stalling(run: PipelineRun) -> list[ChannelAccess]:
    """Return the accesses that the pipeline waits for, of those at its next clock."""
    clock = min(access.next for access in run.accesses)
    due = (access for access in run.accesses if access.next == clock)
    return [access for access in due if access.ready() == NEVER]


def _step(run: PipelineRun, accesses: Sequence[ChannelAccess]) -> bool:
    """Do the accesses of the next clock; return False if one is not known to be possible."""
    clock = min([access.next for access in accesses])
    if clock == NEVER:
        return False
    wanted = filled = clock + run.shift
    emptied = 0
    due = [access for access in accesses if access.next == clock]
    for access in due:
        ready = access.ready()
        if ready == NEVER:
            return False
        if access.is_read:
            if ready > filled:
                filled = ready
        elif ready > emptied:
            emptied = ready
    time = emptied if emptied > filled else filled
    if time > wanted:
        run.empty_cycles += filled - wanted
        run.full_cycles += time - filled
        run.shift = time - clock
    for access in due:
        access.happen(time)
    return True


def _block(run: PipelineRun, accesses: Sequence[ChannelAccess]) -> None:
    """Do all accesses before the first clock at which something isn't known."""
    limit = NEVER
    for access in accesses:
        within = access.done + min(access.known(), MOST)
        if within < access.size:
            limit = min(limit, access.clock_at[within])
    spans = [access.ahead(limit) for access in accesses]
    clocks = merged([span for span in spans if span.size])
    if not clocks.size:
        return
    cycle = accesses[0].channel.written.dtype
    filled, emptied = np.zeros(clocks.size, cycle), np.zeros(clocks.size, cycle)
    places = [places_in(clocks, span) for span in spans]
    for access, place in zip(accesses, places, strict=True):
        ready = filled if access.is_read else emptied
        ready[place] = np.maximum(ready[place], access.ready_block(place.size))
    needed = np.maximum(filled, emptied) - clocks
    shifts = np.maximum.accumulate(np.maximum(needed, run.shift))
    before = np.concatenate([[run.shift], shifts[:-1]])
    empty_cycles = int(np.maximum(filled - clocks - before, 0).sum())
    waited = int(shifts[-1]) - run.shift
    run.empty_cycles += empty_cycles
    run.full_cycles += waited - empty_cycles
    run.shift = int(shifts[-1])
    times = clocks + shifts
    for access, place in zip(accesses, places, strict=True):
        if place.size:
            access.happen_block(times[place])


def merged(spans: Sequence[Times]) -> Times:
    """Return the clocks of ascending lists, each clock once, in order."""
    if not spans:
        return np.empty(0, np.int64)
    first = spans[0]
    if all(span is first or np.array_equal(span, first) for span in spans[1:]):
        return first
    joined = np.sort(np.concatenate(spans), kind="stable")
    fresh = np.empty(joined.size, np.bool_)
    fresh[0] = True
    np.not_equal(joined[1:], joined[:-1], out=fresh[1:])
    return joined[fresh]


def places_in(clocks: Times, span: Times) -> NDArray[np.int64]:
    """Return where in merged clocks those of one list are."""
    if span.size == clocks.size:
        return np.arange(span.size)
    return np.searchsorted(clocks, span)
