"""What a subscript can be over the loops around it, and the order of its terms."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, assert_never

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.affine import Atom

__all__ = ["in_loop_order", "reach"]

_ENUMERATED_POINTS = 200_000


def reach(subscript: Affine, trip_counts: Mapping[str, int], extent: int) -> tuple[int, int]:
    """Return the lowest and highest value: exact, unless there are too many to try them all.

    Parameters
    ----------
    extent
        Of the dimension; an inexact interval inside ``[0, extent)`` is good enough.
    """
    low, high = subscript.bounds(trip_counts)
    linear = all(isinstance(atom, Iter) for atom, _ in subscript.terms)
    names = subscript.iterators()
    if linear or (low >= 0 and high < extent):
        return low, high
    if prod(trip_counts[name] for name in names) > _ENUMERATED_POINTS:
        return low, high
    points = product(*(range(trip_counts[name]) for name in names))
    values = [subscript.evaluate(dict(zip(names, point, strict=True))) for point in points]
    return min(values), max(values)


def in_loop_order(value: Affine, iterators: Sequence[str]) -> Affine:
    """Return the sum with iterators from the outermost loop in, so that equal ones compare so."""
    ordered = sorted(
        ((_ordered_atom(atom, iterators), factor) for atom, factor in value.terms),
        key=lambda term: (
            not isinstance(term[0], Iter),
            iterators.index(term[0].name) if isinstance(term[0], Iter) else 0,
            str(term[0]),
        ),
    )
    return Affine(tuple(ordered), value.constant)


def _ordered_atom(atom: Atom, iterators: Sequence[str]) -> Atom:
    match atom:
        case Iter():
            return atom
        case FloorDiv(value, divisor):
            return FloorDiv(in_loop_order(value, iterators), divisor)
        case Mod(value, divisor):
            return Mod(in_loop_order(value, iterators), divisor)
        case _:
            assert_never(atom)
