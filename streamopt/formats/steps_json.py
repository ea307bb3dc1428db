"""Steps of the scheduling language as JSON, so that a schedule can be taken again.

::

    {"schema_version": 1, "program": "gemm", "steps": [
      {"step": "interchange", "node": "C", "first": "i", "second": "k"},
      {"step": "unroll", "node": "C", "loop": "j", "factor": 4}]}
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, said
from streamopt.files import load_text
from streamopt.formats.json_text import decode
from streamopt.formats.names import did_you_mean, quoted
from streamopt.ir.loop_steps import (
    After,
    Fuse,
    Interchange,
    Partition,
    PipelineLoop,
    Shift,
    Skew,
    Split,
    Step,
    Tile,
    Unroll,
)

_KINDS: Mapping[str, type[Step]] = {
    "interchange": Interchange,
    "split": Split,
    "tile": Tile,
    "skew": Skew,
    "shift": Shift,
    "after": After,
    "fuse": Fuse,
    "pipeline": PipelineLoop,
    "unroll": Unroll,
    "partition": Partition,
}


def write_steps_json(program: str, steps: Sequence[Step]) -> str:
    """Return the steps taken on a program as JSON text."""
    names = {kind: name for name, kind in _KINDS.items()}
    lines = [json.dumps({"step": names[type(step)], **asdict(step)}) for step in steps]
    body = "[\n    " + ",\n    ".join(lines) + "\n  ]" if lines else "[]"
    return (
        f'{{\n  "schema_version": 1,\n  "program": {json.dumps(program)},\n  "steps": {body}\n}}\n'
    )


def read_steps_json(text: str, file: str) -> tuple[Step, ...]:
    """Return the steps of a JSON text.

    Raises
    ------
    FrontendError
        With all problems: E101 and E103 if it isn't JSON, E123 if it is no list of steps.
    """
    document, problems = decode(text, file)
    members = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    listed = members.get("steps")
    if members.get("schema_version") != 1 or not isinstance(listed, list):
        message = 'steps are written as {"schema_version": 1, "steps": [...]}'
        problems.append(Diagnostic("E123", message, SourceLoc(file)))
        listed = []
    steps: list[Step] = []
    for at, entry in enumerate(cast("list[object]", listed)):
        found = _read(entry, SourceLoc(file, f"steps[{at}]"))
        if isinstance(found, Diagnostic):
            problems.append(found)
        else:
            steps.append(found)
    if problems:
        raise FrontendError(*problems)
    return tuple(steps)


def load_steps_json(path: Path) -> tuple[Step, ...]:
    """Return the steps of a file; see `read_steps_json`.

    Raises
    ------
    FrontendError
        If it can't be read (E123), or as `read_steps_json`.
    """
    return read_steps_json(load_text(path, "E123"), str(path))


def _read(entry: object, loc: SourceLoc) -> Step | Diagnostic:
    if not isinstance(entry, dict):
        return Diagnostic("E123", "a step is an object", loc)
    members = {**cast("dict[str, Any]", entry)}
    name = members.pop("step", None)
    kind = _KINDS.get(str(name))
    if kind is None:
        hint = did_you_mean(str(name), _KINDS)
        return Diagnostic("E123", f"there is no step {quoted(str(name))}", loc, hint)
    unknown = [*_unknown(kind, members)]
    if unknown:
        return Diagnostic("E123", f"{name} has no member {quoted(unknown[0])}", loc)
    try:
        return TypeAdapter(kind).validate_python(members)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"]))
        return Diagnostic("E123", f"{place} of {name}: {said(problem['msg'])}", loc)


def _unknown(kind: type[Step], members: Mapping[str, Any]) -> Iterator[str]:
    known = {field.name for field in fields(kind)}
    yield from (name for name in members if name not in known)
