"""Elements that a body extracts at computed positions: those that constants decide are static."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.frontends.mlir.pointwise import read_template
from streamopt.frontends.mlir.scalars import UnsupportedError
from streamopt.frontends.tensors.gathering import MAX_POSITIONS, gathered
from streamopt.frontends.tensors.tensor import Tensor
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Index, Read, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from streamopt.frontends.mlir.structured import Structured
    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.indexing import Point
    from streamopt.ir.expression import Expression

__all__ = ["looked_up"]


def looked_up(
    builder: ProgramBuilder, item: Structured, operands: Sequence[Tensor | Expression]
) -> list[Tensor | Expression]:
    """Return the operands with what is read at computed positions as tensors over the loops.

    Raises
    ------
    UnsupportedError
        If a position depends on data.
    LoweringError
        If positions are constants that follow no rule.
    """
    found = list(operands)
    for number, operand in enumerate(item.operands):
        source = found[number]
        if operand.positions and isinstance(source, Tensor):
            tables = [_table(builder, item, found, position) for position in operand.positions]
            found[number] = gathered(builder, source, tables, item.extents)
    return found


def _table(
    builder: ProgramBuilder,
    item: Structured,
    operands: Sequence[Tensor | Expression],
    position: Expression,
) -> NDArray[np.int64]:
    """Return the positions over the loops; extent 1 along loops that they don't depend on."""
    walked = _loops_of(item, position)
    shape = [extent if f"d{n}" in walked else 1 for n, extent in enumerate(item.extents)]
    if prod(shape) > MAX_POSITIONS:
        hint = "read fewer elements, or at positions that are sums of the loops' indices"
        raise UnsupportedError(f"more than {MAX_POSITIONS} positions are computed", hint)
    loops = {f"d{n}": n for n in range(len(shape))}

    def value(point: Point) -> Expression:
        return read_template(item, position, operands, point, loops)

    table = builder.known(Tensor(tuple(shape), ElementType.INT64, value))
    if table is None:
        raise UnsupportedError(
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
