"""Formats of floating-point numbers as fields of bits: IEEE 754's binary16, binary32, binary64.

Subnormal numbers are taken as zeros of their sign, and results below the least normal number are
such zeros. A result is first rounded to nearest even as if exponents had no end; what then is
below the least normal number is flushed. All that is not a number is the same quiet NaN.
"""

from dataclasses import dataclass

from streamopt.ir.element import ElementType


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A sign, an exponent, and a fraction below a leading one that isn't stored."""

    exponent_bits: int
    fraction_bits: int

    @property
    def bits(self) -> int:
        """Return the width of a number."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        """Return the exponent field of 1."""
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def special(self) -> int:
        """Return the exponent field of infinities and NaN."""
        return (1 << self.exponent_bits) - 1

    @property
    def significand_bits(self) -> int:
        """Return the bits of a fraction with its leading one."""
        return self.fraction_bits + 1

    @property
    def name(self) -> str:
        """Return the letter and width that modules have in their names."""
        return f"f{self.bits}"


HALF = FloatFormat(5, 10)
FLOAT = FloatFormat(8, 23)
DOUBLE = FloatFormat(11, 52)
FORMATS = {ElementType.HALF: HALF, ElementType.FLOAT: FLOAT, ElementType.DOUBLE: DOUBLE}
