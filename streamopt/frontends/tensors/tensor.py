"""Tensors, the values of a front end before they become arrays and loop nests; and their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from streamopt.errors import SourceLoc
from streamopt.formats.names import is_reserved
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Expression, Literal


class LoweringError(Exception):
    """An operator can't be lowered; a front end adds its place.

    Attributes
    ----------
    message
        The problem, in the words of the operator.
    hint
        A change that helps; may be empty.
    code
        Empty where the front end's code for operators that aren't supported says it.
    """

    def __init__(self, message: str, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


@dataclass(frozen=True, slots=True, eq=False)
class LazyTensor:
    """A value of static shape, and how to read its elements.

    Stored tensors read an array; views read another tensor elsewhere; others compute, anew at
    every read: `ProgramBuilder.settled` makes an array of what is to be read more than once.
    """

    shape: tuple[int, ...]
    element: ElementType
    value: Callable[[ElementPoint], Expression]
    """The element at a point."""
    name: str = ""
    """Name of an array made of it."""
    axes: tuple[str, ...] = ()
    """Names of iterators over its dimensions; empty for the usual ones."""
    operations: int = 0
    """Operations at one read; 0 for stored tensors, views of them and single numbers."""
    depth: int = 0
    """Tensors between this one and arrays."""
    array: str = ""
    """The array that it is, element by element; empty if it isn't one."""
    is_truth: bool = False
    """Whether its elements are conditions; the element type is then ``uint8_t``."""
    loc: SourceLoc | None = None

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return len(self.shape)

    @property
    def size_elems(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    def at(self, point: ElementPoint) -> Expression:
        """Return the element at a point; a condition if this is a tensor of truth values."""
        assert len(point.indices) == self.rank
        return self.value(point)

    def view(
        self,
        shape: Sequence[int],
        place: Callable[[ElementPoint], ElementPoint],
        axes: Sequence[str] = (),
    ) -> LazyTensor:
        """Return the tensor of another shape that reads this one elsewhere."""

        def value(point: ElementPoint) -> Expression:
            return self.at(place(point))

        return replace(
            self, shape=tuple(shape), value=value, axes=tuple(axes), depth=self.depth + 1, array=""
        )


def splat(value: float, element: ElementType, shape: Sequence[int] = ()) -> LazyTensor:
    """Return the tensor whose elements are all one number."""
    literal = Literal(float(value))
    return LazyTensor(tuple(shape), element, lambda _: literal)


MAX_CHARACTERS = 80
_BY_RANK = ("", "i", "ij", "ijk", "ijkl", "ijklm")


def legal_name(text: str) -> str:
    """Return the closest name that an array, nest or program may have.

    Examples
    --------
    >>> legal_name("/layer1.0/Conv__0"), legal_name("3mm"), legal_name("for"), legal_name("")
    ('layer1_0_Conv_0', 'n3mm', 'for_', 't')
    """
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", text))[:MAX_CHARACTERS].strip("_")
    if not name:
        return "t"
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if is_reserved(name) else name


def legal_title(text: str) -> str:
    """Return the closest name that a program may have.

    Examples
    --------
    >>> legal_title("3mm"), legal_title("resnet18-v1.7"), legal_title("")
    ('3mm', 'resnet18-v1_7', 't')
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)[:MAX_CHARACTERS].lstrip("-") or "t"


def iterator_names(axes: Sequence[str], rank: int) -> tuple[str, ...]:
    """Return one name for each dimension: the given ones, or the usual ones of the rank."""
    if len(axes) == rank:
        wanted = tuple(axes)
    elif rank < len(_BY_RANK):
        wanted = tuple(_BY_RANK[rank])
    else:
        wanted = tuple(f"i{position}" for position in range(rank))
    names = UniqueNames()
    return tuple(names.unique(name) for name in wanted)


class UniqueNames:
    """Hands out each name once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, text: str) -> str:
        """Return the legal name of a text, with the first free number where it is taken."""
        base = name = legal_name(text)
        number = self._next.get(base, 2)
        while name in self._taken:
            name = f"{base}{number}" if base[-1] == "_" else f"{base}_{number}"
            number += 1
        self._next[base] = number
        self._taken.add(name)
        return name
