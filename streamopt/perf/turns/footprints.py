"""The parts of memories that iterations touch: cells, each of all the elements that lanes share.

A cell is a box of elements that the lanes of a write touch together, so an iteration touches few.
Where a lane moves two subscripts, as of a wavefront, they are first made independent of each
other: of ``A[i][w - 2 i]`` lanes along ``i`` share ``i // lanes`` and ``subscript 2 + 2 i``. An
iteration may touch fewer elements than its cells have, never others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.network import AccessMode
from streamopt.perf.turns.visits import TooManyPointsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.network import Pipeline, Port

    Integers = npt.NDArray[np.int64]
    Truths = npt.NDArray[np.bool_]

_MOST_CELLS_OF_A_PORT = 512
"""That an iteration touches."""


@dataclass(frozen=True, slots=True)
class CellAxis:
    """One coordinate of the cells of a memory: ``(sum(weight * subscript) - offset) // extent``."""

    weights: tuple[int, ...]
    offset: int = 0
    extent: int = 1

    def of(self, subscripts: Sequence[Affine]) -> Affine:
        """Return the expression that is divided by the extent."""
        found = Affine.of(-self.offset)
        for weight, subscript in zip(self.weights, subscripts, strict=True):
            found = found + subscript.scaled(weight)
        return found


def cell_axes(users: Sequence[tuple[Port, Pipeline]]) -> tuple[CellAxis, ...]:
    """Return the cells of a memory by its widest write, of which all its ports touch few.

    Parameters
    ----------
    users
        Its ports with their pipelines; a write among them.
    """
    writes = [pair for pair in users if pair[0].mode is AccessMode.WRITE]
    widest = max(writes, key=lambda pair: _width(*pair))
    ways = (_shared_axes(*widest, are_parted=are_parted) for are_parted in (True, False))
    return min(ways, key=lambda axes: sum(_most_cells(*pair, axes) for pair in users))


def _shared_axes(port: Port, pipeline: Pipeline, *, are_parted: bool) -> tuple[CellAxis, ...]:
    """Return axes along which lanes of a write share cells.

    Parameters
    ----------
    are_parted
        Whether axes along which a lane moves, too, are made independent of it.
    """
    rank = len(port.subscripts)
    axes = [CellAxis(tuple(int(a == b) for b in range(rank))) for a in range(rank)]
    for lane in sorted(pipeline.lanes, key=lambda lane: -lane.trip_count):
        shared = _shared_axis(axes, port.subscripts, lane.name, lane.trip_count)
        if shared is None:
            continue
        place, axis = shared
        along = _factor(axis.of(port.subscripts), lane.name)
        for other, own in enumerate(axes):
            by = _factor(own.of(port.subscripts), lane.name)
            if are_parted and other != place and own.extent == 1 and by and along:
                pairs = zip(axis.weights, own.weights, strict=True)
                axes[other] = replace(own, weights=tuple(b - by * along * a for a, b in pairs))
        axes[place] = axis
    return tuple(axes)


def _width(port: Port, pipeline: Pipeline) -> int:
    used = {name for subscript in port.subscripts for name in subscript.iterators()}
    return prod(lane.trip_count for lane in pipeline.lanes if lane.name in used)


def _shared_axis(
    axes: Sequence[CellAxis], subscripts: Sequence[Affine], lane: str, lanes: int
) -> tuple[int, CellAxis] | None:
    """Return an axis along which aligned lanes are one cell, and its place; None if none is."""
    for place, axis in enumerate(axes):
        value = axis.of(subscripts)
        others = [by for atom, by in value.terms if atom != Iter(lane)]
        by = _factor(value, lane)
        if axis.extent == 1 and by in (1, -1) and not any(b % lanes for b in others):
            first = value.constant + (by == -1)  # the lowest of a tile's
            return place, replace(axis, offset=first % lanes, extent=lanes)
    return None


def _factor(value: Affine, name: str) -> int | None:
    """Return an iterator's factor; None where it is inside a quotient or remainder."""
    plain = value.factors
    inside = (atom for atom, _ in value.terms if not isinstance(atom, Iter))
    if any(name in Affine(((atom, 1),)).iterators() for atom in inside):
        return None
    return plain.get(name, 0)


def _most_cells(port: Port, pipeline: Pipeline, axes: Sequence[CellAxis]) -> int:
    """Return how many cells a port touches in an iteration at most."""
    values = [axis.of(port.subscripts) for axis in axes]
    differing = (
        _lanes_that_differ(values, axes, lane.name, lane.trip_count) for lane in pipeline.lanes
    )
    return prod(max(1, len(places)) for places in differing)


def touched_cells(
    port: Port, pipeline: Pipeline, axes: Sequence[CellAxis]
) -> tuple[tuple[Affine, ...], ...]:
    """Return the cells that a port touches in an iteration, by tile iterators, each once.

    Coordinates are before their division by the axes' extents.

    Raises
    ------
    TooManyPointsError
        If they are too many.
    """
    values = [axis.of(port.subscripts) for axis in axes]
    choices = [
        (lane.name, _lanes_that_differ(values, axes, lane.name, lane.trip_count))
        for lane in pipeline.lanes
    ]
    choices = [(name, places) for name, places in choices if places]
    if prod(len(places) for _, places in choices) > _MOST_CELLS_OF_A_PORT:
        raise TooManyPointsError
    found: dict[tuple[Affine, ...], None] = {}
    for point in product(*(places for _, places in choices)):
        lane = {n: Affine.of(at) for (n, _), at in zip(choices, point, strict=True)}
        found[tuple(value.substitute(lane) for value in values)] = None
    return tuple(found)


def _lanes_that_differ(
    values: Sequence[Affine], axes: Sequence[CellAxis], name: str, lanes: int
) -> tuple[int, ...]:
    """Return lanes whose cells are all that the lanes of a loop touch; none if it moves nothing."""
    factors = [_factor(value, name) for value in values]
    moved = [place for place, by in enumerate(factors) if by != 0]
    if not moved:
        return ()
    (place, *others), by = moved, factors[moved[0]]
    if others or by is None:
        return tuple(range(lanes))
    extent = axes[place].extent
    parts = [b for atom, b in values[place].terms if atom != Iter(name)]
    if (
        by == 1
        and extent % lanes == 0
        and not any(part % lanes for part in (*parts, values[place].constant))
    ):
        return (0,)
    step = max(1, extent // abs(by))
    return tuple(sorted({*range(0, lanes, step), lanes - 1}))


def may_hold(
    guard: ir.Condition | None, values: Mapping[str, Integers], lanes: Mapping[str, int]
) -> Truths | bool:
    """Return False only for iterations in which a condition holds in no lane.

    Parameters
    ----------
    values
        Of tile iterators, by iteration.
    lanes
        Trip counts of lane iterators.
    """
    match guard:
        case None:
            return True
        case ir.Compare(op):
            difference = ir.affine_difference(guard)
            return True if difference is None else _compares(op, difference, values, lanes)
        case ir.Logic(op, operands):
            parts = [may_hold(operand, values, lanes) for operand in operands]
            joined = np.logical_and if op is ir.LogicOp.AND else np.logical_or
            return joined.reduce(np.broadcast_arrays(*parts))


def _compares(
    op: ir.CompareOp, difference: Affine, values: Mapping[str, Integers], lanes: Mapping[str, int]
) -> Truths | bool:
    """Return whether a difference may compare with 0."""
    known = dict(values)
    low = high = 0
    for name in difference.iterators():
        if name in lanes:
            by = _factor(difference, name)
            if by is None:
                return True
            reach = by * (lanes[name] - 1)
            low, high = low + min(0, reach), high + max(0, reach)
            known[name] = np.zeros((), np.int64)
    value = difference.evaluate(known)
    return op.may_hold(value + low, value + high)


def coordinates(
    cell: Sequence[Affine], axes: Sequence[CellAxis], values: Mapping[str, Integers], size: int
) -> Iterator[Integers]:
    """Yield the coordinates of a cell, one for each iteration."""
    for value, axis in zip(cell, axes, strict=True):
        found = np.asarray(value.evaluate(values), dtype=np.int64)
        yield np.broadcast_to(found if axis.extent == 1 else found // axis.extent, (size,))
