"""The state of a rewriting: the names in scope, and statements around the one that is rewritten."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering.types import NodeType, TypeTable
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.symbols import Scopes
from streamopt.frontends.c.syntax.rendering import text_of
from streamopt.frontends.c.syntax.trees import coordinate
from streamopt.frontends.c.text.places import Places
from streamopt.frontends.c.text.template_text import evaluated

MAX_NODES = 200_000
"""Statements that are written: structures of many members make many of one."""


@dataclass(slots=True)
class Around:
    """The statements that are written around one."""

    before: list[ast.Node] = field(default_factory=list[ast.Node])
    reads: Tally[str] = field(default_factory=Tally[str])
    """How often the statement reads each stream, by the name of its counter."""
    places: dict[str, ast.Node] = field(default_factory=dict[str, ast.Node])
    """The counters, by their names."""
    is_delicate: bool = False
    """Whether what the statement reads has to be read before it."""
    is_conditional: bool = False
    """Whether a part is rewritten that may not be evaluated."""


@dataclass(slots=True)
class InFunction:
    """The state of rewriting one function."""

    scope: Scopes[NodeType] = field(default_factory=Scopes[NodeType])
    numbers: Mapping[str, ast.Node] = field(default_factory=dict[str, ast.Node])
    """The numbers of an open function, as its call decides them."""
    constants: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    """By name that is declared inside: its number; None if it has none, or has several."""
    returned: NodeType | None = None
    """The structure that the function returns."""
    is_top: bool = False
    """Whether it is the kernel itself."""
    runs_once: bool = False
    """Whether one call of the kernel calls it once at most."""
    pieced: frozenset[str] = frozenset()
    """The names of what gets its bits one by one."""


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """The functions of a file: by names of their own, and which of them have a name in the file."""

    known: Mapping[str, ast.FuncDef]
    forms: Mapping[str, tuple[str, ...]]
    generics: Mapping[str, tuple[str, ...]]
    """By function that calls decide: the numbers that they decide."""
    single: frozenset[str] = frozenset()
    """Functions that run once."""


@dataclass(slots=True)
class Lowering:
    """The state of rewriting the functions of a file."""

    types: TypeTable
    functions: FunctionTable
    problems: Problems
    where: Places
    made: dict[str, ast.FuncDef] = field(default_factory=dict[str, ast.FuncDef])
    """Rewritten functions."""
    inside: InFunction = field(default_factory=InFunction)
    around: Around = field(default_factory=Around)
    _count: int = 0
    _written: int = 0

    def report(self, message: str, node: ast.Node, hint: str) -> None:
        """Report what can't be rewritten (E135)."""
        self.problems.report("E135", message, self.where.of(coordinate(node)), hint)

    def constant(self, node: ast.Node) -> int | None:
        """Return the value of an expression of numbers and constants; None of others."""
        given = self.inside.numbers.items()
        numbers = {name: evaluated(text_of(one), self.types.constants) for name, one in given}
        known = {**self.types.constants, **numbers, **self.inside.constants}
        decided = {name: one for name, one in known.items() if one is not None}
        return evaluated(text_of(node), decided)

    def unique(self, name: str) -> str:
        """Return a name that the file does not have."""
        self._count += 1
        return f"{name}__{self._count}"

    @contextmanager
    def statement(self, *, is_delicate: bool = False) -> Generator[Around]:
        """Collect what is written around a statement inside."""
        outer, self.around = self.around, Around(is_delicate=is_delicate)
        try:
            yield self.around
        finally:
            self.around = outer

    @contextmanager
    def conditional(self) -> Generator[None]:
        """Rewrite a part inside that may not be evaluated."""
        before = self.around.is_conditional
        self.around.is_conditional = True
        try:
            yield
        finally:
            self.around.is_conditional = before

    def spend(self, node: ast.Node) -> None:
        """Count a statement; raises LimitError where there are too many."""
        self._written += 1
        if self._written > MAX_NODES:
            loc = self.where.of(coordinate(node))
            message = "structures make too many statements of this"
            raise LimitError(message, loc, "use smaller structures")

    def temporary(self, kind: NodeType, node: ast.Node) -> ast.ID:
        """Declare a variable of a type for a value of the statement, and return its name."""
        name = self.unique("value")
        self.inside.scope.declare(name, kind)
        return ast.ID(name, node.coord)
