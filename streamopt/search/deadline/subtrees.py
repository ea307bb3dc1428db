"""Labels of a subtree: by times and state of its last node, the least DSPs of all its nodes (E26).

A label has absolute times. Within a deadline the DSPs of a subtree are what counts: of two labels
of one state, one that ends no later with no more DSPs is as good for the rest of the tree. Labels
that are close in time fall into one cell of a grid, so that a node has few.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from streamopt.search.labels.component import Mode
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NEVER = 1 << 32
"""DSPs that nobody has."""
MOST_CELLS = 4_000_000
"""Cells of a node's grid, over all states: 32 MB an array."""
LEAST_TIMES, MOST_TIMES = 8, 64
"""Of first writes in it: labels of one cell are not compared."""
MOST_COUNTS = 5
"""DSPs of the limit for a cell, up to which they are what is rounded."""
FEW_DSPS = 1600
"""Limit up to which they always are: on 32 cells a ResNet at 468 DSPs is bounded by 4.3 million
cycles, by 1.1 million with rounded times; on 64 a MobileNet at 677 by 2.3 and 1.5 million."""
LEAST_OF_STEP, CELLS_OF_LABEL = 4, 32
"""Labels of a state and a step of its DSPs: at least, and one more for so many cells."""
SAMPLE = 4096
"""Times that the edges of a grid are chosen from, about."""
_LATEST = np.iinfo(np.int64).max
_MOST_KEYS = 1 << 62


@dataclass(frozen=True, slots=True)
class SubtreeLabels:
    """Labels of the subtree that ends in a node; all arrays have one entry a label."""

    walk: Integers
    """Number of the walk of the node's outgoing channel; `NO_WALK` if it can't stream."""
    factors: dict[int, Integers]
    """By tile class that nodes outside of the subtree share: place of the factor in the class."""
    first_cycles: Integers
    """Of the node's first write, from the start of all."""
    last_cycles: Integers
    dsps: Integers
    """Of the subtree."""
    row: Integers
    """Of the node; of some label of the cell if labels were merged."""
    before: Integers
    """Labels of the node's producers, shape (labels, producers); likewise."""

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.dsps)

    def taken(self, places: Integers) -> Self:
        """Return some of the labels."""
        return replace(
            self,
            walk=self.walk[places],
            factors={index: own[places] for index, own in self.factors.items()},
            first_cycles=self.first_cycles[places],
            last_cycles=self.last_cycles[places],
            dsps=self.dsps[places],
            row=self.row[places],
            before=self.before[places],
        )

    @staticmethod
    def together(parts: Sequence["SubtreeLabels"]) -> "SubtreeLabels":
        """Return the labels of several parts, at least one, which have the same classes."""
        if len(parts) == 1:
            return parts[0]
        return SubtreeLabels(
            np.concatenate([part.walk for part in parts]),
            {
                index: np.concatenate([part.factors[index] for part in parts])
                for index in parts[0].factors
            },
            np.concatenate([part.first_cycles for part in parts]),
            np.concatenate([part.last_cycles for part in parts]),
            np.concatenate([part.dsps for part in parts]),
            np.concatenate([part.row for part in parts]),
            np.concatenate([part.before for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Candidates:
    """Labels of a node before any is dropped; all arrays have one entry a label."""

    row: Integers
    start_cycles: Integers
    """Of the node."""
    last_cycles: Integers
    dsps: Integers
    passing: dict[int, Integers]
    """Factors of the producers' open classes that the node doesn't have, by class."""
    before: Integers
    """Labels of the producers, shape (labels, producers)."""


def numbered(columns: Sequence[Integers], length: int) -> tuple[Integers, int]:
    """Return a number for every row of some columns, the same for equal ones, and how many.

    Parameters
    ----------
    columns
        Integers from -1 up, of that length.
    """
    key, size = np.zeros(length, dtype=np.int64), 1
    for column in columns:
        span = int(column.max(initial=0)) + 2
        if size * span > _MOST_KEYS:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key, size = key * span + column + 1, size * span
    if size > max(1 << 20, 4 * length):
        found, key = np.unique(key, return_inverse=True)
        return key.astype(np.int64), len(found)
    is_there = np.zeros(size, dtype=np.bool_)
    is_there[key] = True
    number = np.cumsum(is_there) - 1
    return number[key], int(number[-1]) + 1


def edges(times: Integers, cells: int) -> Integers:
    """Return at most that many of the times, in rising order, with the earliest among them."""
    step = max(1, len(times) // SAMPLE)
    return _evenly(np.unique(np.append(times[::step], times.min())), cells)


def _evenly(values: Integers, most: int) -> Integers:
    """Return at most so many of some values, the first among them."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).astype(np.int64)]


def thinned(labels: SubtreeLabels, cells: int, mode: Mode, dsp_limit: int) -> SubtreeLabels:
    """Return few labels of every state, which replace all if relaxed, and are some if restricted.

    Relaxed labels have rounded times, or rounded DSPs where the limit on these is low: they lose
    little then, while what times lose grows with the length of a run.
    """
    count = len(labels)
    spend(WORK.labels.deadline * count)
    if not count:
        return labels
    state, states = numbered((labels.walk, *labels.factors.values()), count)
    if mode is Mode.RELAXED and dsp_limit <= max(FEW_DSPS, MOST_COUNTS * cells):
        return _by_steps(labels, (state, states), cells)
    return _by_cells(labels, (state, states), cells, mode)


def _by_cells(
    labels: SubtreeLabels, states: tuple[Integers, int], cells: int, mode: Mode
) -> SubtreeLabels:
    """Return at most one label of a cell of (state, first, last), without dominated cells.

    If relaxed, a label has the least times and DSPs of its cell, each of some label; if restricted,
    it is the one with the fewest DSPs.

    Parameters
    ----------
    states
        The number of each label's state, and how many there are.
    """
    count, (state, most) = len(labels), states
    cells = min(cells, int((MOST_CELLS / most) ** 0.5))
    firsts, lasts = edges(labels.first_cycles, cells), edges(labels.last_cycles, cells)
    shape = (most, len(firsts), len(lasts))
    rise = np.searchsorted(firsts, labels.first_cycles, side="right") - 1
    cell = (state * shape[1] + rise) * shape[2]
    cell += np.searchsorted(lasts, labels.last_cycles, side="right") - 1
    best = np.full(shape, NEVER * count, dtype=np.int64)
    np.minimum.at(best.reshape(-1), cell, labels.dsps * count + np.arange(count))
    dsps = best // count
    kept = np.flatnonzero(_undominated_cells(dsps))
    few = labels.taken((best % count).reshape(-1)[kept])
    if mode is Mode.RESTRICTED:
        return few
    least = np.full((2, best.size), _LATEST, dtype=np.int64)
    np.minimum.at(least[0], cell, labels.first_cycles)
    np.minimum.at(least[1], cell, labels.last_cycles)
    return replace(few, first_cycles=least[0][kept], last_cycles=least[1][kept])


def _undominated_cells(dsps: Integers) -> Flags:
    """Return the cells, of all states, that no cell of earlier times has the DSPs for."""
    reached = np.minimum.accumulate(np.minimum.accumulate(dsps, axis=1), axis=2)
    found: Flags = dsps < NEVER
    found[:, 1:, 1:] &= reached[:, :-1, :-1] > dsps[:, 1:, 1:]
    return found


def _by_steps(labels: SubtreeLabels, states: tuple[Integers, int], cells: int) -> SubtreeLabels:
    """Return relaxed labels: for each step of the DSPs of a state, some of its front of times.

    Neighbours on the front become one where there are too many, with their least times and the
    fewest DSPs of all that they stand for.
    """
    steps = _evenly(np.flatnonzero(np.bincount(labels.dsps)), cells)  # few labels have some
    step = np.searchsorted(steps, labels.dsps, side="right") - 1
    group = states[0] * len(steps) + step
    order, fewest = _fronts(group, labels)
    kept = _undominated(labels, order, group[order], (states[1], len(steps)))
    order, fewest = order[kept], fewest[kept]
    heads = _heads(group[order], max(LEAST_OF_STEP, cells // CELLS_OF_LABEL))
    tails = np.append(heads[1:], len(order)) - 1
    few, last = labels.taken(order[heads]), labels.last_cycles[order[tails]]
    return replace(few, last_cycles=last, dsps=np.minimum.reduceat(fewest, heads))


def _fronts(group: Integers, labels: SubtreeLabels) -> tuple[Integers, Integers]:
    """Return labels by group and rising first write, each with a lower last write than before.

    With each come the fewest DSPs of all labels of the group that it stands for: those that write
    first before the next one does.
    """
    order = np.lexsort((labels.last_cycles, labels.first_cycles, group))
    last = labels.last_cycles[order]
    fall = last - group[order] * (int(last.max()) + 1)  # starts anew in every group
    lowest = np.minimum.accumulate(fall)
    places = np.flatnonzero(np.append(True, fall[1:] < lowest[:-1]))
    return order[places], np.minimum.reduceat(labels.dsps[order], places)


def _undominated(
    labels: SubtreeLabels, order: Integers, group: Integers, shape: tuple[int, int]
) -> Flags:
    """Return which of some labels none of a lower step of DSPs replaces, as far as cells show.

    Parameters
    ----------
    group
        Of each of these labels: its step of DSPs, of all states.
    shape
        Numbers of states and of steps.
    """
    first, last = labels.first_cycles[order], labels.last_cycles[order]
    times = edges(first, max(LEAST_TIMES, min(MOST_TIMES, MOST_CELLS // (shape[0] * shape[1]))))
    time = np.searchsorted(times, first, side="right") - 1
    earliest = np.full((*shape, len(times)), _LATEST, dtype=np.int64)
    np.minimum.at(earliest.reshape(-1), group * len(times) + time, last)
    earliest = np.minimum.accumulate(np.minimum.accumulate(earliest, axis=1), axis=2)
    state, step = np.divmod(group, shape[1])
    known: Flags = (step > 0) & (time > 0) & (earliest[state, step - 1, time - 1] <= last)
    return ~known


def _heads(group: Integers, most: int) -> Integers:
    """Return where the runs begin that sorted groups are cut into, at most so many a group."""
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    sizes = np.diff(np.append(starts, len(group)))
    size = np.repeat(sizes, sizes)
    rank = np.arange(len(group)) - np.repeat(starts, sizes)
    run = rank * np.minimum(size, most) // size
    return np.flatnonzero((rank == 0) | np.append(True, run[1:] != run[:-1]))
