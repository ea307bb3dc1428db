"""Fixed-point formats: their spelling, the formats of results, and the rounding of one value.

A number of format ``ap_fixed<W, I>`` is a whole *mantissa* of ``W`` bits in two's complement
times ``2**-F``, ``F = W - I``. The formats of results are those of AMD's arbitrary-precision types
(UG1399, "Arbitrary Precision Fixed-Point Data Types"), in which sums, differences and products
are exact. With operands ``(W1, I1)`` and ``(W2, I2)``:

    a + b, a - b    I = max(I1, I2) + 1     F = max(F1, F2)
    a * b           I = I1 + I2             F = F1 + F2
    a / b           I = I1 + F2 + 1         F = F1 + max(F2, 0) - F2, cut off towards zero

Only an assignment, or a conversion, rounds and leaves the range: as the format that is written
says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

__all__ = ["MAX_BITS", "FixedPoint", "read_fixed_point"]

MAX_BITS = 128
"""Widest result of an operation: what a compiler for a CPU has integers for."""

_FORM = re.compile(r"\s*ap_fixed\s*<([^<>]*)>\s*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,4}")
_ROUNDING = {"AP_TRN": False, "AP_RND": True}
_OVERFLOW = {"AP_WRAP": False, "AP_SAT": True}


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """A format of signed fixed-point numbers.

    Attributes
    ----------
    width_bits
        Bits of the mantissa, with the sign.
    integer_bits
        Bits before the binary point, with the sign; may be negative, or more than the width.
    rounds
        Whether a conversion to it rounds to nearest, halves up (``AP_RND``), and doesn't round
        down (``AP_TRN``).
    saturates
        Whether a conversion to it takes the nearest end of the range (``AP_SAT``), and doesn't
        drop the upper bits (``AP_WRAP``).
    """

    width_bits: int
    integer_bits: int
    rounds: bool = False
    saturates: bool = False

    @property
    def fraction_bits(self) -> int:
        """Return the bits behind the binary point; negative if the last bit counts more than 1."""
        return self.width_bits - self.integer_bits

    @property
    def lowest(self) -> int:
        """Return the smallest mantissa."""
        return -(1 << (self.width_bits - 1))

    @property
    def highest(self) -> int:
        """Return the largest mantissa."""
        return (1 << (self.width_bits - 1)) - 1

    def __str__(self) -> str:
        """Return the C++ type, modes only where they are not the usual ones.

        Examples
        --------
        >>> str(FixedPoint(16, 6)), str(FixedPoint(16, 6, saturates=True))
        ('ap_fixed<16, 6>', 'ap_fixed<16, 6, AP_TRN, AP_SAT>')
        """
        modes = ""
        if self.rounds or self.saturates:
            modes = f", {'AP_RND' if self.rounds else 'AP_TRN'}"
        if self.saturates:
            modes += ", AP_SAT"
        return f"ap_fixed<{self.width_bits}, {self.integer_bits}{modes}>"

    def joined(self, other: FixedPoint) -> FixedPoint:
        """Return the narrowest format that has all numbers of both."""
        if self == other:
            return self
        integer = max(self.integer_bits, other.integer_bits)
        return _format(integer, max(self.fraction_bits, other.fraction_bits))

    def sum(self, other: FixedPoint) -> FixedPoint:
        """Return the format of a sum or difference."""
        integer = max(self.integer_bits, other.integer_bits) + 1
        return _format(integer, max(self.fraction_bits, other.fraction_bits))

    def product(self, other: FixedPoint) -> FixedPoint:
        """Return the format of a product."""
        fraction = self.fraction_bits + other.fraction_bits
        return _format(self.integer_bits + other.integer_bits, fraction)

    def quotient(self, other: FixedPoint) -> FixedPoint:
        """Return the format of a quotient."""
        right = other.fraction_bits
        fraction = self.fraction_bits + max(right, 0) - right
        return _format(self.integer_bits + right + 1, fraction)

    def mantissa(self, value: Fraction) -> int:
        """Return the mantissa of a number converted to the format.

        Examples
        --------
        >>> FixedPoint(8, 4).mantissa(Fraction(-1, 10)), FixedPoint(8, 4).mantissa(Fraction(9))
        (-2, -112)
        """
        scaled = value * Fraction(2) ** self.fraction_bits
        whole = (scaled + Fraction(1, 2) if self.rounds else scaled).__floor__()
        return self.contained(whole)

    def contained(self, whole: int) -> int:
        """Return a mantissa brought into the range."""
        if self.saturates:
            return min(max(whole, self.lowest), self.highest)
        return ((whole - self.lowest) & ((1 << self.width_bits) - 1)) + self.lowest

    def number(self, mantissa: int) -> Fraction:
        """Return the number of a mantissa."""
        return mantissa * Fraction(2) ** -self.fraction_bits


def _format(integer_bits: int, fraction_bits: int) -> FixedPoint:
    return FixedPoint(integer_bits + fraction_bits, integer_bits)


@cache
def read_fixed_point(text: str) -> FixedPoint:
    """Return the format of a C++ type: ``ap_fixed<16, 6, AP_RND, AP_SAT>``.

    Raises
    ------
    ValueError
        Saying what is wrong with it.

    Examples
    --------
    >>> read_fixed_point("ap_fixed<16,6>")
    FixedPoint(width_bits=16, integer_bits=6, rounds=False, saturates=False)
    """
    form = _FORM.fullmatch(text)
    parts = [part.strip() for part in form[1].split(",")] if form else []
    if not 2 <= len(parts) <= 4 or not all(map(_NUMBER.fullmatch, parts[:2])):
        raise ValueError("write ap_fixed<W, I>, ap_fixed<W, I, Q> or ap_fixed<W, I, Q, O>")
    rounding, overflow = [*parts[2:], "AP_TRN", "AP_WRAP"][:1], [*parts[3:], "AP_WRAP"][:1]
    if rounding[0] not in _ROUNDING:
        raise ValueError(f"quantisation is {' or '.join(_ROUNDING)}, not {rounding[0]}")
    if overflow[0] not in _OVERFLOW:
        raise ValueError(f"overflow is {' or '.join(_OVERFLOW)}, not {overflow[0]}")
    width, integer = int(parts[0]), int(parts[1])
    if not 1 <= width <= 2 * MAX_BITS:
        raise ValueError(f"a width of {width} bits is not in 1 .. {MAX_BITS}")
    if max(abs(integer), abs(width - integer)) > 2 * MAX_BITS:
        raise ValueError(f"{integer} integer bits are out of range")
    return FixedPoint(width, integer, _ROUNDING[rounding[0]], _OVERFLOW[overflow[0]])
