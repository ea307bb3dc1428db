"""``then`` where affine conditions hold, else a constant; nothing is asked that is always so."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Cast,
    Compare,
    CompareOp,
    Index,
    Literal,
    Logic,
    LogicOp,
    Select,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Condition, Expression
    from streamopt.transforms.rewrites.elements import Box

__all__ = ["fits", "inside", "selected"]


def fits(literal: Literal, element: ElementType) -> bool:
    """Return whether a literal is itself in an element type as in an expression of that type."""
    if element.is_fixed and isfinite(literal.value):
        form, value = element.fixed_point, Fraction(literal.value)
        return form.number(form.mantissa(value)) == value
    return element.is_float or float(literal.value).is_integer()


def inside(subscripts: Sequence[Affine], within: Box) -> tuple[Condition, ...]:
    """Return the conditions under which subscripts name an element of a box."""
    return tuple(
        condition
        for subscript, (first, extent) in zip(subscripts, within, strict=True)
        for condition in (
            Compare(CompareOp.GE, Index(subscript), Literal(first)),
            Compare(CompareOp.LT, Index(subscript), Literal(first + extent)),
        )
    )


def selected(
    conditions: Sequence[Condition],
    then: Expression,
    otherwise: Literal,
    element: ElementType,
    trip_counts: Mapping[str, int],
) -> Expression:
    """Return ``then``, of the given type, where all affine conditions hold, else the literal."""
    known = [_truth(condition, trip_counts) for condition in conditions]
    if False in known:
        return Cast(element, otherwise)
    open_ones = tuple(c for c, truth in zip(conditions, known, strict=True) if truth is None)
    if not open_ones:
        return then
    condition = open_ones[0] if len(open_ones) == 1 else Logic(LogicOp.AND, open_ones)
    return Select(condition, then, otherwise)


def _truth(condition: Condition, trip_counts: Mapping[str, int]) -> bool | None:
    """Return what a comparison is at every iteration; None where that differs or isn't seen."""
    match condition:
        case Compare(op, Index(left), Index(right)):
            low, high = (left - right).bounds(trip_counts)
        case Compare(op, Index(left), Literal(value)) if float(value).is_integer():
            low, high = (left - Affine.of(int(value))).bounds(trip_counts)
        case _:
            return None
    match op:
        case CompareOp.LT:
            return _known(high < 0, low >= 0)
        case CompareOp.LE:
            return _known(high <= 0, low > 0)
        case CompareOp.GT:
            return _known(low > 0, high <= 0)
        case CompareOp.GE:
            return _known(low >= 0, high < 0)
        case CompareOp.EQ:
            return _known(low == high == 0, low > 0 or high < 0)
        case CompareOp.NE:
            return _known(low > 0 or high < 0, low == high == 0)


def _known(always: bool, never: bool) -> bool | None:
    return True if always else False if never else None
