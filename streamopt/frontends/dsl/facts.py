"""Facts that an expression carries besides its tree, and its problems until the program is built.

A problem has the line of the user's code that is running when it is found.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Reduction

NOT_AFFINE: Final = "E181"
SUBSCRIPTS: Final = "E182"
RANGE: Final = "E183"
ITERATORS: Final = "E184"
NAMES: Final = "E185"
ARRAYS: Final = "E186"
EXPRESSIONS: Final = "E187"
OUTPUTS: Final = "E188"
WRITES: Final = "E189"

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
    """Facts of an expression, each once."""

    axes: tuple[Axis, ...] = ()
    """Loops whose iterators are free."""
    places: tuple[tuple[ir.Access, SourceLoc], ...] = ()
    """Array elements that are read, and where the user wrote them."""
    pending: tuple[Pending, ...] = ()
    """Reductions inside, which get nests of their own."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """A reduction over loops, whose result has no array yet."""

    reduction: Reduction
    axes: tuple[Axis, ...]
    free: tuple[Axis, ...]
    """Loops around it, one for each dimension of its result."""
    element: ElementType
    """Type of its result."""
    value: ir.Expression
    """Its terms."""
    facts: Facts
    """Of all that it reads."""
    loc: SourceLoc
    start: ir.Expression | None = None
    """Its first value; None for the operator's identity."""
    guard: ir.Condition | None = None
    """Terms for which this doesn't hold are left out."""

    @property
    def token(self) -> str:
        """Return a name that no array has, until the result has an array."""
        return f"#{id(self)}"

    @property
    def subscripts(self) -> tuple[Affine, ...]:
        """Return the subscripts of its result at one iteration of the loops around."""
        return tuple(Affine.iterator(axis.name) for axis in self.free)


_HERE = str(Path(__file__).parent)


def caller() -> SourceLoc:
    """Return file and line of the innermost call that isn't in this package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return SourceLoc("?")
    return SourceLoc(frame.f_code.co_filename, line=frame.f_lineno)


def problem(code: str, message: str, hint: str = "", loc: SourceLoc | None = None) -> Diagnostic:
    """Return a diagnostic at a place, or else where the user's code is now."""
    return Diagnostic(code, message, loc or caller(), hint)
