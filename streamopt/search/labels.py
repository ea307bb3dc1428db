"""Sets of labels: partial schedules by what the rest of the graph sees of them.

A label has a state (which must match), times and DSPs (better when smaller). Filters keep, of
every state, the labels that no other one equals or beats in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

__all__ = ["SearchTooLargeError", "codes", "joined", "minimal"]

BLOCK = 256
"""Labels, or states of few labels, that are compared at a time."""
FEW = 24
"""Labels of a state that are compared all with all."""
MOST_PAIRS = 6_000_000
"""Labels of a component before it is trimmed: about 1 GB."""


class SearchTooLargeError(Exception):
    """Too many states are open at once for this search."""


def codes(columns: Integers) -> Integers:
    """Return one number for every row, equal where the rows are equal; shape (rows,)."""
    result = np.zeros(len(columns), dtype=np.int64)
    for column in columns.T:
        _, place = np.unique(column, return_inverse=True)
        result = result * (int(place.max(initial=0)) + 1) + place.ravel()
        if result.max(initial=0) > 1 << 40:
            result = np.unique(result, return_inverse=True)[1].ravel()
    return result


def joined(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Return all pairs of rows that are equal, as positions in each; both have equal columns.

    Raises
    ------
    SearchTooLargeError
        If there are more than `MOST_PAIRS`.
    """
    both = codes(np.concatenate([left, right]))
    first, second = both[: len(left)], both[len(left) :]
    ranked = np.argsort(second, kind="stable")
    low = np.searchsorted(second[ranked], first, side="left")
    count = np.searchsorted(second[ranked], first, side="right") - low
    if count.sum() > MOST_PAIRS:
        raise SearchTooLargeError
    lefts = np.repeat(np.arange(len(left)), count)
    inside = np.arange(len(lefts)) - np.repeat(np.cumsum(count) - count, count)
    return lefts, ranked[np.repeat(low, count) + inside]


def minimal(state: Integers, costs: Integers) -> Integers:
    """Return positions of the labels that are worth keeping, ordered by state.

    Parameters
    ----------
    state
        Code of every label's state.
    costs
        Shape (labels, costs); a label that another of its state equals or beats everywhere goes.
    """
    kept = np.arange(len(state))
    for first in range(costs.shape[1] if costs.shape[1] > 2 else 1):
        kept = kept[_survivors(state[kept], np.roll(costs[kept], -first, axis=1))]
    return kept if costs.shape[1] <= 2 else _exact(state, costs, kept)


def _exact(state: Integers, costs: Integers, kept: Integers) -> Integers:
    """Return those of the places that no other of their state beats, state by state."""
    ranked = kept[np.lexsort((*costs[kept].T[::-1], state[kept]))]
    heads = np.flatnonzero(np.r_[True, np.diff(state[ranked]) != 0]) if len(ranked) else ranked
    sizes = np.diff(np.r_[heads, len(ranked)])
    keep = np.ones(len(ranked), dtype=bool)
    for head, size in zip(heads[sizes > FEW], sizes[sizes > FEW], strict=True):
        keep[head : head + size] = _front(costs[ranked[head : head + size]])
    few = (sizes > 1) & (sizes <= FEW)
    for low in range(0, int(few.sum()), BLOCK):
        _small_fronts(costs[ranked], heads[few][low:][:BLOCK], sizes[few][low:][:BLOCK], keep)
    return ranked[keep]


def _small_fronts(costs: Integers, heads: Integers, sizes: Integers, keep: Flags) -> None:
    """Clear the flags of beaten rows in many short runs of rows at once."""
    place = np.arange(FEW)
    inside = place < sizes[:, None]
    rows = np.where(inside, heads[:, None] + place, heads[:, None])
    beats = np.tril(np.ones((FEW, FEW), dtype=bool), -1) & inside[:, None, :] & inside[:, :, None]
    for column in costs.T:
        values = column[rows]
        beats &= values[:, None, :] <= values[:, :, None]
    beaten = beats.any(axis=2)
    keep[rows[beaten & inside]] = False


def _front(costs: Integers) -> Flags:
    """Return which rows no earlier row beats; the rows are in lexicographic order."""
    keep = np.ones(len(costs), dtype=bool)
    for low in range(0, len(costs), BLOCK):
        block = slice(low, low + BLOCK)
        front = costs[:low][keep[:low]]
        keep[block] = ~_beaten(costs[block], front)
        inside = np.flatnonzero(keep[block]) + low
        own = costs[inside]
        keep[inside] = ~np.tril(_beats(own, own), -1).any(axis=1)
    return keep


def _beaten(costs: Integers, front: Integers) -> Flags:
    return np.asarray(_beats(costs, front).any(axis=1), dtype=np.bool_)


def _beats(costs: Integers, others: Integers) -> Flags:
    """Return for every row and every other one whether the other equals or beats it."""
    beats = np.ones((len(costs), len(others)), dtype=bool)
    for column in range(costs.shape[1]):
        beats &= others[:, column] <= costs[:, column, None]
    return beats


def _survivors(state: Integers, costs: Integers) -> Integers:
    """Drop labels that the best so far in some cost, in lexicographic order, beats.

    With two costs nothing else can beat a label; with more, this makes short work of most.
    """
    ranked = np.lexsort((*costs.T[::-1], state))
    ordered, group = costs[ranked], state[ranked]
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]]) if len(group) else group
    keep = np.ones(len(ranked), dtype=bool)
    segment = np.cumsum(np.r_[False, group[1:] != group[:-1]]) if len(group) else group
    for column in range(1, costs.shape[1]):
        best = _running_best(ordered[:, column], segment)
        beaten = (ordered[best] <= ordered).all(axis=1) & (best != np.arange(len(best)))
        keep &= ~beaten
    keep[starts] = True
    return np.sort(ranked[keep])


def _running_best(values: Integers, segment: Integers) -> Integers:
    """Return, for every place, where the least value of its segment up to there first is."""
    if not len(values):
        return np.empty(0, dtype=np.int64)
    span = int(values.max() - values.min()) + 1
    shifted = values - values.min() - segment * span  # a later segment is below all earlier ones
    least = np.minimum.accumulate(shifted)
    fresh = np.r_[True, least[1:] < least[:-1]]
    return np.maximum.accumulate(np.where(fresh, np.arange(len(values)), 0))
