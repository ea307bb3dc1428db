"""Emitted text to its C++ tree again: the inverse of `streamopt.codegen.tree.render`.

It knows the forms that the writer has and no other C++, so that a project on disk can be checked
like one that is about to be written.
"""

import re
from collections.abc import Sequence

from streamopt.codegen.tree import (
    Comment,
    CppFunction,
    CppStatement,
    Directive,
    For,
    If,
    Item,
    Pragma,
)
from streamopt.errors import CodegenError, Diagnostic

_FOR = re.compile(r"for \(int (\w+) = 0; (\w+) < (-?\d+); (\w+)\+\+\) \{")
_IF = re.compile(r"if \((.*)\) \{")
_PRAGMA = "#pragma HLS "


def read_tree(text: str) -> tuple[Item, ...]:
    """Return the tree of emitted text; rendered again it is the same text.

    Raises
    ------
    CodegenError
        E610 with the line of what is in no emitted form.
    """
    return _Reader(text.splitlines()).file()


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0

    def file(self) -> tuple[Item, ...]:
        """Return all items."""
        found = self._items()
        if self._at < len(self._lines):
            raise self._problem("closes more than was opened")
        return found

    def _items(self) -> tuple[Item, ...]:
        """Return the items up to a closing brace, which stays, or the end."""
        found: list[Item] = []
        while self._at < len(self._lines) and self._lines[self._at].strip() != "}":
            found.append(self._item())
        return tuple(found)

    def _item(self) -> Item:
        line = self._lines[self._at].strip()
        if line.startswith(_PRAGMA):
            return self._leaf(Pragma(line.removeprefix(_PRAGMA)))
        if line.startswith("#"):
            return self._leaf(Directive(line))
        if line.startswith("//"):
            return self._leaf(Comment(line.removeprefix("//").removeprefix(" ")))
        if line.endswith("{"):
            return self._block(line)
        if line.endswith("("):
            return self._function(line.removesuffix("("))
        if line == "tapa::task()":
            return self._chain()
        if line and not line.endswith(";"):
            raise self._problem("is no statement")
        return self._leaf(CppStatement(line))

    def _leaf(self, item: Item) -> Item:
        self._at += 1
        return item

    def _chain(self) -> Item:
        """Return a statement over several lines, as they are."""
        lines = [self._lines[self._at].strip()]
        while not lines[-1].endswith(";"):
            self._at += 1
            if self._at == len(self._lines):
                raise self._problem("ends within a statement")
            lines.append(self._lines[self._at])
        return self._leaf(CppStatement("\n".join(lines)))

    def _block(self, line: str) -> Item:
        loop, branch = _FOR.fullmatch(line), _IF.fullmatch(line)
        if loop is not None and loop[1] == loop[2] == loop[4]:
            return For(loop[1], int(loop[3]), self._body())
        if branch is not None:
            return If(branch[1], self._body())
        if line.endswith("() {"):
            return CppFunction(line.removesuffix("() {"), (), self._body())
        raise self._problem("opens a block that is neither loop, branch nor function")

    def _function(self, signature: str) -> Item:
        parameters: list[str] = []
        while True:
            self._at += 1
            if self._at == len(self._lines):
                raise self._problem("ends within a function's parameters")
            line = self._lines[self._at].strip()
            if line.endswith(") {"):
                parameters.append(line.removesuffix(") {"))
                return CppFunction(signature, tuple(parameters), self._body())
            if line.endswith(");"):
                self._at += 1
                return CppFunction(signature, (*parameters, line.removesuffix(");")), None)
            parameters.append(line.removesuffix(","))

    def _body(self) -> tuple[Item, ...]:
        self._at += 1
        found = self._items()
        if self._at == len(self._lines):
            raise self._problem("ends within a block")
        self._at += 1
        return found

    def _problem(self, what: str) -> CodegenError:
        at = min(self._at, len(self._lines) - 1)
        line = self._lines[at].strip() if self._lines else ""
        return CodegenError(Diagnostic("E610", f"line {at + 1} of the kernel {what}: {line}"))
