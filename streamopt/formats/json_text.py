"""JSON text to plain values, with the problems that a JSON parser leaves to its caller.

Duplicate keys, numbers that JSON doesn't have, hostile nesting and size: all end as diagnostics.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import cast

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.formats.names import path_of, quoted

MAX_CHARACTERS = 64 * 1024 * 1024
"""Longest text that is read; graphs of a thousand nodes take less than one per cent of it."""


def decode(text: str, file: str, *, nan_is_null: bool = False) -> tuple[object, list[Diagnostic]]:
    """Return the JSON value in a text and one diagnostic (E103) for every duplicate key.

    Parameters
    ----------
    nan_is_null
        Whether NaN and infinities, which some tools write for "not known", are read as null.

    Raises
    ------
    FrontendError
        E101 if the text is too long, too deeply nested or not JSON.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"the text has {len(text)} characters; at most {MAX_CHARACTERS} are read"
        raise FrontendError(Diagnostic("E101", message, SourceLoc(file)))
    doubled: list[tuple[dict[str, object], list[str]]] = []

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            doubled.append((value, [key for key in value if counts[key] > 1]))
        return value

    def constant(name: str) -> object:
        if nan_is_null:
            return None
        raise ValueError(f"{name} is not a number that JSON has")

    value = _loads(text, file, {"object_pairs_hook": unique, "parse_constant": constant})
    return value, list(_duplicates(value, file, {id(owner): keys for owner, keys in doubled}))


def _loads(text: str, file: str, hooks: dict[str, object]) -> object:
    try:
        return cast("object", json.loads(text, **cast("dict[str, None]", hooks)))
    except json.JSONDecodeError as error:
        place = SourceLoc(file, line=error.lineno, column=error.colno)
        problem = Diagnostic(
            "E101", f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}", place
        )
    except ValueError as error:
        reason = str(error)
        if "digits" in reason:
            reason = "a number has thousands of digits"
        problem = Diagnostic("E101", reason, SourceLoc(file))
    except RecursionError:
        problem = Diagnostic("E101", "lists and objects are nested too deeply", SourceLoc(file))
    raise FrontendError(problem)


def _duplicates(root: object, file: str, doubled: dict[int, list[str]]) -> Iterator[Diagnostic]:
    waiting: list[tuple[object, tuple[str | int, ...]]] = [(root, ())] if doubled else []
    while waiting:
        value, path = waiting.pop()
        for key in doubled.get(id(value), ()):
            message = f"key {quoted(key)} is given more than once"
            yield Diagnostic("E103", message, SourceLoc(file, path_of(path)))
        waiting += [(inner, (*path, key)) for key, inner in reversed(_members(value))]


def _members(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, dict):
        return list(cast("dict[str | int, object]", value).items())
    if isinstance(value, list):
        return [*enumerate(cast("list[object]", value))]
    return []
