"""Formats of numbers in hardware: floating-point ones, and whole ones with a binary point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from streamopt.ir.element import ElementType, FixedPoint
from streamopt.rtl.operators.float_format import FORMATS, FloatFormat


@dataclass(frozen=True, slots=True)
class WholeFormat:
    """A whole number of some bits, in two's complement if it is signed, times ``2**-fraction``."""

    bits: int
    is_signed: bool = True
    fraction_bits: int = 0
    """Behind the binary point; may be negative, or more than the bits."""
    # rounds, saturates: when something is converted to it; else it is rounded down, and wraps
    rounds: bool = False
    saturates: bool = False

    @property
    def name(self) -> str:
        """Return the letter and width that modules have in their names.

        Examples
        --------
        >>> WholeFormat(8).name, WholeFormat(16, True, 10, True, True).name
        ('s8', 's16p10rs')
        """
        sign = "s" if self.is_signed else "u"
        point = f"p{self.fraction_bits}".replace("-", "m") if self.fraction_bits else ""
        return f"{sign}{self.bits}{point}{'r' * self.rounds}{'s' * self.saturates}"

    @property
    def low(self) -> int:
        """Return the least mantissa."""
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def high(self) -> int:
        """Return the largest mantissa."""
        return (1 << (self.bits - self.is_signed)) - 1

    @property
    def plain(self) -> WholeFormat:
        """Return the format as operands have it: without the ways to get there."""
        return replace(self, rounds=False, saturates=False)

    def holds(self, other: WholeFormat) -> bool:
        """Return whether it has all numbers of another one."""
        shift = self.fraction_bits - other.fraction_bits
        if shift < 0:
            return False
        return self.low <= other.low << shift and other.high << shift <= self.high

    def joined(self, other: WholeFormat) -> WholeFormat:
        """Return the narrowest format that has all numbers of both."""
        point = max(self.fraction_bits, other.fraction_bits)
        ends = [
            (end << (point - one.fraction_bits))
            for one in (self, other)
            for end in (one.low, one.high)
        ]
        return narrowest(min(ends), max(ends), point)

    def mantissa_of(self, number: Fraction) -> int:
        """Return the bits of a number converted to it, as one that isn't negative."""
        width = self.bits + (not self.is_signed)
        form = FixedPoint(width, width - self.fraction_bits, self.rounds, self.saturates)
        return form.mantissa(number) % (1 << self.bits)


NumberFormat: TypeAlias = FloatFormat | WholeFormat
TRUTH = WholeFormat(1, False)
"""0 or 1."""


def narrowest(low: int, high: int, fraction_bits: int = 0) -> WholeFormat:
    """Return the narrowest format that has mantissas from one to another.

    Examples
    --------
    >>> narrowest(0, 255).name, narrowest(-1, 255).name, narrowest(0, 0).name
    ('u8', 's9', 'u1')
    """
    if low >= 0:
        return WholeFormat(max(1, high.bit_length()), False, fraction_bits)
    bits = max((~low).bit_length(), max(0, high).bit_length()) + 1
    return WholeFormat(bits, True, fraction_bits)


def format_of(element: ElementType) -> NumberFormat:
    """Return the format of the elements of a type."""
    if element in FORMATS:
        return FORMATS[element]
    if element.is_integer:
        return WholeFormat(element.bits, element.is_signed)
    form = element.fixed_point
    return WholeFormat(form.width_bits, True, form.fraction_bits, form.rounds, form.saturates)


def plain(form: NumberFormat) -> NumberFormat:
    """Return a format as values have it: without the ways to get there."""
    return form.plain if isinstance(form, WholeFormat) else form
