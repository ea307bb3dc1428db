"""Divisions and remainders of affine expressions where trip counts decide them.

A reshape reads flat index ``f`` of an array of shape (a, b) at ``f // b`` and ``f % b``; with
``f = 16*h + d`` and ``d`` in ``[0, 16)`` those are ``h`` and ``d``, and an access that streams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, prod
from typing import assert_never

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod


def floor_divided(value: Affine, divisor: int, trip_counts: Mapping[str, int]) -> Affine:
    """Return ``floor(value / divisor)`` without a division where the trip counts allow it.

    The dividend is never negative, as C's division wants it.

    Examples
    --------
    >>> value = Affine.iterator("h").scaled(16) + Affine.iterator("d")
    >>> str(floor_divided(value, 16, {"h": 8, "d": 16})), str(remainder(value, 16, {"d": 16}))
    ('h', 'd')
    """
    if divisor == 1:
        return value
    whole, rest = _split(value, divisor)
    low, high = rest.bounds(trip_counts)
    if low // divisor == high // divisor:
        return whole + Affine.of(low // divisor)
    match rest.terms, rest.constant:
        case ((FloorDiv(inner, by), 1),), 0:
            return whole + floor_divided(inner, by * divisor, trip_counts)
        case _:
            pass
    for step in _steps(rest, divisor):
        coarse, fine = _split(rest, step)
        if _within(fine, step, trip_counts):
            return whole + floor_divided(coarse, divisor // step, trip_counts)
    lifted = -(low // divisor) if low < 0 else 0
    rest = (rest + Affine.of(lifted * divisor)).ordered(trip_counts)
    return whole + rest.floordiv(divisor) + Affine.of(-lifted)


def remainder(value: Affine, divisor: int, trip_counts: Mapping[str, int]) -> Affine:
    """Return the non-negative ``value % divisor``, simplified likewise."""
    if divisor == 1:
        return Affine()
    rest = _split(_without_inner(value, divisor), divisor)[1]
    low, high = rest.bounds(trip_counts)
    if low // divisor == high // divisor:
        return rest + Affine.of(-(low // divisor) * divisor)
    for step in _steps(rest, divisor):
        coarse, fine = _split(rest, step)
        if _within(fine, step, trip_counts):
            return remainder(coarse, divisor // step, trip_counts).scaled(step) + fine
    lifted = -(low // divisor) if low < 0 else 0
    return (rest + Affine.of(lifted * divisor)).ordered(trip_counts).mod(divisor)


def placed(value: Affine, places: Mapping[str, Affine], trip_counts: Mapping[str, int]) -> Affine:
    """Return the expression with its iterators replaced, its divisions simplified again."""
    total = Affine.of(value.constant)
    for atom, factor in value.terms:
        match atom:
            case Iter(name):
                term = places[name]
            case FloorDiv(inner, divisor):
                term = floor_divided(placed(inner, places, trip_counts), divisor, trip_counts)
            case Mod(inner, divisor):
                term = remainder(placed(inner, places, trip_counts), divisor, trip_counts)
            case _:
                assert_never(atom)
        total = total + term.scaled(factor)
    return total


def flat_index(indices: Sequence[Affine], shape: Sequence[int]) -> Affine:
    """Return the row-major position; a quotient and its remainder become what was divided."""
    total = Affine()
    for index, extent in zip(indices, shape, strict=True):
        total = total.scaled(extent) + index
    return recombined(total)


def recombined(value: Affine) -> Affine:
    """Return a value with quotients and remainders of the same divisor joined.

    Examples
    --------
    >>> flat = Affine.iterator("n")
    >>> str(recombined(flat.floordiv(16).scaled(16) + flat.floordiv(4).mod(4).scaled(4)))
    '4 * ((n) / 4)'
    """
    terms = dict(value.terms)
    for atom, factor in value.terms:
        if isinstance(atom, Mod):
            quotient = _quotient(atom.value, atom.divisor)
            if terms.get(quotient) == factor * atom.divisor:
                rest = Affine(tuple((a, f) for a, f in terms.items() if a not in (atom, quotient)))
                return recombined(rest + atom.value.scaled(factor) + Affine.of(value.constant))
    return value


def _quotient(value: Affine, divisor: int) -> FloorDiv:
    """Return a quotient, that of one quotient with both divisors at once."""
    match value.terms, value.constant:
        case ((FloorDiv(inner, by), 1),), 0:
            return FloorDiv(inner, by * divisor)
        case _:
            return FloorDiv(value, divisor)


def unflattened(
    flat: Affine, shape: Sequence[int], trip_counts: Mapping[str, int]
) -> tuple[Affine, ...]:
    """Return the indices of a row-major position; the outermost one may be beyond its extent."""
    indices: list[Affine] = []
    for axis, extent in enumerate(shape):
        quotient = floor_divided(flat, prod(shape[axis + 1 :]), trip_counts)
        indices.append(quotient if axis == 0 else remainder(quotient, extent, trip_counts))
    return tuple(indices)


def _split(value: Affine, divisor: int) -> tuple[Affine, Affine]:
    """Return (whole, rest) with ``value = divisor * whole + rest``; rest's constant is >= 0."""
    whole = tuple((atom, f // divisor) for atom, f in value.terms if f % divisor == 0)
    rest = tuple((atom, f) for atom, f in value.terms if f % divisor != 0)
    return (
        Affine(whole, value.constant // divisor),
        Affine(rest, value.constant % divisor),
    )


def _steps(value: Affine, divisor: int) -> list[int]:
    """Return the common factors of the divisor and some term, largest first."""
    return sorted({gcd(factor, divisor) for _, factor in value.terms} - {1}, reverse=True)


def _within(value: Affine, extent: int, trip_counts: Mapping[str, int]) -> bool:
    low, high = value.bounds(trip_counts)
    return low >= 0 and high < extent


def _without_inner(value: Affine, divisor: int) -> Affine:
    """Return a value of the same remainder, without inner remainders of multiples."""
    total = Affine.of(value.constant)
    for atom, factor in value.terms:
        if isinstance(atom, Mod) and factor * atom.divisor % divisor == 0:
            total = total + atom.value.scaled(factor)
        else:
            total = total + Affine(((atom, factor),))
    return total
