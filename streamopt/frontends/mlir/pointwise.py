"""Structured operations as tensors: what an element is at a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.mlir.element_types import element_type
from streamopt.frontends.mlir.naming import dimension_names
from streamopt.frontends.mlir.scalars import UnsupportedError, as_number
from streamopt.frontends.mlir.structured import filled
from streamopt.frontends.tensors.indexing import Point
from streamopt.frontends.tensors.tensor import Tensor, splat
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, Expression, Literal, Logic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.frontends.mlir.structured import Structured
    from streamopt.frontends.tensors.builder import ProgramBuilder

__all__ = ["folded", "only_number", "pointwise", "read_template", "source_order"]


def pointwise(
    item: Structured,
    position: int,
    operands: Sequence[Tensor | Expression],
    *,
    image: bool = False,
) -> Tensor:
    """Return a result of parallel loops as a tensor that computes at every read."""
    result = item.operation.results[position].type
    element = element_type(result.element)
    if element is None:
        hint = "types are f16, f32, f64 and integers of 8, 16, 32 or 64 bits"
        raise UnsupportedError(f"elements of type {result.element} are not supported", hint)
    loops: dict[str, int] = {}
    for dimension, subscript in enumerate(item.outputs[position].subscripts):
        name = subscript.as_iterator()
        if name is not None:
            loops[name] = dimension
        elif subscript.terms or subscript.constant:
            raise UnsupportedError(f"an operation that writes at {subscript} is not supported")
    missing = [n for n, e in enumerate(item.extents) if e > 1 and f"d{n}" not in loops]
    if missing:
        raise UnsupportedError("an operation that writes elements more than once is not supported")
    template = item.templates[position]

    def value(point: Point) -> Expression:
        return read_template(item, template, operands, point, loops)

    axes = _inherited(item, position, operands) or dimension_names(result.shape, image=image)
    truth = result.element == "i1"
    return Tensor(result.shape, element, value, axes=axes, is_truth=truth, depth=1)


def read_template(
    item: Structured,
    template: Expression,
    operands: Sequence[Tensor | Expression],
    point: Point,
    loops: Mapping[str, int],
) -> Expression:
    """Return a template read at a point.

    Parameters
    ----------
    loops
        Dimension of the point that each of the operation's loops walks.
    """
    places = {
        f"d{n}": point.indices[loops[f"d{n}"]] if f"d{n}" in loops else Affine()
        for n in range(len(item.extents))
    }

    def read(number: int) -> Expression:
        operand = operands[number]
        if not isinstance(operand, Tensor):
            return operand
        subscripts = item.operands[number].subscripts
        return operand.at(point.to(s.substitute(places) for s in subscripts))

    result = filled(template, read, places)
    return result if isinstance(template, Compare | Logic) else as_number(result)


def _inherited(
    item: Structured, position: int, operands: Sequence[Tensor | Expression]
) -> tuple[str, ...]:
    """Return the names of the dimensions of an operand that is read where the result is written."""
    target = item.outputs[position].subscripts
    for operand, tensor in zip(item.operands, operands, strict=True):
        if isinstance(tensor, Tensor) and tensor.axes and operand.subscripts == target:
            return tensor.axes
    return ()


def source_order(item: Structured, axes: Sequence[str]) -> tuple[str, ...]:
    """Return the iterators of a copy in the order of the dimensions that it reads."""
    target = [s.as_iterator() for s in item.outputs[0].subscripts]
    source = [s.as_iterator() for s in item.used()[0].subscripts]
    ordered = [axes[target.index(name)] for name in source if name in target]
    return (*ordered, *(axis for axis in axes if axis not in ordered))


def only_number(tensor: Tensor) -> float | None:
    """Return the number that all elements are, if they are."""
    names = [f"i{n}" for n in range(tensor.rank)]
    point = Point(tuple(map(Affine.iterator, names)), dict(zip(names, tensor.shape, strict=True)))
    value = tensor.at(point)
    return value.value if isinstance(value, Literal) else None


def folded(builder: ProgramBuilder, tensor: Tensor, name: str) -> Tensor:
    """Return a tensor that depends on weights alone as a number, or as a weight."""
    number = only_number(tensor)
    if number is not None:
        return splat(number, tensor.element, tensor.shape)
    return builder.store(tensor, name)
