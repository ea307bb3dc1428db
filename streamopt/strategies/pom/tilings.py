"""Tile sizes that the second stage tries, by degree of parallelism ([1] VI-B and its code)."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FIRST_SCALE", "WHOLE", "tilings"]

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
