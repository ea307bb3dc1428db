"""Nodes that reduce over dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.normalisation import mean_over, normalized_axes, reduced
from streamopt.frontends.tensors.views import reshaped
from streamopt.ir.expression import Expression, Function
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.frontends.onnx_model.context import Context, Lowering, Lowerings
    from streamopt.frontends.tensors.tensor import LazyTensor

    Of = Callable[[Expression], Expression]

__all__ = ["LOWERINGS"]


def _axes(node: Context, rank: int) -> tuple[int, ...]:
    """Return the dimensions: an attribute in old models, a constant operand in new ones."""
    given = node.numbers("axes")
    if given is None:
        operand = node.integers(1, "the list of axes")
        given = None if operand is None else tuple(operand)
    if given:
        return normalized_axes(given, rank)
    return () if node.integer("noop_with_empty_axes", 0) else tuple(range(rank))


def _reduction(reduction: Reduction, before: Of | None = None, after: Of | None = None) -> Lowering:
    def lowering(node: Context) -> LazyTensor:
        x = node.tensor()
        result = reduced(
            node.builder,
            x,
            _axes(node, x.rank),
            reduction,
            keepdims=node.integer("keepdims", 1) != 0,
            function=before,
        )
        return result if after is None else elementwise(node.builder, after, result)

    return lowering


def _mean(node: Context) -> LazyTensor:
    x = node.tensor()
    keepdims = node.integer("keepdims", 1) != 0
    return mean_over(node.builder, x, _axes(node, x.rank), keepdims=keepdims)


def _log_sum_exp(node: Context) -> LazyTensor:
    """Return ``max + log(sum(exp(x - max)))``."""
    label = node.builder.label
    x = node.builder.settled(node.tensor())
    axes = _axes(node, x.rank)
    largest = reduced(node.builder, x, axes, Reduction.MAX, name=f"{label}_max")
    below = elementwise(node.builder, ex.subtract, x, largest)
    keepdims = node.integer("keepdims", 1) != 0
    total = reduced(
        node.builder,
        below,
        axes,
        Reduction.ADD,
        keepdims=keepdims,
        function=ex.exponential,
        name=f"{label}_sum",
    )
    return elementwise(node.builder, _peak_plus_log, reshaped(largest, total.shape), total)


def _peak_plus_log(peak: Expression, total: Expression) -> Expression:
    return ex.add(peak, ex.logarithm(total))


def _square(x: Expression) -> Expression:
    return ex.multiply(x, x)


def _absolute(x: Expression) -> Expression:
    return ex.call(Function.ABS, x)


def _root(x: Expression) -> Expression:
    return ex.call(Function.SQRT, x)


LOWERINGS: Lowerings = {
    "ReduceSum": _reduction(Reduction.ADD),
    "ReduceProd": _reduction(Reduction.MUL),
    "ReduceMax": _reduction(Reduction.MAX),
    "ReduceMin": _reduction(Reduction.MIN),
    "ReduceMean": _mean,
    "ReduceSumSquare": _reduction(Reduction.ADD, _square),
    "ReduceL1": _reduction(Reduction.ADD, _absolute),
    "ReduceL2": _reduction(Reduction.ADD, _square, _root),
    "ReduceLogSum": _reduction(Reduction.ADD, None, ex.logarithm),
    "ReduceLogSumExp": _log_sum_exp,
}
