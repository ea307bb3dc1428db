"""Reading of graph.json: a document to a program.

The format is described by ``data/graph.schema.json``. Nodes may stand in any order; they are
put in execution order while reading (writers of an array before its readers), unless they wait
for each other in a circle, which `streamopt.transforms.canonicalize` reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, source_loc
from streamopt.files import load_text
from streamopt.formats.graph_json.scope import StatementScope
from streamopt.formats.graph_json.statements import read_statement
from streamopt.formats.json_text import MAX_CHARACTERS, decode
from streamopt.formats.names import did_you_mean
from streamopt.ir.expression import Expression
from streamopt.ir.program import (
    Array,
    ElementType,
    Loop,
    Nest,
    Program,
    Role,
    Statement,
    dependences,
    topological_order,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.formats.graph_json.document import ArrayDocument, NodeDocument

MAX_NODES = 50_000
"""Some 15 seconds of reading."""


def load_graph_json(path: str | PathLike[str]) -> Program:
    """Read a graph.json file; errors as `read_graph_json`, and E101 if it can't be read."""
    return read_graph_json(load_text(path, "E101", MAX_CHARACTERS), str(path), Path(path).parent)


def read_graph_json(text: str, file: str, folder: Path | None = None) -> Program:
    """Read a graph.json.

    Parameters
    ----------
    text
        The JSON text.
    file
        Name of the file for messages.
    folder
        Where the file with the values of weights is; without one they are left out.

    Returns
    -------
    Program
        One nest for a node, each with one statement; temporaries are put in where they are
        used, and operations on literals are done.

    Raises
    ------
    FrontendError
        With all problems of the file, codes E101 to E115, or E125 if it is too large.
    """
    from streamopt.formats.graph_json.document import read_parts

    raw, problems = decode(text, file)
    if _is_schedule(raw):
        message = "this is a schedule, not a graph"
        hint = "give the graph or its source first, and this with --schedule"
        raise FrontendError(Diagnostic("E101", message, SourceLoc(file), hint))
    _check_size(raw, file)
    parts, found = read_parts(raw, file)
    problems += found
    arrays = {name: _array(name, array) for name, array in parts.arrays.items()}
    nests: list[Nest] = []
    for index, node in parts.nodes:
        nests += _nest(node, SourceLoc(file, f"nodes[{index}]"), arrays, problems)
    values: dict[str, NDArray[Any]] = {}
    sample: dict[str, NDArray[Any]] = {}
    if parts.weights and folder is not None:
        from streamopt.formats.weights import read_weights

        values, sample = read_weights(folder / parts.weights, arrays, problems)
    if problems:
        raise FrontendError(*problems)
    declared = tuple(array for array in arrays.values() if array is not None)
    return Program(parts.name, declared, _in_execution_order(nests), values, sample)


def _check_size(raw: object, file: str) -> None:
    nodes = cast("dict[str, object]", raw).get("nodes") if isinstance(raw, dict) else None
    count = len(cast("list[object]", nodes)) if isinstance(nodes, list) else 0
    if count > MAX_NODES:
        message = f"the graph has {count} nodes, more than {MAX_NODES}"
        raise FrontendError(Diagnostic("E125", message, SourceLoc(file), "split the graph"))


def _is_schedule(raw: object) -> bool:
    if not isinstance(raw, dict):
        return False
    keys = {*cast("dict[str, object]", raw)}
    return {"graph", "channels"} <= keys and "arrays" not in keys


def _array(name: str, array: ArrayDocument | None) -> Array | None:
    if array is None:
        return None
    return Array(name, tuple(array.shape), Role(array.role), ElementType(array.type))


def _nest(
    node: NodeDocument,
    loc: SourceLoc,
    arrays: Mapping[str, Array | None],
    problems: list[Diagnostic],
) -> list[Nest]:
    """Return the nest in a list, or no nest if the node has problems, which are appended."""
    before = len(problems)
    temporaries: dict[str, Expression] = {}
    places = [SourceLoc(loc.file, f"{loc.path}.body[{line}]") for line in range(len(node.body))]
    read = [
        read_statement(
            StatementScope(text, place, arrays, node.loops, temporaries, problems, node.sequential)
        )
        for text, place in zip(node.body, places, strict=True)
    ]
    statements = [statement for statement in read if statement is not None]
    if not node.sequential:
        statements = _with_start(statements)
    if len(problems) == before:
        problems += _form_problems(node, len(statements), arrays, loc)
    if len(problems) > before:
        return []
    loops = tuple(Loop(name, trip_count) for name, trip_count in node.loops.items())
    carries = tuple(node.carries.items())
    if node.place:
        loc = source_loc(node.place)
        statements = [replace(statement, loc=loc) for statement in statements]
    made = Nest(node.name, loops, tuple(statements), loc, node.sequential, carries, node.reason)
    return [made]


def _with_start(statements: list[Statement]) -> list[Statement]:
    """Return an assignment and a reduction into the same element as one reduction."""
    match statements:
        case [Statement(target, value, None, guard=None), Statement() as second] if (
            second.reduction is not None and second.target == target
        ):
            return [replace(second, start=value)]
        case _:
            return statements


def _form_problems(
    node: NodeDocument, count: int, arrays: Mapping[str, Array | None], loc: SourceLoc
) -> Iterator[Diagnostic]:
    if count == 0 or (count != 1 and not node.sequential):
        counted = f"{count} statements write arrays" if count else "no array is written"
        message = f"{counted} in node '{node.name}'; a node has exactly one such statement"
        hint = "give each statement a node of its own" if count else ""
        yield Diagnostic("E114", message, loc, hint)
    if node.carries and not node.sequential:
        message = f"node '{node.name}' has carries, but is not sequential"
        yield Diagnostic("E114", message, loc, 'add "sequential": true, or take carries away')
    for pair in node.carries.items():
        place = SourceLoc(loc.file, f"{loc.path}.carries.{pair[0]}")
        missing = [name for name in pair if name not in arrays]
        for name in missing:
            hint = did_you_mean(name, arrays)
            yield Diagnostic("E107", f"array '{name}' is not declared", place, hint)
        sides = [arrays[name] for name in pair if arrays.get(name) is not None]
        shapes = {side.shape for side in sides if side is not None}
        if len(shapes) > 1:
            message = f"{pair[0]} and {pair[1]} have different shapes"
            yield Diagnostic("E109", message, place, "a carried array is a copy of its source")


def _in_execution_order(nests: list[Nest]) -> tuple[Nest, ...]:
    order = topological_order(len(nests), dependences(nests))
    circular = len(order) < len(nests)
    return tuple(nests) if circular else tuple(nests[position] for position in order)
