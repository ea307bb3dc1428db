"""The iterations of pipelines that take turns: how many there are, and which one starts when.

Loops are run level by level, with all their points at once. Points that no later bound tells apart
are looked at once, so that a stencil's steps, which are all alike, cost as much as one.

A visit has as many iterations as its loops have points, at least ``least_cycles`` of them, and
``last_cycles`` in the last iteration of the loop around. A loop without iterations is one idle
iteration in its place; if it is the outermost of a visit, that is all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.affine import Affine
from streamopt.ir.network import Turn, TurnItem, Turns
from streamopt.ir.stepping.steps import StepLoop, bounding

Ints = NDArray[np.int64]

IDLE_ITERATIONS = 1
"""Of a loop that has none: its counter still moves on."""
IS_LAST = "is last"
"""Value of a point: whether the innermost loop around is in its last iteration."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of the loops around, by iterator."""

    values: Mapping[str, Ints]
    size: int

    def bounds(self, loop: StepLoop) -> tuple[Ints, Ints]:
        """Return the first value of a loop at each point, and its trip count."""
        lower = np.maximum.reduce([self._at(bound) for bound in loop.lower])
        upper = np.minimum.reduce([self._at(bound) for bound in loop.upper])
        return lower, np.maximum(upper - lower, 0)

    def inside(self, loop: StepLoop) -> tuple[Points, Ints]:
        """Return the points of a loop at these, in order, and the point around each."""
        lower, trips = self.bounds(loop)
        around = np.repeat(np.arange(self.size), trips)
        first = np.cumsum(trips) - trips
        own = np.arange(around.size) - first[around] + lower[around]
        values = {name: each[around] for name, each in self.values.items()}
        return Points({**values, loop.name: own}, around.size), around

    def distinct(self, names: frozenset[str]) -> tuple[Points, Ints]:
        """Return the points that some iterators tell apart, and which of them each point is."""
        kept = [name for name in self.values if name in names]
        if not kept:
            return Points({}, 1), np.zeros(self.size, np.int64)
        if len(kept) == len(self.values):
            return self, np.arange(self.size)
        rows = np.stack([self.values[name] for name in kept])
        rows, back = np.unique(rows, axis=1, return_inverse=True)
        return Points(dict(zip(kept, rows, strict=True)), rows.shape[1]), back.ravel()

    def having(self, name: str, values: Ints | int) -> Points:
        """Return the points with another value each."""
        own = np.broadcast_to(np.asarray(values, np.int64), self.size)
        return Points({**self.values, name: own}, self.size)

    def chosen(self, which: NDArray[np.bool_]) -> Points:
        """Return some of the points."""
        values = {name: own[which] for name, own in self.values.items()}
        return Points(values, int(which.sum()))

    def _at(self, bound: Affine) -> Ints:
        return np.broadcast_to(bound.evaluate(self.values), self.size).astype(np.int64)


START = Points({IS_LAST: np.ones(1, np.int64)}, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Issued:
    """Iterations of one of the pipelines, each with its number among all, in order."""

    turn: Turn
    points: Points
    """Of all loops around."""
    numbers: Ints


def iterations_in_turn(turns: Turns) -> int:
    """Return how many iterations pipelines that take turns have, bubbles and idle ones included."""
    return int(_together(turns.items, START).sum())


def issued(turns: Turns, windows: Ints) -> Iterator[Issued]:
    """Yield the iterations that are neither bubbles nor idle, of one pipeline after another.

    Parameters
    ----------
    windows
        Ascending numbers of iterations: those from the first to the second, third to fourth, ...
    """
    yield from _issued_among(turns.items, START, np.zeros(1, np.int64), windows)


def _issued_among(
    items: Sequence[TurnItem], around: Points, starts: Ints, windows: Ints
) -> Iterator[Issued]:
    """Yield the iterations of items at points that start at given iterations."""
    for item in items:
        lengths = _iterations(item, around)
        seen = _within(starts, lengths, windows)
        points, first = around.chosen(seen), starts[seen]
        starts = starts + lengths
        if isinstance(item, Turn):
            points = Points({k: v for k, v in points.values.items() if k != IS_LAST}, points.size)
            points, numbers = _rows(item.loops, points, first, windows)
            yield Issued(item, points, numbers)
        else:
            inner, place = _turned(points, item.loop)
            begins = _one_after_another(first, place, _together(item.items, inner))
            yield from _issued_among(item.items, inner, begins, windows)


def _rows(
    loops: Sequence[StepLoop], points: Points, starts: Ints, windows: Ints
) -> tuple[Points, Ints]:
    """Return the points of a visit's loops that start within windows, and their numbers."""
    for at, loop in enumerate(loops):
        points, place = points.inside(loop)
        lengths = _nest_iterations(loops[at + 1 :], points)
        starts = _one_after_another(starts, place, lengths)
        seen = _within(starts, lengths, windows)
        points, starts = points.chosen(seen), starts[seen]
    seen = _within(starts, np.ones_like(starts), windows)
    return points.chosen(seen), starts[seen]


def _one_after_another(starts: Ints, place: Ints, lengths: Ints) -> Ints:
    """Return the starts of what follows each other at each of several places."""
    passed = np.cumsum(lengths) - lengths
    fresh = np.diff(place, prepend=-1) != 0
    origin = np.maximum.accumulate(np.where(fresh, np.arange(place.size), 0))
    return starts[place] + passed - passed[origin]


def _within(starts: Ints, lengths: Ints, windows: Ints) -> NDArray[np.bool_]:
    """Return which spans of iterations have one inside a window."""
    passed = np.searchsorted(windows, starts, side="right")
    is_inside = passed % 2 == 1
    following = np.append(windows, np.iinfo(np.int64).max)[passed]
    return (is_inside | (following < starts + lengths)) & (lengths > 0)


def _together(items: Sequence[TurnItem], around: Points) -> Ints:
    """Return the iterations of items at each point of the loops around."""
    return sum((_iterations(item, around) for item in items), np.zeros(around.size, np.int64))


def _iterations(item: TurnItem, around: Points) -> Ints:
    """Return the iterations of an item at each point of the loops around."""
    points, back = around.distinct(_needed(item))
    if isinstance(item, Turn):
        return _visit_iterations(item, points)[back]
    trips = points.bounds(item.loop)[1]
    idle = np.where(trips == 0, IDLE_ITERATIONS, 0)
    if item.loop.name not in frozenset[str]().union(*map(_needed, item.items)):
        once, last = (_together(item.items, points.having(IS_LAST, flag)) for flag in (0, 1))
        return (idle + np.where(trips > 0, (trips - 1) * once + last, 0))[back]
    inner, place = _turned(points, item.loop)
    return (idle + _by_place(place, _together(item.items, inner), points.size))[back]


def _turned(points: Points, loop: StepLoop) -> tuple[Points, Ints]:
    """Return the points of a loop around pipelines, which know its last iteration."""
    inner, place = points.inside(loop)
    return inner.having(IS_LAST, np.diff(place, append=-1) != 0), place


def _visit_iterations(turn: Turn, points: Points) -> Ints:
    least: Ints | int = turn.least_cycles
    if turn.last_cycles > turn.least_cycles:
        least = np.where(points.values[IS_LAST] > 0, turn.last_cycles, turn.least_cycles)
    busy = np.maximum(_nest_iterations(turn.loops, points), least)
    if not turn.loops:
        return busy
    return np.where(points.bounds(turn.loops[0])[1] == 0, IDLE_ITERATIONS, busy)


def _nest_iterations(loops: Sequence[StepLoop], around: Points) -> Ints:
    """Return the iterations of loops inside each other at each point of those around."""
    if not loops:
        return np.ones(around.size, np.int64)
    points, back = around.distinct(bounding(loops))
    first, *rest = loops
    trips = points.bounds(first)[1]
    idle = np.where(trips == 0, IDLE_ITERATIONS, 0)
    if first.name not in bounding(rest):
        return (idle + trips * _nest_iterations(rest, points))[back]
    inner, place = points.inside(first)
    return (idle + _by_place(place, _nest_iterations(rest, inner), points.size))[back]


def _by_place(place: Ints, counts: Ints, size: int) -> Ints:
    return np.bincount(place, counts, size).astype(np.int64)


def _needed(item: TurnItem) -> frozenset[str]:
    """Return the iterators of loops around an item that its iterations depend on."""
    if isinstance(item, Turn):
        is_longer = item.last_cycles > item.least_cycles
        return bounding(item.loops) | {*[IS_LAST] * is_longer}
    inside = frozenset[str]().union(*map(_needed, item.items))
    return (inside - {item.loop.name, IS_LAST}) | bounding((item.loop,))
