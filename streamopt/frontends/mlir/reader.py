"""MLIR files to programs, or to sources with loops as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.files import load_text
from streamopt.formats.names import did_you_mean, quoted
from streamopt.frontends.mlir.layout import Layout
from streamopt.frontends.mlir.parsing import MAX_CHARACTERS, parse_module

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.frontends.mlir.syntax import Module, Operation, Value
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source

__all__ = ["read_mlir"]


def read_mlir(
    path: Path, *, top: str | None = None, text: str | None = None, layout: Layout | None = None
) -> Program | Source:
    """Read one function of an MLIR file.

    Parameters
    ----------
    top
        Name of the function; may be left out where there is only one.
    text
        The file's text, if it has been read already.
    layout
        How moves of tensors become nests; views by default.

    Returns
    -------
    Program or Source
        A program for a function on tensors, a source for one on memrefs.

    Raises
    ------
    FrontendError
        With all problems: E151 for a missing package and a file that can't be read or parsed,
        E152 for operations that aren't supported, E153 for subscripts and shapes that aren't
        affine or known, E154 for a function that isn't there, E155 for what is too large.
    """
    file = str(path)
    module = parse_module(load_text(path, "E151", MAX_CHARACTERS) if text is None else text, file)
    function = _function(module, top, file)
    if any(value.type.kind == "tensor" for value in _values(function)):
        from streamopt.frontends.mlir.tensor_program import tensor_program

        return tensor_program(function, layout or Layout())
    from streamopt.frontends.mlir.loop_lowering import loop_source

    return loop_source(function, module, file)


def _function(module: Module, top: str | None, file: str) -> Operation:
    functions = {op.symbol: op for op in module.functions()}
    if top is None and len(functions) == 1:
        return next(iter(functions.values()))
    if top is not None and top in functions:
        return functions[top]
    if not functions:
        problem = Diagnostic("E154", "the file has no function with a body", SourceLoc(file))
    elif top is None:
        message = f"the file has {len(functions)} functions, and none was chosen"
        hint = f"choose one with --top: {', '.join(list(functions)[:12])}"
        problem = Diagnostic("E154", message, SourceLoc(file), hint)
    else:
        message = f"the file has no function {quoted(top)}"
        problem = Diagnostic("E154", message, SourceLoc(file), did_you_mean(top, functions))
    raise FrontendError(problem)


def _values(function: Operation) -> list[Value]:
    block = function.blocks[0]
    return [*block.arguments, *(value for op in block.operations for value in op.results)]
