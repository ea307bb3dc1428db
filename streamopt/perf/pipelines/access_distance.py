"""How many iterations lie between two accesses of one element."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.analysis.carried_distance import carried_distance, meet_at_once
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.network import Pipeline, Port

Integers = npt.NDArray[np.int64]


def collision_distance(read: Port, write: Port, pipeline: Pipeline) -> int | None:
    """Return the least number of iterations from a write to a later read of the same element.

    Without lanes it is exact, guards and all. With lanes, of equal subscripts that tell apart the
    loops in them, the distance is the product of the trip counts inside the innermost tile loop
    that is not in them; None where all loops are, so that no element comes twice; of other
    subscripts 1 unless their ranges never meet: nearer than true, for an interval that is safe.
    """
    loops = (*pipeline.tiles, *pipeline.lanes)
    trip_counts = {loop.name: loop.trip_count for loop in loops}
    if read.subscripts != write.subscripts:
        meets = _may_meet(read.subscripts, write.subscripts, trip_counts)
        return _exact(read, write, pipeline) if meets else None
    moving = [place for place, loop in enumerate(pipeline.tiles) if loop.trip_count > 1]
    told_apart = _told_apart(write.subscripts, trip_counts)
    carrying = [place for place in moving if pipeline.tiles[place].name not in told_apart]
    if not carrying:
        return None
    named = {name for subscript in write.subscripts for name in subscript.iterators()}
    is_guarded = write.guard is not None or read.guard is not None
    if is_guarded and not pipeline.lanes:
        return _exact(read, write, pipeline)
    if any(pipeline.tiles[place].name in named for place in carrying):
        return _exact(read, write, pipeline)
    return prod(loop.trip_count for loop in pipeline.tiles[carrying[-1] + 1 :])


def collides_at_once(read: Port, write: Port, pipeline: Pipeline) -> bool:
    """Return whether some one iteration writes an element and then reads it.

    With lanes only accesses of equal subscripts are seen to.

    Parameters
    ----------
    write
        A port before ``read``.
    """
    if pipeline.lanes:
        return read.subscripts == write.subscripts
    return meet_at_once(
        write.subscripts, read.subscripts, _loops(pipeline), write.guard, read.guard
    )


def _exact(read: Port, write: Port, pipeline: Pipeline) -> int | None:
    if pipeline.lanes:
        return 1
    return carried_distance(
        write.subscripts, read.subscripts, _loops(pipeline), write.guard, read.guard
    )


def _loops(pipeline: Pipeline) -> tuple[tuple[str, int], ...]:
    return tuple((loop.name, loop.trip_count) for loop in pipeline.tiles)


def update_distances(
    subscripts: tuple[Affine, ...],
    trip_counts: Mapping[str, int],
    order: Sequence[str],
    factors: Mapping[str, Integers],
) -> Integers:
    """Return the distance between two accesses of one element, for many unroll factors at once.

    As `collision_distance` of equal subscripts, with 0 where no element comes twice.

    Parameters
    ----------
    subscripts
        Over the loops before they are tiled.
    order
        All loops, outermost tile loop first.
    factors
        Unroll factors of every loop, shape (schedules,).
    """
    told_apart = _told_apart(subscripts, trip_counts)
    named = {name for subscript in subscripts for name in subscript.iterators()}
    inside = np.ones_like(next(iter(factors.values())))
    distance, ambiguous = np.zeros_like(inside), np.zeros_like(inside, dtype=np.bool_)
    for name in reversed(order):
        tiles = -(-trip_counts[name] // factors[name])
        if name not in told_apart:
            distance = np.where((distance == 0) & (tiles > 1), inside, distance)
            ambiguous |= (tiles > 1) & (name in named)
        inside = inside * tiles
    return np.where(ambiguous, 1, distance)


def _may_meet(
    earlier: Sequence[Affine], later: Sequence[Affine], trip_counts: dict[str, int]
) -> bool:
    """Return whether the ranges of two accesses, of any two iterations, have an element."""
    for left, right in zip(earlier, later, strict=True):
        (low, high), (other_low, other_high) = left.bounds(trip_counts), right.bounds(trip_counts)
        if high < other_low or other_high < low:
            return False
    return True


def _told_apart(subscripts: Sequence[Affine], trip_counts: Mapping[str, int]) -> set[str]:
    """Return the iterators whose different values always give different elements."""
    found: set[str] = set()
    for subscript in subscripts:
        if _is_mixed_radix(subscript, trip_counts):
            found |= set(subscript.iterators())
    return found


def _is_mixed_radix(subscript: Affine, trip_counts: Mapping[str, int]) -> bool:
    """Return whether each factor exceeds all that the smaller ones reach together."""
    reach = 0
    terms = sorted(subscript.terms, key=lambda term: abs(term[1]))
    for atom, factor in terms:
        if not isinstance(atom, Iter):
            return False
        if trip_counts[atom.name] == 1:
            continue
        if abs(factor) <= reach:
            return False
        reach += abs(factor) * (trip_counts[atom.name] - 1)
    return True
