"""The best partition of a design over super logic regions: a mixed-integer program (G1) to (G6).

Regions are in a row, and each has limits of its own. Pieces, which stay whole, take resources;
links join them, and take wires of every boundary that they cross. Of the partitions within all
limits the best one has the fewest crossings on any path, then the fewest wires; a search takes
one with few wires. Where there is none, that is proved, and the partition is one that is over its
limits by the least share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain
from typing import TypeAlias

import numpy as np

from streamopt.solvers.highs import least_point
from streamopt.solvers.linear_form import LinearForm
from streamopt.target.resources import RESOURCE_NAMES, Resources
from streamopt.work import TUNING as WORK
from streamopt.work import spend

MOST_NODES = 4000
"""Of the branch-and-bound tree; a partition of that many is as a rule the best, without proof."""
ROUGH_GAPS = (0.5, 0.01)
"""Of the wires and of the share, in a search."""

Terms: TypeAlias = "dict[int, float]"
"""Coefficients by variable."""
_Answer: TypeAlias = "tuple[tuple[int, ...], bool]"
"""The region of every piece, and whether none is better."""


@dataclass(frozen=True, slots=True)
class DesignPiece:
    """A part of a design that is built in one region."""

    takes: Resources
    slr: int | None = None
    """The region that it must be in; None for any."""


@dataclass(frozen=True, slots=True)
class Link:
    """Streams of one array, from a piece to others; they share wires where these are beyond."""

    start: int
    ends: tuple[int, ...]
    wires: int


@dataclass(frozen=True, slots=True)
class DesignParts:
    """A design to be partitioned; links lead on from piece to piece, and nowhere back."""

    pieces: tuple[DesignPiece, ...]
    links: tuple[Link, ...]
    limits: tuple[Resources, ...]
    """Of every region."""
    together: tuple[tuple[int, int], ...] = ()
    """Pairs of pieces that share a memory, and so a region."""
    crossing_wires: int | None = None
    """Of every boundary, at most; None where nobody said."""


@dataclass(frozen=True, slots=True)
class RegionPartition:
    """The region of every piece, and how far it is from the limits."""

    slrs: tuple[int, ...]
    share: float
    """The largest share of a limit that it takes; above 1, no partition keeps to all limits."""
    is_proved: bool
    """Whether none is better."""

    @property
    def fits(self) -> bool:
        """Return whether it keeps to all limits."""
        return self.share <= 1.0


class Aim(Enum):
    """The quantity that a program minimises."""

    STEPS = auto()
    """The most crossings on a path (G6)."""
    WIRES = auto()
    """Of all boundaries (G7)."""
    SHARE = auto()
    """The largest share of a limit (G8), which may be more than 1."""


def partition(parts: DesignParts, *, is_rough: bool = False) -> RegionPartition:
    """Return the best partition within the limits, or that which is over them by the least.

    Parameters
    ----------
    is_rough
        Whether any partition with few wires does; whether there is one is told for certain all the
        same.
    """
    whole = sum((piece.takes for piece in parts.pieces), Resources())
    homes = {piece.slr for piece in parts.pieces if piece.slr is not None}
    for at, limit in enumerate(parts.limits):
        if homes <= {at} and not whole.over(limit):
            slrs = (at,) * len(parts.pieces)
            return RegionPartition(slrs, share_of(parts, slrs), is_proved=True)
    found = _Program(parts, Aim.WIRES).solved(ROUGH_GAPS[0]) if is_rough else _best(parts)
    found = found or _Program(parts, Aim.SHARE).solved(ROUGH_GAPS[1] if is_rough else 0.0)
    assert found is not None, "a partition over its limits is a solution"
    slrs, is_proved = found
    return RegionPartition(slrs, share_of(parts, slrs), is_proved and not is_rough)


def _best(parts: DesignParts) -> _Answer | None:
    """Return a partition with the fewest wires of those with the fewest crossings on a path."""
    first = _Program(parts, Aim.STEPS).solved()
    if first is None:
        return None
    steps = steps_of(parts, first[0])
    second = _Program(parts, Aim.WIRES, steps).solved()
    return first if second is None else (second[0], first[1] and second[1])


def used_of(parts: DesignParts, slrs: Sequence[int]) -> tuple[Resources, ...]:
    """Return the resources that pieces take of each region."""
    found = [Resources() for _ in parts.limits]
    for piece, at in zip(parts.pieces, slrs, strict=True):
        found[at] = found[at] + piece.takes
    return tuple(found)


def wires_of(parts: DesignParts, slrs: Sequence[int]) -> tuple[int, ...]:
    """Return the wires that links take of each boundary, from the first region on."""
    found = [0] * (len(parts.limits) - 1)
    for link in parts.links:
        reached = [slrs[piece] for piece in (link.start, *link.ends)]
        for boundary in range(min(reached), max(reached)):
            found[boundary] += link.wires
    return tuple(found)


def steps_of(parts: DesignParts, slrs: Sequence[int]) -> int:
    """Return the most crossings of boundaries on a path along links."""
    found = [0] * len(slrs)
    for _ in parts.pieces:
        before = list(found)
        for link in parts.links:
            for end in link.ends:
                here = found[link.start] + abs(slrs[link.start] - slrs[end])
                found[end] = max(found[end], here)
        if found == before:
            break
    return max(found)


def share_of(parts: DesignParts, slrs: Sequence[int]) -> float:
    """Return the largest share of a limit that a partition takes."""
    pairs = zip(used_of(parts, slrs), parts.limits, strict=True)
    shares = [
        getattr(used, name) / max(1, getattr(most, name))
        for used, most in pairs
        for name in RESOURCE_NAMES
    ]
    if parts.crossing_wires is not None:
        shares += [wires / parts.crossing_wires for wires in wires_of(parts, slrs)]
    return max(shares)


class _Program:
    """One program.

    Variables are, piece by piece, whether it is at or below each boundary, then its crossings from
    any start; link by link whether it crosses each boundary; and the crossings of a path, or the
    share.

    Parameters
    ----------
    most_steps
        Crossings of a path, at most; None for any number.
    """

    def __init__(self, parts: DesignParts, aim: Aim, most_steps: int | None = None) -> None:
        self._parts, self._aim, self._most_steps = parts, aim, most_steps
        self._relaxed = aim is Aim.SHARE
        self._counts_steps = aim is Aim.STEPS or most_steps is not None
        self._boundaries = len(parts.limits) - 1
        self._pieces, self._links = len(parts.pieces), len(parts.links)
        self._integers = self._pieces * self._boundaries
        self._size = (self._pieces + self._links) * self._boundaries + self._pieces + 1
        self._rows: list[tuple[Terms, float]] = []
        self._upper = [1.0] * self._size
        self._lower = [0.0] * self._size

    def solved(self, gap: float = 0.0) -> _Answer | None:
        """Return the region of every piece, and whether that is proved best; None if none is."""
        spend(WORK.designs.partition * self._pieces)
        self._fix()
        rows = [*self._orders(), *self._limits(), *self._crossings()]
        form = _form(rows, self._costs(), (self._lower, self._upper), self._integers)
        point = least_point(form, gap, MOST_NODES)
        if point is None:
            return None
        below = np.rint(point.values[: self._integers]).reshape(self._pieces, -1)
        slrs = self._boundaries - below.sum(axis=1).astype(int)
        return tuple(slrs.tolist()), point.is_best

    def _at(self, piece: int, boundary: int) -> int:
        """Return the variable that says whether a piece is at or below a boundary."""
        return piece * self._boundaries + boundary

    def _steps(self, piece: int) -> int:
        """Return the variable of the crossings from any start to a piece."""
        return self._pieces * self._boundaries + piece

    def _crosses(self, link: int, boundary: int) -> int:
        return self._pieces * (self._boundaries + 1) + link * self._boundaries + boundary

    def _costs(self) -> list[float]:
        """Return the objective (G6), (G7) or (G8)."""
        costs = [0.0] * self._size
        costs[-1] = float(self._aim is not Aim.WIRES)
        wires = [link.wires for link in self._parts.links] if self._aim is Aim.WIRES else []
        for at, count in enumerate(wires):
            for boundary in range(self._boundaries):
                costs[self._crosses(at, boundary)] = count / max(1, *wires)
        return costs

    def _fix(self) -> None:
        """Set bounds: pieces that must be somewhere (G2), and quantities that are no shares."""
        for at, piece in enumerate(self._parts.pieces):
            self._upper[self._steps(at)] = float(self._pieces * self._boundaries)
            for boundary in range(self._boundaries if piece.slr is not None else 0):
                fixed = float((piece.slr or 0) <= boundary)
                self._lower[self._at(at, boundary)] = self._upper[self._at(at, boundary)] = fixed
        self._upper[-1] = self._most_last()

    def _most_last(self) -> float:
        """Return an upper bound of the last variable: crossings, or the share of all anywhere."""
        if not self._relaxed:
            return float(self._most_steps or self._pieces * self._boundaries)
        all_in_one = ((at,) * self._pieces for at in range(self._boundaries + 1))
        wires = sum(link.wires for link in self._parts.links)
        return max(share_of(self._parts, slrs) for slrs in all_in_one) + wires + 1.0

    def _orders(self) -> Iterator[tuple[Terms, float]]:
        """Yield (G1), what is below a boundary is below the next one, and (G2)."""
        for piece in range(self._pieces):
            for boundary in range(self._boundaries - 1):
                yield {self._at(piece, boundary): 1.0, self._at(piece, boundary + 1): -1.0}, 0.0
        for one, other in self._parts.together:
            for b in range(self._boundaries):
                yield {self._at(one, b): 1.0, self._at(other, b): -1.0}, 0.0
                yield {self._at(one, b): -1.0, self._at(other, b): 1.0}, 0.0

    def _limits(self) -> Iterator[tuple[Terms, float]]:
        """Yield (G3) and (G5): resources of every region, and wires of every boundary."""
        for at, limit in enumerate(self._parts.limits):
            for name in RESOURCE_NAMES:
                amounts = [getattr(piece.takes, name) for piece in self._parts.pieces]
                if sum(amounts) > getattr(limit, name) or (self._relaxed and any(amounts)):
                    yield self._within(
                        *self._sum_in(at, amounts), float(max(1, getattr(limit, name)))
                    )
        most = self._parts.crossing_wires
        for boundary in range(self._boundaries if most is not None else 0):
            terms = {
                self._crosses(at, boundary): float(link.wires)
                for at, link in enumerate(self._parts.links)
            }
            yield self._within(terms, 0.0, float(most or 1))

    def _within(self, terms: Terms, constant: float, most: float) -> tuple[Terms, float]:
        """Return that an amount is within a limit, or within its share of it."""
        scaled = {at: value / most for at, value in terms.items()}
        if self._relaxed:
            return scaled | {self._size - 1: -1.0}, -constant / most
        return scaled, 1.0 - constant / most

    def _sum_in(self, slr: int, amounts: Sequence[int]) -> tuple[Terms, float]:
        """Return the amount in a region: of those below its end, but not below its begin."""
        terms: Terms = {}
        for piece, amount in enumerate(amounts):
            if amount and slr < self._boundaries:
                terms[self._at(piece, slr)] = float(amount)
            if amount and slr:
                terms[self._at(piece, slr - 1)] = -float(amount)
        return terms, float(sum(amounts)) if slr == self._boundaries else 0.0

    def _crossings(self) -> Iterator[tuple[Terms, float]]:
        """Yield (G4): links that cross, and the crossings on every path."""
        for at, link in enumerate(self._parts.links):
            for end in link.ends:
                yield from self._between(at, link.start, end)
        if self._counts_steps:
            last = self._size - 1
            yield from (({self._steps(at): 1.0, last: -1.0}, 0.0) for at in range(self._pieces))

    def _between(self, link: int, start: int, end: int) -> Iterator[tuple[Terms, float]]:
        """Yield the constraints of two pieces of a link; both ways up and down count."""
        if start == end:
            return
        span = range(self._boundaries)
        for sign in (1.0, -1.0):
            for b in span:
                pair = {self._at(start, b): sign, self._at(end, b): -sign}
                yield pair | {self._crosses(link, b): -1.0}, 0.0
            if self._counts_steps:
                both = chain.from_iterable(
                    ((self._at(start, b), sign), (self._at(end, b), -sign)) for b in span
                )
                yield dict(both) | {self._steps(start): 1.0, self._steps(end): -1.0}, 0.0


def _form(
    rows: Sequence[tuple[Terms, float]],
    costs: Sequence[float],
    bounds: tuple[Sequence[float], Sequence[float]],
    integers: int,
) -> LinearForm:
    """Return a program: the least cost where no sum of a row's terms is more than its number.

    Parameters
    ----------
    integers
        Variables that are whole, the first ones.
    """
    size = len(costs)
    return LinearForm(
        variables=(),
        column_of={},
        names=("",) * size,
        lower=np.array(bounds[0]),
        upper=np.array(bounds[1]),
        is_integer=np.arange(size) < integers,
        cost=np.array(costs),
        offset=0.0,
        row_names=("",) * len(rows),
        row_lower=np.full(len(rows), -np.inf),
        row_upper=np.array([most for _, most in rows]),
        row_start=np.cumsum([0, *(len(terms) for terms, _ in rows)]),
        columns=np.array([at for terms, _ in rows for at in terms], dtype=np.int64),
        coefficients=np.array([value for terms, _ in rows for value in terms.values()]),
        enforced={},
        nonlinear={},
        nonlinear_objective=None,
        fixed={},
    )
