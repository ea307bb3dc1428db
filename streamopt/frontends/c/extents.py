"""Extents: of pointers, how far the function reaches behind them; of arrays, whether it does.

``float *a`` with ``a[i * 8 + k]``, i below 6 and k below 8, has 48 elements.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.frontends.c.reach import accesses_of, interval_in

if TYPE_CHECKING:
    from collections.abc import Hashable

    from streamopt.frontends.c.reach import Context
    from streamopt.frontends.c.state import State
    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access

__all__ = ["OPEN", "close_extents"]

OPEN = 2**31 - 1
"""Stands for the first extent of a pointer until all of the function is read."""

_MAX_EXACT = 1000
"""So many subscripts are looked at exactly; the rest is taken for granted."""


def close_extents(state: State) -> None:
    """Give pointers the extents that their uses need, and report what reaches out of arrays.

    Pointers that are never used are forgotten.
    """
    reached: dict[str, tuple[int, int]] = {}
    seen: set[tuple[str, int, Affine, Hashable]] = set()
    for access, context in accesses_of(state.blocks[0]):
        variable = state.variables[access.array]
        is_pointer = access.array in state.pointers
        for place, subscript in enumerate(access.subscripts):
            is_open = is_pointer and place == 0
            low, high = subscript.interval(state.ranges)
            is_inside = low >= 0 and high < variable.shape[place]
            key = (access.array, place, subscript, context.key)
            if key in seen or (is_inside and not is_open):
                continue
            is_exact = len(seen) < _MAX_EXACT
            seen.add(key)
            ends = interval_in(subscript, context, state.ranges, is_exact=is_exact)
            if ends is not None and is_open:
                before = reached.get(access.array, ends)
                reached[access.array] = min(before[0], ends[0]), max(before[1], ends[1])
            elif ends is not None and is_exact and context.is_certain:
                _check(access, place, ends, context, state)
    for name in state.pointers:
        _close(name, reached.get(name), state)


def _check(
    access: Access, place: int, ends: tuple[int, int], context: Context, state: State
) -> None:
    extent = state.variables[access.array].shape[place]
    far = ends[0] if ends[0] < 0 else ends[1]
    if not 0 <= far < extent and context.loc is not None:
        message = f"subscript {access.subscripts[place]} of {access} reaches {far}, "
        message += f"but the extent is {extent}"
        state.report("E138", message, context.loc, "change the loops, the subscript or the shape")


def _close(name: str, ends: tuple[int, int] | None, state: State) -> None:
    variable = state.variables[name]
    loc = variable.loc
    assert loc is not None
    if ends is None:
        del state.variables[name]
        return
    low, high = ends
    shape = (high + 1, *variable.shape[1:])
    if low < 0:
        message = f"{name} is a pointer, but element {low} before it is used"
        state.report("E138", message, loc, "let the subscripts begin at 0")
    elif prod(shape) >= OPEN:
        state.report("E139", f"{name} is too large", loc, "make it smaller")
    state.variables[name] = replace(variable, shape=shape)
