"""Digits of subscripts, and divisions that they make needless, against all iterations."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.affine import Affine
from streamopt.transforms.rewrites.mixed_radix import (
    digits,
    is_in_digits,
    quotient,
    remainder,
    substituted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TRIPS = {"h": 3, "i": 5, "j": 4, "k": 2}
OF_H, OF_I, OF_J, OF_K = map(Affine.iterator, TRIPS)


def points(trip_counts: Mapping[str, int]) -> Iterator[dict[str, int]]:
    for values in product(*map(range, trip_counts.values())):
        yield dict(zip(trip_counts, values, strict=True))


def random_sum(rng: random.Random) -> Affine:
    total = Affine.of(rng.randint(-3, 20))
    for name in TRIPS:
        total = total + Affine.iterator(name).scaled(rng.choice((0, 0, 1, 2, 4, 8, 12, 24)))
    return total


@pytest.mark.parametrize("case", range(60))
def test_digits_quotients_and_remainders_are_those_of_every_iteration(case: int) -> None:
    rng = random.Random(case)
    value, radix = random_sum(rng), rng.choice((2, 3, 4, 8, 24))
    found = digits(value, radix, TRIPS)
    whole, rest = quotient(value, radix, TRIPS), remainder(value, radix, TRIPS)
    inner = Affine.iterator("n").floordiv(radix) + Affine.iterator("n").mod(radix).scaled(3)
    outer = substituted(inner, {"n": value}, TRIPS)
    for point in points(TRIPS):
        number = value.evaluate(point)
        expected = divmod(number, radix)
        assert (whole.evaluate(point), rest.evaluate(point)) == expected
        assert outer.evaluate(point) == expected[0] + 3 * expected[1]
        if found is not None:
            assert tuple(digit.evaluate(point) for digit in found) == expected


def test_divisions_go_where_digits_are_seen() -> None:
    flat = OF_H.scaled(40) + OF_I.scaled(8) + OF_J.scaled(2) + OF_K
    assert str(quotient(flat, 8, TRIPS)) == "5 * h + i"
    assert str(remainder(flat, 8, TRIPS)) == "2 * j + k"
    assert str(remainder(flat, 40, TRIPS)) == "8 * i + 2 * j + k"
    assert str(quotient(flat, 16, TRIPS)) == "(5 * h + i) / 2"
    assert str(remainder(flat, 4, TRIPS)) == "2 * ((j) % 2) + k"
    assert str(quotient(OF_I, 2, TRIPS)) == "(i) / 2"


@pytest.mark.parametrize("case", range(40))
def test_numbers_in_digits_have_one_value_an_iteration(case: int) -> None:
    rng = random.Random(case)
    value = random_sum(rng)
    trips = {name: TRIPS[name] for name in value.iterators()}
    if is_in_digits(value, TRIPS):
        numbers = [value.evaluate(point) for point in points(trips)]
        assert len(set(numbers)) == len(numbers)


def test_windows_are_not_in_digits() -> None:
    assert is_in_digits(
        OF_H.scaled(40) + OF_I.scaled(8) + OF_J.scaled(2) + OF_K + Affine.of(3), TRIPS
    )
    assert is_in_digits(OF_I.floordiv(2), TRIPS)
    assert is_in_digits(Affine.of(5), TRIPS)
    assert not is_in_digits(OF_I + OF_J, TRIPS)
    assert not is_in_digits(OF_J.scaled(4) + OF_I, TRIPS)
