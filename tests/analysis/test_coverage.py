"""Touched elements and injectivity against enumeration."""

from __future__ import annotations

import tracemalloc
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamopt.analysis.coverage import TooLargeError, first_unmarked, is_injective, mark
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Index, Literal, Logic, LogicOp

AT_I, AT_J, AT_K = (Affine.iterator(name) for name in "ijk")
TRIPS = {"i": 4, "j": 3, "k": 2}

linear = st.tuples(
    st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3)
).map(lambda c: AT_I.scaled(c[0]) + AT_J.scaled(c[1]) + AT_K.scaled(c[2]) + Affine.of(c[3]))
divided = st.tuples(linear, st.integers(2, 4), st.booleans()).map(
    lambda d: d[0].floordiv(d[1]) if d[2] else d[0].mod(d[1])
)
single = st.sampled_from(
    [AT_I, AT_J, AT_K, Affine.of(1), AT_I.scaled(2) + Affine.of(1), Affine.of(3) - AT_I]
)


def touched(access: Access) -> list[tuple[int, ...]]:
    names = access.iterators()
    points = product(*(range(TRIPS[name]) for name in names))
    at = [dict(zip(names, point, strict=True)) for point in points]
    return [tuple(s.evaluate(point) for s in access.subscripts) for point in at]


def shifted(subscripts: list[Affine]) -> tuple[Access, tuple[int, ...]]:
    """An access that starts at 0 in every dimension, and a shape that just holds it."""
    raw = touched(Access("A", tuple(subscripts)))
    lows = [min(element[d] for element in raw) for d in range(len(subscripts))]
    highs = [max(element[d] for element in raw) for d in range(len(subscripts))]
    moved = tuple(s - Affine.of(low) for s, low in zip(subscripts, lows, strict=True))
    shape = tuple(high - low + 2 for low, high in zip(lows, highs, strict=True))
    return Access("A", moved), shape


@given(st.lists(st.one_of(single, linear, divided), max_size=3))
def test_marks_equal_enumeration(subscripts: list[Affine]) -> None:
    access, shape = shifted(subscripts)
    elements = touched(access)
    marks = mark([(access, TRIPS, ())], shape)
    expected = np.zeros(shape, dtype=np.bool_)
    for element in elements:
        expected[element] = True
    assert np.array_equal(np.ones(shape, dtype=np.bool_) if marks is None else marks, expected)
    points = prod(TRIPS[name] for name in access.iterators())
    assert is_injective(access, TRIPS, shape) == (len(set(elements)) == points)


def test_full_box_needs_no_marks() -> None:
    huge = {"i": 2**30, "j": 2**30}
    access = Access("A", (AT_I, Affine.of(2**30 - 1) - AT_J))
    assert mark([(access, huge, ())], (2**30, 2**30)) is None
    assert is_injective(access, huge, (2**30, 2**30))


def test_several_accesses_join() -> None:
    border = Access("A", (Affine.of(0),))
    inside = Access("A", (AT_I + Affine.of(1),))
    marks = mark([(border, TRIPS, ()), (inside, TRIPS, ())], (6,))
    assert first_unmarked(marks, None) == (5,)
    assert first_unmarked(marks, mark([(inside, TRIPS, ())], (6,))) is None
    assert first_unmarked(None, None) is None


def test_only_where_conditions_hold() -> None:
    access = Access("A", (AT_I, AT_J))
    below = Compare(CompareOp.LT, Index(AT_J), Index(AT_I))
    first = Compare(CompareOp.EQ, Index(AT_J), Literal(0.0))
    marks = mark([(access, TRIPS, (below,))], (4, 3))
    assert marks is not None
    assert np.array_equal(marks, np.tri(4, 3, -1, dtype=np.bool_))
    either = Logic(LogicOp.OR, (below, first))
    marks = mark([(access, TRIPS, (either,))], (4, 3))
    assert marks is not None
    assert np.argwhere(marks).tolist() == [[0, 0], [1, 0], [2, 0], [2, 1], [3, 0], [3, 1], [3, 2]]
    marks = mark([(access, TRIPS, (below, first))], (4, 3))
    assert marks is not None
    assert np.argwhere(marks).tolist() == [[1, 0], [2, 0], [3, 0]]


def test_too_large() -> None:
    huge = {"i": 2**20, "j": 2**20}
    with pytest.raises(TooLargeError):
        mark([(Access("A", (AT_I,)), huge, ())], (2**30,))
    with pytest.raises(TooLargeError):
        is_injective(Access("A", (AT_I + AT_J,)), huge, (2**21,))
    with pytest.raises(TooLargeError):
        is_injective(Access("A", (AT_I + AT_J, AT_I)), huge, (2**21, 2**20))


def test_looking_for_what_has_no_mark_takes_little_room() -> None:
    marks = np.zeros((4, 2**18), np.bool_)
    marks[0, :7] = True
    tracemalloc.start()
    try:
        assert first_unmarked(marks, None) == (0, 7)
        assert tracemalloc.get_traced_memory()[1] < 2 * marks.nbytes
    finally:
        tracemalloc.stop()
