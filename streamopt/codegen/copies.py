"""The loops over all elements of an array, which copy one an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.tree import For, Item, Pragma, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["element_loops"]


def element_loops(
    shape: Sequence[int], unique: Callable[[str], str], copied: Callable[[str], str]
) -> Item:
    """Return a pipelined nest around a statement; dimensions of one element have no loop.

    Parameters
    ----------
    unique
        From a wished to a free name of an iterator.
    copied
        From the subscripts of an element, for instance ``[d0][0]``, to the statement.
    """
    names = [unique(f"d{at}") if extent > 1 else "0" for at, extent in enumerate(shape)]
    item: Item = Statement(copied("".join(f"[{name}]" for name in names) or "[0]"))
    loops = [(name, extent) for name, extent in zip(names, shape, strict=True) if extent > 1]
    inner: tuple[Item, ...] = (Pragma("pipeline II=1"), item) if loops else (item,)
    for name, extent in reversed(loops):
        inner = (For(name, extent, inner),)
    return inner[0]
