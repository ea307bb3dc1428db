"""The meanings of names while a function is read."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from streamopt.frontends.c.syntax.types import Subset
from streamopt.frontends.c.values.value import CValue
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType


@dataclass(frozen=True, slots=True)
class Known:
    """A name for a value: a constant, a running iterator, an integer that never changes."""

    value: CValue
    is_iterator: bool = False


@dataclass(frozen=True, slots=True)
class Counter:
    """A variable that only counts loops, outside of them."""

    element: ElementType
    left: CValue | None = None
    """The value that the last loop left in it, where that is known."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A variable of the source, or a part of it."""

    variable: str
    """Its name in the source."""
    shape: tuple[int, ...]
    """Extents of the dimensions that still have no subscript."""
    element: ElementType
    prefix: tuple[Affine, ...] = ()
    """Subscripts that are fixed already, where it is a part."""
    offset: Affine | None = None
    """Added to the next subscript, for a pointer into an array."""
    is_const: bool = False
    kept: Subset = Subset.ALL
    is_wide: bool = False
    """Whether its numbers have exact sums and products (``ap_int`` and its kin)."""
    is_open: bool = False
    """Whether it is an integer argument without a value."""
    is_parameter: bool = False
    """Whether the function that is read gets it from its caller."""
    is_single: bool = False
    """Whether a pointer to a whole array stands for it, so that the first subscript is 0."""

    def is_same_part(self, other: Stored) -> bool:
        """Return whether another stands for the same elements, pointers into it aside."""
        own = self.variable, self.prefix, self.shape, self.is_const
        return own == (other.variable, other.prefix, other.shape, other.is_const)


@dataclass(frozen=True, slots=True)
class Moving:
    """A pointer that moves along a variable, or from one to another."""

    element: ElementType
    rank: int
    """Dimensions of what it points at."""
    which: Stored
    """A local integer: the number of the part that it points at."""
    place: Stored
    """A local integer: how many elements it has moved on."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A name whose declaration has a problem, which is reported already."""


Meaning = TypeVar("Meaning")
Symbol: TypeAlias = Known | Counter | Stored | Moving | Broken


class Scopes(Generic[Meaning]):
    """Names by block, innermost last; the outermost is of the file."""

    def __init__(self, outermost: dict[str, Meaning] | None = None) -> None:
        self._blocks: list[dict[str, Meaning]] = [{} if outermost is None else outermost]

    def of_file(self) -> Scopes[Meaning]:
        """Return a scope for another function of the file."""
        found = Scopes(self._blocks[0])
        found.enter()
        return found

    def enter(self) -> None:
        """Open a block."""
        self._blocks.append({})

    @contextmanager
    def block(self) -> Generator[None]:
        """Declare names inside in a block of their own."""
        self.enter()
        try:
            yield
        finally:
            self._blocks.pop()

    def find(self, name: str) -> Meaning | None:
        """Return the meaning of a name, or None where it isn't declared."""
        for block in reversed(self._blocks):
            if name in block:
                return block[name]
        return None

    def declare(self, name: str, meaning: Meaning) -> None:
        """Declare a name in the innermost block."""
        self._blocks[-1][name] = meaning

    def declare_again(self, name: str, meaning: Meaning) -> None:
        """Give a name a meaning in all blocks that declare it."""
        for block in self._blocks:
            if name in block:
                block[name] = meaning

    def names(self) -> list[str]:
        """Return all declared names."""
        return list(dict.fromkeys(name for block in self._blocks for name in block))
