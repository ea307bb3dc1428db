"""Text from the C++ tree: the only place that knows indentation, braces and line ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from streamopt.codegen.tree import (
    Comment,
    Directive,
    For,
    Function,
    If,
    Item,
    Pragma,
    Statement,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["render"]

_INDENT = "    "


def render(items: Sequence[Item]) -> str:
    """Return the text of a file; the same tree always gives the same bytes."""
    lines = "\n".join(line for item in items for line in _lines(item, ""))
    return f"{lines}\n" if lines else ""


def _lines(item: Item, indent: str) -> Iterator[str]:
    match item:
        case Statement(text):
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
        case Function(signature, parameters, body):
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
