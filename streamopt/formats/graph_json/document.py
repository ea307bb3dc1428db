"""The members of a graph.json as pydantic models, from which the JSON Schema is made.

Only `streamopt.formats.graph_json` imports this module, and only when it reads a file: pydantic
takes longer to import than the command line may take to start.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.formats.names import (
    NAME_PATTERN,
    TITLE_PATTERN,
    did_you_mean,
    is_reserved,
    path_of,
    quoted,
)
from streamopt.ir.element import ElementType, element_problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_EXTENT = 2**31 - 1
MAX_DIMENSIONS = 32

Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=100)]
_ONLY_NAMES: dict[str, Any] = {"additionalProperties": False}
Extent = Annotated[int, Field(ge=1, le=MAX_EXTENT)]


def _element(text: str) -> str:
    problem = element_problem(text)
    if problem:
        raise PydanticCustomError("element_type", "{problem}", {"problem": problem})
    return text


Element: TypeAlias = Annotated[
    str,
    AfterValidator(_element),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": [*ElementType]},
                {"type": "string", "pattern": r"^\s*ap_fixed\s*<[^<>]*>\s*$"},
                {"type": "string", "pattern": r"^\s*ap_u?int\s*<\s*[1-7]\s*>\s*$"},
            ]
        }
    ),
]


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ArrayDocument(_StrictModel):
    """An array: its shape and who gives it its values."""

    shape: list[Extent] = Field(
        description="Extents, outermost first; empty for a scalar.", max_length=MAX_DIMENSIONS
    )
    role: Literal["input", "weight", "internal", "output"] = Field(
        description="input and weight: given by the caller; output: handed back; internal: neither."
    )
    type: Element = Field("float", description="Type of the elements.")


class NodeDocument(_StrictModel):
    """A perfect loop nest that writes one array, or a sequential one that updates several."""

    name: Name = Field(description="Unique among the nodes.")
    loops: dict[Name, Extent] = Field(
        description="Trip count by iterator, outermost loop first.",
        max_length=MAX_DIMENSIONS,
        json_schema_extra=_ONLY_NAMES,
    )
    body: list[str] = Field(
        description="Statements: temporaries `t = ...`, and one that writes an array, "
        "`E[i][j] += A[i][k] * B[k][j]`; an assignment to the same element before a reduction is "
        "what it starts from. `if i < j: ...` guards a reduction.",
        min_length=1,
    )
    sequential: bool = Field(
        False,
        description="Iterations run one after another; the statements update arrays in place.",
    )
    carries: dict[Name, Name] = Field(
        default_factory=dict,
        description="Of a sequential node: arrays that it writes and the arrays that they begin "
        "as copies of.",
        json_schema_extra=_ONLY_NAMES,
    )
    reason: str = Field("", description="Of a sequential node: why it can't stream, for people.")
    place: str = Field("", description="In the source that it was read from: `kernel.c:12:3`.")


class GraphDocument(_StrictModel):
    """An affine program as a graph of loop nests that hand arrays to each other."""

    schema_version: Literal[1]
    name: Annotated[str, Field(pattern=TITLE_PATTERN, max_length=100)]
    description: str = Field("", description="One line for people.")
    weights: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*\.npz$")] = Field(
        "", description="File beside this one with the values of weights, in NumPy's format."
    )
    arrays: dict[Name, ArrayDocument] = Field(description="By name.", json_schema_extra=_ONLY_NAMES)
    nodes: list[NodeDocument] = Field(
        description="In any order; several writers of one array run in the order given.",
        min_length=1,
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a document that have the right form."""

    name: str
    weights: str = ""
    """Name of the file with values of weights; empty if there is none."""
    arrays: dict[str, ArrayDocument | None] = field(default_factory=dict[str, Any])
    """Every array that is declared; None for one whose declaration has a problem."""
    nodes: list[tuple[int, NodeDocument]] = field(default_factory=list[Any])
    """Pairs (position in the document, node)."""


def schema_text() -> str:
    """Return the JSON Schema of a graph.json, as published with the package."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= GraphDocument.model_json_schema()
    return json.dumps(schema, indent=2) + "\n"


def read_parts(raw: object, file: str) -> tuple[Parts, list[Diagnostic]]:
    """Return the well-formed parts of a decoded document, and its problems (E102 to E105)."""
    try:
        document = GraphDocument.model_validate(raw)
    except ValidationError as error:
        details = error.errors(include_url=False)
        parts = _salvaged(raw, {detail["loc"][:2] for detail in details})
        problems = [_diagnostic(detail, file) for detail in details]
    else:
        nodes = list(enumerate(document.nodes))
        parts, problems = Parts(document.name, document.weights, dict(document.arrays), nodes), []
    return parts, [*problems, *_name_problems(parts, file)]


def _salvaged(raw: object, broken: set[tuple[int | str, ...]]) -> Parts:
    """Return the arrays and nodes without a problem, so that their insides are checked too."""
    parts = Parts("")
    if not isinstance(raw, dict):
        return parts
    top = cast("dict[str, object]", raw)
    arrays, nodes = top.get("arrays"), top.get("nodes")
    if isinstance(arrays, dict) and isinstance(nodes, list):
        for name, array in cast("dict[str, object]", arrays).items():
            intact = ("arrays", name) not in broken
            parts.arrays[name] = ArrayDocument.model_validate(array) if intact else None
        for index, node in enumerate(cast("list[object]", nodes)):
            if ("nodes", index) not in broken:
                parts.nodes.append((index, NodeDocument.model_validate(node)))
    return parts


def _name_problems(parts: Parts, file: str) -> Iterator[Diagnostic]:
    yield from _reserved(parts.arrays, "array", ("arrays",), file)
    seen: dict[str, int] = {}
    for index, node in parts.nodes:
        yield from _reserved([node.name], "node", ("nodes", index), file)
        yield from _reserved(node.loops, "iterator", ("nodes", index, "loops"), file)
        first = seen.setdefault(node.name, index)
        if first != index:
            message = f"node {quoted(node.name)} has the name of nodes[{first}]"
            yield Diagnostic("E103", message, SourceLoc(file, f"nodes[{index}].name"))
        for name in node.loops:
            if name in parts.arrays:
                message = f"iterator {quoted(name)} has the name of an array"
                yield Diagnostic("E103", message, SourceLoc(file, f"nodes[{index}].loops.{name}"))


def _reserved(
    names: Iterable[str], kind: str, path: tuple[str | int, ...], file: str
) -> Iterator[Diagnostic]:
    for name in names:
        if is_reserved(name):
            message = f"{kind} {quoted(name)} has the name of a function or keyword"
            place = (*path, "name") if kind == "node" else (*path, name)
            yield Diagnostic("E104", message, SourceLoc(file, path_of(place)))


_CODES: Mapping[str, str] = {
    "string_pattern_mismatch": "E104",
    "string_too_long": "E104",
    "string_unicode": "E104",
    "greater_than_equal": "E105",
    "less_than_equal": "E105",
    "element_type": "E118",
}
_EXPECTED: Mapping[str, str] = {
    "int_type": "a whole number",
    "string_type": "a text",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
_HINTS: Mapping[str, str] = {
    "E104": "names are letters, digits and single underscores, and don't begin with a digit",
    "E118": "fixed point is ap_fixed<W, I>, or ap_fixed<W, I, AP_RND, AP_SAT> with its modes",
    "E105": f"extents and trip counts are whole numbers from 1 to {MAX_EXTENT}",
}
_MODELS: Mapping[str, type[BaseModel]] = {"arrays": ArrayDocument, "nodes": NodeDocument}


def _diagnostic(detail: ErrorDetails, file: str) -> Diagnostic:
    code = _CODES.get(detail["type"], "E102")
    parts = tuple(part for part in detail["loc"] if part != "[key]")
    message, hint = _explained(detail, parts)
    return Diagnostic(code, message, SourceLoc(file, path_of(parts)), hint or _HINTS.get(code, ""))


def _explained(detail: ErrorDetails, parts: tuple[int | str, ...]) -> tuple[str, str]:
    """Return message and hint in the words of the format instead of those of pydantic."""
    value, context = quoted(detail["input"]), detail.get("ctx", {})
    match detail["type"]:
        case "extra_forbidden":
            name = str(parts[-1])
            model = GraphDocument if len(parts) == 1 else _MODELS[str(parts[0])]
            return f"unknown key {quoted(name)}", did_you_mean(name, model.model_fields)
        case "missing":
            return f"key {quoted(parts[-1])} is missing", ""
        case "literal_error":
            return f"{value} can't stand here; expected {context.get('expected')}", ""
        case "element_type":
            return f"{value} is no element type: {detail['msg']}", ""
        case "too_long":
            return f"{quoted(parts[-1])} has more than {MAX_DIMENSIONS} entries", ""
        case "too_short":
            return f"{quoted(parts[-1])} is empty", ""
        case "greater_than_equal" | "less_than_equal":
            return f"{value} is not a possible extent or trip count", ""
        case kind if kind in _EXPECTED:
            return f"{value} is not {_EXPECTED[kind]}", ""
        case kind if kind in _CODES:
            return f"{value} can't be a name", ""
        case _:
            return f"{value} can't stand here: {detail['msg']}", ""
