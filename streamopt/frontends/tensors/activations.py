"""Activation functions of single elements, as expressions.

Each takes and returns an expression; `streamopt.frontends.tensors.elementwise.elementwise` makes
tensors of them. One that reads its argument twice makes an array of a computed one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.ir.expression import Compare, CompareOp, Function, Literal, Select

if TYPE_CHECKING:
    from streamopt.ir.expression import Expression

__all__ = [
    "clip",
    "elu",
    "gelu",
    "hard_sigmoid",
    "hard_swish",
    "leaky_relu",
    "power",
    "relu",
    "selu",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
    "tanh_gelu",
]

_HALF = Literal(0.5)


def relu(x: Expression) -> Expression:
    """Return ``max(x, 0)``."""
    return ex.maximum(x, ex.ZERO)


def leaky_relu(x: Expression, slope: Expression) -> Expression:
    """Return ``x`` where it is positive and ``slope * x`` elsewhere."""
    return Select(Compare(CompareOp.GE, x, ex.ZERO), x, ex.multiply(slope, x))


def elu(x: Expression, alpha: float = 1.0) -> Expression:
    """Return ``x`` where it is positive and ``alpha * (exp(x) - 1)`` elsewhere."""
    below = ex.subtract(ex.call(Function.EXP, x), ex.ONE)
    return Select(Compare(CompareOp.GT, x, ex.ZERO), x, ex.multiply(Literal(alpha), below))


def selu(x: Expression, alpha: float, gamma: float) -> Expression:
    """Return ``gamma * elu(x, alpha)``."""
    return ex.multiply(Literal(gamma), elu(x, alpha))


def clip(x: Expression, low: float | None, high: float | None) -> Expression:
    """Return ``min(max(x, low), high)``; None for a side without limit."""
    if low is not None:
        x = ex.maximum(x, Literal(low))
    return x if high is None else ex.minimum(x, Literal(high))


def sigmoid(x: Expression) -> Expression:
    """Return ``1 / (1 + exp(-x))``."""
    return ex.reciprocal(ex.add(ex.ONE, ex.call(Function.EXP, ex.negative(x))))


def silu(x: Expression, beta: float = 1.0) -> Expression:
    """Return ``x * sigmoid(beta * x)``, as one division."""
    scaled = ex.multiply(Literal(beta), x)
    return ex.divide(x, ex.add(ex.ONE, ex.call(Function.EXP, ex.negative(scaled))))


def hard_sigmoid(x: Expression, alpha: float = 1 / 6, beta: float = 0.5) -> Expression:
    """Return ``alpha * x + beta``, kept in [0, 1]."""
    return clip(ex.add(ex.multiply(Literal(alpha), x), Literal(beta)), 0.0, 1.0)


def hard_swish(x: Expression) -> Expression:
    """Return ``x * hard_sigmoid(x)``."""
    return ex.multiply(x, hard_sigmoid(x))


def softplus(x: Expression) -> Expression:
    """Return ``log(1 + exp(x))``, without overflow for large ``x``."""
    small = ex.call(Function.EXP, ex.negative(ex.call(Function.ABS, x)))
    return ex.add(ex.maximum(x, ex.ZERO), ex.call(Function.LOG, ex.add(ex.ONE, small)))


def softsign(x: Expression) -> Expression:
    """Return ``x / (1 + |x|)``."""
    return ex.divide(x, ex.add(ex.ONE, ex.call(Function.ABS, x)))


def gelu(x: Expression) -> Expression:
    """Return ``x / 2 * (1 + erf(x / sqrt(2)))``."""
    argument = ex.multiply(x, Literal(math.sqrt(0.5)))
    inner = ex.add(ex.ONE, ex.call(Function.ERF, argument))
    return ex.multiply(ex.multiply(_HALF, x), inner)


def tanh_gelu(x: Expression) -> Expression:
    """Return ``x / 2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3)))``."""
    cube = ex.product(x, x, x)
    argument = ex.add(x, ex.multiply(Literal(0.044715), cube))
    argument = ex.multiply(Literal(math.sqrt(2 / math.pi)), argument)
    inner = ex.add(ex.ONE, ex.call(Function.TANH, argument))
    return ex.multiply(ex.multiply(_HALF, x), inner)


def power(x: Expression, exponent: float) -> Expression:
    """Return ``x`` to a constant power: products and roots where that is exact enough."""
    match exponent:
        case 0.0:
            return ex.ONE
        case 0.5:
            return ex.call(Function.SQRT, x)
        case -0.5:
            return ex.reciprocal(ex.call(Function.SQRT, x))
        case 1.0 | 2.0 | 3.0 | 4.0:
            return ex.product(*[x] * int(exponent))
        case -1.0 | -2.0:
            return ex.reciprocal(ex.product(*[x] * int(-exponent)))
        case _:
            return ex.call(Function.POW, x, Literal(exponent))
