"""Normalisation by statistics that are given, or computed over dimensions; softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.reductions import mean_over, reduced
from streamopt.frontends.tensors.tensor import LoweringError, Tensor
from streamopt.frontends.tensors.views import reshaped
from streamopt.ir.expression import Function, Literal
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.ir.expression import Expression

__all__ = ["batch_norm", "group_norm", "layer_norm", "log_softmax", "rms_norm", "softmax"]


def _channels(tensor: Tensor, rank: int) -> Tensor:
    """Return one number per channel such that it broadcasts over (n, c, ...)."""
    return reshaped(tensor, (tensor.size_elems, *[1] * (rank - 2)))


def _inverse_root(builder: ProgramBuilder, variance: Tensor, epsilon: float) -> Tensor:
    def function(v: Expression) -> Expression:
        return ex.reciprocal(ex.call(Function.SQRT, ex.add(v, Literal(epsilon))))

    return elementwise(builder, function, variance)


def _negative_product(left: Expression, right: Expression) -> Expression:
    return ex.negative(ex.multiply(left, right))


def _power_of_difference(left: Expression, right: Expression) -> Expression:
    return ex.exponential(ex.subtract(left, right))


def _square(x: Expression) -> Expression:
    return ex.multiply(x, x)


def batch_norm(
    builder: ProgramBuilder,
    x: Tensor,
    scale: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
) -> Tensor:
    """Return ``(x - mean) / sqrt(variance + epsilon) * scale + bias``, each per channel.

    With constant statistics that is one product and one sum with weights computed here.
    """
    factor = _inverse_root(builder, variance, epsilon)
    if scale is not None:
        factor = elementwise(builder, ex.multiply, factor, scale)
    factor = builder.store(factor, f"{builder.label}_scale")
    shift = elementwise(builder, _negative_product, mean, factor)
    if bias is not None:
        shift = elementwise(builder, ex.add, shift, bias)
    shift = builder.store(shift, f"{builder.label}_shift")
    scaled = elementwise(builder, ex.multiply, x, _channels(factor, x.rank))
    return elementwise(builder, ex.add, scaled, _channels(shift, x.rank))


def _standardized(
    builder: ProgramBuilder, x: Tensor, axes: Sequence[int], epsilon: float
) -> Tensor:
    """Return ``x`` less its mean over the axes, divided by the standard deviation."""
    label = builder.label
    x = builder.settled(x)
    mean = builder.store(mean_over(builder, x, axes, name=f"{label}_sum"), f"{label}_mean")
    centred = builder.store(elementwise(builder, ex.subtract, x, mean), f"{label}_centred")
    squares = f"{label}_squares"
    variance = mean_over(builder, centred, axes, function=_square, name=squares)
    inverse = _inverse_root(builder, variance, epsilon)
    inverse = builder.store(inverse, f"{label}_inverse")
    return elementwise(builder, ex.multiply, centred, inverse)


def layer_norm(
    builder: ProgramBuilder,
    x: Tensor,
    axes: Sequence[int],
    scale: Tensor | None,
    bias: Tensor | None,
    epsilon: float,
) -> Tensor:
    """Return ``x`` standardised over the axes, times a scale, plus a bias."""
    result = _standardized(builder, x, axes, epsilon)
    if scale is not None:
        result = elementwise(builder, ex.multiply, result, scale)
    return result if bias is None else elementwise(builder, ex.add, result, bias)


def rms_norm(
    builder: ProgramBuilder, x: Tensor, axes: Sequence[int], scale: Tensor | None, epsilon: float
) -> Tensor:
    """Return ``x`` divided by its root mean square over the axes, times a scale."""
    x = builder.settled(x)
    mean = mean_over(builder, x, axes, function=_square, name=f"{builder.label}_squares")
    inverse = _inverse_root(builder, mean, epsilon)
    inverse = builder.store(inverse, f"{builder.label}_inverse")
    result = elementwise(builder, ex.multiply, x, inverse)
    return result if scale is None else elementwise(builder, ex.multiply, result, scale)


def group_norm(
    builder: ProgramBuilder,
    x: Tensor,
    groups: int,
    scale: Tensor | None,
    bias: Tensor | None,
    epsilon: float,
) -> Tensor:
    """Return ``x`` (n, c, ...) standardised over groups of channels; one a channel is instances."""
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise LoweringError(f"{channels} channels don't make {groups} groups")
    inner = (x.shape[0], groups, channels // groups, *x.shape[2:])
    grouped = reshaped(builder.settled(x), inner)
    result = _standardized(builder, grouped, range(2, len(inner)), epsilon)
    result = reshaped(result, x.shape)
    if scale is not None:
        result = elementwise(builder, ex.multiply, result, _channels(scale, x.rank))
    if bias is not None:
        result = elementwise(builder, ex.add, result, _channels(bias, x.rank))
    return result


def softmax(builder: ProgramBuilder, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return ``exp(x - max) / sum(exp(x - max))`` over the axes."""
    label = builder.label
    x = builder.settled(x)
    largest = reduced(builder, x, axes, Reduction.MAX, name=f"{label}_max")
    powers = elementwise(builder, _power_of_difference, x, largest)
    powers = builder.store(powers, f"{label}_exp")
    total = reduced(builder, powers, axes, Reduction.ADD, name=f"{label}_sum")
    return elementwise(builder, ex.divide, powers, total)


def log_softmax(builder: ProgramBuilder, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return ``x - max - log(sum(exp(x - max)))`` over the axes."""
    label = builder.label
    x = builder.settled(x)
    largest = reduced(builder, x, axes, Reduction.MAX, name=f"{label}_max")
    below = builder.store(elementwise(builder, ex.subtract, x, largest), f"{label}_below")
    total = reduced(
        builder,
        below,
        axes,
        Reduction.ADD,
        function=ex.exponential,
        name=f"{label}_sum",
    )
    logarithm = elementwise(builder, ex.logarithm, total)
    logarithm = builder.store(logarithm, f"{label}_log")
    return elementwise(builder, ex.subtract, below, logarithm)
