"""Sums, products and extremes over dimensions."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.naming import iterator_names
from streamopt.frontends.tensors.tensor import LoweringError, Tensor, splat
from streamopt.frontends.tensors.views import reshaped
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.indexing import Point
    from streamopt.ir.expression import Expression

__all__ = ["mean_over", "normalized_axes", "reduced"]


def normalized_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front, in order; raises LoweringError for unknown ones."""
    if any(not -rank <= axis < rank for axis in axes):
        raise LoweringError(f"axes {list(axes)} are not all among {rank} dimensions")
    found = sorted({axis % rank for axis in axes})
    if len(found) != len(axes):
        raise LoweringError(f"axes {list(axes)} name a dimension twice")
    return tuple(found)


def reduced(
    builder: ProgramBuilder,
    tensor: Tensor,
    axes: Sequence[int],
    reduction: Reduction,
    *,
    keepdims: bool = True,
    function: Callable[[Expression], Expression] | None = None,
    name: str = "",
) -> Tensor:
    """Return the reduction over some dimensions, as an array.

    The tensor is computed inside the nest: settle it if it is read elsewhere too.

    Parameters
    ----------
    function
        Of each element before it is reduced, for instance its square.
    """
    over = normalized_axes(axes, tensor.rank)
    if not over:
        return elementwise(builder, function, tensor) if function is not None else tensor
    names = iterator_names(tensor.axes, tensor.rank)
    loops = list(zip(names, tensor.shape, strict=True))
    order = [at for at in range(tensor.rank) if at not in over] + list(over)
    places = [order.index(at) for at in range(tensor.rank)]
    source = builder.settled(tensor) if tensor.is_truth else tensor

    def term(point: Point) -> Expression:
        element = source.at(point.pick(*places))
        return element if function is None else function(element)

    result = builder.reduce(
        [loop for at, loop in enumerate(loops) if at not in over],
        [loops[at] for at in over],
        reduction,
        term,
        element=tensor.element,
        name=name,
    )
    if not keepdims:
        return result
    return reshaped(result, [1 if at in over else n for at, n in enumerate(tensor.shape)])


def mean_over(
    builder: ProgramBuilder,
    tensor: Tensor,
    axes: Sequence[int],
    *,
    keepdims: bool = True,
    function: Callable[[Expression], Expression] | None = None,
    name: str = "",
) -> Tensor:
    """Return the mean over some dimensions: a sum, divided at every read."""
    over = normalized_axes(axes, tensor.rank)
    total = reduced(
        builder, tensor, over, Reduction.ADD, keepdims=keepdims, function=function, name=name
    )
    count = prod(tensor.shape[axis] for axis in over)
    return elementwise(builder, ex.divide, total, splat(count, tensor.element))
