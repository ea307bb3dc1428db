"""Whether a reduction puts one operator on its recurrence: E624.

A partial value that an iteration reads, and that the next one needs, waits for every operator
between. Two or more stand there if lanes that the partial value doesn't tell apart all add to it,
or if a statement adds several terms to it one after another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from streamopt.codegen.checks.facts import Finding
from streamopt.codegen.tree import CppStatement, For, If, Pragma

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.codegen.checks.facts import FunctionFacts
    from streamopt.codegen.tree import Item

__all__ = ["recurrence_findings"]

_PARTIAL_VALUE = re.compile(r"\b\w+_acc(?:_\d+)?\b((?:\[[^\[\]]*\])+)")
_CONSTANT = re.compile(r"const int (\w+) = (.*);")
_ASSIGNED = re.compile(r"(?:const )?[\w:<>, ]*?\b(\w+)((?:\[[^\[\]]*\])*) = (.*);")
_TOKEN = re.compile(r"[A-Za-z_][\w:]*|\d[\w.]*|&&|\|\||[<>=!]=|<<|>>|\S")
_LEVELS = {"||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7} | {
    **dict.fromkeys(("<", ">", "<=", ">="), 8),
    **dict.fromkeys(("<<", ">>"), 9),
    **dict.fromkeys("+-", 10),
    **dict.fromkeys("*/%", 11),
}
_TEMPLATE = re.compile(r"\b(static_cast|std::\w+)<(?:[^<>]|<[^<>]*>)*>")


def recurrence_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E624 for each partial value with more than one operator from an update to the next."""
    found: dict[str, int] = {}
    _Walk(found).through(function.body, _Scope({}, {}))
    for name, operators in found.items():
        if operators > 1:
            message = f"an iteration combines {operators} terms with {name} one after another"
            yield Finding("E624", f"{message}, not in a tree", function.name)


@dataclass(frozen=True, slots=True)
class _Scope:
    """Lanes around a statement, and the names that constants of their loops depend on."""

    lanes: Mapping[str, int]
    uses: Mapping[str, frozenset[str]]

    def depends_on(self, text: str) -> frozenset[str]:
        """Return the lanes whose iterators are in a text, directly or through constants."""
        names = re.findall(r"\w+", text)
        own = frozenset(name for name in names if name in self.lanes)
        return own.union(*(self.uses.get(name, frozenset()) for name in names))


@dataclass(frozen=True, slots=True)
class _Walk:
    """Collects, by partial value, the operators between two updates of it."""

    found: dict[str, int]
    carried: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])

    def through(self, items: Sequence[Item], scope: _Scope) -> None:
        """Go through the statements of a block in order."""
        for item in items:
            if isinstance(item, For):
                unrolled = Pragma("unroll") in item.body
                lanes = {**scope.lanes, **({item.iterator: item.trip_count} if unrolled else {})}
                self.through(item.body, _Scope(lanes, scope.uses))
            elif isinstance(item, If):
                self.through(item.body, scope)
            elif isinstance(item, CppStatement):
                constant = _CONSTANT.fullmatch(item.text)
                if constant is not None:
                    used = {constant[1]: scope.depends_on(constant[2])}
                    scope = _Scope(scope.lanes, {**scope.uses, **used})
                else:
                    self._statement(item.text, scope)

    def _statement(self, text: str, scope: _Scope) -> None:
        assigned = _ASSIGNED.fullmatch(text)
        if assigned is None:
            return
        name, subscripts, value = assigned[1], assigned[2], assigned[3]
        read = _PARTIAL_VALUE.search(value)
        if read is not None:
            named = _without_subscripts(_PARTIAL_VALUE.sub("PARTIAL", value))
            depth = _operators_above(named, "PARTIAL")
            self.carried[name] = (read[0].split("[", 1)[0], depth or 0)
        else:
            for known, (memory, depth) in list(self.carried.items()):
                more = _operators_above(_without_subscripts(value), known)
                if more is not None:
                    self.carried[name] = (memory, depth + more)
        if name in self.carried and _PARTIAL_VALUE.fullmatch(name + subscripts):
            memory, depth = self.carried[name]
            if memory == name:
                apart = scope.depends_on(subscripts)
                terms = prod(n for lane, n in scope.lanes.items() if lane not in apart)
                self.found[name] = max(self.found.get(name, 0), terms * depth)


def _without_subscripts(text: str) -> str:
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    return text


def _operators_above(text: str, name: str) -> int | None:
    """Return the operators that a name's value goes through in an expression; None without it.

    Examples
    --------
    >>> _operators_above("(k == 0 ? 0.0f : s) + t * u", "s"), _operators_above("t + s + u", "s")
    (1, 2)
    """
    return _Expression(_TOKEN.findall(_TEMPLATE.sub(r"\1", text)), name).choice()


class _Expression:
    """Reads an expression; each method returns the operators above the name so far, or None."""

    def __init__(self, tokens: list[str], name: str) -> None:
        self._tokens, self._at, self._name = [*tokens, ""], 0, name

    def choice(self) -> int | None:
        """Read one with ``?`` and ``:``, whose condition takes no part."""
        found = self._binary(2)
        if self._next != "?":
            return found
        self._take()
        then = self.choice()
        self._take()
        return _longer(then, self.choice())

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return self._tokens[self._at - 1]

    def _binary(self, level: int) -> int | None:
        found = self._single()
        while _LEVELS.get(self._next, 0) >= level:
            operator = self._take()
            both = _longer(found, self._binary(_LEVELS[operator] + 1))
            found = None if both is None else both + 1
        return found

    def _single(self) -> int | None:
        token = self._take()
        if token in ("-", "!", "+"):
            return self._single()
        found = 0 if token == self._name else None
        if token == "(":
            found = self.choice()
            self._take()
        while self._next in (".", "("):
            if self._take() == ".":
                self._take()
                continue
            arguments = self._arguments()
            found = arguments if arguments is None else arguments + (token != "static_cast")
        return found

    def _arguments(self) -> int | None:
        """Read those of a call, up to its end."""
        found = None
        while (at := self._next) not in (")", ""):
            if at == ",":
                self._take()
            found = _longer(found, self.choice())
        self._take()
        return found


def _longer(one: int | None, other: int | None) -> int | None:
    """Return the greater of two counts, where there are any."""
    return max((n for n in (one, other) if n is not None), default=None)
