"""How many iterations pipelines that take turns have, bubbles included: counted, not estimated.

Loops are run level by level, with all their points at once. Points that no later bound tells apart
are one with a weight, so that a stencil's steps, which are all alike, are counted once.

A visit has as many iterations as its loops have points and ``warm_up``, at least ``least_cycles``
of them. A loop without iterations is one idle iteration in its place; if it is the outermost of a
visit, that is all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.network import Turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from streamopt.ir.affine import Affine
    from streamopt.ir.network import TurnItem, Turns
    from streamopt.ir.stepping.steps import StepLoop

    Ints = NDArray[np.int64]

IDLE_ITERATIONS = 1
"""Of a visit or a loop that has nothing to do: its counters still move on."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of the loops around, those that are alike in all that matters together.

    Attributes
    ----------
    values
        By iterator.
    weights
        Points that each stands for.
    """

    values: Mapping[str, Ints]
    weights: Ints

    def bounds(self, loop: StepLoop) -> tuple[Ints, Ints]:
        """Return the first value of a loop at each point, and its trip count."""
        lower = np.maximum.reduce([self._at(bound) for bound in loop.lower])
        upper = np.minimum.reduce([self._at(bound) for bound in loop.upper])
        return lower, np.maximum(upper - lower, 0)

    def inside(self, loop: StepLoop, lower: Ints, trips: Ints, needed: frozenset[str]) -> Points:
        """Return the points of a loop inside these, told apart by the iterators needed only."""
        if loop.name not in needed:
            return Points(self.values, self.weights * trips).only(needed)
        place = np.repeat(np.arange(trips.size), trips)
        first = np.cumsum(trips) - trips
        values = {name: own[place] for name, own in self.values.items() if name in needed}
        values[loop.name] = np.arange(place.size) - first[place] + lower[place]
        return Points(values, self.weights[place]).only(needed)

    def only(self, needed: frozenset[str]) -> Points:
        """Return the same points, told apart by the iterators needed only."""
        kept = {name: own for name, own in self.values.items() if name in needed}
        if not kept:
            return Points({}, np.array([self.weights.sum()], np.int64))
        if len(kept) == len(self.values):
            return self
        rows = np.stack(tuple(kept.values()))
        rows, back = np.unique(rows, axis=1, return_inverse=True)
        weights = np.bincount(back.ravel(), self.weights, rows.shape[1]).astype(np.int64)
        return Points(dict(zip(kept, rows, strict=True)), weights)

    def _at(self, bound: Affine) -> Ints:
        return np.broadcast_to(bound.evaluate(self.values), self.weights.shape).astype(np.int64)


START = Points({}, np.ones(1, np.int64))


def iterations_in_turn(turns: Turns) -> int:
    """Return how many iterations pipelines that take turns have, bubbles and idle ones included."""
    return _among(turns.items, START)


def _among(items: Sequence[TurnItem], around: Points) -> int:
    return sum(_of_item(item, around.only(_needed(item))) for item in items)


def _of_item(item: TurnItem, around: Points) -> int:
    if isinstance(item, Turn):
        return _of_visits(item, around)
    lower, trips = around.bounds(item.loop)
    needed = frozenset[str]().union(*map(_needed, item.items))
    idle = int(around.weights[trips == 0].sum()) * IDLE_ITERATIONS
    if not trips.any():
        return idle
    return idle + _among(item.items, around.inside(item.loop, lower, trips, needed))


def _of_visits(turn: Turn, around: Points) -> int:
    return int((visit_iterations(turn, around) * around.weights).sum())


def visit_iterations(turn: Turn, around: Points) -> Ints:
    """Return how many iterations a visit has at each of the points of the loops around it."""
    visit = "visit "  # no iterator has a space
    values = {**around.values, visit: np.arange(around.weights.size)}
    points = Points(values, np.ones_like(around.weights))
    found, has_none = np.zeros_like(around.weights), np.zeros(around.weights.size, np.bool_)
    for at, loop in enumerate(turn.loops):
        lower, trips = points.bounds(loop)
        idle = IDLE_ITERATIONS * points.weights * (trips == 0)
        found += _by_visit(points.values[visit], idle, found.size)
        if at == 0:
            has_none = trips == 0
        points = points.inside(loop, lower, trips, _bounding(turn.loops[at + 1 :]) | {visit})
    found += _by_visit(points.values[visit], points.weights, found.size)
    return np.where(has_none, found, np.maximum(found + turn.warm_up, turn.least_cycles))


def _by_visit(visits: Ints, counts: Ints, size: int) -> Ints:
    return np.bincount(visits, counts, size).astype(np.int64)


def _needed(item: TurnItem) -> frozenset[str]:
    """Return the iterators of loops around an item that its iterations depend on."""
    if isinstance(item, Turn):
        return _bounding(item.loops)
    inside = frozenset[str]().union(*map(_needed, item.items)) - {item.loop.name}
    return inside | _bounding((item.loop,))


def _bounding(loops: Sequence[StepLoop]) -> frozenset[str]:
    """Return the iterators in the bounds of loops."""
    bounds = (bound for loop in loops for bound in (*loop.lower, *loop.upper))
    return frozenset(name for bound in bounds for name in bound.iterators())
