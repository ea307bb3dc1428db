from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.algebra.divisions import floor_divided, remainder

TRIPS = {"i": 3, "j": 4, "k": 6}
FIRST, J, K = (Affine.iterator(name) for name in TRIPS)


@st.composite
def affines(draw: st.DrawFn, depth: int = 2) -> Affine:
    value = Affine.of(draw(st.integers(0, 20)))
    for name in TRIPS:
        value = value + Affine.iterator(name).scaled(draw(st.sampled_from([0, 1, 2, 4, 6, 24])))
    if depth and draw(st.booleans()):
        inner, divisor = draw(affines(depth=depth - 1)), draw(st.integers(1, 12))
        part = floor_divided if draw(st.booleans()) else remainder
        value = value + part(inner, divisor, TRIPS).scaled(draw(st.integers(1, 3)))
    return value


@settings(max_examples=150, deadline=None)
@given(affines(), st.sampled_from([1, 2, 3, 4, 6, 8, 12, 24, 48]))
def test_division_is_exact(value: Affine, divisor: int) -> None:
    quotient, rest = floor_divided(value, divisor, TRIPS), remainder(value, divisor, TRIPS)
    for values in product(*(range(count) for count in TRIPS.values())):
        point = dict(zip(TRIPS, values, strict=True))
        number = value.evaluate(point)
        assert quotient.evaluate(point) == number // divisor
        assert rest.evaluate(point) == number % divisor
        assert value.ordered(TRIPS).evaluate(point) == number


@pytest.mark.parametrize(
    ("value", "divisor", "quotient", "rest"),
    [
        (FIRST.scaled(4) + J, 4, "i", "j"),
        (FIRST.scaled(24) + J.scaled(6) + K, 6, "4 * i + j", "k"),
        (FIRST.scaled(24) + J.scaled(6) + K, 24, "i", "6 * j + k"),
        (J.scaled(6) + K, 12, "(j) / 2", "6 * ((j) % 2) + k"),
        (K, 4, "(k) / 4", "(k) % 4"),
        (K.floordiv(2), 3, "0", "(k) / 2"),
        (FIRST.scaled(8) + Affine.of(3), 4, "2 * i", "3"),
    ],
)
def test_division_is_simple(value: Affine, divisor: int, quotient: str, rest: str) -> None:
    assert str(floor_divided(value, divisor, TRIPS)) == quotient
    assert str(remainder(value, divisor, TRIPS)) == rest
    assert prod(TRIPS.values()) == 72


def test_what_is_divided_is_never_negative() -> None:
    value = Affine.of(3) - J
    for divisor in (2, 3):
        for part in (
            floor_divided(value - K, divisor, TRIPS),
            remainder(value - K, divisor, TRIPS),
        ):
            inner = [atom.value for atom, _ in part.terms if not isinstance(atom, Iter)]
            assert inner
            assert all(each.bounds(TRIPS)[0] >= 0 for each in inner)
