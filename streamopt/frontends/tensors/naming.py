"""Legal, unique and readable names for arrays, nests and iterators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.formats.names import is_reserved

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["UniqueNames", "iterator_names", "legal_name", "legal_title"]

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
