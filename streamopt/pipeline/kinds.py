"""Types of options as annotations write them, and whether a value is of one.

Classes are compared by name, so that nothing is imported for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Kind", "kinds_of"]


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


_HOLDS: Mapping[str, Callable[[object], bool]] = {
    "None": lambda value: value is None,
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: isinstance(value, Integral) and value is not True and value is not False,
    "float": lambda value: isinstance(value, Real) and value is not True and value is not False,
    "str": lambda value: isinstance(value, str),
    "PathLike": lambda value: hasattr(value, "__fspath__"),
    "Callable": callable,
    "Iterable": _is_list,
    "Sequence": lambda value: isinstance(value, Sequence) and not isinstance(value, str | bytes),
    "tuple": lambda value: isinstance(value, tuple),
    "Mapping": lambda value: isinstance(value, Mapping),
    "dict": lambda value: isinstance(value, Mapping),
    "Facts": lambda value: isinstance(value, Mapping),
}
_WORDS = {
    "None": "None",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "PathLike": "a path",
    "Callable": "a function",
    "Iterable": "a list",
    "Sequence": "a list",
    "tuple": "a tuple",
    "Mapping": "a dictionary",
    "dict": "a dictionary",
    "Facts": "a dictionary",
}
_MEMBERS = {"int": "whole numbers", "float": "numbers", "str": "strings", "object": "values"}
_MADE_BY = {
    "Target": "so.device('u280')",
    "FifoSizing": "so.FifoSizing(slack=0.05)",
    "Freedom": "so.Freedom()",
    "Schedule": "so.load_schedule(path), or the schedule of a solution",
    "Program": "so.load(path)",
    "VitisSettings": "so.VitisSettings(release='2023.2')",
}
_ANYTHING = {"Any", "object"}


@dataclass(frozen=True, slots=True)
class Kind:
    """A type by its name, and the type of its members where it is a list of them."""

    name: str
    of: tuple[Kind, ...] = ()

    def holds(self, value: object) -> bool:
        """Return whether a value is of this type."""
        test = _HOLDS.get(self.name)
        if test is None:
            return self.name in [each.__name__ for each in type(value).__mro__]
        if not test(value):
            return False
        known = all(kind.name in _HOLDS for kind in self.of)  # and no alias of several types
        if not (self.of and known and isinstance(value, list | tuple | set | frozenset)):
            return True
        members = cast("Iterable[Any]", value)
        return all(any(kind.holds(member) for kind in self.of) for member in members)

    @property
    def words(self) -> str:
        """Return the type in words."""
        own = _WORDS.get(self.name, f"a {self.name}")
        if not self.of:
            return own
        member = self.of[0].name
        return f"{own} of {_MEMBERS.get(member, f'{member}s')}"

    def instead(self, value: object) -> str:
        """Return what to write for a value of another type; empty if nobody knows."""
        if self.name in ("int", "float") and isinstance(value, str):
            try:
                return f"{int(value)}" if self.name == "int" else f"{float(value)}"
            except ValueError:
                return ""
        if self.name in ("Iterable", "Sequence") and isinstance(value, str):
            return repr([value])
        return _MADE_BY.get(self.name, "")


@cache
def kinds_of(annotation: str) -> tuple[Kind, ...]:
    """Return the types of an annotation, such as ``int | None``; none where it may be anything.

    Examples
    --------
    >>> [kind.name for kind in kinds_of("Graph | PathLike[str] | None")]
    ['Graph', 'PathLike', 'None']
    """
    return tuple(_members(ast.parse(annotation, mode="eval").body))


def _members(node: ast.expr) -> list[Kind]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [*_members(left), *_members(right)]
        case ast.Constant(value=str(text)):
            return [*kinds_of(text)]
        case ast.Constant():
            return [Kind("None")]
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            lists = name in ("Iterable", "Sequence")
            return [Kind(name, tuple(_members(inner)) if lists else ())]
        case ast.Attribute(attr=name) | ast.Name(id=name) if name not in _ANYTHING:
            return [Kind(name)]
        case _:
            return []
