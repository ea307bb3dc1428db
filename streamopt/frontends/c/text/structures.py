"""Structures of C++: which have functions of their own, and which are types by their name alone.

::

    struct pair { int a[(1 + 2)]; };      as in C, but ``pair p`` declares a variable too
    struct box { int size() const; };     a class
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Structure", "structures"]

_TOKENS = re.compile(
    r"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | \btypedef\b
    | \b(?:enum\s+(?:class|struct)|class|struct|union|enum)\b
    | \b(?:public|private|protected)\b(?=\s*:)
    | [][{}();=]
    """,
    re.VERBOSE,
)
_TAG = re.compile(r"\s+(\w+)\s*(?=[{;])")
_KINDS = ("class", "struct", "union", "enum")
_ACCESS = ("public", "private", "protected")


@dataclass(frozen=True, slots=True)
class Structure:
    """A definition of a class, structure, union or enumeration.

    Attributes
    ----------
    start
        Where its first word is.
    kind
        That word.
    tag
        Its name; empty if it has none, or stands behind ``typedef``.
    is_class
        Whether it has functions, or parts that are not public.
    """

    start: int
    kind: str
    tag: str
    is_class: bool


@dataclass(slots=True)
class _Open:
    """A brace that is open, and what it belongs to."""

    head: re.Match[str] | None
    tag: str
    brackets: int = 0
    is_value: bool = False
    is_class: bool = False


def structures(text: str) -> Iterator[Structure]:
    """Yield the definitions of a text, in the order of their ends; one pass over it."""
    stack = [_Open(None, "")]
    head: re.Match[str] | None = None
    is_typedef = False
    for token in _TOKENS.finditer(text):
        word = token[0]
        top = stack[-1]
        if word.startswith(_KINDS):
            head = token
        elif word == "typedef":
            is_typedef = True
        elif word == "{":
            named = None if head is None or is_typedef else _TAG.match(text, head.end())
            stack.append(_Open(head, named[1] if named else ""))
            stack[-1].is_class = head is not None and head[0] == "class"
            head = None
        elif word == "}":
            if len(stack) > 1:
                stack.pop()
            if top.head is not None:
                yield Structure(top.head.start(), top.head[0], top.tag, top.is_class)
            is_typedef = False
        else:
            _noted(top, word, text, token.end())
            if word in (";", "(", ")"):
                head = None
                is_typedef = is_typedef and word != ";"


def _noted(top: _Open, word: str, text: str, end: int) -> None:
    """Note what a token tells about the structure that is open."""
    match word:
        case "[":
            top.brackets += 1
        case "]":
            top.brackets -= 1
        case "=":
            top.is_value = True
        case ";":
            top.is_value, top.brackets = False, 0
        case "(" if top.brackets <= 0 and not top.is_value:
            top.is_class = top.is_class or not text.startswith("*", end)
        case _ if word in _ACCESS:
            top.is_class = True
        case _:
            pass
