"""Products of matrices: sums over one pair of dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import broadcast_shape, elementwise
from streamopt.frontends.tensors.tensor import LoweringError, Tensor, splat
from streamopt.frontends.tensors.views import squeezed, transposed, unsqueezed
from streamopt.ir.affine import Affine
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.indexing import Point
    from streamopt.ir.expression import Expression

__all__ = ["gemm", "linear", "matmul"]

_BATCH_AXES = ("a", "n", "b", "h")


def matmul(builder: ProgramBuilder, left: Tensor, right: Tensor) -> Tensor:
    """Return the product with NumPy's rules: leading dimensions broadcast, vectors are allowed.

    Raises
    ------
    LoweringError
        For a scalar operand or shapes that don't fit.
    """
    if not left.rank or not right.rank:
        raise LoweringError("a matrix product has a scalar operand")
    if left.rank == 1:
        product = matmul(builder, unsqueezed(left, [0]), right)
        return squeezed(product, [product.rank - 2 if right.rank > 1 else 0])
    if right.rank == 1:
        return squeezed(matmul(builder, left, unsqueezed(right, [1])), [left.rank - 1])
    if left.shape[-1] != right.shape[-2]:
        message = f"shapes {list(left.shape)} and {list(right.shape)} don't multiply: "
        raise LoweringError(f"{message}the sum is over {left.shape[-1]} and {right.shape[-2]}")
    batch = broadcast_shape(left.shape[:-2], right.shape[:-2])
    left, right = builder.settled(left), builder.settled(right)
    outer = [*_batch_loops(batch), ("i", left.shape[-2]), ("j", right.shape[-1])]

    def term(point: Point) -> Expression:
        *leading, i, j, k = point.indices
        return ex.multiply(
            left.at(point.to([*_leading(leading, left), i, k])),
            right.at(point.to([*_leading(leading, right), k, j])),
        )

    inner = [("k", left.shape[-1])]
    return builder.reduce(outer, inner, Reduction.ADD, term, element=left.element)


def _batch_loops(batch: Sequence[int]) -> list[tuple[str, int]]:
    if len(batch) > len(_BATCH_AXES):
        return [(f"b{at}", extent) for at, extent in enumerate(batch)]
    names = _BATCH_AXES[len(_BATCH_AXES) - len(batch) :]
    return list(zip(names, batch, strict=True))


def _leading(indices: Sequence[Affine], tensor: Tensor) -> list[Affine]:
    """Return the indices of the leading dimensions that a broadcast operand has."""
    extents = tensor.shape[:-2]
    own = indices[len(indices) - len(extents) :]
    return [Affine() if n == 1 else i for i, n in zip(own, extents, strict=True)]


def gemm(
    builder: ProgramBuilder,
    left: Tensor,
    right: Tensor,
    addend: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transpose_left: bool = False,
    transpose_right: bool = False,
) -> Tensor:
    """Return ``alpha * left @ right + beta * addend`` of matrices."""
    if left.rank != 2 or right.rank != 2:
        raise LoweringError(f"gemm takes matrices, not {left.rank} and {right.rank} dimensions")
    left = transposed(left, (1, 0)) if transpose_left else left
    right = transposed(right, (1, 0)) if transpose_right else right
    result = matmul(builder, left, right)
    if alpha != 1.0:
        scale = splat(alpha, result.element)
        result = elementwise(builder, ex.multiply, scale, result)
    if addend is None or beta == 0.0:
        return result
    if beta != 1.0:
        addend = elementwise(builder, ex.multiply, splat(beta, addend.element), addend)
    return elementwise(builder, ex.add, result, addend)


def linear(
    builder: ProgramBuilder, x: Tensor, weight: Tensor, bias: Tensor | None = None
) -> Tensor:
    """Return ``x @ weight^T + bias``; the weight has a row for each output."""
    if weight.rank != 2:
        raise LoweringError(f"the weight of a linear layer has {weight.rank} dimensions, not 2")
    result = matmul(builder, x, transposed(weight, (1, 0)))
    return result if bias is None else elementwise(builder, ex.add, result, bias)
