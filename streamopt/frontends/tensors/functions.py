"""Functions that programs don't have, made of those that they do: activations, elementary, sums.

Activations take and return an expression; `streamopt.frontends.tensors.elementwise.elementwise`
makes tensors of them. One that reads its argument twice makes an array of a computed one.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.tensor import splat
from streamopt.frontends.tensors.views import padded
from streamopt.ir.arithmetic import negated
from streamopt.ir.expression import Compare, CompareOp, Function, Literal, Select

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.tensor import LazyTensor
    from streamopt.ir.expression import Expression

_HALF = Literal(0.5)


def relu(x: Expression) -> Expression:
    """Return ``max(x, 0)``."""
    return ex.maximum(x, ex.ZERO)


def leaky_relu(x: Expression, alpha: Expression | float) -> Expression:
    """Return ``x`` where it is positive and ``alpha * x`` elsewhere."""
    slope = Literal(alpha) if isinstance(alpha, float | int) else alpha
    return Select(Compare(CompareOp.GE, x, ex.ZERO), x, ex.multiply(slope, x))


def thresholded_relu(x: Expression, alpha: float) -> Expression:
    """Return ``x`` where it is above ``alpha`` and 0 elsewhere."""
    return Select(Compare(CompareOp.GT, x, Literal(alpha)), x, ex.ZERO)


def sign(x: Expression) -> Expression:
    """Return 1, 0 or -1."""
    negative = Select(Compare(CompareOp.LT, x, ex.ZERO), Literal(-1.0), ex.ZERO)
    return Select(Compare(CompareOp.GT, x, ex.ZERO), ex.ONE, negative)


def elu(x: Expression, alpha: float = 1.0) -> Expression:
    """Return ``x`` where it is positive and ``alpha * (exp(x) - 1)`` elsewhere."""
    below = ex.subtract(ex.call(Function.EXP, x), ex.ONE)
    return Select(Compare(CompareOp.GT, x, ex.ZERO), x, ex.multiply(Literal(alpha), below))


def celu(x: Expression, alpha: float) -> Expression:
    """Return ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    power = ex.exponential(ex.divide(x, Literal(alpha)))
    below = ex.multiply(Literal(alpha), ex.subtract(power, ex.ONE))
    return ex.add(ex.maximum(ex.ZERO, x), ex.minimum(ex.ZERO, below))


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
    return ex.reciprocal(ex.add(ex.ONE, ex.call(Function.EXP, negated(x))))


def silu(x: Expression, alpha: float = 1.0) -> Expression:
    """Return ``x * sigmoid(alpha * x)``, as one division."""
    scaled = ex.multiply(Literal(alpha), x)
    return ex.divide(x, ex.add(ex.ONE, ex.call(Function.EXP, negated(scaled))))


def hard_sigmoid(x: Expression, alpha: float = 1 / 6, beta: float = 0.5) -> Expression:
    """Return ``alpha * x + beta``, kept in [0, 1]."""
    return clip(ex.add(ex.multiply(Literal(alpha), x), Literal(beta)), 0.0, 1.0)


def hard_swish(x: Expression) -> Expression:
    """Return ``x * hard_sigmoid(x)``."""
    return ex.multiply(x, hard_sigmoid(x))


def softplus(x: Expression) -> Expression:
    """Return ``log(1 + exp(x))``, without overflow for large ``x``."""
    small = ex.call(Function.EXP, negated(ex.call(Function.ABS, x)))
    return ex.add(ex.maximum(x, ex.ZERO), ex.call(Function.LOG, ex.add(ex.ONE, small)))


def mish(x: Expression) -> Expression:
    """Return ``x * tanh(softplus(x))``."""
    return ex.multiply(x, ex.call(Function.TANH, softplus(x)))


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


def round_half_even(x: Expression) -> Expression:
    """Return the nearest whole number; the even one where two are as near."""
    below = ex.call(Function.FLOOR, x)
    above = ex.add(below, ex.ONE)
    past = ex.subtract(x, below)
    half = ex.call(Function.FLOOR, ex.multiply(below, _HALF))
    is_even = Compare(CompareOp.EQ, ex.multiply(half, Literal(2.0)), below)
    middle = Select(is_even, below, above)
    nearest = Select(Compare(CompareOp.GT, past, _HALF), above, middle)
    return Select(Compare(CompareOp.LT, past, _HALF), below, nearest)


def _tangent(x: Expression) -> Expression:
    return ex.divide(ex.call(Function.SIN, x), ex.call(Function.COS, x))


def _hyperbolic_sine(x: Expression) -> Expression:
    return ex.multiply(_HALF, ex.subtract(ex.exponential(x), ex.exponential(negated(x))))


def _hyperbolic_cosine(x: Expression) -> Expression:
    return ex.multiply(_HALF, ex.add(ex.exponential(x), ex.exponential(negated(x))))


def _arc_hyperbolic_sine(x: Expression) -> Expression:
    """Return ``log(|x| + sqrt(x * x + 1))`` with the sign of ``x``."""
    size = ex.call(Function.ABS, x)
    root = ex.call(Function.SQRT, ex.add(ex.square(x), ex.ONE))
    value = ex.logarithm(ex.add(size, root))
    return Select(Compare(CompareOp.LT, x, ex.ZERO), negated(value), value)


def _arc_hyperbolic_cosine(x: Expression) -> Expression:
    root = ex.call(Function.SQRT, ex.subtract(ex.square(x), ex.ONE))
    return ex.logarithm(ex.add(x, root))


def _arc_hyperbolic_tangent(x: Expression) -> Expression:
    ratio = ex.divide(ex.add(ex.ONE, x), ex.subtract(ex.ONE, x))
    return ex.multiply(_HALF, ex.logarithm(ratio))


ELEMENTARY: Mapping[str, Callable[[Expression], Expression]] = {
    **{function.value: partial(ex.call, function) for function in Function if function.arity == 1},
    "tan": _tangent,
    "sinh": _hyperbolic_sine,
    "cosh": _hyperbolic_cosine,
    "asinh": _arc_hyperbolic_sine,
    "acosh": _arc_hyperbolic_cosine,
    "atanh": _arc_hyperbolic_tangent,
}
"""Elementary functions of one number by the name that C, ONNX and MLIR share."""


def running_sum(
    builder: ProgramBuilder,
    tensor: LazyTensor,
    axis: int,
    *,
    reverse: bool = False,
    exclusive: bool = False,
) -> LazyTensor:
    """Return for each element the sum up to it along an axis.

    Sums of twice as many elements in each step (Hillis and Steele, 1986): nests without
    recurrences, as many as the extent has binary digits.

    Parameters
    ----------
    reverse
        Whether sums start from the end.
    exclusive
        Whether the element itself is left out.
    """
    extent = tensor.shape[axis]

    def moved(source: LazyTensor, by: int) -> LazyTensor:
        step = [by if at == axis else 0 for at in range(source.rank)]
        back = [-each for each in step]
        return padded(builder, source, *((back, step) if reverse else (step, back)))

    if exclusive and extent == 1:
        return splat(0.0, tensor.element, tensor.shape)
    total = moved(tensor, 1) if exclusive else tensor
    by = 1
    while by < extent:
        total = builder.settled(total)
        total = elementwise(builder, ex.add, total, moved(total, by))
        by *= 2
    return total
