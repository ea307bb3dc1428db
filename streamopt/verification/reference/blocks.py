"""Boxes of iterations that are evaluated at once."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TypeAlias

Block: TypeAlias = tuple[range, ...]

BLOCK_POINTS = 2**20
"""Most iterations evaluated at once: some ten temporary arrays of 8 MB."""


def blocks(extents: list[range], most: int = BLOCK_POINTS) -> Iterator[Block]:
    """Split a box into boxes of at most so many points, in row-major order."""
    points = prod(len(extent) for extent in extents)
    if points <= most:
        yield tuple(extents)
        return
    axis = next(at for at, extent in enumerate(extents) if len(extent) > 1)
    step = max(1, most * len(extents[axis]) // points)
    for start in range(0, len(extents[axis]), step):
        part = extents[axis][start : start + step]
        yield from blocks([*extents[:axis], part, *extents[axis + 1 :]], most)
