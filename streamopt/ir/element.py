"""Element types and fixed-point formats, and the types in which two of them meet.

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
import struct
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache

MAX_BITS = 128
"""Widest result of an operation: what a compiler for a CPU has integers for."""

_FORM = re.compile(r"\s*ap_fixed\s*<([^<>]*)>\s*")
_SIZED = re.compile(r"\s*ap_(u?int)\s*<\s*([1-9]|[1-5][0-9]|6[0-4])\s*>\s*")
_OF_C = ("8", "16", "32", "64")
_DIGITS = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]{1,4}")
_ROUNDING = {"AP_TRN": False, "AP_RND": True}
_OVERFLOW = {"AP_WRAP": False, "AP_SAT": True}


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """A format of signed fixed-point numbers."""

    width_bits: int
    """Bits of the mantissa, with the sign."""
    integer_bits: int
    """Bits before the binary point, with the sign; may be negative, or more than the width."""
    rounds: bool = False
    """Whether a conversion to it rounds to nearest, halves up (``AP_RND``), and doesn't round down
    (``AP_TRN``)."""
    saturates: bool = False
    """Whether a conversion to it takes the nearest end of the range (``AP_SAT``), and doesn't drop
    the upper bits (``AP_WRAP``)."""

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


MAX_ELEMENT_BITS = 53
"""Widest fixed-point element of an array: its numbers are those of a double too."""


class ElementType(StrEnum):
    """Type of an array's elements, by its C++ name.

    Fixed-point types and integers of other widths than C's are members too, made when they are
    first asked for; iteration gives the others.

    Examples
    --------
    >>> ElementType("ap_fixed<16,6>")
    <ElementType.ap_fixed<16, 6>: 'ap_fixed<16, 6>'>
    >>> ElementType("ap_fixed<16,6>") is ElementType("ap_fixed<16, 6, AP_TRN>")
    True
    >>> ElementType("ap_int< 4 >")
    <ElementType.ap_int<4>: 'ap_int<4>'>
    >>> ElementType("ap_uint<16>")
    <ElementType.UINT16: 'uint16_t'>
    """

    FLOAT = "float"
    DOUBLE = "double"
    HALF = "half"
    INT8 = "int8_t"
    INT16 = "int16_t"
    INT32 = "int32_t"
    INT64 = "int64_t"
    UINT8 = "uint8_t"
    UINT16 = "uint16_t"
    UINT32 = "uint32_t"
    UINT64 = "uint64_t"

    @classmethod
    def _missing_(cls, value: object) -> ElementType | None:
        sized = _SIZED.fullmatch(str(value))
        if sized and sized[2] in _OF_C:
            return cls(f"{sized[1]}{sized[2]}_t")
        try:
            text = f"ap_{sized[1]}<{sized[2]}>" if sized else str(read_fixed_point(str(value)))
        except ValueError:
            return None
        known = cls._value2member_map_.get(text)
        if isinstance(known, ElementType):
            return known
        member = str.__new__(cls, text)
        member._name_ = member._value_ = text
        cls._value2member_map_[text] = member
        return member

    @staticmethod
    def of_fixed_point(form: FixedPoint) -> ElementType:
        """Return the type of fixed-point numbers of a format.

        Formats wider than any that can be computed with are all one.
        """
        width = min(form.width_bits, 2 * MAX_BITS)
        integer = min(max(form.integer_bits, width - MAX_BITS), MAX_BITS)
        return ElementType(str(replace(form, width_bits=width, integer_bits=integer)))

    @property
    def is_float(self) -> bool:
        """Return whether it is a floating-point type."""
        return self in _FLOATS

    @property
    def is_fixed(self) -> bool:
        """Return whether it is a fixed-point type."""
        return self.value.startswith("ap_fixed")

    @property
    def is_integer(self) -> bool:
        """Return whether it is a type of whole numbers."""
        return not self.is_float and not self.is_fixed

    @property
    def fixed_point(self) -> FixedPoint:
        """Return the format of its numbers; an integer type's too, one bit more if unsigned."""
        assert not self.is_float
        if self.is_fixed:
            return read_fixed_point(self.value)
        bits = self.bits + (not self.is_signed)
        return FixedPoint(bits, bits)

    @property
    def is_signed(self) -> bool:
        """Return whether it has negative values."""
        return not self.value.startswith(("u", "ap_uint"))

    @property
    def bits(self) -> int:
        """Return the width of an element on the chip."""
        if self.is_float:
            return _FLOATS[self]
        if self.is_fixed:
            return self.fixed_point.width_bits
        digits = _DIGITS.search(self.value)
        assert digits is not None
        return int(digits[0])

    def nearest(self, value: float) -> float:
        """Return the nearest number of a floating-point type, and of others the number itself.

        Raises
        ------
        OverflowError
            If the number is beyond the largest one of the type.

        Examples
        --------
        >>> ElementType.HALF.nearest(0.1), ElementType.DOUBLE.nearest(0.1)
        (0.0999755859375, 0.1)
        """
        form = _PACKED.get(self, "d")
        try:
            return struct.unpack(form, struct.pack(form, value))[0]
        except OverflowError:
            raise OverflowError(f"the number is too large for {self}") from None

    @property
    def storage_bits(self) -> int:
        """Return the width of an element in memory that a processor reads: a power of two.

        Examples
        --------
        >>> ElementType("ap_fixed<18, 8>").storage_bits
        32
        """
        return max(8, 1 << (self.bits - 1).bit_length())

    @property
    def outside_bits(self) -> int:
        """Return the width of an element in the words of a port: a power of two.

        Integers narrower than a byte share one, where a word has room for several.

        Examples
        --------
        >>> ElementType("ap_int<4>").outside_bits, ElementType("ap_uint<3>").outside_bits
        (4, 4)
        >>> ElementType("ap_fixed<4, 4>").outside_bits
        8
        """
        return 1 << (self.bits - 1).bit_length() if self.is_narrow else self.storage_bits

    @property
    def is_narrow(self) -> bool:
        """Return whether it is an integer of another width than C's, and so a class in C++."""
        return self.value.startswith(("ap_int", "ap_uint"))

    @property
    def dtype(self) -> str:
        """Return NumPy's name of the type that an element is stored as, little-endian.

        Examples
        --------
        >>> ElementType.FLOAT.dtype, ElementType.UINT8.dtype, ElementType("ap_fixed<18, 8>").dtype
        ('<f4', '<u1', '<i4')
        """
        kind = "f" if self.is_float else "i" if self.is_signed else "u"
        return f"<{kind}{self.storage_bits // 8}"


_PACKED = {ElementType.FLOAT: "f", ElementType.HALF: "e"}
_FLOATS = {ElementType.FLOAT: 32, ElementType.DOUBLE: 64, ElementType.HALF: 16}


def element_problem(text: str, most_bits: int = MAX_ELEMENT_BITS) -> str:
    """Return the problem of a text as the type of an array's elements; empty for a type.

    Parameters
    ----------
    most_bits
        Of fixed-point numbers; `MAX_BITS` where no array has them.

    Examples
    --------
    >>> element_problem("half"), element_problem("ap_fixed<60, 8>")
    ('', 'a width of 60 bits is not in 1 .. 53')
    """
    if text in set(ElementType) or _SIZED.fullmatch(text):
        return ""
    if text.lstrip().startswith(("ap_int", "ap_uint")):
        return "write ap_int<W> or ap_uint<W> with a width W in 1 .. 64"
    if not text.lstrip().startswith("ap_fixed"):
        return f"known are {', '.join(ElementType)}, ap_fixed<W, I>, ap_int<W> and ap_uint<W>"
    try:
        width = read_fixed_point(text).width_bits
    except ValueError as problem:
        return str(problem)
    if width > most_bits:
        return f"a width of {width} bits is not in 1 .. {most_bits}"
    return ""


def is_closed(element: ElementType) -> bool:
    """Return whether an operation on numbers of a type has a result of that type.

    Not in fixed point, whose results have more bits, and of integers that C computes in ``int``.
    """
    return not element.is_fixed and common_type(element, element) is element


def common_type(left: ElementType | None, right: ElementType | None) -> ElementType | None:
    """Return the type in which an operation on two types computes: C's usual conversions.

    None stands for a literal, which takes the other type; integers narrower than 32 bits are
    computed in ``int32_t``. Two fixed-point types, or one and an integer, meet in the narrowest
    one that has all numbers of both.

    Examples
    --------
    >>> common_type(ElementType.FLOAT, ElementType.DOUBLE).value
    'double'
    >>> common_type(ElementType.INT8, None).value
    'int32_t'
    >>> common_type(ElementType("ap_fixed<16, 6>"), ElementType("ap_fixed<12, 8>")).value
    'ap_fixed<18, 8>'
    """
    known = [element for element in (left, right) if element is not None]
    if not known:
        return None
    for element in (ElementType.DOUBLE, ElementType.FLOAT, ElementType.HALF):
        if element in known:
            return element
    if any(element.is_fixed for element in known):
        forms = [element.fixed_point for element in known]
        return ElementType.of_fixed_point(forms[0].joined(forms[-1]))
    promoted = [element if element.bits >= 32 else ElementType.INT32 for element in known]
    bits = 32 if max(element.bits for element in promoted) <= 32 else 64
    widest = [element for element in promoted if (element.bits <= 32) == (bits == 32)]
    signed = all(element.is_signed for element in widest)
    return ElementType(f"{'' if signed else 'u'}int{bits}_t")
