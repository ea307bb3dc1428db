"""Statements of emitted files, alike for texts that differ in comments and white space alone.

C++ is read as its compiler does: lines that end in a backslash are joined before comments are
taken out, a directive is a line, and everything else ends at a semicolon or a brace. Parameters of
functions are told apart.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class FileStatement:
    """One statement of a file."""

    text: str
    """Its tokens, a space between any two; equal for what means the same."""
    shown: str
    """As it is in the file, on one line."""
    line: int
    """Where it begins, from 1."""
    function: str = ""
    """In which function it stands; empty outside of any and in scripts."""


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
    found, function, depth = list[re.Match[str]](), "", 0
    parentheses, angles = 0, 0
    pieces = [0]  # where the parameters of a function begin
    for token in _TOKEN.finditer(joined):
        if token.lastgroup in ("comment", "space"):
            continue
        if token.lastgroup == "directive":
            shown = " ".join(_COMMENT.sub(" ", token[0]).split())
            yield FileStatement(shown, shown, _line(joined, token.start()), function)
            continue
        found.append(token)
        parentheses += (token[0] in ("(", "[")) - (token[0] in (")", "]"))
        angles += (token[0] == "<") - (token[0] == ">")
        if not function and (parentheses, angles, token[0]) == (1, 0, ","):
            pieces.append(len(found))
        if parentheses > 0 or token[0] not in (";", "{", "}"):
            continue
        defined = _DEFINED.match(" ".join(one[0] for one in found)) if not function else None
        if defined is not None:
            function, depth = defined[1], 0
        for begin, end in zip(pieces, [*pieces[1:], len(found)], strict=True):
            yield _statement(joined, found[begin:end], function)
        depth += (token[0] == "{") - (token[0] == "}")
        function = function if depth > 0 else ""
        found, parentheses, angles, pieces = [], 0, 0, [0]
    if found:
        yield _statement(joined, found, function)


def _statement(joined: str, tokens: list[re.Match[str]], function: str) -> FileStatement:
    text = " ".join(" ".join(token[0] for token in tokens).split())
    shown = " ".join(joined[tokens[0].start() : tokens[-1].end()].split())
    return FileStatement(text, shown, _line(joined, tokens[0].start()), function)


def _line(joined: str, at: int) -> int:
    return 1 + joined.count("\n", 0, at) + joined.count("\f", 0, at)
