"""Tensors put together of parts: each element is read from the part that it lies in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.indexing import remainder
from streamopt.frontends.tensors.tensor import LoweringError, Tensor, splat
from streamopt.frontends.tensors.views import strided
from streamopt.ir.affine import Affine
from streamopt.ir.expression import CompareOp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.indexing import Point
    from streamopt.ir.expression import Expression

__all__ = ["concatenated", "mirrored", "padded", "tiled"]


def concatenated(builder: ProgramBuilder, parts: Sequence[Tensor], axis: int) -> Tensor:
    """Return the parts behind each other along an axis.

    Raises
    ------
    LoweringError
        If other extents differ, or there are no parts.
    """
    if not parts:
        raise LoweringError("there is nothing to concatenate")
    if len(parts) == 1:
        return parts[0]
    rests = {(*part.shape[:axis], *part.shape[axis + 1 :]) for part in parts}
    if len(rests) > 1:
        listed = ", ".join(str(list(part.shape)) for part in parts[:8])
        message = f"shapes {listed} don't fit behind each other along dimension {axis}"
        raise LoweringError(message)
    middle = len(parts) // 2
    first = builder.bounded(concatenated(builder, parts[:middle], axis))
    second = builder.bounded(concatenated(builder, parts[middle:], axis))
    border = first.shape[axis]
    shape = (*first.shape[:axis], border + second.shape[axis], *first.shape[axis + 1 :])

    def value(point: Point) -> Expression:
        index = point.indices[axis]
        holds = ex.index_holds(CompareOp.LT, index, border, point)
        if holds is True:
            return first.at(point)
        moved = _moved(point, axis, border)
        if holds is False:
            return second.at(moved)
        return ex.select(holds, first.at(point), second.at(moved))

    return replace(
        first,
        shape=shape,
        value=value,
        name=builder.label,
        operations=first.operations + second.operations + 1,
        depth=1 + max(first.depth, second.depth),
        array="",
        loc=builder.loc,
    )


def _moved(point: Point, axis: int, by: int) -> Point:
    index = point.indices[axis] + Affine.of(-by)
    return point.to((*point.indices[:axis], index, *point.indices[axis + 1 :]))


def padded(
    builder: ProgramBuilder,
    tensor: Tensor,
    before: Sequence[int],
    after: Sequence[int],
    value: float = 0.0,
) -> Tensor:
    """Return the tensor with a border of one number.

    Parameters
    ----------
    before, after
        Elements to add in front of and behind each dimension; negative ones are taken away.
    """
    for axis, (front, back) in enumerate(zip(before, after, strict=True)):
        if front < 0 or back < 0:
            start, stop = max(-front, 0), tensor.shape[axis] - max(-back, 0)
            tensor = strided(tensor, axis, start, 1, stop - start)
    low = [max(0, front) for front in before]
    high = [max(0, back) for back in after]
    if not any((*low, *high)):
        return tensor
    ends = [front + extent for front, extent in zip(low, tensor.shape, strict=True)]
    shape = tuple(end + back for end, back in zip(ends, high, strict=True))
    border = splat(value, tensor.element).at

    def element(point: Point) -> Expression:
        inside = ex.all_of(
            [
                condition
                for index, front, end in zip(point.indices, low, ends, strict=True)
                for condition in (
                    ex.index_holds(CompareOp.GE, index, front, point),
                    ex.index_holds(CompareOp.LT, index, end, point),
                )
            ]
        )
        moved = point.to(i + Affine.of(-front) for i, front in zip(point.indices, low, strict=True))
        if inside is False:
            return border(point.to(()))
        if inside is True:
            return tensor.at(moved)
        return ex.select(inside, tensor.at(moved), border(point.to(())))

    return replace(
        tensor,
        shape=shape,
        value=element,
        name=f"{builder.label}_pad",
        operations=tensor.operations + 2 * sum(extent > 0 for extent in (*low, *high)),
        depth=tensor.depth + 1,
        array="",
        loc=builder.loc,
    )


def mirrored(
    builder: ProgramBuilder,
    tensor: Tensor,
    before: Sequence[int],
    after: Sequence[int],
    *,
    edge: bool = False,
) -> Tensor:
    """Return the tensor with a border that mirrors it, or that repeats its outermost elements.

    Raises
    ------
    LoweringError
        If the border is wider than what it mirrors, or negative.
    """
    tensor = builder.settled(tensor)
    for axis, (front, back) in enumerate(zip(before, after, strict=True)):
        extent = tensor.shape[axis]
        step = 0 if edge else 1
        if front < 0 or back < 0 or (not edge and max(front, back) >= extent):
            message = f"a border of {front} and {back} doesn't fit dimension {axis} of {extent}"
            raise LoweringError(message)
        parts = [tensor]
        if front:
            parts.insert(0, strided(tensor, axis, step * front, -step, front))
        if back:
            parts.append(strided(tensor, axis, extent - 1 - step, -step, back))
        tensor = builder.bounded(concatenated(builder, parts, axis))
    return tensor


def tiled(builder: ProgramBuilder, tensor: Tensor, times: Sequence[int]) -> Tensor:
    """Return the whole tensor repeated along each dimension."""
    source = builder.settled(tensor)
    shape = [extent * n for extent, n in zip(source.shape, times, strict=True)]
    return source.view(
        shape,
        lambda point: point.to(
            remainder(index, extent, point.trip_counts) if n > 1 else index
            for index, extent, n in zip(point.indices, source.shape, times, strict=True)
        ),
        source.axes,
    )
