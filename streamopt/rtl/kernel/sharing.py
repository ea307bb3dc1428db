"""Lanes that share operators, where iterations start every few cycles: who takes which, and when.

An iteration that starts every ``ii`` cycles leaves each operator free in all but one of them, so a
lane takes one in the first cycle from that of its operands on whose remainder by ``ii`` is free: a
reservation table of as many operators as the lanes need, and no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

SHARED_LEVELS = 2
"""Registers from which an operator is worth the multiplexers in front of it."""


@dataclass(frozen=True, slots=True)
class SharedStart:
    """The start of an operation of one lane."""

    stage: int
    unit: int
    """Number of its operator."""


@dataclass(frozen=True, slots=True)
class TreeStep:
    """Two terms of a sum combined to the next one."""

    group: int
    # left, right: numbers of terms; results are behind the lanes' terms
    left: int
    right: int
    start: SharedStart


class ReservationTable:
    """Operators and the remainders of cycles in which they are taken."""

    def __init__(self, operations: int, interval: int) -> None:
        self._interval = interval
        self._units = -(-operations // interval)
        self._taken: Counter[int] = Counter()

    def take(self, ready: int) -> SharedStart:
        """Return the first start from a stage on at which an operator is free, and take it."""
        stage = next(
            ready + wait
            for wait in range(self._interval)
            if self._taken[(ready + wait) % self._interval] < self._units
        )
        unit = self._taken[stage % self._interval]
        self._taken[stage % self._interval] += 1
        return SharedStart(stage, unit)


def share(readies: Sequence[int], interval: int) -> tuple[SharedStart, ...]:
    """Return the starts of lanes whose operands are there in given stages."""
    table = ReservationTable(len(readies), interval)
    found: dict[int, SharedStart] = {}
    for ready, at in sorted((ready, at) for at, ready in enumerate(readies)):
        found[at] = table.take(ready)
    return tuple(found[at] for at in range(len(readies)))


def share_trees(
    groups: Sequence[Sequence[int]], interval: int, levels: int
) -> tuple[tuple[TreeStep, ...], tuple[int, ...]]:
    """Return how terms that are there in given stages are combined, and when each sum is there.

    The two terms of a group that are there first are combined first.

    Parameters
    ----------
    levels
        Of one operator.
    """
    table = ReservationTable(sum(len(group) - 1 for group in groups), interval)
    waiting = [[(ready, at) for at, ready in enumerate(group)] for group in groups]
    for terms in waiting:
        heapify(terms)
    count = [len(group) for group in groups]
    due = [(_second(terms), at) for at, terms in enumerate(waiting) if len(terms) > 1]
    heapify(due)
    steps: list[TreeStep] = []
    while due:
        ready, group = heappop(due)
        terms = waiting[group]
        (_, left), (_, right) = heappop(terms), heappop(terms)
        start = table.take(ready)
        steps.append(TreeStep(group, left, right, start))
        heappush(terms, (start.stage + levels, count[group]))
        count[group] += 1
        if len(terms) > 1:
            heappush(due, (_second(terms), group))
    return tuple(steps), tuple(terms[0][0] for terms in waiting)


def _second(terms: Sequence[tuple[int, int]]) -> int:
    """Return when the second of the terms in a heap is there."""
    return min(terms[1:3])[0]
