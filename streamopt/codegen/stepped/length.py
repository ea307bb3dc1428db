"""The iterations of a flattened loop, counted exactly: those of all visits, with their bubbles.

Loops are enumerated from the outermost in, as columns of their iterators; where nothing inside a
loop depends on it, one of its iterations stands for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamopt.codegen.stepped.places import Visit
from streamopt.ir.stepping.steps import bounding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    from streamopt.codegen.stepped.places import Place
    from streamopt.ir.stepping.steps import StepLoop

    Numbers: TypeAlias = NDArray[np.int64]
    Columns: TypeAlias = Mapping[str, Numbers]

_MOST_ROWS = 2**20
"""Points of loops that are enumerated at once: some ten columns of 8 MB."""


def iterations_of(places: tuple[Place, ...]) -> int:
    """Return the iterations of the flattened loop."""
    once = np.ones(1, np.bool_)
    return sum(int(_iterations(place, {}, once)[0]) for place in places)


def _ends(loop: StepLoop, columns: Columns, rows: int) -> tuple[Numbers, Numbers]:
    low, high = (
        [np.broadcast_to(np.asarray(bound.evaluate(columns), np.int64), rows) for bound in bounds]
        for bounds in (loop.lower, loop.upper)
    )
    return np.max(low, axis=0), np.min(high, axis=0)


def _iterations(place: Place, columns: Columns, is_last: NDArray[np.bool_]) -> Numbers:
    """Return the iterations that a place takes, by row of the columns of iterators around it.

    Parameters
    ----------
    is_last
        Whether a row is the last iteration of the loop around the place.
    """
    rows = len(is_last)
    if isinstance(place, Visit):
        taken = tiles_of(place.tiles, columns, rows)
        phase = place.phase
        least = np.where(is_last, max(phase.least_cycles, phase.last_cycles), phase.least_cycles)
        return np.where(taken > 0, np.maximum(taken + place.warm_up, least), 1)
    low, high = _ends(place.loop, columns, rows)
    if not any(place.loop.name in _names(item) for item in place.inside):
        once, last = (
            sum(
                (_iterations(item, columns, np.full(rows, flag)) for item in place.inside),
                np.zeros(rows, np.int64),
            )
            for flag in (False, True)
        )
        return np.where(high > low, (high - low - 1) * once + last, 1)
    total = np.zeros(rows, np.int64)
    for owner, inner in _enumerated(place.loop.name, low, high, columns):
        ends = inner[place.loop.name] == high[owner] - 1
        for item in place.inside:
            np.add.at(total, owner, _iterations(item, inner, ends))
    return np.where(high > low, total, 1)


def tiles_of(loops: tuple[StepLoop, ...], columns: Columns, rows: int) -> Numbers:
    """Return the iterations of tile loops, by row of the iterators around them.

    An inner loop without iterations takes one, in which nothing runs.
    """
    if not loops:
        return np.ones(rows, np.int64)
    loop, inner = loops[0], loops[1:]
    low, high = _ends(loop, columns, rows)
    size = np.maximum(high - low, 0)
    if loop.name not in bounding(inner):
        return size * np.maximum(tiles_of(inner, columns, rows), 1)
    total = np.zeros(rows, np.int64)
    for owner, found in _enumerated(loop.name, low, high, columns):
        np.add.at(total, owner, np.maximum(tiles_of(inner, found, len(owner)), 1))
    return total


def _enumerated(
    name: str, low: Numbers, high: Numbers, columns: Columns
) -> Iterator[tuple[Numbers, dict[str, Any]]]:
    """Yield the iterations of a loop in blocks: the row of each, and the columns with its own."""
    sizes = np.maximum(high - low, 0)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    for first in range(0, total, _MOST_ROWS):
        flat = np.arange(first, min(first + _MOST_ROWS, total))
        owner = np.searchsorted(ends, flat, side="right")
        value = flat - (ends - sizes)[owner] + low[owner]
        kept = {
            known: np.broadcast_to(column, len(low))[owner] for known, column in columns.items()
        }
        yield owner, {**kept, name: value}


def _names(place: Place) -> frozenset[str]:
    """Return the iterators that bounds of a place are about."""
    if isinstance(place, Visit):
        return bounding(place.tiles)
    return bounding((place.loop,)).union(*map(_names, place.inside))
