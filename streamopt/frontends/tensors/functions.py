"""Running sums along an axis, and the best elements along one with their places."""

import math
from collections.abc import Callable

import numpy as np

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.normalisation import reduced
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import padded, unsqueezed
from streamopt.ir.algebra import composing as ex
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Compare, CompareOp, Expression, Index, Literal, Select
from streamopt.ir.operators import Reduction


def running(
    builder: ProgramBuilder,
    tensor: LazyTensor,
    axis: int,
    *,
    reverse: bool = False,
    exclusive: bool = False,
    combine: Callable[[Expression, Expression], Expression] = ex.add,
    identity: float = 0.0,
) -> LazyTensor:
    """Return for each element the sum, or another combination, up to it along an axis.

    Sums of twice as many elements in each step (Hillis and Steele, 1986): nests without
    recurrences, as many as the extent has binary digits.

    Parameters
    ----------
    reverse
        Whether sums start from the end.
    exclusive
        Whether the element itself is left out.
    combine, identity
        An associative function, and the number that it leaves others as they are with.
    """
    extent = tensor.shape[axis]

    def moved(source: LazyTensor, by: int) -> LazyTensor:
        step = [by if at == axis else 0 for at in range(source.rank)]
        back = [-each for each in step]
        return padded(builder, source, *((back, step) if reverse else (step, back)), identity)

    if exclusive and extent == 1:
        return splat(identity, tensor.element, tensor.shape)
    total = moved(tensor, 1) if exclusive else tensor
    by = 1
    while by < extent:
        total = builder.settled(total)
        total = elementwise(builder, combine, total, moved(total, by))
        by *= 2
    return total


MAX_BEST = 32
"""Most of the best elements that are looked for, one after the other."""


def place_of_best(
    builder: ProgramBuilder, x: LazyTensor, axis: int, *, largest: bool = True, last: bool = False
) -> tuple[LazyTensor, LazyTensor]:
    """Return the best element along an axis and its place, the axis kept: two reductions.

    Parameters
    ----------
    last
        Whether the last of equal ones counts; else the first.
    """
    x = builder.settled(x)
    label, extent = builder.label, x.shape[axis]
    best_is = Reduction.MAX if largest else Reduction.MIN
    best = reduced(builder, x, [axis], best_is, name=f"{label}_best")
    places = _along(builder, x, axis)

    def place(value: Expression, peak: Expression, at: Expression) -> Expression:
        otherwise = Literal(-1.0 if last else float(extent))
        return Select(Compare(CompareOp.EQ, value, peak), at, otherwise)

    candidates = elementwise(builder, place, x, best, places, element=ElementType.INT64)
    reduction = Reduction.MAX if last else Reduction.MIN
    return best, reduced(builder, candidates, [axis], reduction, name=f"{label}_place")


def _along(builder: ProgramBuilder, x: LazyTensor, axis: int) -> LazyTensor:
    """Return the index along an axis, in the shape of a tensor."""

    def value(point: ElementPoint) -> Expression:
        return Index(point.indices[axis].ordered(point.trip_counts))

    return LazyTensor(x.shape, ElementType.INT64, value, axes=x.axes)


def best_of(
    builder: ProgramBuilder, x: LazyTensor, axis: int, count: int, *, largest: bool = True
) -> tuple[list[LazyTensor], list[LazyTensor]]:
    """Return the best elements along an axis, in order, and their places; the axis is kept.

    Each is looked for among those that aren't taken yet.

    Raises
    ------
    LoweringError
        For more than `MAX_BEST`, or than there are.
    """
    if not 1 <= count <= min(MAX_BEST, x.shape[axis]):
        message = f"the best {count} of {x.shape[axis]}: at least 1, at most {MAX_BEST} are found"
        raise LoweringError(message)
    rest, found, places = builder.settled(x), list[LazyTensor](), list[LazyTensor]()
    if x.element.is_float:
        worst = Literal(-math.inf if largest else math.inf)
    else:
        limits = np.iinfo(x.element.dtype)
        worst = Literal(float(limits.min if largest else limits.max))

    def without(value: Expression, index: Expression, taken: Expression) -> Expression:
        return Select(Compare(CompareOp.EQ, index, taken), worst, value)

    for at in range(count):
        best, place = place_of_best(builder, rest, axis, largest=largest)
        found.append(best)
        places.append(place)
        if at + 1 < count:
            rest = elementwise(builder, without, rest, _along(builder, rest, axis), place)
            rest = builder.store(rest, f"{builder.label}_rest")
    return found, places


def one_hot(
    builder: ProgramBuilder,
    positions: LazyTensor,
    axis: int,
    extent: int,
    off: LazyTensor,
    on: LazyTensor,
) -> LazyTensor:
    """Return a new axis on which one value stands at each position, and another one elsewhere.

    Positions count from the end if negative; outside there are none.
    """
    positions = builder.settled(positions)
    shape = (*positions.shape[:axis], extent, *positions.shape[axis:])
    whole = builder.computed(on, lambda _: ex.ZERO, on, operations=0, shape=shape)

    def value(at: Expression, place: Expression, low: Expression, high: Expression) -> Expression:
        near = ex.add(place, Literal(float(extent)))
        from_front = Select(Compare(CompareOp.LT, place, ex.ZERO), near, place)
        return Select(Compare(CompareOp.EQ, at, from_front), high, low)

    wide = unsqueezed(positions, [axis])
    index = _along(builder, whole, axis)
    return elementwise(builder, value, index, wide, off, on, element=on.element)
