"""The iterations of a flattened loop, counted exactly: those of all visits, with their bubbles.

Loops are enumerated from the outermost in, as columns of their iterators; where nothing inside a
loop depends on it, one of its iterations stands for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamopt.analysis.counting import ONE_POINT
from streamopt.codegen.stepped.places import Visit
from streamopt.ir.stepping.steps import bounding

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from streamopt.analysis.counting import LoopGrid
    from streamopt.codegen.stepped.places import Place
    from streamopt.ir.stepping.steps import StepLoop

    Numbers: TypeAlias = NDArray[np.int64]

_MOST_ROWS = 2**20
"""Points of loops that are enumerated at once: some ten columns of 8 MB."""


def iterations_of(places: tuple[Place, ...]) -> int:
    """Return the iterations of the flattened loop."""
    once = np.ones(1, np.bool_)
    return sum(int(_iterations(place, ONE_POINT, once)[0]) for place in places)


def _iterations(place: Place, around: LoopGrid, is_last: NDArray[np.bool_]) -> Numbers:
    """Return the iterations that a place takes, by point of the loops around it.

    Parameters
    ----------
    is_last
        Whether a point is the last iteration of the loop around the place.
    """
    if isinstance(place, Visit):
        taken = _tiles(place.tiles, around)
        phase = place.phase
        least = np.where(is_last, max(phase.least_cycles, phase.last_cycles), phase.least_cycles)
        return np.where(taken > 0, np.maximum(taken + place.warm_up, least), 1)
    name, (low, trips) = place.loop.name, around.extents(place.loop)
    if not any(name in _names(item) for item in place.inside):
        once, last = (
            sum(
                (_iterations(item, around, np.full(around.size, flag)) for item in place.inside),
                np.zeros(around.size, np.int64),
            )
            for flag in (False, True)
        )
        return np.where(trips > 0, (trips - 1) * once + last, 1)
    total = np.zeros(around.size, np.int64)
    for owner, inner in around.blocks(name, low, trips, _MOST_ROWS):
        ends = inner.values[name] == (low + trips)[owner] - 1
        for item in place.inside:
            np.add.at(total, owner, _iterations(item, inner, ends))
    return np.where(trips > 0, total, 1)


def _tiles(loops: tuple[StepLoop, ...], around: LoopGrid) -> Numbers:
    """Return the iterations of tile loops, by point of the loops around them.

    An inner loop without iterations takes one, in which nothing runs.
    """
    if not loops:
        return np.ones(around.size, np.int64)
    loop, inner = loops[0], loops[1:]
    low, trips = around.extents(loop)
    if loop.name not in bounding(inner):
        return trips * np.maximum(_tiles(inner, around), 1)
    total = np.zeros(around.size, np.int64)
    for owner, found in around.blocks(loop.name, low, trips, _MOST_ROWS):
        np.add.at(total, owner, np.maximum(_tiles(inner, found), 1))
    return total


def _names(place: Place) -> frozenset[str]:
    """Return the iterators that bounds of a place are about."""
    if isinstance(place, Visit):
        return bounding(place.tiles)
    return bounding((place.loop,)).union(*map(_names, place.inside))
