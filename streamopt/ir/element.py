"""Element types, and C's rule for the type in which two of them meet."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ElementType", "common_type"]


class ElementType(StrEnum):
    """Type of an array's elements, by its C++ name."""

    FLOAT = "float"
    DOUBLE = "double"
    INT8 = "int8_t"
    INT16 = "int16_t"
    INT32 = "int32_t"
    INT64 = "int64_t"
    UINT8 = "uint8_t"
    UINT16 = "uint16_t"
    UINT32 = "uint32_t"
    UINT64 = "uint64_t"

    @property
    def is_float(self) -> bool:
        """Return whether it is a floating-point type."""
        return self in (ElementType.FLOAT, ElementType.DOUBLE)

    @property
    def is_signed(self) -> bool:
        """Return whether it has negative values."""
        return not self.value.startswith("u")

    @property
    def bits(self) -> int:
        """Return the width of an element."""
        match self:
            case ElementType.FLOAT:
                return 32
            case ElementType.DOUBLE:
                return 64
            case _:
                return int(self.value.removeprefix("u").removeprefix("int").removesuffix("_t"))


def common_type(left: ElementType | None, right: ElementType | None) -> ElementType | None:
    """Return the type in which an operation on two types computes: C's usual conversions.

    None stands for a literal, which takes the other type; integers narrower than 32 bits are
    computed in ``int32_t``.

    Examples
    --------
    >>> common_type(ElementType.FLOAT, ElementType.DOUBLE).value
    'double'
    >>> common_type(ElementType.INT8, None).value
    'int32_t'
    """
    known = [element for element in (left, right) if element is not None]
    if not known:
        return None
    for element in (ElementType.DOUBLE, ElementType.FLOAT):
        if element in known:
            return element
    promoted = [element if element.bits >= 32 else ElementType.INT32 for element in known]
    bits = max(element.bits for element in promoted)
    widest = [element for element in promoted if element.bits == bits]
    signed = all(element.is_signed for element in widest)
    return ElementType(f"{'' if signed else 'u'}int{bits}_t")
