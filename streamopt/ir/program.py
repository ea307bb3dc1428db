"""A program: arrays and an ordered list of perfect loop nests with constant trip counts.

Meaning: nests run one after another in order; a nest runs its statements, in order, for every
point of its iteration domain in row-major order.

In a *streaming* nest every array is written as a whole: it has one statement, which assigns each
element once, or reduces into it. A reduction (``+=`` and its kin) starts from the identity of its
operator or from a given value, so its initialisation is part of it. The array's earlier elements
don't exist.

A *sequential* nest is what can't be said so: statements update arrays in place, each reads what
the ones before it left. The arrays that it writes begin as copies of others where it says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.element import ElementType
from streamopt.ir.expression import rewrite, rewrite_condition
from streamopt.ir.html_table import html_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from streamopt.errors import SourceLoc
    from streamopt.ir.expression import Access, Condition, Expression

__all__ = ["Array", "ElementType", "Loop", "Nest", "Program", "Reduction", "Role", "Statement"]


class Role(StrEnum):
    """Who gives an array its values, and who reads them."""

    INPUT = "input"
    WEIGHT = "weight"
    INTERNAL = "internal"
    OUTPUT = "output"


class Reduction(StrEnum):
    """How a reduction statement combines its terms."""

    ADD = "+"
    MUL = "*"
    MAX = "max"
    MIN = "min"

    @property
    def identity(self) -> float:
        """Return the value that a reduction starts from."""
        match self:
            case Reduction.ADD:
                return 0.0
            case Reduction.MUL:
                return 1.0
            case Reduction.MAX:
                return float("-inf")
            case Reduction.MIN:
                return float("inf")


@dataclass(frozen=True, slots=True)
class Array:
    """A named array of constant shape; an empty shape is a scalar."""

    name: str
    shape: tuple[int, ...]
    role: Role
    element: ElementType = ElementType.FLOAT

    @property
    def size_elems(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def is_given(self) -> bool:
        """Return whether the caller supplies the values."""
        return self.role in (Role.INPUT, Role.WEIGHT)


@dataclass(frozen=True, slots=True)
class Loop:
    """``for name in range(trip_count)``."""

    name: str
    trip_count: int


@dataclass(frozen=True, slots=True)
class Statement:
    """``target = value``, or ``target = target (reduction) value``.

    Attributes
    ----------
    start
        What a reduction starts from, read at its first term; None for the operator's identity.
    guard
        The statement runs where this holds; None for everywhere. Only reductions and the
        statements of sequential nests have one.
    """

    target: Access
    value: Expression
    reduction: Reduction | None = None
    start: Expression | None = None
    guard: Condition | None = None
    loc: SourceLoc | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Return guard, start and value, those that there are."""
        return tuple(e for e in (self.guard, self.start, self.value) if e is not None)

    def rewritten(self, leaf: Callable[[Expression], Expression], target: Access) -> Statement:
        """Return the statement with another target and every read and index replaced."""
        return replace(
            self,
            target=target,
            value=rewrite(self.value, leaf),
            start=None if self.start is None else rewrite(self.start, leaf),
            guard=None if self.guard is None else rewrite_condition(self.guard, leaf),
        )


@dataclass(frozen=True, slots=True)
class Nest:
    """A perfect loop nest, outermost loop first.

    Attributes
    ----------
    sequential
        Whether iterations run one after another and update arrays in place.
    carries
        Pairs (array, source) of a sequential nest: the array begins as a copy of the source.
    reason
        Why a sequential nest can't stream, for people.
    """

    name: str
    loops: tuple[Loop, ...]
    statements: tuple[Statement, ...]
    loc: SourceLoc | None = None
    sequential: bool = False
    carries: tuple[tuple[str, str], ...] = ()
    reason: str = field(default="", compare=False)

    @property
    def trip_counts(self) -> dict[str, int]:
        """Return trip count by iterator, outermost first."""
        return {loop.name: loop.trip_count for loop in self.loops}


@dataclass(frozen=True, slots=True)
class Program:
    """Arrays by name and nests in execution order.

    Attributes
    ----------
    values
        Values of weights that came with the source, by array; each has its array's shape.
    sample
        Inputs, and the outputs that the source itself made of them, by array.
    """

    name: str
    arrays: tuple[Array, ...]
    nests: tuple[Nest, ...]
    values: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )
    sample: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )

    _by_name: dict[str, Array] = field(
        default_factory=dict[str, "Array"], init=False, compare=False, repr=False
    )

    def _repr_html_(self) -> str:
        """Show the arrays in a notebook."""
        title = f"program {self.name}: {len(self.nests)} loop nests"
        rows = (
            (a.name, a.role.value, str(a.element), " x ".join(map(str, a.shape)) or "scalar")
            for a in self.arrays
        )
        return html_table(title, ("array", "role", "type", "shape"), rows)

    def array(self, name: str) -> Array:
        """Return the array of that name; raises KeyError."""
        if not self._by_name:
            self._by_name.update({array.name: array for array in reversed(self.arrays)})
        return self._by_name[name]
