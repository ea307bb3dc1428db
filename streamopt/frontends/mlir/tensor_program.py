"""A function on tensors as a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import FrontendError
from streamopt.frontends.mlir.tensor_lowering import Argument, TensorLowering
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.naming import legal_name
from streamopt.frontends.tensors.result_copies import without_result_copies
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from streamopt.frontends.mlir.layout import Layout
    from streamopt.frontends.mlir.syntax import Operation
    from streamopt.ir.program import Program

__all__ = ["result_names", "tensor_program"]


def tensor_program(function: Operation, layout: Layout) -> Program:
    """Return the program of a function from the text; all its arguments are inputs.

    Raises
    ------
    FrontendError
        E152, E153 and E155, with all problems.
    """
    block = function.blocks[0]
    builder = ProgramBuilder(legal_name(function.symbol))
    arguments = [
        Argument(value.name or f"arg{position}", Role.INPUT)
        for position, value in enumerate(block.arguments)
    ]
    ends = [op for op in block.operations if op.name in ("func.return", "return")]
    lowering = TensorLowering(builder, layout)
    lowering.run(function, arguments, result_names(len(ends[0].operands) if ends else 0))
    if lowering.problems:
        raise FrontendError(*lowering.problems)
    return without_result_copies(builder.build())


def result_names(count: int) -> tuple[str, ...]:
    """Return ``y``, or ``y``, ``y1``, ... where there are several results."""
    return tuple("y" if position == 0 else f"y{position}" for position in range(count))
