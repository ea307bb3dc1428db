"""Functions that programs don't have, made of those that they do; and running sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.joining import padded
from streamopt.frontends.tensors.tensor import splat
from streamopt.ir.expression import Compare, CompareOp, Function, Literal, Select

if TYPE_CHECKING:
    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.tensor import Tensor
    from streamopt.ir.expression import Expression

__all__ = [
    "arc_hyperbolic_cosine",
    "arc_hyperbolic_sine",
    "arc_hyperbolic_tangent",
    "hyperbolic_cosine",
    "hyperbolic_sine",
    "round_half_even",
    "running_sum",
    "tangent",
]

_HALF = Literal(0.5)


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


def tangent(x: Expression) -> Expression:
    """Return ``sin(x) / cos(x)``."""
    return ex.divide(ex.call(Function.SIN, x), ex.call(Function.COS, x))


def hyperbolic_sine(x: Expression) -> Expression:
    """Return ``(exp(x) - exp(-x)) / 2``."""
    difference = ex.subtract(ex.exponential(x), ex.exponential(ex.negative(x)))
    return ex.multiply(_HALF, difference)


def hyperbolic_cosine(x: Expression) -> Expression:
    """Return ``(exp(x) + exp(-x)) / 2``."""
    return ex.multiply(_HALF, ex.add(ex.exponential(x), ex.exponential(ex.negative(x))))


def arc_hyperbolic_sine(x: Expression) -> Expression:
    """Return ``log(|x| + sqrt(x * x + 1))`` with the sign of ``x``."""
    size = ex.call(Function.ABS, x)
    root = ex.call(Function.SQRT, ex.add(ex.multiply(x, x), ex.ONE))
    value = ex.logarithm(ex.add(size, root))
    return Select(Compare(CompareOp.LT, x, ex.ZERO), ex.negative(value), value)


def arc_hyperbolic_cosine(x: Expression) -> Expression:
    """Return ``log(x + sqrt(x * x - 1))``."""
    root = ex.call(Function.SQRT, ex.subtract(ex.multiply(x, x), ex.ONE))
    return ex.logarithm(ex.add(x, root))


def arc_hyperbolic_tangent(x: Expression) -> Expression:
    """Return ``log((1 + x) / (1 - x)) / 2``."""
    ratio = ex.divide(ex.add(ex.ONE, x), ex.subtract(ex.ONE, x))
    return ex.multiply(_HALF, ex.logarithm(ratio))


def running_sum(
    builder: ProgramBuilder,
    tensor: Tensor,
    axis: int,
    *,
    reverse: bool = False,
    exclusive: bool = False,
) -> Tensor:
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

    def moved(source: Tensor, by: int) -> Tensor:
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
