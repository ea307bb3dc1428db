"""Fronts: of many candidates, those that no other one of their group equals or beats everywhere.

Candidates of one group differ in costs only, all of them better when smaller.
"""

import numpy as np
import numpy.typing as npt

from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

BLOCK = 256
"""Candidates, or groups of few candidates, that are compared at a time."""
DIRECT = 160
"""Candidates of all groups that are compared all with all."""
FEW = 24
"""Candidates of a group that are compared all with all."""


def minimal(group: Integers, costs: Integers) -> Integers:
    """Return positions of the candidates that are worth keeping; of equal ones, the first.

    Parameters
    ----------
    group
        Number of every candidate's group.
    costs
        Shape (candidates, costs).
    """
    if costs.shape[1] == 1:
        costs = np.repeat(costs, 2, axis=1)
    spend(WORK.fronts.front + WORK.fronts.candidate * costs.size)
    if len(group) <= DIRECT:
        ranked = _direct(group, costs)
        return ranked if costs.shape[1] > 2 else np.sort(ranked)
    kept = np.arange(len(group))
    for first in range(costs.shape[1] if costs.shape[1] > 2 else 1):
        kept = kept[_survivors(group[kept], np.roll(costs[kept], -first, axis=1))]
    return kept if costs.shape[1] <= 2 else _exact(group, costs, kept)


def _direct(group: Integers, costs: Integers) -> Integers:
    """Return the places of so few candidates that all can be compared with all at once."""
    ranked = np.lexsort((*costs.T[::-1], group))
    own, groups = costs[ranked], group[ranked]
    beaten = np.tril(_beats(own, own) & (groups == groups[:, None]), -1).any(axis=1)
    return np.asarray(ranked[~beaten], dtype=np.int64)


def _exact(group: Integers, costs: Integers, kept: Integers) -> Integers:
    """Return those of the places that no other of their group beats, group by group."""
    ranked = kept[np.lexsort((*costs[kept].T[::-1], group[kept]))]
    heads = np.flatnonzero(np.r_[True, np.diff(group[ranked]) != 0]) if len(ranked) else ranked
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
    spend(WORK.fronts.comparison * beats.size * costs.shape[1])
    for column in range(costs.shape[1]):
        beats &= others[:, column] <= costs[:, column, None]
    return beats


def _survivors(groups: Integers, costs: Integers) -> Integers:
    """Drop candidates that the best so far in some cost, in lexicographic order, beats.

    With two costs nothing else can beat one; with more, this makes short work of most.
    """
    ranked = np.lexsort((*costs.T[::-1], groups))
    columns, group = np.ascontiguousarray(costs[ranked].T), groups[ranked]
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]]) if len(group) else group
    keep = np.ones(len(ranked), dtype=bool)
    segment = np.cumsum(np.r_[False, group[1:] != group[:-1]]) if len(group) else group
    for first in columns[1:]:
        best = _running_best(first, segment)
        beaten = np.flatnonzero(keep & (best != np.arange(len(best))))
        for column in columns:
            beaten = beaten[column[best[beaten]] <= column[beaten]]
        keep[beaten] = False
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
