"""Work in place of time: what algorithms have done, counted alike on every machine.

A search that is given an amount of work ends at the same point whatever runs beside it, so that
the same input gives the same design. Algorithms say how much they do in units of their own, such
as labels or simulated accesses, which are weighted by the time that each takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import local

__all__ = ["TUNING", "WorkTuning", "spend", "spent"]


@dataclass(frozen=True, slots=True)
class WorkTuning:
    """Processor seconds of a unit."""

    front: float = 2e-5  # a front of candidates, whatever its size
    candidate: float = 4e-7  # a cost of a candidate for a front
    comparison: float = 1.6e-9  # two candidates that are compared
    vector: float = 4e-8  # a cost of a vector of unroll factors
    way: float = 4.5e-4  # an order and a binding of a node
    row: float = 1.3e-6  # a row that is kept, or numbered for a search
    filtered: float = 3e-8  # a row that a horizon leaves or drops
    label: float = 4e-9  # a time or an amount of a label that is made
    cell: float = 2.8e-7  # a label that is put into a cell
    trim: float = 1.9e-3  # a component of labels, whatever their number
    change: float = 1e-7  # a node whose times are found after a change
    path: float = 2e-5  # a node of paths
    pivot: float = 1e-7  # an entry of a factor of a linear system
    process: float = 5e-3  # a process that is lowered, timed and counted
    turn: float = 6e-6  # a turn of a simulated process
    access: float = 1.5e-8  # a simulated access, at once with others
    rewrite: float = 1e-2  # a node of a graph that is rewritten and costed


TUNING = WorkTuning()


class _Count(local):
    """Of each thread."""

    done = 0.0


_COUNT = _Count()


def spend(work: float) -> None:
    """Count work that is done, in processor seconds as `TUNING` has them."""
    _COUNT.done += work


def spent() -> float:
    """Return the work that this thread has done so far."""
    return _COUNT.done
