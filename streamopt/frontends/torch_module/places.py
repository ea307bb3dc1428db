"""Origins of operations in an exported graph: module path, operator and line; and labels."""
# PyTorch has types, but not for its graphs.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.frontends.mlir.linalg.naming import operation_label
from streamopt.frontends.mlir.text.parsing import KIND
from streamopt.frontends.mlir.text.syntax import MlirOperation

MARK = "@"
"""File name of the locations that `mark_nodes` gives; their line is the number of a place."""

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
    import torch

    library = str(Path(torch.__file__).parent)
    frames = _FRAME.findall(str(node.meta.get("stack_trace") or ""))
    own = [frame for frame in frames if not frame[0].startswith(library)]
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
    is_pair = len(op.results) > 1
    return "max" if is_pair else known[-1] if known else ""
