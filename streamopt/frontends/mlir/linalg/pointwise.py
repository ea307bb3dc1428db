"""Structured operations and constants of the text as tensors: the value of an element at a point.

Elements that a body extracts at computed positions are static where constants decide these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.mlir.linalg.naming import dimension_names
from streamopt.frontends.mlir.linalg.structured import filled
from streamopt.frontends.mlir.scalars import known_element
from streamopt.frontends.mlir.text.syntax import Dense, MlirOperation
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.gathering import MAX_POSITIONS, gathered
from streamopt.frontends.tensors.indexing import ElementPoint, point_over
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.composing import as_number
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Compare, Expression, Index, Literal, Logic, Read, walk
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from streamopt.frontends.mlir.linalg.structured import Structured


def pointwise(
    item: Structured,
    position: int,
    operands: Sequence[LazyTensor | Expression],
    *,
    image: bool = False,
) -> LazyTensor:
    """Return a result of parallel loops as a tensor that computes at every read."""
    result = item.operation.results[position].type
    element = known_element(result)
    loops: dict[str, int] = {}
    for dimension, subscript in enumerate(item.outputs[position].subscripts):
        name = subscript.as_iterator()
        if name is not None:
            loops[name] = dimension
        elif subscript.terms or subscript.constant:
            raise LoweringError(f"an operation that writes at {subscript} is not supported")
    missing = [n for n, e in enumerate(item.extents) if e > 1 and f"d{n}" not in loops]
    if missing:
        raise LoweringError("an operation that writes elements more than once is not supported")
    value = partial(read_template, item, item.templates[position], operands, loops)
    axes = _inherited(item, position, operands) or dimension_names(result.shape, image=image)
    truth = result.element == "i1"
    return LazyTensor(result.shape, element, value, axes=axes, is_truth=truth, depth=1)


def read_template(
    item: Structured,
    template: Expression,
    operands: Sequence[LazyTensor | Expression],
    loops: Mapping[str, int],
    point: ElementPoint,
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
        if not isinstance(operand, LazyTensor):
            return operand
        return operand.at(point.to(s.substitute(places) for s in item.operands[number].subscripts))

    result = filled(template, read, places)
    return result if isinstance(template, Compare | Logic) else as_number(result)


def _inherited(
    item: Structured, position: int, operands: Sequence[LazyTensor | Expression]
) -> tuple[str, ...]:
    """Return the names of the dimensions of an operand that is read where the result is written."""
    target = item.outputs[position].subscripts
    for operand, tensor in zip(item.operands, operands, strict=True):
        if isinstance(tensor, LazyTensor) and tensor.axes and operand.subscripts == target:
            return tensor.axes
    return ()


def source_order(item: Structured, axes: Sequence[str]) -> tuple[str, ...]:
    """Return the iterators of a copy in the order of the dimensions that it reads."""
    target = [s.as_iterator() for s in item.outputs[0].subscripts]
    source = [s.as_iterator() for s in item.used()[0].subscripts]
    ordered = [axes[target.index(name)] for name in source if name in target]
    return (*ordered, *(axis for axis in axes if axis not in ordered))


def only_number(tensor: LazyTensor) -> float | None:
    """Return the number that all elements are, if they are."""
    names = [f"i{n}" for n in range(tensor.rank)]
    value = tensor.at(point_over(names, dict(zip(names, tensor.shape, strict=True))))
    return value.value if isinstance(value, Literal) else None


def folded(builder: ProgramBuilder, tensor: LazyTensor, name: str) -> LazyTensor:
    """Return a tensor that depends on weights alone as a number, or as a weight."""
    number = only_number(tensor)
    if number is not None:
        return splat(number, tensor.element, tensor.shape)
    return builder.store(tensor, name)


def looked_up(
    builder: ProgramBuilder, item: Structured, operands: Sequence[LazyTensor | Expression]
) -> list[LazyTensor | Expression]:
    """Return the operands with what is read at computed positions as tensors over the loops.

    Raises
    ------
    LoweringError
        If a position depends on data, or positions are constants that follow no rule.
    """
    found = list(operands)
    for number, operand in enumerate(item.operands):
        source = found[number]
        if operand.positions and isinstance(source, LazyTensor):
            tables = [_table(builder, item, found, position) for position in operand.positions]
            found[number] = gathered(builder, source, tables, item.extents)
    return found


def _table(
    builder: ProgramBuilder,
    item: Structured,
    operands: Sequence[LazyTensor | Expression],
    position: Expression,
) -> NDArray[np.int64]:
    """Return the positions over the loops; extent 1 along loops that they don't depend on."""
    walked = _loops_of(item, position)
    shape = [extent if f"d{n}" in walked else 1 for n, extent in enumerate(item.extents)]
    if prod(shape) > MAX_POSITIONS:
        hint = "read fewer elements, or at positions that are sums of the loops' indices"
        raise LoweringError(f"more than {MAX_POSITIONS} positions are computed", hint)
    read = partial(read_template, item, position, operands, {f"d{n}": n for n in range(len(shape))})
    table = builder.known(LazyTensor(tuple(shape), ElementType.INT64, read))
    if table is None:
        raise LoweringError(
            "an element is read at a position that depends on data",
            "such elements don't stream; give them to the program as an input",
        )
    return table


def _loops_of(item: Structured, position: Expression) -> set[str]:
    """Return the iterators that a position depends on, also through tables that it reads."""
    walked: set[str] = set()
    for node in walk(position):
        if isinstance(node, Index):
            walked.update(node.value.iterators())
        elif isinstance(node, Read):
            subscripts = item.operands[int(node.access.array[1:])].subscripts
            walked.update(name for s in subscripts for name in s.iterators())
    return walked


def dense_tensor(builder: ProgramBuilder, name: str, op: MlirOperation) -> LazyTensor:
    """Return the tensor of an ``arith.constant``: a weight, or one number for all elements.

    Raises
    ------
    LoweringError
        For types that programs don't have.
    """
    dense = op.attributes["value"]
    assert isinstance(dense, Dense)
    element = known_element(dense.type)
    if dense.values is None:
        # The text doesn't have the values, so that the caller gives them.
        return builder.given(name, dense.type.shape, element, Role.WEIGHT)
    values = dense.values
    if values.size and np.all(values == values.flat[0]):
        return splat(float(values.flat[0]), element, values.shape)
    return builder.constant(name, values)
