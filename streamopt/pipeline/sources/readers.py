"""Anything that has a program in it, and the one place that gets it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from streamopt.errors import Diagnostic, FrontendError, OptionError
from streamopt.options import option_group

if TYPE_CHECKING:
    from streamopt.frontends.dsl import Builder
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source


class TorchModule(Protocol):
    """A ``torch.nn.Module``."""

    def state_dict(self) -> Any:
        """Return its weights."""


class OnnxModel(Protocol):
    """An ``onnx.ModelProto``."""

    def SerializeToString(self) -> bytes:  # noqa: N802 -- protobuf's name
        """Return it as its file has it."""
        ...


if TYPE_CHECKING:
    Readable: TypeAlias = (
        Program
        | Graph
        | Builder
        | str
        | PathLike[str]
        | TorchModule
        | OnnxModel
        | tuple[object, ...]
        | Callable[[], object]
    )
    """Anything that has a program in it."""

TAKEN = (
    "a path (.c, .mlir, .onnx, .json, model.py:Name, or the folder of a project), a text in C, "
    "MLIR or JSON, a PyTorch module with its inputs as (module, x), an ONNX model, a program of "
    "so.dsl or a function that makes one, a Program, or a Graph"
)
"""The same in words."""


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
    bound
        C: how often loops run at most whose end depends on data, by label or variable.
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
    bound: Mapping[str, int] = field(default_factory=dict[str, int])
    live_out: Sequence[str] = ()
    inputs: str = ""
    shape: Mapping[str, Sequence[int]] = field(default_factory=dict[str, "Sequence[int]"])


PLAIN = SourceOptions()
TEXT = "<text>"
"""Place of problems in a text that is no file's."""


def written(
    source: Readable | Source, options: SourceOptions = PLAIN, name: str | None = None
) -> Program | Source:
    """Return the program in a value; C and MLIR with loops stay as they are written.

    Parameters
    ----------
    name
        Of the program, for a source that has none of its own.

    Raises
    ------
    FrontendError
        With all problems of the source.
    OptionError
        E544 if there is no program in it.
    """
    if isinstance(source, str) and is_text(source):
        return _read_text(source, options)
    if isinstance(source, str | PathLike):
        return load_written(cast("str | PathLike[str]", source), options)
    from streamopt.frontends.dsl import Builder
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source

    if isinstance(source, Program | Source):
        return source
    if isinstance(source, Builder):
        return source.build()
    if isinstance(source, Graph):
        if source.origin is None:
            hint = "give the program that it was made of"
            message = f"graph {source.name} doesn't know its program"
            raise OptionError(Diagnostic("E544", message, hint=hint))
        return source.origin
    if isinstance(source, FunctionType) and not signature(source).parameters:
        made = source()
        if not isinstance(made, FunctionType):
            return written(made, options, name or source.__name__)
    parts = cast("tuple[Any, ...]", source) if isinstance(source, tuple) else (source,)
    return _read_network(parts or (None,), options, name)


def is_text(source: object) -> bool:
    """Return whether a value is a program as a text, and not the path of one."""
    return isinstance(source, str) and ("\n" in source or "{" in source)


def _read_text(text: str, options: SourceOptions) -> Program | Source:
    """Return the program of a text in C, MLIR or JSON."""
    if text.lstrip().startswith("{"):
        from streamopt.formats.graph_json.reader import read_graph_json

        return read_graph_json(text, TEXT)
    if re.search(r"^\s*(func\.func|module\b|builtin\.module|#\w+ =)", text, re.MULTILINE):
        return _read_mlir(TEXT, options, text)
    return _read_c(TEXT, options, text)


def _read_network(parts: tuple[Any, ...], options: SourceOptions, name: str | None) -> Program:
    """Return the program of a network: of PyTorch with its inputs, or of ONNX."""
    module, *examples = parts
    if isinstance(module, type):
        hint = f"make one: {module.__name__}(...)"
        raise OptionError(
            Diagnostic("E544", f"{module.__name__} is a class, not a program", None, hint)
        )
    kinds = {base.__module__.partition(".")[0] for base in type(module).__mro__}
    if "onnx" in kinds and hasattr(module, "SerializeToString"):
        from streamopt.frontends.onnx_model import read_onnx

        return read_onnx(Path(TEXT), name=name, shapes=options.shape, model=module)
    if "torch" not in kinds or not hasattr(module, "state_dict"):
        shown = repr(parts[0] if len(parts) == 1 else parts)
        shown = shown if len(shown) <= 60 else f"a {type(module).__name__}"
        message = f"there is no program in {shown}"
        raise OptionError(Diagnostic("E544", message, hint=f"give {TAKEN}"))
    from streamopt.frontends.torch_module import example_inputs, read_torch
    from streamopt.transforms.result_copies import without_result_copies

    if len(examples) == 1 and isinstance(examples[0], list | tuple):
        examples = [*cast("tuple[Any, ...]", examples[0])]
    shapes = ",".join(each for each in examples if isinstance(each, str)) or options.inputs
    given = [each for each in examples if not isinstance(each, str)]
    program = read_torch(module, (*given, *example_inputs(shapes)), name=name)
    return without_result_copies(program)


def load_written(path: str | PathLike[str], options: SourceOptions = PLAIN) -> Program | Source:
    """Return the program of a file, or of a project; C and MLIR stay as they are written.

    Where there is no such file, the error names what there is.

    Raises
    ------
    FrontendError
        As `load`.
    """
    text = fspath(path)
    try:
        return _read(_of_project(text) or text, options)
    except FrontendError as error:
        hint = _hint(Path(text.rpartition(":")[0] if ".py:" in text else text))
        told = [replace(each, hint=each.hint or hint) for each in error.diagnostics]
        raise FrontendError(*told) from None


def _of_project(path: str) -> str:
    """Return the graph of a project's folder; empty if it is none."""
    try:
        graph = Path(path) / "graph.json"
        return str(graph) if graph.is_file() else ""
    except (OSError, ValueError):
        return ""


def _hint(path: Path) -> str:
    """Return the file that may be meant by a name that is none; empty for a file."""
    try:
        if path.is_dir():
            return "this is a folder; give a file in it"
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


def _read_c(path: str, options: SourceOptions, text: str | None = None) -> Source:
    from streamopt.frontends.c import read_c

    return read_c(
        Path(path),
        text=text,
        top=options.top,
        defines=options.define,
        include=tuple(map(Path, options.include)),
        parameters=options.param,
        bounds=options.bound,
        outputs=tuple(options.live_out),
    )


def _read_mlir(path: str, options: SourceOptions, text: str | None = None) -> Program | Source:
    from streamopt.frontends.mlir import read_mlir
    from streamopt.ir.program import Program
    from streamopt.transforms.result_copies import without_result_copies

    found = read_mlir(Path(path), top=options.top, text=text)
    return without_result_copies(found) if isinstance(found, Program) else found


def _read_onnx(text: str, options: SourceOptions) -> Program:
    from streamopt.frontends.onnx_model import read_onnx

    return read_onnx(Path(text), shapes=options.shape)


def _read_python(text: str, options: SourceOptions) -> Program:
    from streamopt.ir.program import Program
    from streamopt.pipeline.sources.python_file import load_object

    found = load_object(text)
    if isinstance(found, Program):
        return found
    from streamopt.frontends.torch_module import example_inputs, read_torch
    from streamopt.transforms.result_copies import without_result_copies

    return without_result_copies(read_torch(found, example_inputs(options.inputs)))


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
