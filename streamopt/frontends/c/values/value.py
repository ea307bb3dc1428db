"""Values of expressions: a C type, a tree, and an affine form where there is one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import ConstantError, Range, type_range
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import Cast, Expression, Index, Literal

_NO_RANGE = Range(0, 0)


@dataclass(frozen=True, slots=True)
class Extremum:
    """The least or the greatest of affine expressions, as in loop bounds."""

    is_least: bool
    parts: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Width:
    """The bits of an exact number, the sign's included."""

    bits: int
    is_signed: bool


@dataclass(frozen=True, slots=True)
class CValue:
    """The value of an expression."""

    element: ElementType
    """Its type in C."""
    tree: Expression
    """The expression; for affine values an `Index` or `Literal`, cast where it is not an int."""
    # affine, range: the affine form, if it has one, and a range that holds its values
    affine: Affine | None = None
    range: Range = _NO_RANGE
    choice: Extremum | None = None
    """The alternatives, where the value is a minimum or maximum of affine values."""
    is_loose: bool = False
    """Whether it is made of literals only, so that the tree takes the type of what it meets."""
    # size, depth: of the tree, in nodes and levels
    size: int = 1
    depth: int = 1
    wide: Width | None = None
    """The bits of a number whose sums and products are exact (``ap_int``)."""

    @property
    def constant(self) -> int | float | None:
        """Return the number that the value always is, if it is one: an int for integers."""
        if self.affine is not None:
            return None if self.affine.terms else self.affine.constant
        match self.tree:
            case Literal(number):
                return number
            case Cast(element, Literal(number)) if element.is_fixed:
                return number
            case _:
                return None

    @property
    def is_integer(self) -> bool:
        """Return whether the type is one of whole numbers."""
        return self.element.is_integer


def affine_value(affine: Affine, element: ElementType, limits: Range) -> CValue:
    """Return an affine value of an integer type, within a range."""
    if not affine.terms:
        return integer(affine.constant, element)
    tree: Expression = Index(affine)
    if element.bits > 32 or (element.bits == 32 and not element.is_signed):
        tree = Cast(element, tree)
    return CValue(element, tree, affine, limits)


def fitting_value(
    affine: Affine, element: ElementType, ranges: Mapping[str, tuple[int, int]]
) -> CValue | None:
    """Return an affine value of iterators with intervals; None where its type doesn't hold it."""
    reach = Range(*affine.interval(ranges))
    return affine_value(affine, element, reach) if reach.within(type_range(element)) else None


def typed_as(value: CValue, *, is_wide: bool) -> CValue:
    """Return a value of a type whose sums and products are exact, or of one of C's."""
    element = value.element
    wide = Width(element.bits, element.is_signed) if is_wide and element.is_integer else None
    return value if value.wide == wide else replace(value, wide=wide)


def integer(value: int, element: ElementType = ElementType.INT32) -> CValue:
    """Return a constant of an integer type, which it fits."""
    tree = Literal(float(value))
    return CValue(element, tree, Affine.of(value), Range(value, value), is_loose=True)


def real(value: float, element: ElementType) -> CValue:
    """Return a constant of a floating-point type; raises ConstantError if it is not finite."""
    if not math.isfinite(value):
        raise ConstantError("the result is not a finite number")
    return CValue(element, Literal(value), is_loose=True)


def promoted(element: ElementType) -> ElementType:
    """Return the type that C computes in: integers narrower than int become int."""
    return common_type(element, element) or element


def converted_value(value: CValue, element: ElementType) -> CValue:
    """Return the value converted to a type, as a cast does."""
    if value.element == element:
        return value
    number = value.constant
    if number is not None and element.is_fixed:
        form = element.fixed_point
        kept = form.number(form.mantissa(Fraction(number)))
        return CValue(element, Cast(element, Literal(float(kept))), size=2, depth=2)
    if number is not None and element.is_float:
        return real(nearest(nearest(number, value.element), element), element)
    if number is not None:
        return integer(wrapped(math.trunc(nearest(number, value.element)), element), element)
    fits = element.is_integer and value.range.within(type_range(element))
    if value.affine is not None and fits:
        return affine_value(value.affine, element, value.range)
    choice = value.choice if element in (ElementType.INT32, ElementType.INT64) else None
    tree = Cast(element, value.tree)
    return CValue(element, tree, choice=choice, size=value.size + 1, depth=value.depth + 1)


def nearest(value: float, element: ElementType) -> float:
    """Return the nearest number of a floating-point type; ConstantError where it is infinite."""
    try:
        return element.nearest(value)
    except OverflowError as error:
        raise ConstantError(str(error)) from None


def wrapped(value: int, element: ElementType) -> int:
    """Return an integer brought into the range of a type; ConstantError above 53 bits."""
    span = 1 << element.bits
    value %= span
    value = value - span if element.is_signed and value >= span >> 1 else value
    if abs(value) > 2**53:
        raise ConstantError("the number has more than 53 bits")
    return value
