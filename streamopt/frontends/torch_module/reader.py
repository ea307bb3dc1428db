"""PyTorch modules to programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any, cast

import torch
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.extras import installing
from streamopt.formats.names import quoted
from streamopt.frontends.mlir.linalg.usage import TensorLayout
from streamopt.frontends.tensors.tensor import legal_name
from streamopt.ir.program import Nest, Program, Role

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from streamopt.frontends.torch_module.exporting import Exported
    from streamopt.frontends.torch_module.places import SourcePlace

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
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(module).__name__).lower()
    title = legal_name(name or kind)
    try:
        import_module("torch_mlir")
    except ImportError:
        message, hint = "reading PyTorch modules needs torch_mlir", installing("torch")
        raise FrontendError(Diagnostic("E161", message, None, hint)) from None
    from streamopt.frontends.mlir.linalg.lowering import TensorLowering
    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.torch_module.exporting import exported
    from streamopt.frontends.torch_module.places import label

    found = exported(module, example_inputs, title)
    places = found.places
    builder = ProgramBuilder(title)
    lowering = TensorLowering(builder, layout or TensorLayout(), lambda op: label(op, places))
    lowering.run(found.function, found.arguments, found.results)
    if lowering.problems:
        problems = [_in_user_terms(problem, places, title) for problem in lowering.problems]
        raise FrontendError(*dict.fromkeys(problems))
    program = builder.build()
    nests = tuple(_placed(nest, places, title) for nest in program.nests)
    return replace(program, nests=nests, sample=sample_of(module, example_inputs, found, program))


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
    return place.unsupported(problem.message, title, hint)


def _placed(nest: Nest, places: Mapping[int, SourcePlace], title: str) -> Nest:
    """Return a nest that points to the user's line."""
    place = places.get(nest.loc.line or 0) if nest.loc is not None else None
    loc = SourceLoc(title) if place is None else place.line(title)
    statements = tuple(replace(statement, loc=loc) for statement in nest.statements)
    return replace(nest, statements=statements, loc=loc)


def sample_of(
    module: torch.nn.Module | ExportedProgram,
    example_inputs: Sequence[Any],
    found: Exported,
    program: Program,
) -> dict[str, NDArray[Any]]:
    """Return example inputs and the module's own results by array; empty if they don't match.

    They don't where `forward` takes or returns anything but tensors.
    """
    from streamopt.frontends.torch_module.exporting import evaluating

    run = module if isinstance(module, torch.nn.Module) else cast("Any", module).module()
    try:
        with evaluating(run), torch.no_grad():
            results = run(*example_inputs)
    except Exception:  # the user's code runs here; it was exported, so this is only a check less
        return {}
    given = [argument.name for argument in found.arguments if argument.role is Role.INPUT]
    returned = [name for name in found.results if name]
    tensors = [*_tensors(tuple(example_inputs)), *_tensors(results)]
    names = [*given, *returned]
    if len(names) != len(tensors):
        return {}
    shapes = {array.name: array.shape for array in program.arrays}
    sample: dict[str, NDArray[Any]] = {}
    for name, tensor in zip(names, tensors, strict=True):
        if shapes.get(name, tuple(tensor.shape)) != tuple(tensor.shape):
            return {}
        if name in shapes:
            sample[name] = tensor.detach().cpu().contiguous().numpy().copy()
    return sample


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in cast("Sequence[Any]", value):
            yield from _tensors(part)
    elif isinstance(value, dict):
        for part in cast("dict[Any, Any]", value).values():
            yield from _tensors(part)


MAX_ELEMENTS = 2**28
_SHAPE = re.compile(r"(\d+(?:x\d+)*|scalar)(?::([a-z0-9]+))?", re.ASCII)
_TYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


def example_inputs(text: str) -> tuple[torch.Tensor, ...]:
    """Return inputs of the given shapes.

    Parameters
    ----------
    text
        Shapes with element types that aren't float32, such as ``1x64x128,1x10:int64``;
        ``scalar`` for no dimensions.

    Raises
    ------
    FrontendError
        E166 for what is no shape.
    """
    problems: list[Diagnostic] = []
    found: list[torch.Tensor] = []
    for part in text.split(",") if text.strip() else ():
        match = _SHAPE.fullmatch(part.strip())
        extents = [int(n) for n in match[1].split("x")[:64] if n != "scalar"] if match else []
        kind = (match[2] or "float32") if match else ""
        if match is None or 0 in extents:
            hint = "write shapes such as 1x64x128,1x10:int64"
            problems.append(Diagnostic("E166", f"{quoted(part)} is no shape", None, hint))
        elif kind not in _TYPES:
            message = f"{quoted(kind)} is no element type"
            problems.append(Diagnostic("E166", message, None, f"known types: {', '.join(_TYPES)}"))
        elif prod(extents) > MAX_ELEMENTS:
            message = f"{quoted(part)} has more than {MAX_ELEMENTS} elements"
            problems.append(Diagnostic("E166", message))
        else:
            found.append(_example(extents, getattr(torch, kind), len(found)))
    if problems:
        raise FrontendError(*problems)
    return tuple(found)


def _example(extents: Sequence[int], kind: torch.dtype, seed: int) -> torch.Tensor:
    """Return values that are the same every time: normal ones, or small whole numbers."""
    generator = torch.Generator().manual_seed(seed)
    if kind.is_floating_point:
        return torch.randn(list(extents), generator=generator, dtype=kind)
    top = 2 if kind is torch.bool else 8
    return torch.randint(0, top, list(extents), generator=generator).to(kind)
