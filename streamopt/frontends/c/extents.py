"""Extents: of pointers, how far the function reaches behind them; of arrays, whether it does.

``float *a`` with ``a[i * 8 + k]``, i below 6 and k below 8, has 48 elements; so it has with k below
7, for its last row is as long as the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from math import prod

from streamopt.analysis.addresses.ends import exact_ends, reached_accesses
from streamopt.analysis.instances import StatementInstance, is_certain
from streamopt.frontends.c.state import ReadingState
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access, is_affine_condition
from streamopt.ir.source import RangeLoop

OPEN = 2**31 - 1
"""Stands for the first extent of a pointer until all of the function is read."""

_MAX_EXACT = 1000
"""So many subscripts are looked at exactly; the rest is taken for granted."""


def close_extents(state: ReadingState) -> None:
    """Give pointers the extents that their uses need, and report what reaches out of arrays.

    Pointers that are never used are forgotten.
    """
    reached: dict[str, tuple[int, int]] = {}
    rows: dict[str, int] = {}
    seen: set[tuple[str, int, Affine, Hashable]] = set()
    for access, at in reached_accesses(state.source.blocks[0]):
        variable = state.source.variables[access.array]
        is_pointer = access.array in state.source.pointers
        for place, subscript in enumerate(access.subscripts):
            is_open = is_pointer and place == 0
            if is_open:
                rows[access.array] = max(rows.get(access.array, 1), _row_of(subscript))
            low, high = subscript.interval(state.loops.ranges)
            is_inside = low >= 0 and high < variable.shape[place]
            key = (access.array, place, subscript, (at.iterators, at.guards))
            if key in seen or (is_inside and not is_open):
                continue
            is_exact = len(seen) < _MAX_EXACT
            seen.add(key)
            ends = _interval_in(subscript, at, state.loops.ranges, is_exact=is_exact)
            if ends is not None and is_open:
                before = reached.get(access.array, ends)
                reached[access.array] = min(before[0], ends[0]), max(before[1], ends[1])
            elif ends is not None and is_exact and is_certain(at):
                _check(access, place, ends, at, state)
    for name in state.source.pointers:
        _close(name, reached.get(name), rows.get(name, 1), state)


def _row_of(subscript: Affine) -> int:
    """Return the elements of a row where a subscript counts rows and elements; 1 for others."""
    factors = {abs(factor) for _, factor in subscript.terms}
    return max(factors) if len(factors) > 1 else 1


def _check(
    access: Access,
    place: int,
    ends: tuple[int, int],
    at: StatementInstance,
    state: ReadingState,
) -> None:
    extent = state.source.variables[access.array].shape[place]
    far = ends[0] if ends[0] < 0 else ends[1]
    if not 0 <= far < extent and at.assign.loc is not None:
        message = f"subscript {access.subscripts[place]} of {access} reaches {far}, "
        message += f"but the extent is {extent}"
        state.report("E138", message, at.assign.loc, "change the loops, the subscript or the shape")


def _close(name: str, ends: tuple[int, int] | None, row: int, state: ReadingState) -> None:
    variable = state.source.variables[name]
    loc = variable.loc
    assert loc is not None
    if ends is None:
        del state.source.variables[name]
        return
    low, high = ends
    shape = (-(-(high + 1) // row) * row, *variable.shape[1:])
    if low < 0:
        message = f"{name} is a pointer, but element {low} before it is used"
        state.report("E138", message, loc, "let the subscripts begin at 0")
    elif prod(shape) >= OPEN:
        state.report("E139", f"{name} is too large", loc, "make it smaller")
    state.source.variables[name] = replace(variable, shape=shape)


def _interval_in(
    value: Affine, at: StatementInstance, ranges: Mapping[str, tuple[int, int]], *, is_exact: bool
) -> tuple[int, int] | None:
    """Return the lowest and highest value at a statement; None where that never runs.

    The values in between need not all occur. If it need not be exact, it may be too large.
    """
    box = value.interval(ranges)
    is_box = not any(map(is_affine_condition, at.guards)) and all(map(_is_plain, at.loops))
    is_box = is_box and all(isinstance(atom, Iter) for atom, _ in value.terms)
    return box if is_box or not is_exact else exact_ends(value, at)


def _is_plain(loop: RangeLoop) -> bool:
    """Return whether a loop has constant bounds, and runs."""
    if any(bound.terms for bound in (*loop.lower, *loop.upper)):
        return False
    return max(b.constant for b in loop.lower) < min(b.constant for b in loop.upper)
