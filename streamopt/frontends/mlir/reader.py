"""MLIR files to programs on tensors, or to sources with loops as they are written."""

from pathlib import Path

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.files import load_text
from streamopt.formats.names import did_you_mean, quoted
from streamopt.frontends.mlir.linalg.lowering import Argument, TensorLowering
from streamopt.frontends.mlir.linalg.usage import TensorLayout
from streamopt.frontends.mlir.text.parsing import MAX_CHARACTERS, parse_module
from streamopt.frontends.mlir.text.syntax import MlirOperation, Module
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.tensor import legal_name
from streamopt.ir.program import Program, Role
from streamopt.ir.source import Source


def read_mlir(
    path: Path,
    *,
    top: str | None = None,
    text: str | None = None,
    layout: TensorLayout | None = None,
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
    text = load_text(path, "E151", MAX_CHARACTERS) if text is None else text
    module = parse_module(text, file, top)
    function = _function(module, top, file)
    block = function.blocks[0]
    values = [*block.arguments, *(value for op in block.operations for value in op.results)]
    if any(value.type.kind == "tensor" for value in values):
        return tensor_program(function, layout or TensorLayout())
    from streamopt.frontends.mlir.loops.lowering import loop_source

    return loop_source(function, module, file)


def _function(module: Module, top: str | None, file: str) -> MlirOperation:
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


def tensor_program(function: MlirOperation, layout: TensorLayout) -> Program:
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
    return builder.build()


def result_names(count: int) -> tuple[str, ...]:
    """Return ``y``, or ``y``, ``y1``, ... where there are several results."""
    return tuple("y" if position == 0 else f"y{position}" for position in range(count))
