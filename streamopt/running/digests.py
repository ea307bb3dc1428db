"""Digests of the inputs of a step: options, files, and the files that reading a source opens."""

import importlib.util
import json
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

_IGNORED = ("site-packages", "dist-packages")
_RECORDINGS: list[set[str]] = []


def digest(*values: object) -> str:
    """Return the digest of values: numbers, texts, collections, dataclasses of such.

    Functions count for nothing.
    """
    text = json.dumps([_plain(value) for value in values], sort_keys=True)
    return sha256(text.encode()).hexdigest()


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        own = {f.name: getattr(value, f.name) for f in fields(value) if not f.name.startswith("_")}
        return {"": type(value).__name__, **{k: _plain(v) for k, v in own.items()}}
    match value:
        case Enum():
            return _plain(value.value)
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return sorted((str(key), _plain(own)) for key, own in items)
        case set() | frozenset():
            return sorted(str(_plain(own)) for own in cast("Iterable[object]", value))
        case list() | tuple():
            return [_plain(own) for own in cast("Iterable[object]", value)]
        case None | bool() | int() | float() | str():
            return value
        case _:
            return None if callable(value) else str(value)


def file_digest(path: Path) -> str:
    """Return the digest of a file; empty where it can't be read."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def file_digests(paths: Iterable[str | Path]) -> dict[str, str]:
    """Return the digests of files by path."""
    return {str(path): file_digest(Path(path)) for path in paths}


def are_unchanged(digests: Mapping[str, str], folder: Path = Path()) -> bool:
    """Return whether files, named relative to a folder, are there and as they were."""
    return all(file_digest(folder / path) == known for path, known in digests.items())


@contextmanager
def opened_files() -> Generator[set[str]]:
    """Collect the files that are opened for reading: a source, its headers, modules and weights.

    Files of Python and of installed packages are left out.
    """
    _hook()
    found: set[str] = set()
    _RECORDINGS.append(found)
    try:
        yield found
    finally:
        _RECORDINGS.remove(found)
        own = {path for path in map(_source_of, found) if _is_own(path)}
        found.clear()
        found.update(own)


@cache
def _hook() -> None:
    """Listen to the files that are opened, once in a process: an audit hook stays."""
    sys.addaudithook(_hear)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _RECORDINGS and isinstance(arguments[0], str):
        is_read = not (isinstance(arguments[1], str) and set(arguments[1]) & set("wax"))
        for found in _RECORDINGS if is_read else ():
            found.add(arguments[0])


def _source_of(path: str) -> str:
    """Return the Python file that a compiled one is of."""
    if path.endswith(".pyc"):
        with suppress(ValueError):
            return importlib.util.source_from_cache(path)
    return path


def _is_own(path: str) -> bool:
    place = Path(path).absolute()
    package = Path(__file__).parents[1]
    ours = {Path(sys.prefix), Path(sys.base_prefix), package, Path("/proc"), Path("/sys")}
    parents = {*place.parents}
    is_foreign = parents & ours or {*place.parts} & {*_IGNORED} or place.parts[1:2] == ("dev",)
    return not is_foreign and place.is_file()
