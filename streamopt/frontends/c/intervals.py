"""Intervals that hold the values of affine expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from streamopt.ir.affine import FloorDiv, Iter, Mod

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.affine import Affine, Atom

__all__ = ["interval_of"]


def interval_of(value: Affine, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """Return (lowest, highest) over iterators in closed intervals; may be wider than need be."""
    low = high = value.constant
    for atom, coefficient in value.terms:
        first, last = _of_atom(atom, ranges)
        ends = coefficient * first, coefficient * last
        low, high = low + min(ends), high + max(ends)
    return low, high


def _of_atom(atom: Atom, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    match atom:
        case Iter(name):
            return ranges[name]
        case FloorDiv(value, divisor):
            low, high = interval_of(value, ranges)
            return low // divisor, high // divisor
        case Mod(value, divisor):
            low, high = interval_of(value, ranges)
            if low // divisor == high // divisor:
                return low % divisor, high % divisor
            return 0, divisor - 1
        case _:
            assert_never(atom)
