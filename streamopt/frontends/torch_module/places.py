"""Where operations come from: module path, operator and line of each node of an exported graph."""
# PyTorch has types, but not for its graphs.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt.errors import SourceLoc

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MARK", "SourcePlace", "mark_nodes", "short_path"]

MARK = "@"
"""File name of the locations that `mark_nodes` gives; their line is the number of a place."""

_FRAME = re.compile(r'File "([^"\n]+)", line (\d+),')


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """One operator of the module.

    Attributes
    ----------
    label
        What its nests are called: path of its module, and operator where that doesn't say it.
    operator
        PyTorch's name, such as ``aten.softmax.int``.
    loc
        Line of the user's code; empty file if it isn't known.
    """

    label: str
    operator: str
    loc: SourceLoc


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
