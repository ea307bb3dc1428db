"""A program: arrays and an ordered list of perfect loop nests with constant trip counts.

Meaning: nests run one after another in order; a nest runs its statements for every point of its
iteration domain. A reduction statement (``+=`` and its kin) starts from the identity of its
operator, so its initialisation is part of it; all other statements assign.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.errors import SourceLoc
    from streamopt.ir.expression import Access, Expression

__all__ = ["Array", "ElementType", "Loop", "Nest", "Program", "Reduction", "Role", "Statement"]


class ElementType(StrEnum):
    """Type of an array's elements, by its C++ name."""

    FLOAT = "float"
    DOUBLE = "double"


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
    """``target = value``, or ``target = target (reduction) value``."""

    target: Access
    value: Expression
    reduction: Reduction | None = None
    loc: SourceLoc | None = None


@dataclass(frozen=True, slots=True)
class Nest:
    """A perfect loop nest, outermost loop first."""

    name: str
    loops: tuple[Loop, ...]
    statements: tuple[Statement, ...]
    loc: SourceLoc | None = None

    @property
    def trip_counts(self) -> dict[str, int]:
        """Return trip count by iterator, outermost first."""
        return {loop.name: loop.trip_count for loop in self.loops}


@dataclass(frozen=True, slots=True)
class Program:
    """Arrays by name and nests in execution order."""

    name: str
    arrays: tuple[Array, ...]
    nests: tuple[Nest, ...]

    def array(self, name: str) -> Array:
        """Return the array of that name; raises KeyError."""
        for array in self.arrays:
            if array.name == name:
                return array
        raise KeyError(name)
