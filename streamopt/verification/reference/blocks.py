"""Boxes of iterations that are evaluated at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Block: TypeAlias = tuple[range, ...]
Point: TypeAlias = dict[str, NDArray[np.int64]]
"""The iterations of a block by loop, each along an axis of its own."""

BLOCK_POINTS = 2**20
"""Most iterations evaluated at once: some ten temporary arrays of 8 MB."""


def point_of(names: Iterable[str], extents: Iterable[range]) -> Point:
    """Return the iterations of some loops, which broadcast to a block."""
    axes = np.ix_(*(np.asarray(extent, dtype=np.int64) for extent in extents))
    return dict(zip(names, axes, strict=True))


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
