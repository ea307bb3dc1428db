"""Operations of the dialect tensor that move elements."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from streamopt.frontends.mlir.linalg.structured import filled, occurrences, update_of
from streamopt.frontends.mlir.scalars import known_element, static_integers
from streamopt.frontends.mlir.text.syntax import DYNAMIC, MlirOperation
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.gathering import scattered
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import concatenated, reshaped, strided
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.divisions import floor_divided
from streamopt.ir.expression import CompareOp, Condition, Expression, Literal

_PARTS = ("static_offsets", "static_sizes", "static_strides")


def _result_shape(op: MlirOperation) -> tuple[int, ...]:
    shape = op.results[0].type.shape
    if DYNAMIC in shape:
        hint = "give every dimension a number; tensors of unknown size don't stream"
        raise LoweringError("the extent of a tensor is not known", hint)
    return shape


def _reshape(
    builder: ProgramBuilder, op: MlirOperation, sources: Sequence[LazyTensor]
) -> LazyTensor:
    return reshaped(sources[0], _result_shape(op))


def _empty(builder: ProgramBuilder, op: MlirOperation, sources: Sequence[LazyTensor]) -> LazyTensor:
    """Return zeros: nothing depends on what is in an empty tensor."""
    return splat(0.0, known_element(op.results[0].type), _result_shape(op))


def _slice(builder: ProgramBuilder, op: MlirOperation, sources: Sequence[LazyTensor]) -> LazyTensor:
    tensor = sources[0]
    for axis, (start, count, step) in enumerate(zip(*static_integers(op, *_PARTS), strict=True)):
        tensor = strided(tensor, axis, start, step, count)
    return reshaped(tensor, _result_shape(op))


def _concat(
    builder: ProgramBuilder, op: MlirOperation, sources: Sequence[LazyTensor]
) -> LazyTensor:
    axis = op.attributes.get("dim")
    assert isinstance(axis, int)
    return concatenated(builder, sources, axis)


def _insert(
    builder: ProgramBuilder, op: MlirOperation, sources: Sequence[LazyTensor]
) -> LazyTensor:
    """Return the second tensor with the first one in its middle."""
    offsets, sizes, strides = static_integers(op, *_PARTS)
    part, whole = reshaped(sources[0], sizes), sources[1]

    def value(point: ElementPoint) -> Expression:
        bounds: list[Condition | bool] = []
        places: list[Affine] = []
        counts = point.trip_counts
        for index, start, size, step in zip(point.indices, offsets, sizes, strides, strict=True):
            end, inner = start + (size - 1) * step + 1, index + Affine.of(-start)
            bounds.append(ex.index_holds(CompareOp.GE, index, start, counts))
            bounds.append(ex.index_holds(CompareOp.LT, index, end, counts))
            bounds.append(ex.divides(step, inner, counts))
            places.append(floor_divided(inner, step, counts))
        moved = point.to(places)
        return ex.chosen(ex.all_of(bounds), lambda: part.at(moved), lambda: whole.at(point))

    return builder.computed(whole, value, part, whole, operations=1)


def _scatter(
    builder: ProgramBuilder, op: MlirOperation, sources: Sequence[LazyTensor]
) -> LazyTensor:
    """Return the third tensor with the first one's parts at the positions in the second one."""
    updates, indices, whole = sources
    table = builder.known(indices)
    if table is None:
        hint = "elements at positions that depend on data don't stream"
        raise LoweringError("an element is written at a position that depends on data", hint)
    count = indices.shape[-1]
    if op.integers("dimension_map") != tuple(range(count)):
        raise LoweringError(f"{op.name} of other dimensions than the first is not supported")
    template = update_of(op)
    parts = reshaped(updates, (indices.shape[0], *whole.shape[count:]))

    def combined(old: Expression, new: Expression) -> Expression:
        return filled(template, lambda number: (new, old)[number], {})

    is_plain = occurrences(template, 1) == 0
    targets = [table[:, axis] for axis in range(count)]
    return scattered(builder, whole, parts, targets, None if is_plain else combined)


class Border(NamedTuple):
    """A border of one number around a tensor: elements in front of and behind each dimension."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    value: float


def border_of(op: MlirOperation, scalars: Mapping[int, Expression]) -> Border:
    """Return the border of a ``tensor.pad``.

    Raises
    ------
    LoweringError
        If it isn't one number of known width.
    """
    low, high = static_integers(op, "static_low", "static_high")
    inner = op.blocks[0].operations if op.blocks else ()
    ends = [o for o in inner if o.name == "tensor.yield"]
    known = scalars.get(ends[0].operands[0].number) if ends else None
    if not isinstance(known, Literal):
        raise LoweringError("a border that isn't one constant number is not supported")
    return Border(low, high, known.value)


MOVES: Mapping[str, Callable[[ProgramBuilder, MlirOperation, Sequence[LazyTensor]], LazyTensor]] = {
    "tensor.cast": _reshape,
    "tensor.collapse_shape": _reshape,
    "tensor.concat": _concat,
    "tensor.empty": _empty,
    "tensor.expand_shape": _reshape,
    "tensor.extract_slice": _slice,
    "tensor.insert_slice": _insert,
    "tm_tensor.scatter": _scatter,
}
