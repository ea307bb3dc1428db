"""Operations on constants, done as the hardware would: each rounded to its type.

A value that is put where it is used may leave a constant on both sides of an operation::

    mul1 = 2.0 * 0.05 / (0.05 * 0.05)   ->   mul1 = 39.99999999999999
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from streamopt.analysis.value_ranges import Range, type_range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Binary, BinaryOp, Literal, children, rebuild

if TYPE_CHECKING:
    from streamopt.ir.expression import Expression

__all__ = ["with_constants_folded"]

_FLOATS = {
    ElementType.HALF: np.float16,
    ElementType.FLOAT: np.float32,
    ElementType.DOUBLE: np.float64,
}
_MOST_WHOLE = 2**53
"""Whole numbers up to here are literals without rounding."""


def with_constants_folded(expression: Expression, element: ElementType) -> Expression:
    """Return an expression without operations on two literals, if it is computed in one type.

    An operation without a finite result, or with one that doesn't fit the type, stays.
    """
    operands = children(expression)
    folded = tuple(with_constants_folded(operand, element) for operand in operands)
    if folded != operands:
        expression = rebuild(expression, folded)
    match expression:
        case Binary(op, Literal(left), Literal(right)):
            value = _result(op, left, right, element)
            return expression if value is None else Literal(value)
        case _:
            return expression


def _result(op: BinaryOp, left: float, right: float, element: ElementType) -> float | None:
    if op is BinaryOp.DIV and right == 0:
        return None
    if element in _FLOATS:
        return _rounded(op, _FLOATS[element](left), _FLOATS[element](right))
    if not element.is_integer or not (left.is_integer() and right.is_integer()):
        return None
    value = _whole(op, int(left), int(right))
    if value is None or abs(value) > _MOST_WHOLE:
        return None
    return float(value) if Range(value, value).within(type_range(element)) else None


def _rounded(op: BinaryOp, left: np.floating, right: np.floating) -> float | None:
    with np.errstate(all="ignore"):
        match op:
            case BinaryOp.ADD:
                value = float(left + right)
            case BinaryOp.SUB:
                value = float(left - right)
            case BinaryOp.MUL:
                value = float(left * right)
            case BinaryOp.DIV:
                value = float(left / right)
            case _:
                return None
    return value if isfinite(value) else None


def _whole(op: BinaryOp, left: int, right: int) -> int | None:
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.DIV:
            quotient = abs(left) // abs(right)
            return quotient if (left < 0) == (right < 0) else -quotient
        case _:
            return None
