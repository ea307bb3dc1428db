"""Whether an access names every element at most once: seen from its text, else by trying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Iter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access

__all__ = ["touches_once"]


def touches_once(access: Access, trip_counts: Mapping[str, int], shape: Sequence[int]) -> bool:
    """Return whether different values of the access's own iterators touch different elements.

    False also where that takes too long to find out.
    """
    if _is_plain(access):
        return True
    from streamopt.analysis.coverage import TooLargeError, is_injective

    try:
        return is_injective(access, trip_counts, shape)
    except (TooLargeError, IndexError):
        return False


def _is_plain(access: Access) -> bool:
    """Return whether every subscript is a constant or has an iterator of its own alone."""
    names: list[str] = []
    for subscript in access.subscripts:
        match subscript.terms:
            case ():
                pass
            case ((Iter(name), _),):
                names.append(name)
            case _:
                return False
    return len(set(names)) == len(names)
