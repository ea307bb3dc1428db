"""What the names in one statement mean, and where its problems are collected."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.ir.expression import conjuncts, is_affine_condition, negated

if TYPE_CHECKING:
    import ast
    from collections.abc import Generator, Mapping

    from streamopt.ir.expression import Condition, Expression
    from streamopt.ir.program import Array

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that one statement can use.

    Attributes
    ----------
    text
        The statement, on one line of ASCII.
    loc
        Where the text is.
    arrays
        Declared arrays; None for one whose declaration has a problem of its own.
    trip_counts
        Trip count by iterator, outermost first.
    temporaries
        Values of the temporaries so far; a statement that defines one adds to it.
    problems
        Every problem found is appended here.
    sequential
        Whether ``+=`` updates an element in place instead of starting a reduction.
    guards
        Conditions on the iterators around what is being read; subscripts under them are checked
        by `streamopt.transforms.legality`, which knows where they hold.
    """

    text: str
    loc: SourceLoc
    arrays: Mapping[str, Array | None]
    trip_counts: Mapping[str, int]
    temporaries: dict[str, Expression]
    problems: list[Diagnostic]
    sequential: bool = False
    guards: list[Condition] = field(default_factory=list["Condition"])

    @contextmanager
    def under(self, condition: Condition) -> Generator[None]:
        """Read what is reached only where a condition on the iterators holds, or only where not."""
        known = any(
            map(is_affine_condition, (*conjuncts(condition), *conjuncts(negated(condition))))
        )
        if known:
            self.guards.append(condition)
        yield
        if known:
            self.guards.pop()

    def report(
        self, code: str, message: str, at: ast.expr | int | None = None, hint: str = ""
    ) -> None:
        """Collect a problem with a piece of the statement, or at a column, counted from 1."""
        column = at if isinstance(at, int) or at is None else at.col_offset + 1
        place = SourceLoc(self.loc.file, self.loc.path, column=column)
        self.problems.append(Diagnostic(code, message, place, hint))

    def source(self, node: ast.expr) -> str:
        """Return the text of a piece of the statement, cut where it is long."""
        text = self.text[node.col_offset : node.end_col_offset]
        return text if len(text) <= 60 else f"{text[:57]}..."
