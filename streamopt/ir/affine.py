"""Affine index expressions: what a subscript may be.

An expression is a sum of integer multiples of atoms plus a constant; an atom is an iterator, or
a floor division or remainder by a positive constant (quasi-affine, as in ``i // 16``, which
reshapes need). Terms keep their order, and sums whose terms differ in order differ: readers of
text order the terms by loop (`Affine.ordered`), so that equal subscripts compare equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import prod
from typing import Any, TypeAlias, assert_never

from streamopt.ir.operators import BinaryOp

LARGEST = 2**31 - 1
"""Largest number in an expression: indices are 32-bit integers."""


class NotAffine(Enum):
    """Why an operation on two affine expressions is none."""

    PRODUCT = "a product of iterators"
    DIVISOR = "a division by anything but a positive constant"
    NEGATIVE = "a division of what may be negative"
    OPERATION = "an operation that sums don't have"


@dataclass(frozen=True, slots=True)
class Iter:
    """A loop iterator by name."""

    name: str

    def __str__(self) -> str:
        """Return the name."""
        return self.name


@dataclass(frozen=True, slots=True)
class FloorDiv:
    """``floor(value / divisor)`` for a positive constant divisor."""

    value: Affine
    divisor: int

    def __str__(self) -> str:
        """Return C-like text; subscripts are never negative, so C's ``/`` is the floor."""
        return f"({self.value}) / {self.divisor}"


@dataclass(frozen=True, slots=True)
class Mod:
    """The non-negative remainder of a division by a positive constant."""

    value: Affine
    divisor: int

    def __str__(self) -> str:
        """Return C-like text; subscripts are never negative, so C's ``%`` is the remainder."""
        return f"({self.value}) % {self.divisor}"


Atom: TypeAlias = Iter | FloorDiv | Mod

_ENUMERATED_POINTS = 200_000
_INDEX_BITS = 31


@dataclass(frozen=True, slots=True)
class Affine:
    """``sum(coefficient * atom) + constant``, in order of first appearance of the atoms."""

    terms: tuple[tuple[Atom, int], ...] = ()
    """Pairs (atom, coefficient); coefficients are not 0 and no atom occurs twice."""
    constant: int = 0
    """The integer added to the terms."""

    @staticmethod
    def iterator(name: str) -> Affine:
        """Return the expression that is one iterator."""
        return Affine(((Iter(name), 1),))

    @staticmethod
    def of(value: int) -> Affine:
        """Return a constant expression."""
        return Affine((), value)

    def __add__(self, other: Affine) -> Affine:
        """Return the sum in canonical form."""
        merged = dict(self.terms)
        for atom, coefficient in other.terms:
            merged[atom] = merged.get(atom, 0) + coefficient
        kept = tuple((atom, factor) for atom, factor in merged.items() if factor != 0)
        return Affine(kept, self.constant + other.constant)

    def scaled(self, factor: int) -> Affine:
        """Return the expression times an integer."""
        if factor == 0:
            return Affine()
        terms = tuple((atom, coefficient * factor) for atom, coefficient in self.terms)
        return Affine(terms, self.constant * factor)

    def __sub__(self, other: Affine) -> Affine:
        """Return the difference in canonical form."""
        return self + other.scaled(-1)

    def combined(
        self, op: BinaryOp, other: Affine, interval: tuple[int, int] | None
    ) -> Affine | NotAffine:
        """Return ``self op other``, or why that is not affine.

        C's division and remainder are those of the mathematics where nothing is negative.

        Parameters
        ----------
        interval
            Lowest and highest value that ``self`` has; None if it may have any.
        """
        match op:
            case BinaryOp.ADD:
                return self + other
            case BinaryOp.SUB:
                return self - other
            case BinaryOp.MUL if not other.terms:
                return self.scaled(other.constant)
            case BinaryOp.MUL:
                return NotAffine.PRODUCT if self.terms else other.scaled(self.constant)
            case BinaryOp.SHL if not other.terms and 0 <= other.constant < _INDEX_BITS:
                return self.scaled(1 << other.constant)
            case BinaryOp.SHR if not other.terms and 0 <= other.constant < _INDEX_BITS:
                divisor = 1 << other.constant
            case BinaryOp.DIV | BinaryOp.MOD if other.terms or other.constant <= 0:
                return NotAffine.DIVISOR
            case BinaryOp.DIV | BinaryOp.MOD:
                divisor = other.constant
            case _:
                return NotAffine.OPERATION
        if interval is None or interval[0] < 0:
            return NotAffine.NEGATIVE
        return self.mod(divisor) if op is BinaryOp.MOD else self.floordiv(divisor)

    @property
    def is_too_large(self) -> bool:
        """Return whether a number in it is beyond `LARGEST`."""
        numbers = (self.constant, *(factor for _, factor in self.terms))
        return any(abs(number) > LARGEST for number in numbers)

    def floordiv(self, divisor: int) -> Affine:
        """Return ``floor(self / divisor)``; the divisor is positive."""
        if not self.terms:
            return Affine.of(self.constant // divisor)
        return self if divisor == 1 else Affine(((FloorDiv(self, divisor), 1),))

    def mod(self, divisor: int) -> Affine:
        """Return ``self`` modulo the positive divisor."""
        if not self.terms or divisor == 1:
            return Affine.of(self.constant % divisor)
        return Affine(((Mod(self, divisor), 1),))

    @property
    def is_linear(self) -> bool:
        """Return whether it has no quotient or remainder."""
        return all(isinstance(atom, Iter) for atom, _ in self.terms)

    @property
    def factors(self) -> dict[str, int]:
        """Return by iterator what it is multiplied by, outside of quotients and remainders."""
        return {atom.name: factor for atom, factor in self.terms if isinstance(atom, Iter)}

    def as_iterator(self) -> str | None:
        """Return the iterator's name where the expression is exactly one iterator, else None."""
        match self.terms, self.constant:
            case ((Iter(name), 1),), 0:
                return name
            case _:
                return None

    def iterators(self) -> tuple[str, ...]:
        """Return the iterators inside, each once, in order of first appearance."""
        return tuple(dict.fromkeys(self._names()))

    def _names(self) -> Iterator[str]:
        for atom, _ in self.terms:
            match atom:
                case Iter(name):
                    yield name
                case FloorDiv(value, _) | Mod(value, _):
                    yield from value.iterators()
                case _:
                    assert_never(atom)

    def evaluate(self, point: Mapping[str, Any]) -> Any:
        """Return the value at a point: integers, or NumPy integer arrays that broadcast."""
        total: Any = self.constant
        for atom, coefficient in self.terms:
            match atom:
                case Iter(name):
                    term = point[name]
                case FloorDiv(value, divisor):
                    term = value.evaluate(point) // divisor
                case Mod(value, divisor):
                    term = value.evaluate(point) % divisor
                case _:
                    assert_never(atom)
            total = total + coefficient * term
        return total

    def bounds(self, trip_counts: Mapping[str, int]) -> tuple[int, int]:
        """Return (lowest, highest) value over iterators in ``[0, trip_count)``.

        Exact for linear expressions; for divisions and remainders an interval that holds all
        values.
        """
        return self.interval({name: (0, trip_counts[name] - 1) for name in self.iterators()})

    def reach(self, trip_counts: Mapping[str, int], extent: int) -> tuple[int, int]:
        """Return (lowest, highest) value as `bounds`, exact unless there are too many to try all.

        Parameters
        ----------
        extent
            Of the dimension; an inexact interval inside ``[0, extent)`` is good enough.
        """
        low, high = self.bounds(trip_counts)
        if self.is_linear or (low >= 0 and high < extent):
            return low, high
        names = self.iterators()
        if prod(trip_counts[name] for name in names) > _ENUMERATED_POINTS:
            return low, high
        points = product(*(range(trip_counts[name]) for name in names))
        values = [self.evaluate(dict(zip(names, point, strict=True))) for point in points]
        return min(values), max(values)

    def interval(self, reach: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        """Return (lowest, highest) value over iterators between two values each, inclusive."""
        low = high = self.constant
        for atom, coefficient in self.terms:
            first, last = _atom_interval(atom, reach)
            ends = (coefficient * first, coefficient * last)
            low, high = low + min(ends), high + max(ends)
        return low, high

    def substitute(self, renamed: Mapping[str, Affine]) -> Affine:
        """Return the expression with iterators replaced by expressions."""
        total = Affine.of(self.constant)
        for atom, coefficient in self.terms:
            match atom:
                case Iter(name):
                    term = renamed.get(name, Affine.iterator(name))
                case FloorDiv(value, divisor):
                    term = value.substitute(renamed).floordiv(divisor)
                case Mod(value, divisor):
                    term = value.substitute(renamed).mod(divisor)
                case _:
                    assert_never(atom)
            total = total + term.scaled(coefficient)
        return total

    def lifted(self, trip_counts: Mapping[str, int]) -> Affine:
        """Return the same values without a dividend below 0 within some loops, as C needs it.

        Examples
        --------
        >>> str((Affine.iterator("n") - Affine.of(6)).mod(4).lifted({"n": 9}))
        '(n + 2) % 4'
        """
        total = Affine.of(self.constant)
        for atom, coefficient in self.terms:
            if isinstance(atom, Iter):
                term = Affine.iterator(atom.name)
            else:
                value = atom.value.lifted(trip_counts)
                times = max(0, -(value.bounds(trip_counts)[0] // atom.divisor))
                value += Affine.of(times * atom.divisor)
                if isinstance(atom, FloorDiv):
                    term = value.floordiv(atom.divisor) - Affine.of(times)
                else:
                    term = value.mod(atom.divisor)
            total = total + term.scaled(coefficient)
        return total

    def ordered(self, names: Collection[str]) -> Affine:
        """Return the expression with its terms in the order of their iterators in ``names``."""
        place = {name: position for position, name in enumerate(names)}

        def inside(atom: Atom) -> Atom:
            match atom:
                case Iter():
                    return atom
                case FloorDiv(value, divisor):
                    return FloorDiv(value.ordered(names), divisor)
                case Mod(value, divisor):
                    return Mod(value.ordered(names), divisor)
                case _:
                    assert_never(atom)

        def key(term: tuple[Atom, int]) -> tuple[bool, int, str]:
            atom = term[0]
            plain = isinstance(atom, Iter)
            return not plain, place.get(atom.name, len(place)) if plain else 0, str(atom)

        terms = ((inside(atom), factor) for atom, factor in self.terms)
        return Affine(tuple(sorted(terms, key=key)), self.constant)

    def __str__(self) -> str:
        """Return C-like text, for instance ``2 * i + j + 1``."""
        parts = [
            str(atom)
            if coefficient == 1
            else f"{coefficient} * ({atom})"
            if not isinstance(atom, Iter)
            else f"{coefficient} * {atom}"
            for atom, coefficient in self.terms
        ]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts).replace("+ -", "- ")


def _atom_interval(atom: Atom, reach: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    match atom:
        case Iter(name):
            return reach[name]
        case FloorDiv(value, divisor):
            low, high = value.interval(reach)
            return low // divisor, high // divisor
        case Mod(value, divisor):
            low, high = value.interval(reach)
            if low // divisor == high // divisor:
                return low % divisor, high % divisor
            return 0, divisor - 1
        case _:
            assert_never(atom)
