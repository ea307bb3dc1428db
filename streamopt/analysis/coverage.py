"""Which elements of an array an access touches, and how often: exact, by closed form or marking.

Where no iterator stands in two subscripts the touched elements are a product of one index set per
dimension, and those sets are all that is computed; otherwise elements are marked one by one.
Accesses must stay inside their arrays, as every front end checks.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.algebra.evaluation import evaluate
from streamopt.ir.expression import (
    Access,
    Condition,
    Index,
    walk,
)

Indices: TypeAlias = range | NDArray[np.int64]
Marks: TypeAlias = NDArray[np.bool_]

MAX_MARKS = 2**27
"""Most elements of an array that are marked; one byte each."""

MAX_POINTS = 2**24
"""Most iterations that are tried one by one; eight bytes each."""


class TooLargeError(Exception):
    """An access needs more than `MAX_MARKS` marks or `MAX_POINTS` iterations."""


def is_injective(access: Access, trip_counts: Mapping[str, int], shape: Sequence[int]) -> bool:
    """Return whether different values of the access's own iterators touch different elements.

    Raises
    ------
    TooLargeError
        If that takes too many marks or iterations.
    """
    points = prod(trip_counts[name] for name in access.iterators())
    sets = _index_sets(access, trip_counts)
    if sets is not None:
        return prod(len(indices) for indices in sets) == points
    return int(np.count_nonzero(_marked(access, trip_counts, shape))) == points


def mark(
    accesses: Sequence[tuple[Access, Mapping[str, int], Sequence[Condition]]],
    shape: Sequence[int],
) -> Marks | None:
    """Return which elements the accesses touch; None for all.

    Parameters
    ----------
    accesses
        Each with its trip counts and the affine conditions under which it happens.

    Raises
    ------
    TooLargeError
        If that takes too many marks or iterations.
    """
    for access, trip_counts, conditions in accesses:
        sets = None if conditions else _index_sets(access, trip_counts)
        if sets is not None and tuple(map(len, sets)) == tuple(shape):
            return None
    marks = _no_marks(shape)
    for access, trip_counts, conditions in accesses:
        sets = None if conditions else _index_sets(access, trip_counts)
        if conditions:
            marks |= _marked_where(access, trip_counts, conditions, shape)
        elif sets is None:
            marks |= _marked(access, trip_counts, shape)
        else:
            marks[np.ix_(*(np.asarray(indices, dtype=np.int64) for indices in sets))] = True
    return marks


def first_unmarked(marks: Marks | None, among: Marks | None) -> tuple[int, ...] | None:
    """Return the first element of ``among`` (None for all) that has no mark, if there is one."""
    if marks is None:
        return None
    missing = ~marks if among is None else among & ~marks
    if not missing.any():
        return None
    return tuple(map(int, np.unravel_index(missing.argmax(), missing.shape)))


def _index_sets(access: Access, trip_counts: Mapping[str, int]) -> list[Indices] | None:
    """Return the index set of each dimension; None where two subscripts share an iterator."""
    names = [name for subscript in access.subscripts for name in subscript.iterators()]
    if len(set(names)) < len(names):
        return None
    return [_values(subscript, trip_counts) for subscript in access.subscripts]


def _values(subscript: Affine, trip_counts: Mapping[str, int]) -> Indices:
    match subscript.terms:
        case ():
            return range(subscript.constant, subscript.constant + 1)
        case ((Iter(name), factor),):
            first, count = subscript.constant, trip_counts[name]
            return range(first, first + factor * count, factor)
        case _:
            grid = _grid(subscript.iterators(), trip_counts)
            return np.unique(np.asarray(subscript.evaluate(grid), dtype=np.int64))


def _grid(names: Sequence[str], trip_counts: Mapping[str, int]) -> dict[str, Any]:
    counts = [trip_counts[name] for name in names]
    if prod(counts) > MAX_POINTS:
        raise TooLargeError
    axes = np.ix_(*(np.arange(count, dtype=np.int64) for count in counts))
    return dict(zip(names, axes, strict=True))


def _no_marks(shape: Sequence[int]) -> Marks:
    if prod(shape) > MAX_MARKS:
        raise TooLargeError
    return np.zeros(tuple(shape), dtype=np.bool_)


def _marked_where(
    access: Access,
    trip_counts: Mapping[str, int],
    conditions: Sequence[Condition],
    shape: Sequence[int],
) -> Marks:
    names = dict.fromkeys([*access.iterators(), *(n for c in conditions for n in iterators_of(c))])
    grid = _grid([*names], trip_counts)
    holds: Any = np.ones((1,) * len(names), dtype=np.bool_)
    for condition in conditions:
        holds = holds & evaluate(condition, grid)
    marks = _no_marks(shape)
    full = tuple(trip_counts[name] for name in names)
    chosen = np.broadcast_to(holds, full)
    places = [np.broadcast_to(s.evaluate(grid), full)[chosen] for s in access.subscripts]
    inside = [(p >= 0) & (p < extent) for p, extent in zip(places, shape, strict=True)]
    kept = np.logical_and.reduce(inside) if inside else np.ones(1, np.bool_)
    marks[tuple(place[kept] for place in places)] = True
    return marks


def iterators_of(condition: Condition) -> Iterator[str]:
    """Yield the iterators of an affine condition."""
    for part in walk(condition):
        if isinstance(part, Index):
            yield from part.value.iterators()


def _marked(access: Access, trip_counts: Mapping[str, int], shape: Sequence[int]) -> Marks:
    marks = _no_marks(shape)
    grid = _grid(access.iterators(), trip_counts)
    marks[tuple(subscript.evaluate(grid) for subscript in access.subscripts)] = True
    return marks


def touches_once(access: Access, trip_counts: Mapping[str, int], shape: Sequence[int]) -> bool:
    """Return whether different values of the access's own iterators touch different elements.

    False also where that takes too long to find out.
    """
    if _is_plain(access):
        return True
    from streamopt.analysis.coverage import TooLargeError, is_injective

    try:
        return is_injective(access, trip_counts, shape)
    except (TooLargeError, IndexError):
        return False


def _is_plain(access: Access) -> bool:
    """Return whether every subscript is a constant or has an iterator of its own alone."""
    names: list[str] = []
    for subscript in access.subscripts:
        match subscript.terms:
            case ():
                pass
            case ((Iter(name), _),):
                names.append(name)
            case _:
                return False
    return len(set(names)) == len(names)
