"""Tables of whole numbers as affine expressions of their indices, in few pieces.

A gather whose positions are such a table streams where they follow a rule: ``i // 2`` of a nearest
resize, ``i % 7`` of a repeated row, ``6 - i`` of a mirrored border. A table that follows no rule
as a whole falls into boxes that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.affine import Affine

MAX_PIECES = 64
"""Most boxes that the positions of one gather may fall into."""

LARGEST_DIVISOR = 64
_TRIED_FIRST = 128
_FEWEST_BLOCKS = 4


class TooManyPiecesError(Exception):
    """A table falls into more pieces than `MAX_PIECES`."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One expression for each table, over the iterators `dimension` of the tables' axes."""

    values: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class PositionSplit:
    """One half holds where the index along an axis is below a border, the other one elsewhere."""

    axis: int
    border: int
    below: Pieces
    above: Pieces


Pieces: TypeAlias = Leaf | PositionSplit
Box: TypeAlias = tuple[tuple[int, int], ...]


def dimension(axis: int) -> str:
    """Return the iterator that stands for the index along an axis."""
    return f"d{axis}"


def joined_pieces(tables: Sequence[NDArray[np.int64]]) -> Pieces:
    """Return boxes in which the positions of all tables are affine, quotients or remainders.

    Parameters
    ----------
    tables
        Of one rank; an axis that a table doesn't depend on may have extent 1.

    Raises
    ------
    TooManyPiecesError
        If there are more than `MAX_PIECES`.
    """
    shape = np.broadcast_shapes(*(table.shape for table in tables))
    whole = tuple((0, extent) for extent in shape)
    search = _FormSearch(MAX_PIECES)
    joined: Pieces = Leaf(())
    for table in tables:
        own = tuple((0, extent) for extent in table.shape)
        joined = _both(joined, search.pieces(_without_repeats(table), own), whole)
        if _count(joined) > MAX_PIECES:
            raise TooManyPiecesError
    return joined


def _without_repeats(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table with extent 1 along axes that it doesn't depend on."""
    for axis in range(table.ndim):
        first = table.take([0], axis)
        if table.shape[axis] > 1 and bool((table == first).all()):
            table = first
    return table


class _FormSearch:
    """Cuts one table into boxes, within a number of them."""

    def __init__(self, budget: int) -> None:
        self.budget = budget

    def pieces(self, table: NDArray[np.int64], box: Box) -> Pieces:
        """Return the pieces of a table that lies at a box; extents of 1 may lie anywhere."""
        rule = _rule(table, box)
        if rule is not None:
            self.budget -= 1
            if self.budget < 0:
                raise TooManyPiecesError
            return Leaf((rule,))
        axis, length = _cut(table)
        start, stop = box[axis]
        border = start + length
        head = (*box[:axis], (start, border), *box[axis + 1 :])
        tail = (*box[:axis], (border, stop), *box[axis + 1 :])
        below = self.pieces(_part(table, axis, 0, length), head)
        above = self.pieces(_part(table, axis, length, table.shape[axis]), tail)
        return PositionSplit(axis, border, below, above)


def _part(table: NDArray[np.int64], axis: int, start: int, stop: int) -> NDArray[np.int64]:
    return table[(slice(None),) * axis + (slice(start, stop),)]


def _cut(table: NDArray[np.int64]) -> tuple[int, int]:
    """Return the axis and the place of the cut that leaves the longest part with a rule.

    Where not even one slice follows a rule, one is cut off along the outermost axis.
    """
    long = [axis for axis, extent in enumerate(table.shape) if extent > 1]
    best, found = 0.0, (long[0], 1)
    for axis in long:
        extent = table.shape[axis]
        front = _reach(table, axis)
        back = _reach(np.flip(table, axis), axis)
        if front / extent > best:
            best, found = front / extent, (axis, front)
        if back / extent > best:
            best, found = back / extent, (axis, extent - back)
    return found


def _reach(table: NDArray[np.int64], axis: int) -> int:
    """Return how many slices from the front follow a rule; fewer than all."""
    low, high, extent = 0, 1, table.shape[axis]
    while high < extent and _fits(_part(table, axis, 0, high)):
        low, high = high, 2 * high
    high = min(high, extent)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if _fits(_part(table, axis, 0, middle)) else (low, middle)
    return low


def _fits(table: NDArray[np.int64]) -> bool:
    """Return whether a rule holds that is simpler than what it describes is long."""
    box = tuple((0, extent) for extent in table.shape)
    return _rule(table, box, max(table.shape) // 2) is not None


def _rule(
    table: NDArray[np.int64], box: Box, largest_divisor: int = LARGEST_DIVISOR
) -> Affine | None:
    """Return the one expression of a table: a sum of what each axis adds; None if there is none."""
    corner = int(table.reshape(-1)[0])
    total: Any = np.full((1,) * table.ndim, corner, dtype=np.int64)
    rule = Affine.of(corner)
    for axis, extent in enumerate(table.shape):
        if extent == 1:
            continue
        place = (0,) * axis + (slice(None),) + (0,) * (table.ndim - axis - 1)
        added = table[place] - corner
        index = Affine.iterator(dimension(axis)) + Affine.of(-box[axis][0])
        along = _line(added, index, largest_divisor)
        if along is None:
            return None
        total = total + added.reshape((1,) * axis + (-1,) + (1,) * (table.ndim - axis - 1))
        rule = rule + along
    return rule if bool((total == table).all()) else None


def _line(values: NDArray[np.int64], index: Affine, largest_divisor: int) -> Affine | None:
    """Return a list of numbers as an expression of the index in it; None if there is none."""
    if len(values) == 1:
        return Affine.of(int(values[0]))
    steps = np.diff(values)
    changes = np.flatnonzero(steps != steps[0])
    if not len(changes):
        return index.scaled(int(steps[0])) + Affine.of(int(values[0]))
    width = int(changes[0]) + 1
    blocks = _blocks(values, width, index)
    return blocks if blocks is not None else _quotient(values, index, largest_divisor)


def _blocks(values: NDArray[np.int64], width: int, index: Affine) -> Affine | None:
    """Return numbers as those of blocks, and a step inside: ``c(i // width) + s * (i % width)``.

    None too where there are so few blocks that each is better read by itself.
    """
    step = int(values[1] - values[0])
    places = np.arange(len(values))
    coarse = values[::width]
    if not (values == coarse[places // width] + step * (places % width)).all():
        return None
    outer = _line(coarse, index.floordiv(width), 0)
    if outer is None:
        return None
    rule = outer + index.mod(width).scaled(step)
    fewest = _FEWEST_BLOCKS - (len(rule.terms) == 1)
    return rule if len(coarse) >= fewest else None


def _quotient(values: NDArray[np.int64], index: Affine, largest_divisor: int) -> Affine | None:
    """Return numbers as ``(p * i + q) // d``, the smallest divisor first."""
    slope = float(values[-1] - values[0]) / (len(values) - 1)
    for divisor in range(2, min(largest_divisor, LARGEST_DIVISOR) + 1):
        middle = int(np.floor(slope * divisor))
        for factor in range(middle - 1, middle + 3):
            if gcd(factor, divisor) > 1 or not _offsets(values[:_TRIED_FIRST], factor, divisor):
                continue
            offsets = _offsets(values, factor, divisor)
            if offsets:
                return (index.scaled(factor) + Affine.of(offsets[0])).floordiv(divisor)
    return None


def _offsets(values: NDArray[np.int64], factor: int, divisor: int) -> range:
    """Return each ``q`` with which ``(factor * i + q) // divisor`` are the values."""
    scaled = factor * np.arange(len(values), dtype=np.int64)
    low = int((values * divisor - scaled).max())
    high = int(((values + 1) * divisor - scaled).min())
    return range(low, high)


def _both(left: Pieces, right: Pieces, box: Box) -> Pieces:
    """Return the pieces of both, with the values of the left one first; box by box."""
    if isinstance(left, PositionSplit):
        return _halved(left, box, lambda part, inner: _both(part, right, inner))
    if isinstance(right, PositionSplit):
        return _halved(right, box, lambda part, inner: _both(left, part, inner))
    return Leaf((*left.values, *right.values))


def _halved(split: PositionSplit, box: Box, join: Callable[[Pieces, Box], Pieces]) -> Pieces:
    axis, border = split.axis, split.border
    start, stop = box[axis]
    if border <= start:
        return join(split.above, box)
    if border >= stop:
        return join(split.below, box)
    low = (*box[:axis], (start, border), *box[axis + 1 :])
    high = (*box[:axis], (border, stop), *box[axis + 1 :])
    return PositionSplit(axis, border, join(split.below, low), join(split.above, high))


def _count(pieces: Pieces) -> int:
    if isinstance(pieces, Leaf):
        return 1
    return _count(pieces.below) + _count(pieces.above)
