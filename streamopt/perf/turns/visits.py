"""Visits of pipelines that take turns: at which points of the loops around, and how long.

Loops are run level by level, outermost first, all points of a level at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.analysis.counting import LoopGrid
from streamopt.ir.network import Turn, turns_among
from streamopt.ir.stepping.steps import bounding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.network import TurnItem, Turns
    from streamopt.ir.stepping.steps import StepLoop

    Integers = npt.NDArray[np.int64]

MOST_POINTS = 4_000_000
"""Points of a level that are enumerated at most."""


class TooManyPointsError(Exception):
    """Loops have more points than are enumerated."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopPoints:
    """Points of some loops, in order."""

    values: Mapping[str, Integers]
    """By iterator."""
    times: Integers
    """How often each stands for others that are alike."""
    keys: tuple[Integers, ...] = ()
    """Order of points of different places of a tree: the most significant first."""

    def extents(self, loop: StepLoop) -> tuple[Integers, Integers]:
        """Return the first value of a loop at each point, and its trip count."""
        return LoopGrid(self.values, self.times.size).extents(loop)

    def where(self, chosen: npt.NDArray[np.bool_]) -> LoopPoints:
        """Return some of the points."""
        values = {name: own[chosen] for name, own in self.values.items()}
        return LoopPoints(values, self.times[chosen], tuple(key[chosen] for key in self.keys))

    def inside(self, loop: StepLoop, trips: Integers | None = None) -> LoopPoints:
        """Return the points of a loop inside these.

        Parameters
        ----------
        trips
            Its iterations at each point, if not those between its bounds.

        Raises
        ------
        TooManyPointsError
            If there are more than are enumerated.
        """
        lower, own = self.extents(loop)
        trips = own if trips is None else trips
        total = int(trips.sum())
        if total > MOST_POINTS:
            raise TooManyPointsError
        place = np.repeat(np.arange(trips.size), trips)
        inner = np.arange(total) - (np.cumsum(trips) - trips - lower)[place]
        values = {name: own[place] for name, own in self.values.items()}
        ends = np.diff(place, append=-1) != 0
        return LoopPoints(
            {**values, loop.name: inner, LAST: ends.astype(np.int64)},
            self.times[place],
            (*(key[place] for key in self.keys), inner),
        )

    def many(self, trips: Integers) -> LoopPoints:
        """Return the same points, each so many times."""
        return LoopPoints(self.values, self.times * trips, self.keys).where(trips > 0)

    def many_and_last(self, trips: Integers) -> LoopPoints:
        """Return the same points, each so many times; those at the last of them apart."""
        others, last = np.maximum(trips - 1, 0), np.minimum(trips, 1)
        twice = {name: np.tile(own, 2) for name, own in self.values.items()}
        twice[LAST] = np.repeat(np.arange(2), trips.size)
        times = np.concatenate((self.times * others, self.times * last))
        both = LoopPoints(twice, times, tuple(np.tile(key, 2) for key in self.keys))
        return both.where(times > 0)

    def having(self, name: str, values: Integers) -> LoopPoints:
        """Return the points with another value each."""
        return replace(self, values={**self.values, name: values})

    def then(self, place: int) -> LoopPoints:
        """Return the points at a place of a sequence."""
        return replace(self, keys=(*self.keys, np.full(self.times.shape, place, np.int64)))


VISIT, IDLE, LAST = "visit ", "idle ", "last "
"""Values of iterations, and whether points are in the last iteration of the innermost loop; no
iterator has a space."""

START = LoopPoints({LAST: np.ones(1, np.int64)}, np.ones(1, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """Visits of one pipeline, or idle iterations where a loop has none."""

    turn: int
    """Place of the pipeline among those that take turns; -1 for idle iterations."""
    points: LoopPoints
    iterations: Integers
    """Of each visit: 0 for those without work."""


def visits(turns: Turns, apart: Callable[[StepLoop], bool] = lambda _: True) -> Iterator[Visits]:
    """Yield the visits of pipelines in turn, in the order of the tree.

    Parameters
    ----------
    apart
        Whether iterations of a loop around are told apart; those of others are one, many times.

    Raises
    ------
    TooManyPointsError
        If loops have more than are enumerated.
    """
    names = {pipeline: place for place, pipeline in enumerate(turns.pipelines)}

    def among(items: Sequence[TurnItem], around: LoopPoints) -> Iterator[Visits]:
        for place, item in enumerate(items):
            here = around.then(place)
            if isinstance(item, Turn):
                yield Visits(names[item.pipeline], here, iteration_counts(item.loops, here))
                continue
            _, trips = here.extents(item.loop)
            idle = here.where(trips == 0)
            if idle.times.size:
                yield Visits(-1, idle, np.zeros_like(idle.times))
            inside = here.inside(item.loop) if apart(item.loop) else here.many_and_last(trips)
            if inside.times.size:
                yield from among(item.items, inside)

    return among(turns.items, START)


def iteration_counts(loops: Sequence[StepLoop], around: LoopPoints) -> Integers:
    """Return how many iterations tile loops have at each of the points around them.

    A loop without iterations takes an idle one: hardware can't skip it. A visit whose outermost
    loop has none has none.
    """
    needed = [bounding(loops[at:]) for at in range(len(loops))]
    points = _iterations(
        loops, around, [loop.name in own for loop, own in zip(loops, needed, strict=True)]
    )
    counts = np.bincount(points.values[VISIT], points.times, around.times.size)
    return counts.astype(np.int64)


def iterations_of(loops: Sequence[StepLoop], around: LoopPoints) -> LoopPoints:
    """Return the iterations of visits at some points, in order.

    They have two more values: `VISIT`, the place of the point around, and `IDLE`.

    Raises
    ------
    TooManyPointsError
        If there are more than are enumerated.
    """
    return _iterations(loops, around, [True] * len(loops))


def _iterations(loops: Sequence[StepLoop], around: LoopPoints, apart: Sequence[bool]) -> LoopPoints:
    size = around.times.size
    points = LoopPoints(
        {**around.values, VISIT: np.arange(size), IDLE: np.zeros(size, np.int64)},
        np.ones(size, np.int64),
    )
    for at, (loop, is_apart) in enumerate(zip(loops, apart, strict=True)):
        _, trips = points.extents(loop)
        if at:
            points = points.having(IDLE, points.values[IDLE] | (trips == 0))
            trips = np.where(points.values[IDLE], IDLE_ITERATIONS, trips)
        points = points.inside(loop, trips) if is_apart else points.many(trips)
    return points


IDLE_ITERATIONS = 1
"""Of a loop that has nothing to do: its counters still move on."""


def loops_of(items: Sequence[TurnItem]) -> Iterator[StepLoop]:
    """Yield all loops of a tree."""
    for item in items:
        if isinstance(item, Turn):
            yield from item.loops
        else:
            yield item.loop
            yield from loops_of(item.items)


@dataclass(frozen=True, slots=True, eq=False)
class VisitCounts:
    """How long the visits of pipelines in turn are without waiting, those alike together."""

    by_turn: tuple[tuple[Integers, Integers, Integers], ...]
    """For each pipeline: iterations, how many visits have so many, and whether these are the last
    of the loop around."""
    idle: int
    """Iterations in which there is nothing to do."""

    def total(self, least: Sequence[int], last: Sequence[int] = ()) -> int:
        """Return the iterations of all visits, where those of each pipeline have some at least.

        Parameters
        ----------
        last
            That the last ones have at least.
        """
        found = self.idle
        lengths = zip(least, last or least, strict=True)
        for (sizes, times, is_last), (shortest, at_end) in zip(self.by_turn, lengths, strict=True):
            shorter = np.maximum(shortest, is_last * at_end)
            found += int((np.maximum(sizes, shorter) * times).sum())
        return found


def visit_counts(turns: Turns) -> VisitCounts:
    """Return the visits of pipelines in turn, counted exactly.

    Raises
    ------
    TooManyPointsError
        If loops have more than are enumerated.
    """
    needed = bounding(loops_of(turns.items))
    found = [_NO_VISITS for _ in turns_among(turns.items)]
    idle = 0
    for each in visits(turns, lambda loop: loop.name in needed):
        empty = each.iterations == 0
        idle += int(each.points.times[empty].sum()) * IDLE_ITERATIONS
        if each.turn < 0:
            continue
        codes = each.iterations * 2 + each.points.values[LAST]
        codes, place = np.unique(codes[~empty], return_inverse=True)
        times = np.bincount(place.ravel(), each.points.times[~empty], codes.size)
        found[each.turn] = codes // 2, times.astype(np.int64), codes % 2
    return VisitCounts(tuple(found), idle)


_NO_VISITS = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))


def iterations_in_turn(turns: Turns) -> int:
    """Return the iterations of pipelines in turn: all visits, as long as they are, and idle ones.

    Raises
    ------
    TooManyPointsError
        If loops have more than are enumerated.
    """
    own = tuple(turns_among(turns.items))
    least, last = [turn.least_cycles for turn in own], [turn.last_cycles for turn in own]
    return visit_counts(turns).total(least, last)
