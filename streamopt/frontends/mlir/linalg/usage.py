"""Readers of every tensor: which are alive, and which are worth an array under a layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

from streamopt.frontends.mlir.linalg.naming import has_windows
from streamopt.frontends.mlir.text.syntax import MlirOperation, MlirValue

if TYPE_CHECKING:
    from streamopt.frontends.mlir.linalg.structured import Structured


class OperationKind(Enum):
    """The effect of an operation on elements."""

    VIEW = "reads them elsewhere"
    COPY = "stores them elsewhere"
    COMPUTE = "computes each result from some"
    REDUCE = "combines many"
    SLIDE = "combines those of each window"
    RETURN = "hands them back"


_RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")
_VIEWS = (*_RESHAPES, "tensor.cast", "tensor.extract_slice")


@dataclass(frozen=True, slots=True)
class Usage:
    """Uses of the tensors of one function."""

    kinds: Mapping[int, OperationKind]
    """OperationKind by operation, as `id` of it."""
    readers: Mapping[int, Sequence[tuple[OperationKind, int]]]
    """By value, for each of its readers behind views: kind, and elements that it reads."""
    constants: Set[int]
    """Values that depend on weights alone."""

    def is_read_once(self, value: MlirValue, size_elems: int, *, narrows: bool = False) -> bool:
        """Return whether one nest reads each element at most once, and computes with it.

        Parameters
        ----------
        narrows
            Whether elements are narrower than those that they are computed from. Windows keep some
            rows of what they read, the narrow ones.
        """
        match self.readers.get(value.number, ()):
            case ((OperationKind.SLIDE, points),):
                return points <= size_elems and not narrows
            case ((OperationKind.COMPUTE | OperationKind.REDUCE | OperationKind.RETURN, points),):
                return points <= size_elems
            case _:
                return False


def live_operations(operations: Sequence[MlirOperation]) -> tuple[MlirOperation, ...]:
    """Return the operations that the returned values depend on."""
    needed: set[int] = set()
    kept: list[MlirOperation] = []
    for op in reversed(operations):
        is_end = op.name in ("func.return", "return")
        if is_end or any(result.number in needed for result in op.results):
            needed.update(value.number for value in op.operands)
            for block in op.blocks:
                needed.update(v.number for inner in block.operations for v in inner.operands)
            kept.append(op)
    return tuple(reversed(kept))


def usage(
    operations: Sequence[MlirOperation],
    generics: Mapping[int, Structured],
    layout: TensorLayout,
    inputs: Iterable[MlirValue],
    weights: Iterable[MlirValue],
) -> Usage:
    """Return the uses of all tensors.

    Parameters
    ----------
    operations
        The live ones, in order.
    generics
        Structured operations by `id` of the operation.
    """
    given = {value.number for value in inputs}
    constants = {value.number for value in weights}
    kinds: dict[int, OperationKind] = {}
    for op in operations:
        for position, result in enumerate(op.results):
            # A value that only the shape of matters doesn't make what reads it vary.
            read = [v for v in _operands(op, generics, position) if v.type.kind == "tensor"]
            if all(v.number in constants for v in read):
                constants.add(result.number)
        kinds[id(op)] = _kind(op, generics.get(id(op)), layout, given, constants)
    readers: dict[int, list[tuple[OperationKind, int]]] = {}
    for op in reversed(operations):
        kind, item = kinds[id(op)], generics.get(id(op))
        for value in _operands(op, generics):
            found = readers.setdefault(value.number, [])
            if kind is OperationKind.VIEW:
                found += [use for result in op.results for use in readers.get(result.number, ())]
            else:
                found.append((kind, item.points if item is not None else 0))
    return Usage(kinds, readers, constants)


def _operands(
    op: MlirOperation, generics: Mapping[int, Structured], position: int | None = None
) -> list[MlirValue]:
    """Return the operands of an operation for one of its results, or for all."""
    item = generics.get(id(op))
    if item is None:
        return list(op.operands)
    return [operand.value for operand in item.used(position)]


def _kind(
    op: MlirOperation,
    item: Structured | None,
    layout: TensorLayout,
    inputs: Set[int],
    constants: Set[int],
) -> OperationKind:
    if op.name in ("func.return", "return"):
        return OperationKind.RETURN
    stores = layout.copies == "materialize"
    if item is not None:
        if item.is_copy:
            return OperationKind.COPY if stores and _is_transpose(item) else OperationKind.VIEW
        if item.is_parallel:
            return OperationKind.COMPUTE
        return OperationKind.SLIDE if has_windows(item) else OperationKind.REDUCE
    if op.name not in _VIEWS:
        return OperationKind.COPY
    source = op.operands[0]
    is_reshape = op.name in _RESHAPES and source.number not in constants
    changes = source.number in inputs or (op.name == _RESHAPES[0] and _merges(op))
    return OperationKind.COPY if stores and is_reshape and changes else OperationKind.VIEW


def _is_transpose(item: Structured) -> bool:
    """Return whether elements come in another order than they go."""
    source = [s.as_iterator() for s in item.used()[0].subscripts]
    target = [s.as_iterator() for s in item.outputs[0].subscripts]
    long = {f"d{n}" for n, extent in enumerate(item.extents) if extent > 1}
    first = [name for name in source if name in long]
    return first != [name for name in target if name in set(first)]


def _merges(op: MlirOperation) -> bool:
    """Return whether a reshape makes one dimension of several longer than 1."""
    groups = op.attributes.get("reassociation", ())
    shape = op.operands[0].type.shape
    return isinstance(groups, tuple) and any(
        isinstance(group, tuple) and sum(shape[d] > 1 for d in group if isinstance(d, int)) > 1
        for group in groups
    )


@dataclass(frozen=True, slots=True)
class TensorLayout:
    """How moves of elements become nests."""

    copies: Literal["views", "materialize"] = "views"
    """``"views"``: a transpose or reshape is an access function of its readers. ``"materialize"``:
    every transpose is a nest that stores its result, and so is every reshape that merges
    dimensions, or that changes the shape of an input."""
    copy_order: Literal["target", "source"] = "target"
    """Loops of a stored transpose, from the outermost in: the dimensions of its result
    (``"target"``) or of what it reads (``"source"``)."""
    padding: Literal["select", "fill_and_copy"] = "select"
    """``"select"``: one nest, which writes each element of the padded array, from inside or from
    the border. ``"fill_and_copy"``: a nest that fills the array, and one that overwrites the
    inside."""
