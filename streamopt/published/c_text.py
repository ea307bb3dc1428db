"""Expressions of C as text: to a small tree of names, numbers and applications.

It reads what generated code writes: arithmetic, comparisons, connectives, ``?:``, calls and
casts. Subscripts, assignments and pointers have no place in the texts of a design file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

__all__ = ["Apply", "CTextError", "Name", "Number", "Tree", "parse_c"]

_MOST_TOKENS = 400
_DEEPEST = 50
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlLuU]*\b"
    r"|(?P<name>[A-Za-z_]\w*(?:::\w+)*)"
    r"|(?P<sign>&&|\|\||<<|>>|[<>=!]=|[-+*/%<>!~&|^?:(),]))"
)
_WORDS = {"and": "&&", "or": "||", "not": "!"}
"""C++'s other spellings."""
_TYPE = re.compile(r"(?:un)?signed|u?int(?:\d+_t)?|long|short|char|bool|float|double|half|size_t")
_BINDING = {
    sign: level
    for level, signs in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
    )
    for sign in signs.split()
}


class CTextError(Exception):
    """A text that isn't such an expression; says why."""


@dataclass(frozen=True, slots=True)
class Number:
    """A literal."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or function on operands; ``?:`` has three, ``cast`` and signs one."""

    function: str
    operands: tuple[Tree, ...]


Tree: TypeAlias = Number | Name | Apply


@lru_cache(maxsize=4096)
def parse_c(text: str) -> Tree:
    """Return the tree of an expression.

    Raises
    ------
    CTextError
        If it isn't one.

    Examples
    --------
    >>> parse_c("2 * i")
    Apply(function='*', operands=(Number(value=2), Name(name='i')))
    """
    parser = _Parser(_tokens(text))
    tree = parser.choice()
    if parser.peek():
        raise CTextError(f"{parser.peek()!r} is not expected here")
    return tree


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            raise CTextError(f"{text[place : place + 10].strip()!r} is not expected here")
        name = _WORDS.get(found["name"] or "", found["name"])
        tokens.append(found["number"] or name or found["sign"])
        place = found.end()
        if len(tokens) > _MOST_TOKENS:
            raise CTextError(f"it has more than {_MOST_TOKENS} names, numbers and signs")
    return tokens


class _Parser:
    """Reads tokens left to right; one method a level of precedence."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0

    def peek(self, ahead: int = 0) -> str:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else ""

    def _take(self) -> str:
        token = self.peek()
        self._place += 1
        return token

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise CTextError(f"{token!r} is missing")

    def choice(self) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise CTextError("it is nested too deeply")
        tree = self._binary(0)
        if self.peek() == "?":
            self._take()
            then = self.choice()
            self._expect(":")
            tree = Apply("?:", (tree, then, self.choice()))
        self._depth -= 1
        return tree

    def _binary(self, level: int) -> Tree:
        """Read operands joined by operators that bind at least as tightly as a level."""
        tree = self._unary()
        while _BINDING.get(self.peek(), -1) >= level:
            sign = self._take()
            tree = Apply(sign, (tree, self._binary(_BINDING[sign] + 1)))
        return tree

    def _unary(self) -> Tree:
        signs: list[str] = []
        while True:
            if self.peek() in ("-", "+", "!", "~"):
                signs.append(self._take())
            elif self._at_cast():
                signs.append("cast")
                while self._take() != ")":
                    pass
            else:
                break
        tree = self._operand()
        for sign in reversed(signs):
            if sign != "+":
                tree = Apply(sign, (tree,))
        return tree

    def _at_cast(self) -> bool:
        ahead = 1
        while _TYPE.fullmatch(self.peek(ahead)):
            ahead += 1
        return self.peek() == "(" and ahead > 1 and self.peek(ahead) == ")"

    def _operand(self) -> Tree:
        token = self._take()
        if token == "(":
            tree = self.choice()
            self._expect(")")
            return tree
        if token[:1].isdigit() or token[:1] == ".":
            whole = token.isdigit()
            return Number(int(token) if whole else float(token))
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise CTextError(
                f"an operand is missing before {token!r}" if token else "it ends early"
            )
        if self.peek() == "(":
            return Apply(token.rsplit("::", 1)[-1], self._arguments())
        return Name(token)

    def _arguments(self) -> tuple[Tree, ...]:
        self._expect("(")
        found: list[Tree] = []
        while self.peek() != ")":
            found.append(self.choice())
            if self.peek() != ")":
                self._expect(",")
        self._take()
        return tuple(found)
