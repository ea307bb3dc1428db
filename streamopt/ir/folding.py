"""Operations on literals are done while reading, so that nodes hold no constant arithmetic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamopt.ir.expression import Binary, BinaryOp, Call, Expression, Function, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["EVALUATED", "ConstantError", "folded_binary", "folded_call", "negated"]

_BINARY: Mapping[BinaryOp, Callable[[float, float], float]] = {
    BinaryOp.ADD: lambda left, right: left + right,
    BinaryOp.SUB: lambda left, right: left - right,
    BinaryOp.MUL: lambda left, right: left * right,
    BinaryOp.DIV: lambda left, right: left / right,
}
EVALUATED: Mapping[Function, Callable[..., float]] = {
    Function.EXP: math.exp,
    Function.LOG: math.log,
    Function.SQRT: math.sqrt,
    Function.TANH: math.tanh,
    Function.ERF: math.erf,
    Function.SIN: math.sin,
    Function.COS: math.cos,
    Function.FLOOR: math.floor,
    Function.CEIL: math.ceil,
    Function.ABS: math.fabs,
    Function.MAX: max,
    Function.MIN: min,
    Function.POW: math.pow,
}
"""What calls of numbers give; they raise where there is no finite value."""


class ConstantError(Exception):
    """An operation on finite literals has no finite value, or one on infinite ones no value."""


def folded_binary(op: BinaryOp, left: Expression, right: Expression) -> Expression:
    """Return ``left op right``, as one literal if both are literals.

    Raises
    ------
    ConstantError
        If the literal would not be finite, for finite operands, or not be a number.
    """
    if isinstance(left, Literal) and isinstance(right, Literal) and op in _BINARY:
        return _literal(_BINARY[op], left.value, right.value)
    return Binary(op, left, right)


def folded_call(function: Function, *arguments: Expression) -> Expression:
    """Return a call, as one literal if all arguments are; raises ConstantError likewise."""
    values = [argument.value for argument in arguments if isinstance(argument, Literal)]
    if len(values) == len(arguments):
        return _literal(EVALUATED[function], *values)
    return Call(function, arguments)


def negated(value: Expression) -> Expression:
    """Return ``-0.0 - value``; for a literal the literal with the other sign."""
    if isinstance(value, Literal):
        return Literal(-value.value)
    return Binary(BinaryOp.SUB, Literal(-0.0), value)


def _literal(operation: Callable[..., float], *values: float) -> Literal:
    try:
        result = operation(*values)
    except (ArithmeticError, ValueError) as error:
        raise ConstantError(str(error)) from None
    if math.isnan(result) or (math.isinf(result) and not any(map(math.isinf, values))):
        raise ConstantError("the result is not finite")
    return Literal(float(result))
