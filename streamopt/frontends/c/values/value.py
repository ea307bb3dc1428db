"""What an expression is worth: its C type, its tree, and its affine form where it has one."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import (
    Cast,
    Expression,
    Index,
    Literal,
)

__all__ = [
    "INT_MAX",
    "INT_MIN",
    "CValue",
    "Extremum",
    "ValueProblem",
    "affine_value",
    "converted_value",
    "integer",
    "nearest",
    "promoted",
    "real",
    "wrapped",
]

_FORMATS = {ElementType.HALF: "e", ElementType.FLOAT: "f"}

INT_MIN, INT_MAX = -(2**31), 2**31 - 1


class ValueProblem(Exception):  # noqa: N818 -- a problem of the input, reported by who catches it
    """An operation on constants has no value; the argument says why."""


@dataclass(frozen=True, slots=True)
class Extremum:
    """The least or the greatest of affine expressions, as in loop bounds."""

    is_least: bool
    parts: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class CValue:
    """The value of an expression.

    Attributes
    ----------
    element
        Its type in C.
    tree
        The expression; for affine values an `Index` or `Literal`, cast where it is not an int.
    affine, low, high
        The affine form, if it has one, and an interval that holds its values.
    choice
        The alternatives, where the value is a minimum or maximum of affine values.
    is_loose
        Whether it is made of literals only, so that the tree takes the type of what it meets.
    size, depth
        Of the tree, in nodes and levels.
    """

    element: ElementType
    tree: Expression
    affine: Affine | None = None
    low: int = 0
    high: int = 0
    choice: Extremum | None = None
    is_loose: bool = False
    size: int = 1
    depth: int = 1

    @property
    def constant(self) -> int | float | None:
        """Return the number that the value always is, if it is one: an int for integers."""
        if self.affine is not None:
            return None if self.affine.terms else self.affine.constant
        return self.tree.value if isinstance(self.tree, Literal) else None

    @property
    def is_integer(self) -> bool:
        """Return whether the type is one of C's integers."""
        return not self.element.is_float


def affine_value(affine: Affine, element: ElementType, low: int, high: int) -> CValue:
    """Return an affine value of an integer type, within an interval."""
    if not affine.terms:
        return integer(affine.constant, element)
    tree: Expression = Index(affine)
    if element.bits > 32 or (element.bits == 32 and not element.is_signed):
        tree = Cast(element, tree)
    return CValue(element, tree, affine, low, high)


def integer(value: int, element: ElementType = ElementType.INT32) -> CValue:
    """Return a constant of an integer type, which it fits."""
    tree = Literal(float(value))
    return CValue(element, tree, Affine.of(value), value, value, is_loose=True)


def real(value: float, element: ElementType) -> CValue:
    """Return a constant of a floating-point type; raises ValueProblem if it is not finite."""
    if not math.isfinite(value):
        raise ValueProblem("the result is not a finite number")
    return CValue(element, Literal(value), is_loose=True)


def promoted(element: ElementType) -> ElementType:
    """Return the type that C computes in: integers narrower than int become int."""
    return common_type(element, element) or element


def converted_value(value: CValue, element: ElementType) -> CValue:
    """Return the value converted to a type, as a cast does."""
    if value.element == element:
        return value
    number = value.constant
    if number is not None:
        return _converted_constant(number, value.element, element)
    if value.affine is not None and not element.is_float and _fits(value, element):
        return affine_value(value.affine, element, value.low, value.high)
    choice = value.choice if element in (ElementType.INT32, ElementType.INT64) else None
    tree = Cast(element, value.tree)
    return CValue(element, tree, choice=choice, size=value.size + 1, depth=value.depth + 1)


def _fits(value: CValue, element: ElementType) -> bool:
    low = -(2 ** (element.bits - 1)) if element.is_signed else 0
    high = 2 ** (element.bits - element.is_signed) - 1
    return low <= value.low and value.high <= high


def _converted_constant(number: float, source: ElementType, element: ElementType) -> CValue:
    if element.is_float:
        return real(nearest(nearest(float(number), source), element), element)
    whole = math.trunc(nearest(number, source))
    return integer(wrapped(whole, element), element)


def nearest(value: float, element: ElementType) -> float:
    """Return the nearest number of type float or half, and any other number as it is.

    Raises
    ------
    ValueProblem
        If it is infinite.
    """
    form = _FORMATS.get(element)
    if form is None:
        return value
    try:
        return float(struct.unpack(form, struct.pack(form, value))[0])
    except OverflowError:
        raise ValueProblem(f"the number is too large for {element}") from None


def wrapped(value: int, element: ElementType) -> int:
    """Return an integer brought into the range of a type; ValueProblem above 53 bits."""
    span = 1 << element.bits
    value %= span
    value = value - span if element.is_signed and value >= span >> 1 else value
    if abs(value) > 2**53:
        raise ValueProblem("the number has more than 53 bits")
    return value
