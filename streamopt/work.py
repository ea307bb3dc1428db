"""Work in place of time: what algorithms have done, counted alike on every machine.

A search that is given an amount of work ends at the same point whatever runs beside it, so that
the same input gives the same design. Algorithms say how much they do in units of their own, such
as labels or simulated accesses, which are weighted by the time that each takes.
"""

from dataclasses import dataclass
from threading import local


@dataclass(frozen=True, slots=True)
class FrontWork:
    """Of fronts: dropping what is dominated."""

    front: float = 2e-5  # whatever its size
    candidate: float = 4e-7  # a cost of a candidate
    comparison: float = 1.6e-9  # a cost of two candidates that are compared


@dataclass(frozen=True, slots=True)
class RowWork:
    """Of the rows of nodes."""

    vector: float = 4e-8  # a cost of a vector of unroll factors
    way: float = 1.2e-4  # an order and a binding of a node
    row: float = 1.3e-6  # that is kept, or numbered for a search
    filtered: float = 3e-8  # that a horizon leaves or drops
    judgement: float = 3e-4  # of the interval that an array asks for; an estimate


@dataclass(frozen=True, slots=True)
class LabelWork:
    """Of labels."""

    label: float = 4e-9  # a time or an amount of one that is made
    cell: float = 2.8e-7  # one that is put into a cell
    deadline: float = 6e-8  # one that is put into a cell of a grid of deadlines
    trim: float = 1.9e-3  # a component, whatever their number


@dataclass(frozen=True, slots=True)
class PathWork:
    """Of local search and of linear programs."""

    change: float = 1e-7  # a node whose times are found after a change
    path: float = 2e-5  # a node
    pivot: float = 1e-7  # an entry of the factor of a linear system


@dataclass(frozen=True, slots=True)
class DesignWork:
    """Of designs."""

    process: float = 5e-3  # that is lowered, timed and counted
    turn: float = 6e-6  # of a simulated process
    access: float = 1.5e-8  # simulated, at once with others
    visit: float = 1.2e-5  # of a pipeline that takes turns; an estimate
    touch: float = 4e-8  # of a cell, in such visits; an estimate
    partition: float = 1e-2  # a process, by a mixed-integer program
    rewrite: float = 1e-2  # a node of a graph that is rewritten and costed


@dataclass(frozen=True, slots=True)
class WorkTuning:
    """Processor seconds of a unit, by what is done.

    Fitted by nonnegative least squares to spans of a second of opt6 on the 34 problems of the 17
    programs (a server of 2026, CPython 3.11): work is 0.9 to 1.1 of the seconds of all that take
    more than 4 s. Pivots, changes and rewrites, which are few there, are estimates.
    """

    fronts: FrontWork = FrontWork()
    rows: RowWork = RowWork()
    labels: LabelWork = LabelWork()
    paths: PathWork = PathWork()
    designs: DesignWork = DesignWork()


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
