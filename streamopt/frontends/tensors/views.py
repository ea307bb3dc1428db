"""Other shapes of the same elements, joined tensors among them: access functions, no loop nests.

None of them stores anything. Where a view repeats elements, settle what it views first
(`ProgramBuilder.settled`), or they are computed again at every read.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.divisions import flat_index, remainder, unflattened
from streamopt.ir.expression import CompareOp, Expression, Literal


def reshaped(tensor: LazyTensor, shape: Sequence[int]) -> LazyTensor:
    """Return the elements in row-major order under another shape.

    Dimensions that both shapes have in common at the front stay what they are.

    Raises
    ------
    LoweringError
        If the numbers of elements differ.
    """
    wanted = tuple(shape)
    if wanted == tensor.shape:
        return tensor
    if prod(wanted) != tensor.size_elems:
        message = f"shape {list(tensor.shape)} has {tensor.size_elems} elements, "
        raise LoweringError(f"{message}shape {list(wanted)} has {prod(wanted)}")
    groups = _groups(tensor.shape, wanted)

    def place(point: ElementPoint) -> ElementPoint:
        indices: list[Affine] = []
        for (old_from, old_to), (new_from, new_to) in groups:
            flat = flat_index(point.indices[new_from:new_to], wanted[new_from:new_to])
            indices += unflattened(flat, tensor.shape[old_from:old_to], point.trip_counts)
        return point.to(indices)

    return tensor.view(wanted, place)


def _groups(
    old: tuple[int, ...], new: tuple[int, ...]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the shortest runs of dimensions with the same number of elements on both sides."""
    groups: list[tuple[tuple[int, int], tuple[int, int]]] = []
    at, to = 0, 0
    while at < len(old) or to < len(new):
        first, begin, have, want = at, to, 1, 1
        if at < len(old):
            have, at = old[at], at + 1
        if to < len(new):
            want, to = new[to], to + 1
        while have != want:
            if have < want:
                have, at = have * old[at], at + 1
            else:
                want, to = want * new[to], to + 1
        groups.append(((first, at), (begin, to)))
    return groups


def flattened(tensor: LazyTensor, axis: int = 1) -> LazyTensor:
    """Return a matrix: dimensions before ``axis`` make the rows, the others the columns."""
    return reshaped(tensor, (prod(tensor.shape[:axis]), prod(tensor.shape[axis:])))


def transposed(tensor: LazyTensor, permutation: Sequence[int]) -> LazyTensor:
    """Return the tensor whose dimension ``d`` is dimension ``permutation[d]`` of this one."""
    if sorted(permutation) != list(range(tensor.rank)):
        raise LoweringError(f"{list(permutation)} is no permutation of {tensor.rank} dimensions")
    places = [permutation.index(dimension) for dimension in range(tensor.rank)]
    shape = [tensor.shape[dimension] for dimension in permutation]
    axes = [tensor.axes[dimension] for dimension in permutation] if tensor.axes else ()
    return tensor.view(shape, lambda point: point.pick(*places), axes)


def strided(tensor: LazyTensor, axis: int, start: int, step: int, count: int) -> LazyTensor:
    """Return elements ``start, start + step, ...`` along an axis; the step may be 0 or negative."""
    last = start + step * (count - 1)
    if count < 1 or not (0 <= start < tensor.shape[axis] and 0 <= last < tensor.shape[axis]):
        message = f"elements {start} to {last} of dimension {axis} don't exist: "
        raise LoweringError(f"{message}its extent is {tensor.shape[axis]}")
    if (start, step, count) == (0, 1, tensor.shape[axis]):
        return tensor
    shape = (*tensor.shape[:axis], count, *tensor.shape[axis + 1 :])

    def place(point: ElementPoint) -> ElementPoint:
        index = point.indices[axis].scaled(step) + Affine.of(start)
        return point.to((*point.indices[:axis], index, *point.indices[axis + 1 :]))

    return tensor.view(shape, place, tensor.axes)


def empty(tensor: LazyTensor, axis: int) -> LazyTensor:
    """Return the tensor without any element along an axis: a part that adds nothing to others."""
    return splat(0.0, tensor.element, (*tensor.shape[:axis], 0, *tensor.shape[axis + 1 :]))


def sliced(
    tensor: LazyTensor, axis: int, start: int | None, stop: int | None, step: int | None
) -> LazyTensor:
    """Return ``tensor[start:stop:step]`` along an axis, with Python's rules."""
    if step == 0:
        raise LoweringError("the step of a slice is 0")
    taken = range(tensor.shape[axis])[start:stop:step]
    if len(taken) == 0:
        return empty(tensor, axis)
    return strided(tensor, axis, taken.start, taken.step, len(taken))


def squeezed(tensor: LazyTensor, axes: Sequence[int] | None = None) -> LazyTensor:
    """Return the tensor without the given dimensions of extent 1; all of them if None."""
    chosen = {axis % tensor.rank for axis in axes} if axes is not None and tensor.rank else None
    for axis in chosen or ():
        if tensor.shape[axis] != 1:
            message = f"dimension {axis} has extent {tensor.shape[axis]}, so it can't be squeezed"
            raise LoweringError(message)
    kept = [
        extent
        for axis, extent in enumerate(tensor.shape)
        if not (extent == 1 if chosen is None else axis in chosen)
    ]
    return reshaped(tensor, kept)


def unsqueezed(tensor: LazyTensor, axes: Sequence[int]) -> LazyTensor:
    """Return the tensor with new dimensions of extent 1 at the given positions of the result."""
    rank = tensor.rank + len(axes)
    places = {axis % rank for axis in axes}
    if len(places) != len(axes) or any(not -rank <= axis < rank for axis in axes):
        raise LoweringError(f"axes {list(axes)} don't name new dimensions of {rank}")
    old = iter(tensor.shape)
    return reshaped(tensor, [1 if axis in places else next(old) for axis in range(rank)])


def concatenated(builder: ProgramBuilder, parts: Sequence[LazyTensor], axis: int) -> LazyTensor:
    """Return the parts behind each other along an axis.

    Raises
    ------
    LoweringError
        If other extents differ, or there are no parts.
    """
    if not parts:
        raise LoweringError("there is nothing to concatenate")
    parts = [part for part in parts if part.shape[axis]] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    rests = {(*part.shape[:axis], *part.shape[axis + 1 :]) for part in parts}
    if len(rests) > 1:
        listed = ", ".join(str(list(part.shape)) for part in parts[:8])
        raise LoweringError(f"shapes {listed} don't fit behind each other along dimension {axis}")
    middle = len(parts) // 2
    first = builder.bounded(concatenated(builder, parts[:middle], axis))
    second = builder.bounded(concatenated(builder, parts[middle:], axis))
    border = first.shape[axis]
    shape = (*first.shape[:axis], border + second.shape[axis], *first.shape[axis + 1 :])

    def value(point: ElementPoint) -> Expression:
        holds = ex.index_holds(CompareOp.LT, point.indices[axis], border, point.trip_counts)
        index = point.indices[axis] + Affine.of(-border)
        moved = point.to((*point.indices[:axis], index, *point.indices[axis + 1 :]))
        return ex.chosen(holds, lambda: first.at(point), lambda: second.at(moved))

    return builder.computed(first, value, first, second, operations=1, shape=shape)


def padded(
    builder: ProgramBuilder,
    tensor: LazyTensor,
    before: Sequence[int],
    after: Sequence[int],
    value: float = 0.0,
) -> LazyTensor:
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
    border = Literal(float(value))

    def element(point: ElementPoint) -> Expression:
        inside = ex.all_of(
            [
                condition
                for index, front, end in zip(point.indices, low, ends, strict=True)
                for condition in (
                    ex.index_holds(CompareOp.GE, index, front, point.trip_counts),
                    ex.index_holds(CompareOp.LT, index, end, point.trip_counts),
                )
            ]
        )
        moved = point.to(i + Affine.of(-front) for i, front in zip(point.indices, low, strict=True))
        return ex.chosen(inside, lambda: tensor.at(moved), lambda: border)

    checks = 2 * sum(extent > 0 for extent in (*low, *high))
    made = builder.computed(tensor, element, tensor, operations=checks, shape=shape)
    return replace(made, name=f"{builder.label}_pad")


def mirrored(
    builder: ProgramBuilder,
    tensor: LazyTensor,
    before: Sequence[int],
    after: Sequence[int],
    *,
    edge: bool = False,
) -> LazyTensor:
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


def tiled(builder: ProgramBuilder, tensor: LazyTensor, times: Sequence[int]) -> LazyTensor:
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
