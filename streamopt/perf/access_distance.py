"""How many iterations lie between two accesses of one element."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.affine import Iter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.network import Pipeline

__all__ = ["collision_distance"]


def collision_distance(
    earlier: tuple[Affine, ...], later: tuple[Affine, ...], pipeline: Pipeline
) -> int | None:
    """Return the least number of iterations from one access to another of the same element.

    Of equal subscripts that tell apart the loops in them, the distance is the product of the trip
    counts inside the innermost tile loop that is not in them; None where all loops are, so that
    no element comes twice. Of other subscripts, 1 unless their ranges never meet: nearer than
    true, for an interval that is safe.
    """
    loops = (*pipeline.tiles, *pipeline.lanes)
    trip_counts = {loop.name: loop.trip_count for loop in loops}
    if earlier != later:
        return 1 if _may_meet(earlier, later, trip_counts) else None
    moving = [place for place, loop in enumerate(pipeline.tiles) if loop.trip_count > 1]
    told_apart = _told_apart(earlier, trip_counts)
    carrying = [place for place in moving if pipeline.tiles[place].name not in told_apart]
    if not carrying:
        return None
    named = {name for subscript in earlier for name in subscript.iterators()}
    if any(pipeline.tiles[place].name in named for place in carrying):
        return 1
    return prod(loop.trip_count for loop in pipeline.tiles[carrying[-1] + 1 :])


def _may_meet(
    earlier: Sequence[Affine], later: Sequence[Affine], trip_counts: dict[str, int]
) -> bool:
    """Return whether the ranges of two accesses, of any two iterations, have an element."""
    for left, right in zip(earlier, later, strict=True):
        (low, high), (other_low, other_high) = left.bounds(trip_counts), right.bounds(trip_counts)
        if high < other_low or other_high < low:
            return False
    return True


def _told_apart(subscripts: Sequence[Affine], trip_counts: dict[str, int]) -> set[str]:
    """Return the iterators whose different values always give different elements."""
    found: set[str] = set()
    for subscript in subscripts:
        if _is_mixed_radix(subscript, trip_counts):
            found |= set(subscript.iterators())
    return found


def _is_mixed_radix(subscript: Affine, trip_counts: dict[str, int]) -> bool:
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
