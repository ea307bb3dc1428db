"""The order of a sequential node: a tree of loops that run in order around iterations that don't.

Before::

    for k: for i > k: A[i][k] = A[i][k] / A[k][k]; for j > k: A[i][j] = A[i][j] - A[i][k] * A[k][j]

After::

    in order k:
      phase 0, any order of i:     A[i][k] = A[i][k] / A[k][k]
      phase 1, any order of i, j:  A[i][j] = A[i][j] - A[i][k] * A[k][j]

A *phase* is a set of statements whose iterations, at one point of the loops around them, don't
wait for each other, except for the terms of a sum that may be added in any order. A *visit* is one
run of a phase. Visits follow each other; how closely, the hardware says (`.stepped`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from streamopt.ir.affine import Affine
from streamopt.ir.program import Loop, Statement


@dataclass(frozen=True, slots=True)
class StepLoop:
    """``for (name = max(lower); name < min(upper); name++)``."""

    name: str
    # lower, upper: over the iterators of loops further out; at least one each
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    # least, end: the lowest value that the iterator ever has, not negative, and the value after its
    # highest
    least: int
    end: int

    @staticmethod
    def whole(loop: Loop) -> StepLoop:
        """Return a loop from 0 to its trip count."""
        trips = loop.trip_count
        return StepLoop(loop.name, (Affine(),), (Affine.of(trips),), 0, trips)

    @property
    def trip_count(self) -> int:
        """Return the number of values that the iterator may have."""
        return max(0, self.end - self.least)

    def __str__(self) -> str:
        """Return ``i from k + 1 to 400``."""
        low, high = (", ".join(map(str, bounds)) for bounds in (self.lower, self.upper))
        low = f"max({low})" if len(self.lower) > 1 else low
        high = f"min({high})" if len(self.upper) > 1 else high
        return f"{self.name} from {low} to {high}"


@dataclass(frozen=True, slots=True)
class Phase:
    """Statements that run together in iterations without an order among them."""

    name: str
    """Unique in its node."""
    loops: tuple[StepLoop, ...]
    """Outermost first. Bounds are over loops that run in order around it and over earlier loops."""
    sums: frozenset[str]
    """Those of its loops along which statements add terms to one element, in any order."""
    statements: tuple[Statement, ...]
    """In order within an iteration. Accesses and guards are over the iterators of all loops around;
    a guard says where in the loops it runs, or is a condition on data."""

    def __str__(self) -> str:
        """Return its loops, and a line for each statement."""
        loops = "; ".join(
            f"sum over {loop}" if loop.name in self.sums else str(loop) for loop in self.loops
        )
        lines = (text for statement in self.statements for text in statement.texts)
        return "\n  ".join([f"phase {self.name}{': ' if loops else ''}{loops}", *lines])


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop whose iterations run in order."""

    loop: StepLoop
    items: tuple[StepItem, ...]

    def __str__(self) -> str:
        """Return the loop and what is in it."""
        inside = "\n".join(map(str, self.items)).replace("\n", "\n  ")
        return f"in order {self.loop}:\n  {inside}"


StepItem: TypeAlias = Repeat | Phase


@dataclass(frozen=True, slots=True)
class Steps:
    """All iterations of a sequential node, in an order that keeps its dependences."""

    name: str
    """Of the order, unique among those of its node; loops have other names in each."""
    items: tuple[StepItem, ...]

    def __str__(self) -> str:
        """Return a line for each loop, phase and statement."""
        return "\n".join([f"order {self.name}", *map(str, self.items)])

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Return the phases in order."""
        return tuple(phase for phase, _ in walk_phases(self.items))

    @property
    def loops(self) -> tuple[StepLoop, ...]:
        """Return all loops, each once, outer ones and earlier phases first."""
        found: dict[str, StepLoop] = {}
        for phase, around in walk_phases(self.items):
            found |= {loop.name: loop for loop in (*around, *phase.loops)}
        return tuple(found.values())

    @property
    def laned(self) -> tuple[str, ...]:
        """Return the loops that may be unrolled: those of phases."""
        return tuple(dict.fromkeys(loop.name for phase in self.phases for loop in phase.loops))


def bounding(loops: Iterable[StepLoop]) -> frozenset[str]:
    """Return the iterators in the bounds of loops."""
    bounds = (bound for loop in loops for bound in (*loop.lower, *loop.upper))
    return frozenset(name for bound in bounds for name in bound.iterators())


def walk_phases(
    items: tuple[StepItem, ...], around: tuple[StepLoop, ...] = ()
) -> Iterator[tuple[Phase, tuple[StepLoop, ...]]]:
    """Yield every phase with the loops in order around it, outermost first."""
    for item in items:
        if isinstance(item, Phase):
            yield item, around
        else:
            yield from walk_phases(item.items, (*around, item.loop))


def iterator_ends(loops: Iterable[StepLoop]) -> dict[str, int]:
    """Return for each iterator what it stays below, 1 where its loop never runs."""
    return {loop.name: max(1, loop.end) for loop in loops}
