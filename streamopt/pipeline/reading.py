"""From files and modules to programs and graphs, and back to files."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from streamopt.ir.graph import Graph, draw_graphs_with
from streamopt.ir.loop_steps import Step
from streamopt.ir.program import Program
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.readers import PLAIN, SourceOptions, is_text, written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.ir.source import Source
    from streamopt.pipeline.readers import Readable

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
