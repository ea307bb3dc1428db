"""From files and modules to programs and graphs, and back to files."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from streamopt.errors import Diagnostic, FrontendError
from streamopt.ir.graph import Graph, draw_graphs_with
from streamopt.ir.loop_steps import Step
from streamopt.ir.program import Program, Role
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.sources.readers import PLAIN, SourceOptions, is_text, written
from streamopt.transforms.quantization import Quantization

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.ir.source import Source
    from streamopt.pipeline.sources.readers import Readable

logger = logging.getLogger(__name__)


@checked()
def load(
    source: Readable,
    example_inputs: Sequence[object] = (),
    *,
    name: str | None = None,
    options: SourceOptions = PLAIN,
) -> Program:
    """Return the program of a file, a text, a PyTorch module, or anything else that has one.

    Parameters
    ----------
    source
        A path: a graph.json, C (``.c``, ``.cpp``), MLIR (``.mlir``) or ONNX (``.onnx``) file, a
        PyTorch module or a program of `streamopt.dsl` in a file as ``model.py:Name``, or the folder
        of a project. Or a text in C, MLIR or JSON, a ``torch.nn.Module``, alone or as
        ``(module, x)`` with its inputs, an ``onnx.ModelProto``, a program of `streamopt.dsl` or a
        function that makes one.
    example_inputs
        Tensors that a ``torch.nn.Module`` is read for.
    name
        Of the program, instead of the source's own.
    options
        How a file or a text is read.

    Raises
    ------
    FrontendError
        With all problems of the source.
    LegalityError
        If the source computes nothing that its caller sees.
    OptionError
        E544 if there is no program in it.
    """
    given = (source, *example_inputs) if example_inputs else source
    found = _restructured(written(given, options, name))
    if found is not source:
        is_path = isinstance(source, str | PathLike) and not is_text(cast("object", source))
        place = str(cast("object", source)) if is_path else found.name
        logger.info("read %s: %d loop nests", place, len(found.nests))
    return found if name is None else replace(found, name=name)


def _restructured(found: Program | Source) -> Program:
    from streamopt.ir.source import Source

    if not isinstance(found, Source):
        return found
    from streamopt.transforms.restructure import restructure

    return restructure(found)


@checked()
def save(program: Program, path: str | PathLike[str], description: str = "") -> tuple[Path, ...]:
    """Write a program as graph.json, and the values of its weights beside it.

    Parameters
    ----------
    program
        What is written.
    path
        Of the graph; weights go to the same name with ``.npz``.
    description
        A sentence on it, which the file keeps.

    Returns
    -------
    tuple of Path
        The files written: the graph, and ``<stem>.npz`` if there are values. Each appears whole
        or not at all, the graph last.

    Raises
    ------
    FrontendError
        E116 where the system refuses to write.
    """
    from streamopt.files import write_file
    from streamopt.formats.graph_json import write_graph_json
    from streamopt.formats.weights import weights_bytes

    graph = Path(path)
    if not program.values and not program.sample:
        write_file(graph, write_graph_json(program, description).encode())
        return (graph,)
    weights = graph.with_suffix(".npz")
    text = write_graph_json(program, description, weights.name)
    write_file(weights, weights_bytes(program))
    write_file(graph, text.encode())
    return graph, weights


@checked()
def load_schedule(path: str | PathLike[str]) -> Schedule:
    """Return the schedule of a schedule.json file.

    Parameters
    ----------
    path
        Of a file that ``streamopt solve`` or `write` has written.

    Raises
    ------
    FrontendError
        If the file can't be read as a schedule.
    """
    from streamopt.formats.schedule_json import load_schedule_json

    return load_schedule_json(Path(path))


@checked()
def load_steps(path: str | PathLike[str]) -> tuple[Step, ...]:
    """Return the steps of a file that `save_steps` has written, for `streamopt.schedule`.

    Parameters
    ----------
    path
        Of the file.

    Raises
    ------
    FrontendError
        If the file can't be read as steps (E101, E103, E123).
    """
    from streamopt.formats.steps_json import load_steps_json

    return load_steps_json(Path(path))


@checked()
def save_steps(program: str, steps: Sequence[Step], path: str | PathLike[str]) -> None:
    """Write the steps taken on a program to a JSON file.

    Parameters
    ----------
    program
        Its name.
    steps
        In the order in which they are taken.
    path
        Of the file.

    Raises
    ------
    FrontendError
        E116 where the system refuses to write.
    """
    from streamopt.files import write_file
    from streamopt.formats.steps_json import write_steps_json

    write_file(Path(path), write_steps_json(program, steps).encode())


@checked()
def dataflow(program: Readable) -> Graph:
    """Return the canonical dataflow graph of a program, with integers as narrow as their values.

    Parameters
    ----------
    program
        A program, or anything else that `load` reads; a graph is returned as it is.

    Raises
    ------
    FrontendError
        With all problems of a file.
    LegalityError
        If the program isn't a dataflow graph.
    OptionError
        E544 if there is no program in it.
    """
    from streamopt.transforms.canonicalize import canonicalize
    from streamopt.transforms.narrow_types import narrowed

    if isinstance(program, Graph):
        return program
    read = load(program)
    return replace(narrowed(canonicalize(read)), origin=read)


def _drawn(graph: Graph) -> str:
    from streamopt.report.graph.drawing import graph_svg

    return graph_svg(graph)


draw_graphs_with(_drawn)


@checked()
def interpret(program: Program, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the values of all arrays of a program, computed in its order and types.

    Parameters
    ----------
    program
        What is computed.
    inputs
        Values by input; weights that have none of their own are inputs as well.

    Raises
    ------
    VerificationError
        If inputs are missing or have other shapes.
    """
    from streamopt.verification.exact.interpreter import interpret as interpret_program

    return interpret_program(program, inputs)


@dataclass(frozen=True, slots=True)
class Quantized:
    """A program with products in integers, and its distance from the one in floating point.

    Attributes
    ----------
    program
        With the sample that the scales are from, and its own results.
    products
        How many sums of products are of integers.
    signal_to_noise_db
        By output: power of the results in floating point over that of the differences.
    largest_errors
        By output: the largest difference.
    """

    program: Program
    products: int
    signal_to_noise_db: Mapping[str, float]
    largest_errors: Mapping[str, float]


@checked(kind=tuple(Quantization))
def quantize(
    source: Readable,
    kind: str = Quantization.INT8,
    *,
    inputs: Mapping[str, NDArray[Any]] | None = None,
) -> Quantized:
    """Return a program whose products with weights are of integers, scaled for a sample.

    Parameters
    ----------
    source
        Anything that `load` takes.
    kind
        ``int8``, or ``w4a8`` with weights of 4 bits.
    inputs
        The sample, by input; that which came with the source, or drawn numbers, if None.

    Raises
    ------
    FrontendError
        E119 if the program has no products with weights whose values are known.
    """
    from streamopt.transforms.quantization import quantized
    from streamopt.transforms.weight_products import products
    from streamopt.verification.vectors.inputs import make_inputs

    program = load(source)
    found = products(program)
    if not found:
        message = "no sum of products of floating-point activations and known weights is in it"
        hint = "read the model with its weights"
        raise FrontendError(Diagnostic("E119", message, None, hint))
    known = {**make_inputs(program), **program.sample, **(inputs or {})}
    sample = {
        array.name: np.asarray(known[array.name], array.element.dtype).reshape(array.shape)
        for array in program.arrays
        if array.role is Role.INPUT
    }
    real = {**program.values, **sample}
    real |= interpret(program, real)
    made = quantized(program, real, Quantization(kind))
    results = interpret(made, {**made.values, **sample})
    outputs = [array.name for array in made.arrays if array.role is Role.OUTPUT]
    kept = {**sample, **{name: results[name] for name in outputs}}
    errors = {name: _error(real[name], results[name]) for name in outputs}
    return Quantized(
        replace(made, sample=kept),
        len(found),
        {name: noise for name, (noise, _) in errors.items()},
        {name: largest for name, (_, largest) in errors.items()},
    )


def _error(real: NDArray[Any], found: NDArray[Any]) -> tuple[float, float]:
    """Return signal over noise in decibels, and the largest difference."""
    wanted = real.astype(np.float64)
    apart = found.astype(np.float64) - wanted
    noise, signal = float(np.square(apart).sum()), float(np.square(wanted).sum())
    ratio = 10 * math.log10(signal / noise) if noise and signal else math.inf
    return ratio, float(np.abs(apart).max(initial=0.0))
