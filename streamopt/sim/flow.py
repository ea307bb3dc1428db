"""Flow time of a flushable pipeline: it stands still while an output is full."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

__all__ = ["Flow"]


@dataclass(slots=True)
class Flow:
    """How far the front of a pipeline has come, and what its back has still to meet.

    Attributes
    ----------
    front
        Flow time minus clock of the last reads.
    back
        Flow time minus clock of the iteration that writes next, as it left the front.
    bubbles
        Pairs (clock of reads, ``front`` since then) that iterations in the back haven't met.
    frozen
        Cycles minus flow time of the last writes.
    thawed
        The same of the last reads.
    freezes
        Pairs (flow time of writes, ``frozen`` since then) that the front hasn't met.
    """

    front: int
    back: int
    bubbles: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])
    frozen: int = 0
    thawed: int = 0
    freezes: deque[tuple[int, int]] = field(default_factory=deque[tuple[int, int]])

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
