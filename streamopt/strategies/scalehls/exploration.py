"""The five steps of the design space exploration of [1] V-E2, for one band.

1. *Initial sampling*: all tilings of few lanes are estimated.
2. *DesignPoint proposal*: the nearest tiling to one of the frontier that isn't estimated yet.
3. *DesignPoint evaluation*: it is estimated, at all initiation intervals that make a difference.
4. *Frontier evolution*: 2 and 3 again until no neighbour is left, or often enough.
5. *Design finalization* is for all bands together: `streamopt.strategies.scalehls.combination`.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from random import Random
from typing import TypeAlias

import numpy as np

from streamopt.ir.schedule import NodePlan
from streamopt.space.tiles import divisors
from streamopt.strategies.scalehls.band import Band
from streamopt.strategies.scalehls.quality import Latencies, quality
from streamopt.strategies.sequential.unrolled_nests import UnrolledNest
from streamopt.target.device import Target

SEED = 0
"""Published runs take the time of day, so that no two are the same."""


@dataclass(frozen=True, slots=True, order=True)
class DesignPoint:
    """A design point of a band."""

    cycles: int
    dsps: int
    ii: int
    tiles: tuple[int, ...]
    """Tile size of each loop, outermost loop first."""
    plan: NodePlan | None = field(default=None, compare=False)
    """Of a sequential node."""


@dataclass(frozen=True, slots=True)
class ExploredBand:
    """The Pareto points that were found of a band."""

    name: str
    points: tuple[DesignPoint, ...]
    """The Pareto frontier of cycles and DSPs, the fastest first."""
    estimated: int
    """Tilings that were estimated."""


def frontier(points: Iterable[DesignPoint]) -> tuple[DesignPoint, ...]:
    """Return the points that no other is better than in cycles and DSPs, the fastest first."""
    kept: list[DesignPoint] = []
    for point in sorted(points):
        if not kept or point.dsps < kept[-1].dsps:
            kept.append(point)
    return tuple(kept)


def explored_nests(
    name: str, nests: Sequence[UnrolledNest], limits: ExplorationLimits | None = None
) -> ExploredBand:
    """Return the Pareto points of a sequential node, whose nests keep their order.

    They are few enough for all within the limits to be estimated.

    Parameters
    ----------
    nests
        It with each lanes.
    """
    limits = limits or ExplorationLimits()
    points: list[DesignPoint] = []
    for nest in nests:
        tiles = tuple(factor for _, factor in nest.plan.unroll)
        if nest.lanes <= limits.most_lanes and max(tiles) <= limits.most_loop_lanes:
            points.append(DesignPoint(nest.cycles, nest.dsps, 1, tiles, nest.plan))
    return ExploredBand(name, frontier(points), len(points))


def explore(band: Band, target: Target, limits: ExplorationLimits | None = None) -> ExploredBand:
    """Return the Pareto frontier that steps 1 to 4 find for a band.

    Parameters
    ----------
    band
        With the loop order that it is to have.
    limits
        Those of the published code where not given.
    """
    return _Exploration(band, target, limits or ExplorationLimits()).run()


class _Exploration:
    def __init__(self, band: Band, target: Target, limits: ExplorationLimits) -> None:
        self.band = band
        self.target = target
        self.limits = limits
        self.latency = Latencies(target)
        self.space: TilingSpace = tiling_space(band, limits)
        self.points: tuple[DesignPoint, ...] = ()
        self.random = Random(SEED)

    def run(self) -> ExploredBand:
        """Return the frontier when no neighbour is left."""
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
        return ExploredBand(self.band.name, self.points, len(first) + rounds)

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

    def _estimated(self, tiling: Tiling) -> tuple[DesignPoint, ...]:
        tiles = self.space.tiles(tiling)
        found = quality(self.band, tiles, self.target, self.latency)
        sizes = tuple(tiles.values())
        return tuple(
            DesignPoint(found.cycles(ii), found.dsps(ii), ii, sizes) for ii in found.intervals
        )

    def _tiling(self, point: DesignPoint) -> Tiling:
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


Tiling: TypeAlias = tuple[int, ...]
"""Place of each loop's tile size among its divisors, outermost loop first."""


@dataclass(frozen=True, slots=True)
class ExplorationLimits:
    """How far a band is explored; the defaults are those of the published code."""

    first_lanes: int = 32
    """Lanes up to which all tilings are tried at first."""
    # most_lanes, most_loop_lanes: lanes of a band, and tile size of one loop, at most
    most_lanes: int = 1024
    most_loop_lanes: int = 128
    rounds: int = 100
    """Neighbours that are tried at most."""
    distance: float = 3.0
    """How far a neighbour is at most."""


@dataclass(frozen=True, slots=True)
class TilingSpace:
    """The tilings of a band within limits."""

    loops: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    """Tile sizes of each loop, outermost loop first: divisors of its trip count."""

    def tiles(self, tiling: Tiling) -> dict[str, int]:
        """Return the tile size of each loop."""
        chosen = (sizes[at] for sizes, at in zip(self.sizes, tiling, strict=True))
        return dict(zip(self.loops, chosen, strict=True))

    def within(self, lanes: int) -> list[Tiling]:
        """Return the tilings of at most so many lanes, in lexicographic order."""
        return [*self._from((), 1, lanes)]

    def _from(self, begun: Tiling, taken: int, lanes: int) -> Iterator[Tiling]:
        if len(begun) == len(self.sizes):
            yield begun
            return
        sizes = self.sizes[len(begun)]
        for at, size in enumerate(takewhile(lambda size: taken * size <= lanes, sizes)):
            yield from self._from((*begun, at), taken * size, lanes)


def tiling_space(band: Band, limits: ExplorationLimits) -> TilingSpace:
    """Return the tilings of a band."""
    sizes = tuple(_factors(loop.trip_count, limits.most_loop_lanes) for loop in band.loops)
    return TilingSpace(band.order, sizes)


def _factors(trip_count: int, most: int) -> tuple[int, ...]:
    """Return the divisors of a trip count up to a limit, ascending."""
    return tuple(factor for factor in divisors(trip_count, 1) if factor <= most)
