"""Element types, and C's rule for the type in which two of them meet."""

from __future__ import annotations

import struct
from dataclasses import replace
from enum import StrEnum

from streamopt.ir.fixed_point import MAX_BITS, FixedPoint, read_fixed_point

__all__ = ["MAX_ELEMENT_BITS", "ElementType", "common_type", "element_problem"]

MAX_ELEMENT_BITS = 53
"""Widest fixed-point element of an array: its numbers are those of a double too."""


class ElementType(StrEnum):
    """Type of an array's elements, by its C++ name.

    Fixed-point types are members too, made when they are first asked for; iteration gives the
    others.

    Examples
    --------
    >>> ElementType("ap_fixed<16,6>")
    <ElementType.ap_fixed<16, 6>: 'ap_fixed<16, 6>'>
    >>> ElementType("ap_fixed<16,6>") is ElementType("ap_fixed<16, 6, AP_TRN>")
    True
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
        try:
            text = str(read_fixed_point(str(value)))
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
        return not self.value.startswith("u")

    @property
    def bits(self) -> int:
        """Return the width of an element on the chip."""
        if self.is_float:
            return _FLOATS[self]
        if self.is_fixed:
            return self.fixed_point.width_bits
        return int(self.value.removeprefix("u").removeprefix("int").removesuffix("_t"))

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


def element_problem(text: str) -> str:
    """Return what is wrong with the type of an array's elements; empty if nothing is.

    Examples
    --------
    >>> element_problem("half"), element_problem("ap_fixed<60, 8>")
    ('', 'a width of 60 bits is not in 1 .. 53')
    """
    if text in set(ElementType):
        return ""
    if not text.lstrip().startswith("ap_fixed"):
        return f"known are {', '.join(ElementType)} and ap_fixed<W, I>"
    try:
        width = read_fixed_point(text).width_bits
    except ValueError as problem:
        return str(problem)
    if width > MAX_ELEMENT_BITS:
        return f"a width of {width} bits is not in 1 .. {MAX_ELEMENT_BITS}"
    return ""


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
    bits = max(element.bits for element in promoted)
    widest = [element for element in promoted if element.bits == bits]
    signed = all(element.is_signed for element in widest)
    return ElementType(f"{'' if signed else 'u'}int{bits}_t")
