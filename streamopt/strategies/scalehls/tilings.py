"""Tile sizes of a band: one dimension for each loop, along its divisors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

from streamopt.space.tiles import divisors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.strategies.scalehls.band import Band

__all__ = ["Limits", "Tiling", "TilingSpace", "tiling_space"]

Tiling: TypeAlias = tuple[int, ...]
"""Place of each loop's tile size among its divisors, outermost loop first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a band is explored; the defaults are those of the published code.

    Attributes
    ----------
    first_lanes
        Lanes up to which all tilings are tried at first.
    most_lanes, most_loop_lanes
        Lanes of a band, and tile size of one loop, at most.
    rounds
        Neighbours that are tried at most.
    distance
        How far a neighbour is at most.
    """

    first_lanes: int = 32
    most_lanes: int = 1024
    most_loop_lanes: int = 128
    rounds: int = 100
    distance: float = 3.0


@dataclass(frozen=True, slots=True)
class TilingSpace:
    """The tilings of a band within limits.

    Attributes
    ----------
    sizes
        Tile sizes of each loop, outermost loop first: divisors of its trip count.
    """

    loops: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]

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


def tiling_space(band: Band, limits: Limits) -> TilingSpace:
    """Return the tilings of a band; a sequential nest has one, without tiles."""
    sizes = tuple(
        (1,) if band.is_sequential else _factors(loop.trip_count, limits.most_loop_lanes)
        for loop in band.loops
    )
    return TilingSpace(band.order, sizes)


def _factors(trip_count: int, most: int) -> tuple[int, ...]:
    """Return the divisors of a trip count up to a limit, ascending."""
    return tuple(factor for factor in divisors(trip_count, 1) if factor <= most)
