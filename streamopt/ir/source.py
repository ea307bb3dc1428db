"""Affine code as people write it: imperfect nests, variable bounds, branches, updates in place.

Front ends of imperative languages end here; `streamopt.transforms.restructure` brings it to a
`streamopt.ir.program.Program`. Meaning: what C does, item after item.

Loops count up by one. A front end rewrites others: ``for (i = a; i > b; i--)`` becomes a loop
over ``r`` from ``0`` to ``a - b`` with ``a - r`` for ``i``, and steps become factors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from streamopt.errors import SourceLoc
    from streamopt.ir.affine import Affine
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access, Condition, Expression

__all__ = ["Assign", "Branch", "Item", "RangeLoop", "Source", "Variable"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar or array of the source.

    Attributes
    ----------
    is_argument
        Whether the caller hands it over; others are local, and their elements undefined at first.
    is_constant
        Whether it is never written: a scalar by value, or declared const.
    is_wanted
        Whether the caller looks at it afterwards, if it is written.
    """

    name: str
    shape: tuple[int, ...]
    element: ElementType
    is_argument: bool
    is_constant: bool = False
    is_wanted: bool = True
    loc: SourceLoc | None = None


@dataclass(frozen=True, slots=True)
class RangeLoop:
    """``for (iterator = max(lower); iterator < min(upper); iterator++)``.

    Attributes
    ----------
    iterator
        Unique in the whole source.
    label
        Name that the user gave to the loop; empty if none.
    variable, value
        What the user counts, and its value by iterators; for messages.
    """

    iterator: str
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    body: tuple[Item, ...]
    label: str = ""
    loc: SourceLoc | None = None
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
    """A function body with its variables.

    Attributes
    ----------
    values
        Values of constant variables, by name; each has its variable's shape.
    """

    name: str
    variables: tuple[Variable, ...]
    body: tuple[Item, ...]
    values: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )
