"""From a module to operations of linalg, weights staying arguments with their names."""
# Neither PyTorch's graphs nor torch-mlir have types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import NDArray
from torch.export.graph_signature import InputKind, OutputKind, TensorArgument

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.frontends.mlir.linalg.lowering import Argument
from streamopt.frontends.mlir.reader import result_names
from streamopt.frontends.mlir.text.conversion import SourceText
from streamopt.frontends.mlir.text.parsing import convert_module
from streamopt.frontends.mlir.text.syntax import MlirOperation
from streamopt.frontends.torch_module.decompositions import decompositions
from streamopt.frontends.torch_module.places import (
    SourcePlace,
    export_problem,
    first_line,
    lowering_problems,
    mark_nodes,
    quiet_logs,
)
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_TO_BACKEND = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    " torchdynamo-export-to-torch-backend-pipeline{extra-library=})"
)
_TO_LINALG = (
    "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline{allow-non-finites=true})"
)


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """A module as one function on tensors."""

    function: MlirOperation
    arguments: tuple[Argument, ...]
    """Of the function, in order: weights with values, and inputs."""
    results: tuple[str, ...]
    """Names of what it returns; empty for what `forward` doesn't return."""
    places: Mapping[int, SourcePlace]
    """Where operations come from, by the line of their location."""


def exported(
    module: torch.nn.Module | ExportedProgram, example_inputs: tuple[Any, ...], file: str
) -> Exported:
    """Export a module and lower it to linalg.

    Raises
    ------
    FrontendError
        E162 with PyTorch's reason, E163 for operators that can't be lowered.
    """
    with warnings.catch_warnings(), quiet_logs():
        warnings.simplefilter("ignore")
        program = _export(module, example_inputs, file)
        places = mark_nodes(program.graph)
        try:
            program = program.run_decompositions(decompositions())
        except Exception as error:  # PyTorch raises whatever its operators raise
            message = f"the module can't be taken apart: {first_line(error)}"
            raise FrontendError(Diagnostic("E162", message, SourceLoc(file))) from None
        _check_nodes(program, places, file)
        arguments, results = _arguments(program, file), _results(program, file)
        return Exported(_lowered(program, places, file), arguments, results, places)


def _export(
    module: torch.nn.Module | ExportedProgram, example_inputs: tuple[Any, ...], file: str
) -> ExportedProgram:
    if not isinstance(module, torch.nn.Module):
        return module
    with evaluating(module), torch.no_grad():
        try:
            return torch.export.export(module, example_inputs, strict=False)
        except Exception as error:  # the user's code runs here
            raise FrontendError(export_problem(error, module, example_inputs, file)) from None


@contextmanager
def evaluating(module: torch.nn.Module) -> Generator[None]:
    """Switch a module to evaluation, without dropout, and back."""
    training = [inner for inner in module.modules() if inner.training]
    module.eval()
    try:
        yield
    finally:
        for inner in training:
            inner.training = True


def _check_nodes(program: ExportedProgram, places: Mapping[int, SourcePlace], file: str) -> None:
    """Refuse shapes that aren't constant, and operators that do more than compute.

    From such shapes torch-mlir may never come back; such operators check values while they run.
    """
    nodes = program.graph.nodes
    shapes = [_shape_problem(node, places, file) for node in nodes]
    problems = [problem for problem in shapes if problem is not None] or [
        _place_of(node, places).unsupported(
            f"it is no plain computation ({node.args[1]})",
            file,
            "compute it outside of the module, and give the result as an input",
        )
        for node in nodes
        if str(node.target) == "with_effects"
    ]
    if problems:
        raise FrontendError(*dict.fromkeys(problems))


def _shape_problem(node: Any, places: Mapping[int, SourcePlace], file: str) -> Diagnostic | None:
    value = node.meta.get("val")
    found = value if isinstance(value, list | tuple) else [value]
    shapes = [v.shape for v in found if isinstance(v, torch.Tensor)]
    if all(type(extent) is int for shape in shapes for extent in shape):
        return None
    place = _place_of(node, places)
    what = f"the result of {place.operator}" if place.label else str(node.name)
    hint = "export with constant shapes, and don't choose elements by their values"
    return Diagnostic("E163", f"{what} has a shape that isn't constant", place.line(file), hint)


def _place_of(node: Any, places: Mapping[int, SourcePlace]) -> SourcePlace:
    """Return the place of a node, without label or line if it isn't known."""
    line = str(node.meta.get("stack_trace", "")).partition("line ")[2].partition(",")[0]
    known = places.get(int(line)) if line.isdigit() else None
    operator = str(node.args[1]) if str(node.target) == "with_effects" else str(node.target)
    return known or SourcePlace("", operator, SourceLoc(""))


def _arguments(program: ExportedProgram, file: str) -> tuple[Argument, ...]:
    problems: list[Diagnostic] = []
    found: list[Argument] = []
    for spec in program.graph_signature.input_specs:
        name = str(spec.arg.name)
        if not isinstance(spec.arg, TensorArgument):
            message = f"input {name} is no tensor"
            hint = "give numbers to the module's constructor, and tensors to forward"
            problems.append(Diagnostic("E162", message, SourceLoc(file), hint))
        elif spec.kind is InputKind.USER_INPUT:
            found.append(Argument(name, Role.INPUT))
        else:
            target = str(spec.target)
            found.append(Argument(target, Role.WEIGHT, _values(program, target, file, problems)))
    if problems:
        raise FrontendError(*problems)
    return tuple(found)


def _values(
    program: ExportedProgram, target: str, file: str, problems: list[Diagnostic]
) -> NDArray[Any] | None:
    tensor = program.state_dict.get(target, program.constants.get(target))
    if not isinstance(tensor, torch.Tensor):
        problems.append(Diagnostic("E162", f"{target} is no tensor", SourceLoc(file)))
        return None
    try:
        return tensor.detach().cpu().contiguous().numpy()
    except (RuntimeError, TypeError) as error:
        message = f"weight {target} of type {tensor.dtype} can't be read: {error}"
        hint = "convert the module with .float()"
        problems.append(Diagnostic("E162", message.splitlines()[0], SourceLoc(file), hint))
        return None


def _results(program: ExportedProgram, file: str) -> tuple[str, ...]:
    names: list[str] = []
    specs = program.graph_signature.output_specs
    free = iter(result_names(len(specs)))
    for spec in specs:
        if spec.kind is not OutputKind.USER_OUTPUT:
            names.append("")
            continue
        if not isinstance(spec.arg, TensorArgument):
            message = f"forward returns something that is no tensor ({spec.arg})"
            hint = "return one tensor, or a tuple of tensors"
            raise FrontendError(Diagnostic("E162", message, SourceLoc(file), hint))
        names.append(next(free))
    if not any(names):
        raise FrontendError(Diagnostic("E162", "forward returns nothing", SourceLoc(file)))
    return tuple(names)


def _lowered(
    program: ExportedProgram, places: Mapping[int, SourcePlace], file: str
) -> MlirOperation:
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras.fx_importer import FxImporter

    from streamopt.frontends.mlir.text.conversion import ir, passmanager

    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    try:
        importer.import_stateless_graph(program.graph, func_name="main")
    except Exception as error:  # torch-mlir raises its own types for what it doesn't know
        message = f"the module can't be lowered: {first_line(error)}"
        raise FrontendError(Diagnostic("E163", message, SourceLoc(file))) from None
    with context:
        # Passes may report an error and go on, which would end the process later.
        context.emit_error_diagnostics = False
        for pipeline in (_TO_BACKEND, _TO_LINALG):
            try:
                passmanager.PassManager.parse(pipeline).run(importer.module.operation)
            except ir.MLIRError as error:
                raise FrontendError(*lowering_problems(error, places, file)) from None
        module = convert_module(importer.module, SourceText(file))
    return next(function for function in module.functions() if function.symbol == "main")
