"""From files and modules to programs and graphs, and back to files."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import FrontendError
from streamopt.options import checked, option_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray
    from torch.nn import Module

    from streamopt.ir.graph import Graph
    from streamopt.ir.loop_steps import Step
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule
    from streamopt.ir.source import Source

logger = logging.getLogger(__name__)


@option_group()
@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How a source is read, as ``streamopt graph`` takes it.

    Attributes
    ----------
    top
        C and MLIR: the function to read.
    define
        C: macros by name.
    include
        C: folders of headers.
    param
        C: values of integer arguments, such as extents.
    live_out
        C: the written arguments that the caller looks at; all if empty.
    inputs
        PyTorch: shapes of what a module in a file is read for, ``1x64x128,1x10:int64``.
    shape
        ONNX: shapes of inputs that the model leaves open.
    """

    top: str | None = None
    define: Mapping[str, str] = field(default_factory=dict[str, str])
    include: Sequence[str | PathLike[str]] = ()
    param: Mapping[str, int] = field(default_factory=dict[str, int])
    live_out: Sequence[str] = ()
    inputs: str = ""
    shape: Mapping[str, Sequence[int]] = field(default_factory=dict[str, "Sequence[int]"])


PLAIN = SourceOptions()


@checked()
def load(
    source: str | PathLike[str] | Module,
    example_inputs: Sequence[object] = (),
    *,
    name: str | None = None,
    options: SourceOptions = PLAIN,
) -> Program:
    """Return the program of a file or a PyTorch module.

    Parameters
    ----------
    source
        A graph.json, C (``.c``, ``.cpp``), MLIR (``.mlir``) or ONNX (``.onnx``) file, a PyTorch
        module or a program of `streamopt.dsl` in a file as ``model.py:Name``, or a
        ``torch.nn.Module``.
    example_inputs
        Tensors that a ``torch.nn.Module`` is read for.
    name
        Of the program, instead of the source's own.
    options
        How a file is read.

    Raises
    ------
    FrontendError
        With all problems of the source.
    LegalityError
        If the source computes nothing that its caller sees.
    """
    if not isinstance(source, str | PathLike):
        from streamopt.frontends.torch_module import read_torch

        return read_torch(source, tuple(example_inputs), name=name)
    found = _restructured(load_written(source, options))
    logger.info("read %s: %d loop nests", source, len(found.nests))
    return found if name is None else replace(found, name=name)


def load_written(path: str | PathLike[str], options: SourceOptions = PLAIN) -> Program | Source:
    """Return the program of a file; C and MLIR with loops stay as they are written.

    Where there is no such file, the error names what there is.

    Raises
    ------
    FrontendError
        As `load`.
    """
    text = fspath(path)
    try:
        return _read(text, options)
    except FrontendError as error:
        hint = _hint(Path(text.rpartition(":")[0] if ".py:" in text else text))
        told = [replace(each, hint=each.hint or hint) for each in error.diagnostics]
        raise FrontendError(*told) from None


def _hint(path: Path) -> str:
    """Return the file that may be meant by a name that is none; empty for a file."""
    try:
        if path.is_dir():
            graph = path / "graph.json"
            return f"this is a folder; {f'give {graph}' if graph.exists() else 'give a file in it'}"
        if path.exists() or not path.parent.is_dir():
            return ""
        there = [each.name for each in path.parent.iterdir() if each.is_file()]
    except (OSError, ValueError):
        return ""
    close = get_close_matches(path.name, there, n=1, cutoff=0.75)
    return f"did you mean '{path.with_name(close[0])}'?" if close else ""


def _read(text: str, options: SourceOptions) -> Program | Source:
    suffix = ".py" if ".py:" in text else Path(text).suffix.lower()
    return _READERS.get(suffix, _read_json)(text, options)


def _read_c(text: str, options: SourceOptions) -> Source:
    from streamopt.frontends.c import read_c

    return read_c(
        Path(text),
        top=options.top,
        defines=options.define,
        include=tuple(map(Path, options.include)),
        parameters=options.param,
        outputs=tuple(options.live_out),
    )


def _read_mlir(text: str, options: SourceOptions) -> Program | Source:
    from streamopt.frontends.mlir import read_mlir

    return read_mlir(Path(text), top=options.top)


def _read_onnx(text: str, options: SourceOptions) -> Program:
    from streamopt.frontends.onnx_model import read_onnx

    return read_onnx(Path(text), shapes=options.shape)


def _read_python(text: str, options: SourceOptions) -> Program:
    from streamopt.frontends.python_file import load_object
    from streamopt.ir.program import Program

    found = load_object(text)
    if isinstance(found, Program):
        return found
    from streamopt.frontends.torch_module import example_inputs, read_torch

    return read_torch(found, example_inputs(options.inputs))


def _read_json(text: str, options: SourceOptions) -> Program:
    from streamopt.formats.graph_json import load_graph_json

    del options
    return load_graph_json(text)


_READERS: Mapping[str, Callable[[str, SourceOptions], Program | Source]] = {
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp"), _read_c),
    ".mlir": _read_mlir,
    ".onnx": _read_onnx,
    ".py": _read_python,
    ".json": _read_json,
}


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
def dataflow(program: Program | Graph | str | PathLike[str]) -> Graph:
    """Return the canonical dataflow graph of a program, with integers as narrow as their values.

    Parameters
    ----------
    program
        A program, or the path of what `load` reads; a graph is returned as it is.

    Raises
    ------
    FrontendError
        With all problems of a file.
    LegalityError
        If the program isn't a dataflow graph.
    """
    from streamopt.ir.graph import Graph
    from streamopt.transforms.canonicalize import canonicalize
    from streamopt.transforms.narrow_types import narrowed

    if isinstance(program, Graph):
        return program
    read = load(program) if isinstance(program, str | PathLike) else program
    return narrowed(canonicalize(read))


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
