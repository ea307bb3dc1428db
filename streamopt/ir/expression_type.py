"""The element type in which an expression computes: C's rules, read off the tree."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    Function,
    Index,
    Literal,
    Logic,
    Read,
    Select,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.expression import Expression

__all__ = ["expression_type"]

_REAL_ONLY = frozenset(Function) - {Function.ABS, Function.MAX, Function.MIN}


def expression_type(
    expression: Expression, element_of: Callable[[str], ElementType]
) -> ElementType | None:
    """Return the type of an expression's value; None where it holds nothing but literals.

    Parameters
    ----------
    element_of
        Element type of an array by name.
    """

    def typed(part: Expression) -> ElementType | None:
        return expression_type(part, element_of)

    match expression:
        case Literal():
            return None
        case Read(access):
            return element_of(access.array)
        case Index() | Compare() | Logic():
            return ElementType.INT32
        case Cast(element):
            return element
        case Binary(BinaryOp.SHL | BinaryOp.SHR, left, _):
            return common_type(typed(left), typed(left))
        case Binary(_, left, right) | Select(_, left, right):
            return common_type(typed(left), typed(right))
        case Call(function, arguments):
            found = reduce(common_type, map(typed, arguments))
            real = found is None or found.is_float or function not in _REAL_ONLY
            return found if real else ElementType.DOUBLE
        case _:
            assert_never(expression)
