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

__all__ = ["compared_type", "expression_type", "operand_types", "result_type"]


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
        case Binary(op, left, right):
            return result_type(op, typed(left), typed(right))
        case Select(_, left, right):
            return common_type(typed(left), typed(right))
        case Call(function, arguments):
            return _called(function, reduce(common_type, map(typed, arguments)))
        case _:
            assert_never(expression)


def compared_type(
    left: Expression, right: Expression, element_of: Callable[[str], ElementType]
) -> ElementType | None:
    """Return the type in which two values are compared: that of their sum."""
    return expression_type(Binary(BinaryOp.ADD, left, right), element_of)


def operand_types(
    operation: Binary, element: ElementType, element_of: Callable[[str], ElementType]
) -> tuple[ElementType, ElementType]:
    """Return the types that the operands of an operation are converted to.

    That of the result, but in fixed point each operand keeps its own format.

    Parameters
    ----------
    element
        Type of the result.
    """
    if not element.is_fixed:
        return element, element
    left = expression_type(operation.left, element_of)
    right = expression_type(operation.right, element_of)
    return _as_fixed(left or right or element), _as_fixed(right or left or element)


def _called(function: Function, operand: ElementType | None) -> ElementType | None:
    if operand is not None and operand.is_fixed and function is Function.ABS:
        return result_type(BinaryOp.SUB, operand, operand)
    real = operand is None or operand.is_float or function.keeps_type
    return operand if real else ElementType.DOUBLE


def _as_fixed(element: ElementType) -> ElementType:
    return ElementType.of_fixed_point(element.fixed_point)


def result_type(
    op: BinaryOp, left: ElementType | None, right: ElementType | None
) -> ElementType | None:
    """Return the type of an operation's result; a literal takes the type of the other operand."""
    common = common_type(left, right)
    if common is None or not common.is_fixed:
        return common
    one, other = ((side or common).fixed_point for side in (left, right))
    match op:
        case BinaryOp.ADD | BinaryOp.SUB:
            return ElementType.of_fixed_point(one.sum(other))
        case BinaryOp.MUL:
            return ElementType.of_fixed_point(one.product(other))
        case BinaryOp.DIV:
            return ElementType.of_fixed_point(one.quotient(other))
        case _:
            return common
