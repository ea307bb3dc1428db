"""Statements of emitted files, alike for texts that differ in comments and white space alone.

C++ is read as its compiler does: lines that end in a backslash are joined before comments are
taken out, a directive is a line, and everything else ends at a semicolon or a brace.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FileStatement", "statements"]


@dataclass(frozen=True, slots=True)
class FileStatement:
    """One statement of a file.

    Attributes
    ----------
    text
        Its tokens, a space between any two; equal for what means the same.
    shown
        As it is in the file, on one line.
    line
        Where it begins, from 1.
    function
        In which function it stands; empty outside of any and in scripts.
    """

    text: str
    shown: str
    line: int
    function: str = ""


_CPP = frozenset({".cpp", ".h"})
_INDENTED = frozenset({".py", ""})
"""Where the space at the beginning of a line has a meaning: Python, and makefiles."""

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>(?<![^\n])[^\S\n]*#[^\n]*)|(?P<space>\s)"
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\.?\d[\w.]*|\w+'
    r"|<<=|>>=|->|\+\+|--|<<|>>|&&|\|\||::|[-+*/%&|^=<>!]=|.",
    re.DOTALL,
)
_COMMENT = re.compile(r"//.*|/\*.*?\*/", re.DOTALL)
_DEFINED = re.compile(r"^(?!for|if|while|switch)[^=]*?(\w+) \(.*\) (?:const )?\{$")


def statements(path: str, text: str) -> list[FileStatement]:
    """Return the statements of a file, by its name's ending."""
    suffix = PurePosixPath(path).suffix
    if suffix in _CPP:
        return [*_cpp(text)]
    return [
        FileStatement(_indent(line, suffix) + " ".join(line.split()), line.strip(), at)
        for at, line in enumerate(text.splitlines(), 1)
        if line.strip() and (not line.lstrip().startswith("#") or line.rstrip().endswith("\\"))
    ]


def _indent(line: str, suffix: str) -> str:
    return line[: len(line) - len(line.lstrip())] if suffix in _INDENTED else ""


def _cpp(text: str) -> Iterator[FileStatement]:
    joined = re.sub(r"\\[ \t]*\n", "\f", text)  # a space that still counts as a line
    tokens, function, depth, parentheses = list[str](), "", 0, 0
    begun = 0
    for found in _TOKEN.finditer(joined):
        if found.lastgroup in ("comment", "space"):
            continue
        if found.lastgroup == "directive":
            shown = " ".join(_COMMENT.sub(" ", found[0]).split())
            yield FileStatement(shown, shown, _line(joined, found.start()), function)
            continue
        token = found[0]
        begun = begun if tokens else found.start()
        tokens.append(token)
        parentheses += (token in ("(", "[")) - (token in (")", "]"))
        if parentheses > 0 or token not in (";", "{", "}"):
            continue
        whole, shown = " ".join(tokens), " ".join(joined[begun : found.end()].split())
        defined = _DEFINED.match(whole) if not function else None
        if defined is not None:
            function, depth = defined[1], 0
        yield FileStatement(whole, shown, _line(joined, begun), function)
        depth += (token == "{") - (token == "}")
        function = function if depth > 0 else ""
        tokens, parentheses = [], 0
    if tokens:
        rest = " ".join(tokens)
        yield FileStatement(rest, rest, _line(joined, begun), function)


def _line(joined: str, at: int) -> int:
    return 1 + joined.count("\n", 0, at) + joined.count("\f", 0, at)
