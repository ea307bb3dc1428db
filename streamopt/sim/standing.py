"""When a stalling pipeline stood still, from the cycles of its accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.sim.state import Run

    Cycles = NDArray[np.int64]

__all__ = ["standing_cycles"]


def standing_cycles(run: Run, borders: Cycles) -> tuple[int, ...]:
    """Return how long a process stood still within each span between two borders.

    Between two accesses a pipeline's clock runs as far as their clocks are apart; what is more
    between their cycles was waited, right before the second one.

    Parameters
    ----------
    borders
        Ascending cycles, one more than there are spans.
    """
    ends, waits = _waits(run)
    total = np.concatenate([[0], np.cumsum(waits)])
    passed = np.searchsorted(ends, borders, side="right")
    until = total[passed]
    later = passed < ends.size
    coming = passed[later]
    until[later] += np.maximum(borders[later] - (ends[coming] - waits[coming]), 0)
    return tuple(np.diff(until).tolist())


def _waits(run: Run) -> tuple[Cycles, Cycles]:
    """Return the ends and lengths of all waits, in order."""
    seen: dict[tuple[int, bool], int] = {}
    ends: list[Cycles] = [np.empty(0, np.int64)]
    waits: list[Cycles] = [np.empty(0, np.int64)]
    for begun in run.history:
        clocks: list[Cycles] = [np.empty(0, np.int64)]
        cycles: list[Cycles] = [np.empty(0, np.int64)]
        for access in begun.accesses:
            key = (id(access.channel), access.is_read)
            first = seen.get(key, 0)
            seen[key] = first + access.done
            times = access.channel.read if access.is_read else access.channel.written
            clocks.append(access.clocks[: access.done])
            cycles.append(times[first : first + access.done])
        order = np.argsort(np.concatenate(clocks), kind="stable")
        at = np.concatenate(cycles)[order]
        shifts = at - np.concatenate(clocks)[order]
        waited = np.diff(shifts, prepend=begun.start)
        ends.append(at[waited > 0])
        waits.append(waited[waited > 0])
    return np.concatenate(ends), np.concatenate(waits)
