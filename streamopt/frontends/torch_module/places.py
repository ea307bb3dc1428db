"""Origins of operations in an exported graph, labels, and reports in terms of the user's module."""
# PyTorch has types, but not for its graphs.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import inspect
import logging
import re
import traceback
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import torch

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.frontends.mlir.linalg.naming import operation_label
from streamopt.frontends.mlir.text import conversion
from streamopt.frontends.mlir.text.parsing import KIND
from streamopt.frontends.mlir.text.syntax import MlirOperation

MARK = "@"
"""File name of the locations that `mark_nodes` gives; their line is the number of a place."""

_LIBRARIES = tuple(str(Path(module.__file__ or "").parent) for module in (torch, inspect))
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+),')


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """One operator of the module."""

    label: str
    """Name of its nests: path of its module, and operator where that doesn't say it."""
    operator: str
    """PyTorch's name, such as ``aten.softmax.int``."""
    loc: SourceLoc
    """Line of the user's code; empty file if it isn't known."""

    def line(self, file: str) -> SourceLoc:
        """Return the line of the user's code, or else a file."""
        return self.loc if self.loc.file else SourceLoc(file)

    def unsupported(self, reason: str, file: str, hint: str = "") -> Diagnostic:
        """Return the problem that the operator can't be lowered."""
        message = f"operator {self.operator} is not supported: {reason}"
        return Diagnostic("E163", message, self.line(file), hint)


def mark_nodes(graph: Any) -> Mapping[int, SourcePlace]:
    """Give every node of a graph its number as location, and return the places by number.

    Lowerings keep locations, so that their operations lead back to the places.
    """
    nodes = [node for node in graph.nodes if node.op not in ("placeholder", "output")]
    paths = [_module_path(node) for node in nodes]
    crowd = Counter(path for path, _ in paths)
    places: dict[int, SourcePlace] = {}
    for number, (node, (path, is_library)) in enumerate(zip(nodes, paths, strict=True), start=1):
        name = re.sub(r"_\d+$", "", str(node.name)).removeprefix("scaled_dot_product_")
        alone = bool(path) and is_library and crowd[path] == 1
        label = path if alone else f"{path}_{name}" if path else name
        places[number] = SourcePlace(label, str(node.target), _user_line(node))
        node.meta["stack_trace"] = f'File "{MARK}", line {number}, in node'
    return places


def _module_path(node: Any) -> tuple[str, bool]:
    """Return the path of the innermost module, and whether it is one of PyTorch's own."""
    stack = node.meta.get("nn_module_stack")
    if not stack:
        return "", False
    path, kind = list(stack.values())[-1]
    name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
    return str(path).replace(".", "_"), name.startswith("torch.nn.")


def _user_line(node: Any) -> SourceLoc:
    """Return the innermost line that isn't inside PyTorch."""
    frames = _FRAME.findall(str(node.meta.get("stack_trace") or ""))
    own = [frame for frame in frames if not frame[0].startswith(_LIBRARIES[0])]
    if not own:
        return SourceLoc("")
    file, line = own[-1]
    return SourceLoc(short_path(file), line=int(line))


def short_path(file: str) -> str:
    """Return the path as seen from the working directory, if it is inside."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file


_LINEAR = ("aten.linear", "aten.addmm", "aten.matmul", "aten.mm", "aten.bmm")
_SEVERAL = ("softmax", "layer_norm", "group_norm", "instance_norm", "var", "std", "attention")
_PARTS = {
    "maximumf": "max",
    "maxnumf": "max",
    "select": "max",
    "addf": "sum",
    "subf": "centre",
    "exp": "exp",
    "divf": "div",
    "mulf": "scale",
    "rsqrt": "rsqrt",
    "sqrt": "sqrt",
    "log": "log",
}


def label(op: MlirOperation, places: Mapping[int, SourcePlace]) -> str:
    """Return the label of an operation: the operator's label, and which part of it this is."""
    place = places.get(op.loc.line or 0)
    if place is None:
        return operation_label(op)
    kind = op.attributes.get(KIND)
    text = kind.rpartition(".")[2] if isinstance(kind, str) else op.name.rpartition(".")[2]
    if text == "pad":
        return f"{place.label}_pad"
    if text == "transpose":
        is_move = place.operator.startswith(("aten.transpose", "aten.permute", "aten.t."))
        return place.label if is_move else f"{place.label}_transposed"
    if text == "collapse_shape":
        return f"{place.label}_copy"
    if "matmul" in text:
        return f"{place.label}_gemm"
    if place.operator.startswith(_LINEAR):
        return f"{place.label}_add"
    operator = place.operator.removeprefix("aten.").partition(".")[0]
    if text == "generic" and any(word in operator for word in _SEVERAL):
        part = _part(op)
        return f"{place.label}_{part}" if part else place.label
    return place.label


def _part(op: MlirOperation) -> str:
    names = [inner.name.rpartition(".")[2] for block in op.blocks for inner in block.operations]
    known = [_PARTS[name] for name in names if name in _PARTS]
    return "max" if len(op.results) > 1 else known[-1] if known else ""


_SHAPES = (
    "give the shapes that forward takes, one for each input, such as --inputs 1x1x28x28, or in "
    "Python (module, x)"
)
_BY_VALUES = (
    "torch.export takes modules whose control flow doesn't depend on values of tensors: "
    "compute both sides, and choose with torch.where"
)
_ILLEGAL = re.compile(r"failed to legalize operation '([\w.]+)'")
_INNER = re.compile(r'name = "torch\.([\w.]+)"')


@contextmanager
def quiet_logs() -> Generator[None]:
    """Keep logs off the screen: what PyTorch logs of an error is in the error too.

    Graphs that can't be exported are printed, past the logs.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(before)


def export_problem(error: Exception, run: Any, inputs: tuple[Any, ...], file: str) -> Diagnostic:
    """Return why a module can't be exported: inputs that don't fit, or what the export refuses.

    Parameters
    ----------
    run
        The module; it is tried on the inputs without export.
    """
    missing = _missing(run, inputs)
    if missing:
        return Diagnostic("E162", missing, SourceLoc(file), _SHAPES)
    if "data-dependent" in str(error):
        message = "forward branches on a value that only the data decide"
        return Diagnostic("E162", message, _place(error, file), _BY_VALUES)
    try:
        with torch.no_grad():
            run(*inputs)
    except Exception as own:  # the user's code runs here
        shapes = ", ".join(
            "x".join(map(str, x.shape)) or "scalar" if isinstance(x, torch.Tensor) else str(type(x))
            for x in inputs
        )
        message = f"forward raises {type(own).__name__} for inputs {shapes}: {first_line(own)}"
        return Diagnostic("E162", message, _place(own, file), _SHAPES)
    message = f"the module can't be exported: {first_line(error)}"
    hint = "forward runs by itself: try torch.export.export(module, inputs) without streamopt"
    return Diagnostic("E162", message, _place(error, file), hint)


def _missing(run: Any, inputs: tuple[Any, ...]) -> str:
    """Return which inputs of forward aren't given, or are too many; empty if they fit."""
    forward = run.forward if isinstance(run, torch.nn.Module) else run
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):
        return ""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in signature.parameters.values() if p.kind in kinds]
    needed = [n for n in names if signature.parameters[n].default is inspect.Parameter.empty]
    if len(inputs) < len(needed):
        listed = ", ".join(needed)
        return f"forward takes {listed}, but {len(inputs)} of {len(needed)} inputs are given"
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    if len(inputs) > len(names) and not takes_any:
        listed = ", ".join(names) or "nothing"
        return f"forward takes {listed}, but {len(inputs)} inputs are given"
    return ""


def _place(error: BaseException, file: str) -> SourceLoc:
    """Return the innermost line of the user's own code that an error went through."""
    libraries = (*_LIBRARIES, str(Path(__file__).parents[2]), "<")
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith(libraries)]
    own = [f for f in own if "site-packages" not in f.filename]
    in_forward = any(f.filename.startswith(_LIBRARIES[0]) for f in frames)
    if not own or not in_forward or own[-1] is frames[0]:
        return SourceLoc(file)
    return SourceLoc(short_path(own[-1].filename), line=own[-1].lineno)


def first_line(error: Exception) -> str:
    """Return the first line of what an error says, without its end."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(" .:")[:300]


def lowering_problems(
    error: Any, places: Mapping[int, SourcePlace], file: str
) -> tuple[Diagnostic, ...]:
    """Return the report of torch-mlir in terms of the module's operators."""
    found: dict[str, Diagnostic] = {}
    for reported in error.error_diagnostics:
        loc = conversion.place(reported.location, file)
        known = places.get(loc.line or 0) if loc.file == MARK else None
        reason = _lowering_reason(str(reported.message or ""))
        if known is not None:
            found[f"{known.operator}{known.line(file)}"] = known.unsupported(reason, file)
        else:
            found[reason] = Diagnostic("E163", f"can't be lowered: {reason}", SourceLoc(file))
    return tuple(found.values()) or (
        Diagnostic("E163", f"the module can't be lowered: {first_line(error)}", SourceLoc(file)),
    )


def _lowering_reason(text: str) -> str:
    illegal = _ILLEGAL.search(text)
    if illegal is None:
        return text.splitlines()[0][:200] if text else "torch-mlir gives no reason"
    inner = _INNER.search(text)
    name = inner[1] if inner is not None else illegal[1].removeprefix("torch.")
    if name.startswith("constant."):
        return "torch-mlir has no lowering of it"
    return f"torch-mlir has no lowering of {name}"
