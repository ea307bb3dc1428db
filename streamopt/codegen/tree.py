"""A small C++ tree with as much syntax as the emitted code needs, and its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class CppStatement:
    """One statement with its semicolon, or a blank line where the text is empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Comment:
    """``// text``; characters that could end or continue the comment are replaced."""

    text: str


@dataclass(frozen=True, slots=True)
class Pragma:
    """``#pragma HLS text``, at the indentation of its neighbours."""

    text: str


@dataclass(frozen=True, slots=True)
class Directive:
    """Another preprocessor line, in column 0."""

    text: str


@dataclass(frozen=True, slots=True)
class For:
    """``for (int iterator = 0; iterator < trip_count; iterator++)``."""

    iterator: str
    trip_count: int
    body: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class If:
    """``if (condition)``."""

    condition: str
    body: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class CppFunction:
    """``signature(parameters)`` with a body, or None to declare it; one parameter per line."""

    signature: str
    parameters: tuple[str, ...]
    body: tuple[Item, ...] | None


Item: TypeAlias = CppStatement | Comment | Pragma | Directive | For | If | CppFunction


_INDENT = "    "


def render(items: Sequence[Item]) -> str:
    """Return the text of a file; the same tree always gives the same bytes."""
    lines = "\n".join(line for item in items for line in _lines(item, ""))
    return f"{lines}\n" if lines else ""


def _lines(item: Item, indent: str) -> Iterator[str]:
    match item:
        case CppStatement(text):
            yield f"{indent}{text}" if text else ""
        case Comment(text):
            safe = re.sub(r"[^\x20-\x7e]|\\", "?", text)
            yield f"{indent}// {safe}"
        case Pragma(text):
            yield f"{indent}#pragma HLS {text}"
        case Directive(text):
            yield text
        case For(iterator, trip_count, body):
            header = f"for (int {iterator} = 0; {iterator} < {trip_count}; {iterator}++)"
            yield from _braced(f"{header} {{", body, indent)
        case If(condition, body):
            yield from _braced(f"if ({condition}) {{", body, indent)
        case CppFunction(signature, parameters, body):
            inner = f",\n{indent}{_INDENT}".join(parameters)
            listed = f"\n{indent}{_INDENT}{inner}" if parameters else ""
            if body is None:
                yield f"{indent}{signature}({listed});"
            else:
                yield from _braced(f"{signature}({listed}) {{", body, indent)
        case _:
            assert_never(item)


def _braced(header: str, body: Sequence[Item], indent: str) -> Iterator[str]:
    yield f"{indent}{header}"
    for item in body:
        yield from _lines(item, indent + _INDENT)
    yield f"{indent}}}"


def pipelined(interval: int) -> Pragma:
    """Return the pragma that asks for an initiation interval.

    Pipelines stall as wholes, which is the tool's usual style and the one that is simulated.
    """
    return Pragma(f"pipeline II={interval} style=stp")


def element_loops(
    shape: Sequence[int], unique: Callable[[str], str], copied: Callable[[str], str]
) -> Item:
    """Return a pipelined nest around a statement; dimensions of one element have no loop.

    Parameters
    ----------
    unique
        From a wished to a free name of an iterator.
    copied
        From the subscripts of an element, for instance ``[d0][0]``, to the statement.
    """
    names = [unique(f"d{at}") if extent > 1 else "0" for at, extent in enumerate(shape)]
    item: Item = CppStatement(copied("".join(f"[{name}]" for name in names) or "[0]"))
    loops = [(name, extent) for name, extent in zip(names, shape, strict=True) if extent > 1]
    inner: tuple[Item, ...] = (pipelined(1), item) if loops else (item,)
    for name, extent in reversed(loops):
        inner = (For(name, extent, inner),)
    return inner[0]
