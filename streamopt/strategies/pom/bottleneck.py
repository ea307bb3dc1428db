"""The second stage: the slowest nest of the slowest path gets more lanes ([1] VI-B).

[1] Zhang et al., POM, HPCA 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.strategies.pom.estimate import Estimate, Limits, estimated, estimated_within
from streamopt.strategies.pom.tilings import FIRST_SCALE, tilings
from streamopt.strategies.rival import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.strategies.pom.dependence_graph import DependenceGraph
    from streamopt.strategies.pom.nest import Nest
    from streamopt.target.device import Target

__all__ = ["Point", "Searched", "searched"]


@dataclass(frozen=True, slots=True)
class Point:
    """Tile sizes of a nest, outermost loop first, and their estimate."""

    tiles: tuple[int, ...]
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Searched:
    """The tiles of all nests.

    Attributes
    ----------
    cycles
        Of the slowest path, the nests of which run one after another.
    dsps
        Of the nest that has most: operators are used by one nest after another.
    """

    points: dict[str, Point]
    cycles: int
    dsps: int
    steps: tuple[Step, ...]


def searched(
    nests: Mapping[str, Nest], dependences: DependenceGraph, dsp_limit: int, target: Target
) -> Searched | None:
    """Return the tiles that the search ends with; None if not even single lanes fit."""
    return _Search(nests, dependences, dsp_limit, target).run()


class _Search:
    def __init__(
        self,
        nests: Mapping[str, Nest],
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
        self.left = [name for name, nest in nests.items() if not nest.is_sequential]
        self.steps: list[Step] = []

    def run(self) -> Searched | None:
        """Return what is found."""
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

    def _first(self, nest: Nest) -> Point:
        tiles = tuple(own or 1 for own in nest.fixed or (0,) * len(nest.trip_counts))
        return Point(tiles, estimated(nest, tiles, self.target))

    def _bottleneck(self) -> tuple[tuple[str, ...], str]:
        """Return the slowest path through a nest that is not finished, and its slowest such."""
        path = max((self._path(name) for name in self.left), key=self._cycles)
        open_ = [name for name in path if name in self.left]
        return path, max(open_, key=lambda name: self.points[name].estimate.cycles)

    def _faster(self, name: str) -> Point | None:
        """Return the best tiles of the next degree of parallelism; None if none is faster and fits.

        Degrees that the trip counts have no tiles for are passed over.
        """
        nest = self.nests[name]
        tried: list[tuple[int, ...]] = []
        while not tried and self.scales[name] // 2 < nest.iterations:
            tried = [*tilings(nest.trip_counts, self.scales[name], nest.fixed)]
            self.scales[name] *= 2
        best, cycles = None, self.points[name].estimate.cycles
        for tiles in tried:
            limits = Limits(cycles, self.dsp_limit)
            found = estimated_within(nest, tiles, self.target, limits)
            if found is not None:
                best, cycles = Point(tiles, found), found.cycles
        return best

    def _path(self, name: str) -> tuple[str, ...]:
        weights = {other: point.estimate.cycles for other, point in self.points.items()}
        return self.dependences.critical_path(weights, name)

    def _cycles(self, path: tuple[str, ...]) -> int:
        return sum(self.points[name].estimate.cycles for name in path)

    def _dsps(self) -> int:
        return max((point.estimate.dsps for point in self.points.values()), default=0)


def _tile_step(path: tuple[str, ...], name: str, found: Point) -> Step:
    text = f"{name} on path {', '.join(path)}: tiles {[*found.tiles]}, "
    text += f"II {found.estimate.ii}, {found.estimate.cycles} cycles, {found.estimate.dsps} DSPs"
    return Step("bottleneck-oriented optimization", text)
