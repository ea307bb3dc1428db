"""In which stages of a pipeline its accesses happen.

A pipeline has a local clock that stands still while the pipeline is frozen. Iteration i enters
stage 0 at local clock i * II, reads its FIFOs at stage 1 and writes them at stage D - 1, where D
is the iteration latency; a pipeline of one stage reads and writes in that one. Of several accesses
of one stream in an iteration the j-th read comes j clocks after the first, and the last write is
at stage D - 1. An iteration lasts as long as that takes: its writes come no earlier than its last
read and, in a flushable pipeline, whose writes go on while its reads wait, one stage later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.ir.network import PipelineTiming
    from streamopt.sim.accesses import Pattern

__all__ = ["Stages"]


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages that matter of a pipeline.

    Attributes
    ----------
    first_read, last_read
        Where an iteration reads.
    last
        Where it ends, and makes its last write.
    """

    ii: int
    first_read: int
    last_read: int
    last: int

    @staticmethod
    def of_copy(timing: PipelineTiming, reads: int) -> Stages:
        """Return the stages of a copy out that makes up to ``reads`` reads of one stream."""
        last = max(timing.depth_cycles, reads) - 1
        return Stages(timing.ii, last - max(reads, 1) + 1, last, last)

    @staticmethod
    def of(timing: PipelineTiming, reads: int, writes: int, *, flushable: bool) -> Stages:
        """Return the stages of any other pipeline.

        Parameters
        ----------
        reads, writes
            Most accesses that one iteration makes to one stream.
        """
        first = min(1, timing.depth_cycles - 1)
        last_read = first + max(reads, 1) - 1
        apart = 1 if flushable and reads and writes else 0
        last = max(timing.depth_cycles - 1, last_read, last_read + writes - 1 + apart)
        return Stages(timing.ii, first, last_read, last)

    def last_clock(self, iterations: int) -> int:
        """Return the local clock at which the last iteration is in its last stage."""
        return self.ii * (iterations - 1) + self.last

    def clocks(self, pattern: Pattern, *, is_read: bool) -> NDArray[np.int64]:
        """Return the local clock of each access of a pattern."""
        iterations = pattern.iterations
        base = iterations * self.ii
        if pattern.most_per_iteration == 1:
            return base + (self.first_read if is_read else self.last)
        at = np.arange(iterations.size)
        if is_read:
            return base + self.first_read + at - np.searchsorted(iterations, iterations)
        after = np.searchsorted(iterations, iterations, side="right") - 1 - at
        return base + self.last - after

    def iteration(self, clock: int, *, is_read: bool) -> int:
        """Return the iteration that makes an access at a local clock."""
        if is_read:
            return (clock - self.first_read) // self.ii
        return -((self.last - clock) // self.ii)
