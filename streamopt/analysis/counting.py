"""Points of loops with affine bounds, level by level: how often a statement runs, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.affine import Affine
from streamopt.ir.algebra.evaluation import evaluate
from streamopt.ir.expression import Condition, affine_conjuncts

Ints = NDArray[np.int64]

CHUNK_POINTS = 4_000_000
"""Points that are looked at together; bounds the memory that counting takes."""


class BoundedLoop(Protocol):
    """A loop from the highest of some values to the lowest of others, this one excluded."""

    @property
    def lower(self) -> tuple[Affine, ...]:
        """Return the bounds below, over iterators around."""
        ...

    @property
    def upper(self) -> tuple[Affine, ...]:
        """Return the bounds above, over iterators around."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LoopGrid:
    """Points of some loops, in order, by iterator."""

    values: Mapping[str, Ints]
    size: int

    def extents(self, loop: BoundedLoop) -> tuple[Ints, Ints]:
        """Return the first value of a loop at each point, and its trip count."""
        lower = np.maximum.reduce([self.at(bound) for bound in loop.lower])
        upper = np.minimum.reduce([self.at(bound) for bound in loop.upper])
        return lower, np.maximum(upper - lower, 0)

    def at(self, value: Affine) -> Ints:
        """Return the value of an expression at each point."""
        return np.broadcast_to(value.evaluate(self.values), self.size).astype(np.int64, copy=False)

    def inside(self, name: str, lower: Ints, trips: Ints, most: int = 0) -> LoopGrid:
        """Return the points of a loop of that name inside these.

        Parameters
        ----------
        most
            Iterations that are taken of the first, and of the last; 0 for all.
        """
        kept = np.minimum(trips, 2 * most) if most else trips
        around = np.repeat(np.arange(self.size), kept)
        step = np.arange(around.size) - (np.cumsum(kept) - kept)[around]
        if most:
            step = np.where(step < most, step, step + (trips - kept)[around])
        values = {each: own[around] for each, own in self.values.items()}
        return LoopGrid({**values, name: step + lower[around]}, around.size)

    def blocks(
        self, name: str, lower: Ints, trips: Ints, most: int = CHUNK_POINTS
    ) -> Iterator[tuple[Ints, LoopGrid]]:
        """Yield the points of a loop inside these, some at a time, with the place around each.

        Parameters
        ----------
        most
            Points of a block.
        """
        ends, total = np.cumsum(trips), int(trips.sum())
        for first in range(0, total, most):
            flat = np.arange(first, min(first + most, total))
            around = np.searchsorted(ends, flat, side="right")
            own = flat + (lower - ends + trips)[around]
            values = {each: column[around] for each, column in self.values.items()}
            yield around, LoopGrid({**values, name: own}, flat.size)

    def where(self, conditions: Sequence[Condition]) -> LoopGrid:
        """Return the points at which affine conditions hold."""
        holds = np.ones(self.size, np.bool_)
        for condition in conditions:
            holds &= evaluate(condition, self.values)
        if holds.all():
            return self
        values = {each: own[holds] for each, own in self.values.items()}
        return LoopGrid(values, int(holds.sum()))

    def part(self, start: int, end: int) -> LoopGrid:
        """Return the points from one place to another."""
        values = {each: own[start:end] for each, own in self.values.items()}
        return LoopGrid(values, max(0, min(end, self.size) - start))


ONE_POINT = LoopGrid({}, 1)


def executions(loops: Sequence[tuple[str, BoundedLoop]], guards: Sequence[Condition] = ()) -> int:
    """Return how often a statement runs; conditions on data are taken to hold.

    Parameters
    ----------
    loops
        Around it, with the names of their iterators, outermost first.
    guards
        Under which it runs.
    """
    affine = tuple(part for guard in guards for part in affine_conjuncts(guard))
    return _runs(tuple(loops), affine, ONE_POINT)


def _runs(
    loops: tuple[tuple[str, BoundedLoop], ...], guards: tuple[Condition, ...], around: LoopGrid
) -> int:
    if not loops:
        return around.where(guards).size
    (name, loop), *rest = loops
    lower, trips = around.extents(loop)
    if not rest and not guards:
        return int(trips.sum())
    blocks = around.blocks(name, lower, trips)
    return sum(_runs(tuple(rest), guards, inside) for _, inside in blocks)
