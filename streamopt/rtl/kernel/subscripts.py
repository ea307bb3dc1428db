"""Subscripts as sums over tile counters, once the lanes are known: what registers count.

A quotient or remainder is a digit of a sum: a register for each counts along the loops, and nothing
is divided in hardware.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.program import Loop


class UnknownPlaceError(Exception):
    """Elements that are in no common word: the text says why."""


@dataclass(frozen=True, slots=True)
class CountedDigit:
    """The quotient or the remainder of a sum and a constant by another constant."""

    inner: TileSum
    first: int
    divisor: int
    is_quotient: bool


@dataclass(frozen=True, slots=True)
class TileSum:
    """A sum of multiples of tile counters and of their digits."""

    steps: tuple[int, ...]
    """By tile loop."""
    digits: tuple[tuple[CountedDigit, int], ...] = ()
    """Each with its factor."""

    @property
    def is_constant(self) -> bool:
        """Return whether no counter is in it."""
        return not any(self.steps) and not self.digits

    def is_multiple_of(self, factor: int) -> bool:
        """Return whether it is one in every iteration."""
        return all(number % factor == 0 for number in self.factors)

    @property
    def factors(self) -> tuple[int, ...]:
        """Return the numbers that counters and digits are multiplied by."""
        return (*self.steps, *(factor for _, factor in self.digits))

    def scaled(self, factor: int) -> TileSum:
        """Return the sum times an integer."""
        digits = tuple((digit, number * factor) for digit, number in self.digits)
        return TileSum(tuple(step * factor for step in self.steps), digits)

    def divided(self, factor: int) -> TileSum:
        """Return the sum divided by a factor of it."""
        digits = tuple((digit, number // factor) for digit, number in self.digits)
        return TileSum(tuple(step // factor for step in self.steps), digits)

    def bounds(self, tiles: Sequence[Loop]) -> tuple[int, int]:
        """Return a lowest and a highest value."""
        spans = [(step, 0, t.trip_count - 1) for step, t in zip(self.steps, tiles, strict=True)]
        for digit, factor in self.digits:
            low, high = digit.inner.bounds(tiles)
            ends = (low + digit.first) // digit.divisor, (high + digit.first) // digit.divisor
            first, last = ends if digit.is_quotient else (0, digit.divisor - 1)
            spans.append((factor, first, last))
        ends = [(factor * low, factor * high) for factor, low, high in spans]
        return sum(map(min, ends)), sum(map(max, ends))


def sum_at(
    subscript: Affine, tiles: Sequence[Loop], point: Mapping[str, int]
) -> tuple[TileSum, int]:
    """Return a subscript in the lanes of a point: a sum over counters, and a constant.

    Raises
    ------
    UnknownPlaceError
        If an iterator is neither a tile nor in the point.
    """
    fixed = subscript.substitute({name: Affine.of(value) for name, value in point.items()})
    steps, constant = _linear(fixed, tiles)
    digits: dict[CountedDigit, int] = {}
    for atom, factor in fixed.terms:
        if isinstance(atom, Iter):
            continue
        counted, added = _digit(atom, tiles)
        constant += factor * added
        steps = tuple(a + factor * b for a, b in zip(steps, counted.steps, strict=True))
        for digit, times in counted.digits:
            digits[digit] = digits.get(digit, 0) + factor * times
    ordered = sorted(digits.items(), key=str)
    return TileSum(steps, tuple((d, number) for d, number in ordered if number)), constant


def _linear(value: Affine, tiles: Sequence[Loop]) -> tuple[tuple[int, ...], int]:
    factors = value.factors
    if factors.keys() - {tile.name for tile in tiles}:
        raise UnknownPlaceError("a subscript depends on more than its loops")
    return tuple(factors.get(tile.name, 0) for tile in tiles), value.constant


def _digit(atom: FloorDiv | Mod, tiles: Sequence[Loop]) -> tuple[TileSum, int]:
    """Return a quotient or a remainder as a sum and a constant.

    With steps ``g x`` and a divisor ``g d``, the quotient of ``g x + c`` is that of ``x + c / g``
    by ``d``, and what ``c`` is beyond a multiple of ``g`` is beside the remainder.
    """
    counted, first = sum_at(atom.value, tiles, {})
    return divided(counted, first, tiles, (atom.divisor, isinstance(atom, FloorDiv)))


def divided(
    counted: TileSum, first: int, tiles: Sequence[Loop], by: tuple[int, bool]
) -> tuple[TileSum, int]:
    """Return the quotient or the remainder of a sum and a constant as a sum and a constant.

    Parameters
    ----------
    by
        The divisor, and whether it is the quotient.
    """
    divisor, is_quotient = by
    common = gcd(divisor, *counted.factors)
    inner, (first, rest) = counted.divided(common), divmod(first, common)
    divisor, none = divisor // common, TileSum((0,) * len(tiles))
    low, high = inner.bounds(tiles)
    quotient = (low + first) // divisor
    if quotient == (high + first) // divisor:
        if is_quotient:
            return none, quotient
        return inner.scaled(common), common * (first - quotient * divisor) + rest
    if divisor == 1:
        return (inner, first) if is_quotient else (none, rest)
    whole, first = divmod(first, divisor)
    digit = CountedDigit(inner, first, divisor, is_quotient)
    if is_quotient:
        return TileSum(none.steps, ((digit, 1),)), whole
    return TileSum(none.steps, ((digit, common),)), rest
