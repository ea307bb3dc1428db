"""Affine code as people write it: imperfect nests, variable bounds, branches, updates in place.

Front ends of imperative languages end here; `streamopt.transforms.restructure` brings it to a
`streamopt.ir.program.Program`. Meaning: what C does, item after item.

Loops count up by one. A front end rewrites others: ``for (i = a; i > b; i--)`` becomes a loop
over ``r`` from ``0`` to ``a - b`` with ``a - r`` for ``i``, and steps become factors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from streamopt.errors import SourceLoc
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Binary, BinaryOp, Condition, Expression, Read, reads
from streamopt.ir.text import expression_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar or array of the source."""

    name: str
    shape: tuple[int, ...]
    element: ElementType
    is_argument: bool
    """Whether the caller hands it over; others are local, and their elements undefined at first."""
    is_constant: bool = False
    """Whether it is never written: a scalar by value, or declared const."""
    is_wanted: bool = True
    """Whether the caller looks at it afterwards, if it is written."""
    loc: SourceLoc | None = None


@dataclass(frozen=True, slots=True)
class RangeLoop:
    """``for (iterator = max(lower); iterator < min(upper); iterator++)``."""

    iterator: str
    """Unique in the whole source."""
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    body: tuple[Item, ...]
    label: str = ""
    """Name that the user gave to the loop; empty if none."""
    loc: SourceLoc | None = None
    # variable, value: what the user counts, and its value by iterators; for messages
    variable: str = field(default="", compare=False)
    value: Affine | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """``if (condition) then else otherwise``; the condition may depend on data."""

    condition: Condition
    then: tuple[Item, ...]
    otherwise: tuple[Item, ...] = ()
    loc: SourceLoc | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``; the value is converted to the target's type.

    ``x += e`` is ``x = x + e``. A scalar has no subscripts.
    """

    target: Access
    value: Expression
    label: str = ""
    loc: SourceLoc | None = None


Item: TypeAlias = RangeLoop | Branch | Assign


@dataclass(frozen=True, slots=True)
class Source:
    """A function body with its variables."""

    name: str
    variables: tuple[Variable, ...]
    body: tuple[Item, ...]
    values: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )
    """Values of constant variables, by name; each has its variable's shape."""


def read_names(items: Sequence[Item]) -> set[str]:
    """Return the names of the variables that are read."""
    found: set[str] = set()
    for item in items:
        match item:
            case RangeLoop(body=body):
                found |= read_names(body)
            case Branch(condition, then, otherwise):
                found.update(access.array for access in reads(condition))
                found |= read_names((*then, *otherwise))
            case Assign(_, value):
                found.update(access.array for access in reads(value))
    return found


def without_assignments(items: Sequence[Item], names: Set[str]) -> Iterator[Item]:
    """Yield the items of a body without assignments of some variables."""
    for item in items:
        match item:
            case RangeLoop(body=body):
                inner = tuple(without_assignments(body, names))
                if inner:
                    yield replace(item, body=inner)
            case Branch(_, then, otherwise):
                sides = [tuple(without_assignments(side, names)) for side in (then, otherwise)]
                if any(sides):
                    yield replace(item, then=sides[0], otherwise=sides[1])
            case Assign(target) if target.array in names:
                pass
            case _:
                yield item


def source_text(body: Sequence[Item], notes: Mapping[str, str]) -> str:
    """Return loops and statements as text, two columns a level.

    Parameters
    ----------
    notes
        By iterator: what is said behind the head of its loop.
    """
    return "\n".join(_lines(body, "", notes))


def _lines(items: Sequence[Item], indent: str, notes: Mapping[str, str]) -> Iterator[str]:
    for item in items:
        match item:
            case RangeLoop(iterator, lower, upper, body):
                low, high = _bound("max", lower), _bound("min", upper)
                head = f"{indent}for ({iterator} = {low}; {iterator} < {high}; {iterator}++)"
                note = notes.get(iterator, "")
                yield f"{head}  // {note}" if note else head
                yield from _lines(body, f"{indent}  ", notes)
            case Branch(condition, then, otherwise):
                yield f"{indent}if ({expression_text(condition)})"
                yield from _lines(then, f"{indent}  ", notes)
                if otherwise:
                    yield f"{indent}else"
                    yield from _lines(otherwise, f"{indent}  ", notes)
            case Assign():
                yield f"{indent}{_assignment(item)}"


def _bound(function: str, bounds: Sequence[Affine]) -> str:
    if len(bounds) == 1:
        return str(bounds[0])
    return f"{function}({', '.join(map(str, bounds))})"


def _assignment(assign: Assign) -> str:
    label = f"{assign.label}: " if assign.label else ""
    match assign.value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, Read(access), term) if (
            access == assign.target
        ):
            return f"{label}{assign.target} {op}= {expression_text(term)}"
        case _:
            return f"{label}{assign.target} = {expression_text(assign.value)}"
