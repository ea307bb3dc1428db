"""A network whose FIFOs seldom limit anything: its times settle, and no token is followed alone.

The first run gives every FIFO room for all tokens, so that each process runs to its end in one go.
If a token was then written before its FIFO, at its true depth, would have had a free slot, its
writer runs again and waits for the slots. If that makes tokens later than they were read, their
reader runs again too, and so on. Every repetition only raises times, never above those of the
network. Once no token precedes its slot and no read its token, they are those of the network.

FIFOs on a ring that limits its own pace delay all tokens a little in every repetition. They keep
their true depth in the next run, which follows their tokens one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from streamopt.sim.tokens.engine import Engine
    from streamopt.sim.tokens.state import TokenChannel

MOST_RELAXED = 12
"""Runs in which some FIFOs have room for all tokens, before all have the room that there is."""
MOST_SETTLING = 6
"""Times that what all processes do is done again after such a run."""


def run_network(engine: Engine) -> bool:
    """Run to the end, or to a standstill; return whether every frame has ended."""
    spend(WORK.designs.access * sum(map(_accesses, engine.channels)))
    roomy = {at for at, c in enumerate(engine.channels) if c.depth_elems < c.written.size}
    for _ in range(0 if engine.plan.flushable else MOST_RELAXED):
        if not roomy or not _run_with_room(engine, roomy):
            break
        settling = _Settling(engine)
        if settling.settles():
            return True
        roomy -= settling.late
        engine.reset()
    engine.reset()
    return engine.run()


def _run_with_room(engine: Engine, roomy: set[int]) -> bool:
    """Run with room for all tokens in some FIFOs, whose depths are then as before."""
    for at in roomy:
        engine.channels[at].depth_elems = engine.channels[at].written.size
    has_ended = engine.run()
    for at in roomy:
        engine.channels[at].depth_elems = engine.channels[at].plan.depth_elems
    return has_ended


class _Settling:
    """Processes that run again after one run, until nothing changes.

    Attributes
    ----------
    late
        FIFOs in which a token came before there was a slot.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.late: set[int] = set()
        # To run again: as times are not allowed, or as only the reasons of waits may differ.
        self._wrong: set[int] = set()
        self._told: set[int] = set()
        self._sources = _sources(engine)
        self._accesses_left = MOST_SETTLING * sum(map(_accesses, engine.channels))
        for at in range(len(engine.channels)):
            self._check_slots(at)

    def settles(self) -> bool:
        """Run processes again; return whether that came to an end.

        A FIFO that holds back its writer often holds back the writers before that, and tokens
        that come late make later ones: so processes run from the last to the first, and back.
        Those that only write, as movers of weights, run when all others have their times.
        """
        positions = range(len(self._engine.runs))
        while self._wrong:
            only = self._wrong - self._sources or self._wrong
            kept = self._sources - only
            for position in (*reversed(positions), *positions):
                is_due = position in self._wrong and position not in kept
                if is_due and (self._accesses_left < 0 or not self._runs_again(position)):
                    return False
        for position in sorted(self._told):
            self._engine.run_again(position)
        return True

    def _runs_again(self, position: int) -> bool:
        """Run a process again; return whether it ended. Note who has to, for its new times."""
        engine, old = self._engine, self._engine.runs[position]
        self._wrong.discard(position)
        self._told.discard(position)
        own = [at for at, c in enumerate(engine.channels) if position in _ends(c)]
        made = [engine.channels[at] for at in own]
        before = [(channel.written.copy(), channel.read.copy()) for channel in made]
        self._accesses_left -= sum(map(_accesses, made))
        if not engine.run_again(position):
            return False
        for at, channel, (written, read) in zip(own, made, before, strict=True):
            if not np.array_equal(channel.written, written):
                self._check_tokens(channel)
            if not np.array_equal(channel.read, read):
                self._check_slots(at)
        if [run.end for run in old.history] != [run.end for run in engine.runs[position].history]:
            self._wrong |= engine.sharing_buffers(position)
        return True

    def _check_slots(self, at: int) -> None:
        """Note the writer of a channel if a token came before there was a slot."""
        channel = self._engine.channels[at]
        depth = channel.plan.depth_elems
        freed = max(0, channel.written.size - depth)
        slots = channel.read[:freed]
        if slots.size < freed or np.any(channel.written[depth:] <= slots):
            self.late.add(at)
            self._wrong.add(channel.plan.writer)

    def _check_tokens(self, channel: TokenChannel) -> None:
        """Note the reader of a channel with new tokens.

        One that comes in time can still change the reason of a wait that room ended.
        """
        reader = channel.plan.reader
        if np.any(channel.read <= channel.written[: channel.read.size]):
            self._wrong.add(reader)
        elif any(run.full_cycles for run in self._engine.runs[reader].history):
            self._told.add(reader)


def _ends(channel: TokenChannel) -> tuple[int, int]:
    return channel.plan.writer, channel.plan.reader


def _accesses(channel: TokenChannel) -> int:
    return channel.written.size + channel.read.size


def _sources(engine: Engine) -> set[int]:
    """Return the processes that only write, into FIFOs; nobody waits for their ends."""
    readers = {channel.plan.reader for channel in engine.channels}
    return {
        at for at in range(len(engine.runs)) if at not in readers and not engine.sharing_buffers(at)
    }
