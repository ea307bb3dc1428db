"""The arithmetic of each element type, and conversions from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from streamopt.verification.reference.error_bounds import Reals
from streamopt.verification.reference.fixed_arrays import FixedArrays, converted
from streamopt.verification.reference.integers import Integers

if TYPE_CHECKING:
    from streamopt.ir.element import ElementType
    from streamopt.verification.reference.bounded_array import Bounded

__all__ = ["Arithmetic", "arithmetic_of", "in_type"]

Arithmetic: TypeAlias = Reals | Integers | FixedArrays


def arithmetic_of(element: ElementType) -> Arithmetic:
    """Return the operations of an element type."""
    if element.is_fixed:
        return FixedArrays(element)
    return Reals(element) if element.is_float else Integers(element)


def in_type(value: Bounded, element: ElementType, wanted: ElementType) -> Bounded:
    """Return values of one element type converted to another one."""
    arithmetic = arithmetic_of(wanted)
    if element.is_fixed or isinstance(arithmetic, FixedArrays):
        return converted(value, element, wanted)
    return arithmetic.convert(value)
