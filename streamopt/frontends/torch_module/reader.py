"""PyTorch modules to programs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.extras import installing
from streamopt.frontends.mlir.linalg.usage import TensorLayout
from streamopt.frontends.tensors.naming import legal_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from torch.export import ExportedProgram

    from streamopt.frontends.torch_module.places import SourcePlace
    from streamopt.ir.program import Nest, Program

__all__ = ["read_torch"]

_DATA_DEPENDENT = ("embedding", "index", "gather", "take", "sort", "topk", "nonzero", "scatter")


def read_torch(
    module: torch.nn.Module | ExportedProgram,
    example_inputs: tuple[Any, ...] = (),
    *,
    name: str | None = None,
    layout: TensorLayout | None = None,
) -> Program:
    """Return the computation of a module in evaluation as a program with its weights' values.

    Parameters
    ----------
    module
        A module, or a program that torch.export made of one.
    example_inputs
        Tensors for `forward`: shapes and element types matter, values don't.
    name
        Of the program; that of the module's class if None.
    layout
        How moves of elements become nests; views by default.

    Returns
    -------
    Program
        With the example inputs and the module's own results as a sample, which designs are
        compared with. Inputs are named after the parameters of `forward`, results ``y``, ``y1``,
        ...; weights and nests after the path of their module.

    Raises
    ------
    FrontendError
        E161 for a missing package, E162 if PyTorch can't export the module, E163 for operators
        that aren't supported, all of them at once.
    """
    title = legal_name(name) if name else _class_name(module)
    _check_packages()
    from streamopt.frontends.mlir.linalg.lowering import TensorLowering
    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.result_copies import without_result_copies
    from streamopt.frontends.torch_module.exporting import exported
    from streamopt.frontends.torch_module.labels import label
    from streamopt.frontends.torch_module.samples import sample_of

    found = exported(module, example_inputs, title)
    places = found.places
    builder = ProgramBuilder(title)
    lowering = TensorLowering(builder, layout or TensorLayout(), lambda op: label(op, places))
    lowering.run(found.function, found.arguments, found.results)
    if lowering.problems:
        problems = [_in_user_terms(problem, places, title) for problem in lowering.problems]
        raise FrontendError(*dict.fromkeys(problems))
    program = without_result_copies(builder.build())
    nests = tuple(_placed(nest, places, title) for nest in program.nests)
    return replace(program, nests=nests, sample=sample_of(module, example_inputs, found, program))


def _class_name(module: object) -> str:
    name = type(module).__name__
    return legal_name(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())


def _check_packages() -> None:
    missing: list[str] = []
    for package in ("torch", "torch_mlir"):
        try:
            __import__(package)
        except ImportError:
            missing.append(package)
    if missing:
        message = f"reading PyTorch modules needs {' and '.join(missing)}"
        hint = installing("torch")
        raise FrontendError(Diagnostic("E161", message, None, hint))


def _in_user_terms(
    problem: Diagnostic, places: Mapping[int, SourcePlace], title: str
) -> Diagnostic:
    """Return a problem of the lowering with PyTorch's operator and the user's line."""
    place = places.get(problem.loc.line or 0) if problem.loc is not None else None
    if place is None:
        return replace(problem, code="E163", loc=SourceLoc(title))
    operator = place.operator.removeprefix("aten.").partition(".")[0]
    hint = problem.hint
    depends = "depends on data" in problem.message or "tm_tensor." in problem.message
    if depends and operator.startswith(_DATA_DEPENDENT):
        hint = "elements at positions that depend on data don't stream: "
        hint += "give the module what it looks up, such as embedded vectors, as an input"
    message = f"operator {place.operator} is not supported: {problem.message}"
    return Diagnostic("E163", message, place.loc if place.loc.file else SourceLoc(title), hint)


def _placed(nest: Nest, places: Mapping[int, SourcePlace], title: str) -> Nest:
    """Return a nest that points to the user's line."""
    place = places.get(nest.loc.line or 0) if nest.loc is not None else None
    loc = place.loc if place is not None and place.loc.file else SourceLoc(title)
    statements = tuple(replace(statement, loc=loc) for statement in nest.statements)
    return replace(nest, statements=statements, loc=loc)
