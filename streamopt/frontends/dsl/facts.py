"""What an expression carries besides its tree; problems wait there until the program is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.frontends.dsl.places import EXPRESSIONS, problem

if TYPE_CHECKING:
    from streamopt.errors import Diagnostic, SourceLoc
    from streamopt.frontends.dsl.values import Pending
    from streamopt.ir.expression import Access

__all__ = ["Axis", "Facts"]

MAX_DEPTH = 200
MAX_OPERATIONS = 10_000
"""Bounds on an expression: what recursion in later stages can take."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A loop from 0 to its trip count."""

    name: str
    trip_count: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an expression, each thing once.

    Attributes
    ----------
    axes
        Loops whose iterators are free.
    places
        Array elements that are read, and where the user wrote them.
    pending
        Reductions inside, which get nests of their own.
    """

    axes: tuple[Axis, ...] = ()
    places: tuple[tuple[Access, SourceLoc], ...] = ()
    pending: tuple[Pending, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    depth: int = 0
    operations: int = 1

    @property
    def trip_counts(self) -> dict[str, int]:
        """Return trip count by iterator."""
        return {axis.name: axis.trip_count for axis in self.axes}

    @staticmethod
    def joined(*parts: Facts) -> Facts:
        """Return the facts of an operation on parts."""
        return Facts(
            axes=tuple(dict.fromkeys(axis for part in parts for axis in part.axes)),
            places=tuple({access: loc for part in parts for access, loc in part.places}.items()),
            pending=tuple(dict.fromkeys(one for part in parts for one in part.pending)),
            problems=tuple(dict.fromkeys(found for part in parts for found in part.problems)),
            depth=1 + max((part.depth for part in parts), default=0),
            operations=1 + sum(part.operations for part in parts),
        )

    def with_problem(self, code: str, message: str, hint: str = "") -> Facts:
        """Return the facts with one problem more, at the line where the user's code is."""
        found = problem(code, message, hint)
        return Facts(self.axes, self.places, self.pending, (*self.problems, found))

    def excess(self) -> Facts | None:
        """Return facts with a problem instead if the expression is too large, else None."""
        if self.depth <= MAX_DEPTH and self.operations <= MAX_OPERATIONS:
            return None
        hint = "compute parts of it in arrays of their own"
        return Facts(problems=self.problems).with_problem(
            EXPRESSIONS, "the expression is too large, or nested too deeply", hint
        )
