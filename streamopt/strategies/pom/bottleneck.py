"""The second stage: the slowest nest of the slowest path gets more lanes ([1] VI-B).

[1] Zhang et al., POM, HPCA 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.schedule import NodePlan
from streamopt.strategies.pom.dependence_graph import DependenceGraph
from streamopt.strategies.pom.estimate import (
    EstimateLimits,
    NestEstimate,
    estimated,
    estimated_within,
)
from streamopt.strategies.rival import DesignStep
from streamopt.strategies.sequential.unrolled_nests import UnrolledNest
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.strategies.pom.nest import FusedNest


@dataclass(frozen=True, slots=True)
class TiledNest:
    """Tile sizes of a nest, outermost loop first, and their estimate."""

    tiles: tuple[int, ...]
    estimate: NestEstimate
    plan: NodePlan | None = None
    """Of a sequential nest, with the order that it has; None of others."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The tiles of all nests."""

    points: dict[str, TiledNest]
    cycles: int
    """Of the slowest path, the nests of which run one after another."""
    dsps: int
    """Of the nest that has most: operators are used by one nest after another."""
    steps: tuple[DesignStep, ...]


def searched(
    nests: Mapping[str, FusedNest], dependences: DependenceGraph, dsp_limit: int, target: Target
) -> Searched | None:
    """Return the tiles that the search ends with; None if not even single lanes fit."""
    return _BottleneckSearch(nests, dependences, dsp_limit, target).run()


class _BottleneckSearch:
    def __init__(
        self,
        nests: Mapping[str, FusedNest],
        dependences: DependenceGraph,
        dsp_limit: int,
        target: Target,
    ) -> None:
        self.nests = nests
        self.dependences = dependences
        self.dsp_limit = dsp_limit
        self.target = target
        self.points = {name: self._first(nest) for name, nest in nests.items()}
        self.scales = dict.fromkeys(nests, FIRST_SCALE)
        self.left = [*nests]
        self.steps: list[DesignStep] = []

    def run(self) -> Searched | None:
        """Return the tiles at which no bottleneck gets faster."""
        if self._dsps() > self.dsp_limit:
            return None
        while self.left:
            path, name = self._bottleneck()
            found = self._faster(name)
            if found is None:
                self.left.remove(name)
                continue
            self.points[name] = found
            self.steps.append(_tile_step(path, name, found))
        cycles = max(map(self._cycles, map(self._path, self.nests)), default=0)
        return Searched(self.points, cycles, self._dsps(), tuple(self.steps))

    def _first(self, nest: FusedNest) -> TiledNest:
        if nest.unrolled:
            return _unrolled(next(own for own in nest.unrolled if own.lanes == 1))
        tiles = tuple(own or 1 for own in nest.fixed or (0,) * len(nest.trip_counts))
        return TiledNest(tiles, estimated(nest, tiles, self.target))

    def _bottleneck(self) -> tuple[tuple[str, ...], str]:
        """Return the slowest path through a nest that is not finished, and its slowest such."""
        path = max((self._path(name) for name in self.left), key=self._cycles)
        open_ = [name for name in path if name in self.left]
        return path, max(open_, key=lambda name: self.points[name].estimate.cycles)

    def _faster(self, name: str) -> TiledNest | None:
        """Return the best tiles of the next degree of parallelism; None if none is faster and fits.

        Degrees that the trip counts have no tiles for are passed over.
        """
        nest = self.nests[name]
        if nest.unrolled:
            return self._faster_unrolled(name)
        tried: list[tuple[int, ...]] = []
        while not tried and self.scales[name] // 2 < nest.iterations:
            tried = [*tilings(nest.trip_counts, self.scales[name], nest.fixed)]
            self.scales[name] *= 2
        best, cycles = None, self.points[name].estimate.cycles
        for tiles in tried:
            limits = EstimateLimits(cycles, self.dsp_limit)
            found = estimated_within(nest, tiles, self.target, limits)
            if found is not None:
                best, cycles = TiledNest(tiles, found), found.cycles
        return best

    def _faster_unrolled(self, name: str) -> TiledNest | None:
        """Return the best lanes and order of a sequential nest at the next degree that has any."""
        nest, cycles = self.nests[name], self.points[name].estimate.cycles
        while self.scales[name] // 2 < max(own.lanes for own in nest.unrolled):
            scale = self.scales[name]
            self.scales[name] *= 2
            for own in nest.unrolled:  # the fastest first
                is_new = own.cycles < cycles and own.shared_dsps <= self.dsp_limit
                if own.lanes <= scale and is_new:
                    return _unrolled(own)
        return None

    def _path(self, name: str) -> tuple[str, ...]:
        weights = {other: point.estimate.cycles for other, point in self.points.items()}
        return self.dependences.critical_path(weights, name)

    def _cycles(self, path: tuple[str, ...]) -> int:
        return sum(self.points[name].estimate.cycles for name in path)

    def _dsps(self) -> int:
        return max((point.estimate.dsps for point in self.points.values()), default=0)


def _unrolled(nest: UnrolledNest) -> TiledNest:
    tiles = tuple(factor for _, factor in nest.plan.unroll)
    return TiledNest(tiles, NestEstimate(nest.cycles, nest.shared_dsps, 1), nest.plan)


def _tile_step(path: tuple[str, ...], name: str, found: TiledNest) -> DesignStep:
    text = f"{name} on path {', '.join(path)}: tiles {[*found.tiles]}, "
    text += f"II {found.estimate.ii}, {found.estimate.cycles} cycles, {found.estimate.dsps} DSPs"
    return DesignStep("bottleneck-oriented optimization", text)


FIRST_SCALE = 16
WHOLE = 32
"""Trip counts that it divides are tiled by powers of two."""
_TILED = 3
"""Loops that are tiled: the innermost ones."""
_PRIMES = (2, 3, 5, 7)
_OUTER = 3


def tilings(
    trip_counts: tuple[int, ...], scale: int, fixed: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the tile sizes of a nest with more than half of ``scale`` lanes and not more than it.

    The innermost loop is tiled most. Of three loops the outermost has at most 3, and the others
    half of the scale but at least 16, as published for the scales 16 and 32.

    Parameters
    ----------
    fixed
        For each loop its only tile size, or 0 where any will do; empty for none.

    Examples
    --------
    >>> next(tilings((4096, 4096, 4096), 32))
    (1, 2, 16)
    >>> next(tilings((4096, 4096), 32))
    (1, 32)
    """
    outer = max(0, len(trip_counts) - _TILED)
    tiled = trip_counts[outer:]
    most = _most(len(tiled), scale)
    sizes = [[1]] * outer + [_sizes(trips, own) for trips, own in zip(tiled, most, strict=True)]
    if fixed:
        sizes = [[own] if own else free for own, free in zip(fixed, sizes, strict=True)]
    lanes = 1 if scale == FIRST_SCALE else scale // 2
    yield from (own for own in product(*sizes) if lanes < prod(own) <= scale)


def _most(loops: int, scale: int) -> tuple[int, ...]:
    half = max(FIRST_SCALE, scale // 2)
    return (_OUTER, half, half) if loops == _TILED else (scale,) * loops


def _sizes(trips: int, most: int) -> list[int]:
    """Return the tile sizes of a loop, the least first."""
    if trips % WHOLE == 0:
        powers = (2**exponent for exponent in range(most.bit_length()))
        return [size for size in powers if size <= most and trips % size == 0]
    return [1, *(size for size in _PRIMES if size <= most and trips % size == 0)]
