"""The five steps of the design space exploration of [1] V-E2, for one band.

1. *Initial sampling*: all tilings of few lanes are estimated.
2. *Point proposal*: the nearest tiling to one of the frontier that isn't estimated yet.
3. *Point evaluation*: it is estimated, at all initiation intervals that make a difference.
4. *Frontier evolution*: 2 and 3 again until no neighbour is left, or often enough.
5. *Design finalization* is for all bands together: `streamopt.strategies.scalehls.combination`.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from streamopt.strategies.scalehls.alap import Latencies
from streamopt.strategies.scalehls.quality import quality
from streamopt.strategies.scalehls.tilings import Limits, Tiling, tiling_space

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamopt.strategies.scalehls.band import Band
    from streamopt.strategies.scalehls.tilings import TilingSpace
    from streamopt.target.device import Target

__all__ = ["Explored", "Point", "explore", "frontier"]

SEED = 0
"""Published runs take the time of day, so that no two are the same."""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A design point of a band.

    Attributes
    ----------
    tiles
        Tile size of each loop, outermost loop first.
    """

    cycles: int
    dsps: int
    ii: int
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """What was found of a band.

    Attributes
    ----------
    points
        The Pareto frontier of cycles and DSPs, the fastest first.
    estimated
        Tilings that were estimated.
    """

    band: Band
    points: tuple[Point, ...]
    estimated: int


def frontier(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the points that no other is better than in cycles and DSPs, the fastest first."""
    kept: list[Point] = []
    for point in sorted(points):
        if not kept or point.dsps < kept[-1].dsps:
            kept.append(point)
    return tuple(kept)


def explore(band: Band, target: Target, limits: Limits | None = None) -> Explored:
    """Return the Pareto frontier that steps 1 to 4 find for a band.

    Parameters
    ----------
    band
        With the loop order that it is to have.
    limits
        Those of the published code where not given.
    """
    return _Exploration(band, target, limits or Limits()).run()


class _Exploration:
    def __init__(self, band: Band, target: Target, limits: Limits) -> None:
        self.band = band
        self.target = target
        self.limits = limits
        self.latency = Latencies(target)
        self.space: TilingSpace = tiling_space(band, limits)
        self.points: tuple[Point, ...] = ()
        self.random = Random(SEED)

    def run(self) -> Explored:
        """Return what is found."""
        everything = self.space.within(self.limits.most_lanes)
        first = self.space.within(self.limits.first_lanes)
        self.points = frontier(point for tiling in first for point in self._estimated(tiling))
        known = set(first)
        left = _Neighbours([tiling for tiling in everything if tiling not in known])
        rounds = 0
        exhausted: set[Tiling] = set()
        while rounds < self.limits.rounds:
            proposal = self._proposal(left, exhausted)
            if proposal is None:
                break
            self.points = frontier((*self.points, *self._estimated(proposal)))
            rounds += 1
        return Explored(self.band, self.points, len(first) + rounds)

    def _proposal(self, left: _Neighbours, exhausted: set[Tiling]) -> Tiling | None:
        """Return the nearest neighbour of a point of the frontier, taken from those left."""
        while True:
            tilings = dict.fromkeys(self._tiling(point) for point in self.points)
            open_ = [tiling for tiling in tilings if tiling not in exhausted]
            if not open_:
                return None
            chosen = open_[int(self.random.random() * len(open_))]
            found = left.take_nearest(chosen, self.limits.distance)
            if found is not None:
                return found
            exhausted.add(chosen)

    def _estimated(self, tiling: Tiling) -> tuple[Point, ...]:
        tiles = self.space.tiles(tiling)
        found = quality(self.band, tiles, self.target, self.latency)
        sizes = tuple(tiles.values())
        # a sequential node can't be asked for an interval
        intervals = found.intervals[:1] if self.band.is_sequential else found.intervals
        return tuple(Point(found.cycles(ii), found.dsps(ii), ii, sizes) for ii in intervals)

    def _tiling(self, point: Point) -> Tiling:
        pairs = zip(self.space.sizes, point.tiles, strict=True)
        return tuple(sizes.index(size) for sizes, size in pairs)


class _Neighbours:
    """Tilings that are not estimated yet."""

    def __init__(self, tilings: list[Tiling]) -> None:
        self._tilings = tilings
        self._places = np.array(tilings, dtype=np.int64)
        self._is_left = np.ones(len(tilings), dtype=np.bool_)

    def take_nearest(self, tiling: Tiling, within: float) -> Tiling | None:
        """Return and remove the nearest one, the first of equals; None if all are too far."""
        if not self._is_left.any():
            return None
        squares = ((self._places - np.array(tiling)) ** 2).sum(axis=1)
        far = np.where(self._is_left, squares, np.iinfo(np.int64).max)
        nearest = int(far.argmin())
        if far[nearest] > within**2:
            return None
        self._is_left[nearest] = False
        return self._tilings[nearest]
