"""Extents: of pointers, how far the function reaches behind them; of arrays, whether it does.

``float *a`` with ``a[i * 8 + k]``, i below 6 and k below 8, has 48 elements; so it has with k below
7, for its last row is as long as the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from streamopt.errors import SourceLoc
from streamopt.frontends.c.state import ReadingState
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.source import Assign, Branch, Item, RangeLoop
from streamopt.ir.text import isl_affine, isl_condition

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
    for access, context in _accesses_of(state.source.blocks[0]):
        variable = state.source.variables[access.array]
        is_pointer = access.array in state.source.pointers
        for place, subscript in enumerate(access.subscripts):
            is_open = is_pointer and place == 0
            if is_open:
                rows[access.array] = max(rows.get(access.array, 1), _row_of(subscript))
            low, high = subscript.interval(state.loops.ranges)
            is_inside = low >= 0 and high < variable.shape[place]
            key = (access.array, place, subscript, context.key)
            if key in seen or (is_inside and not is_open):
                continue
            is_exact = len(seen) < _MAX_EXACT
            seen.add(key)
            ends = _interval_in(subscript, context, state.loops.ranges, is_exact=is_exact)
            if ends is not None and is_open:
                before = reached.get(access.array, ends)
                reached[access.array] = min(before[0], ends[0]), max(before[1], ends[1])
            elif ends is not None and is_exact and context.is_certain:
                _check(access, place, ends, context, state)
    for name in state.source.pointers:
        _close(name, reached.get(name), rows.get(name, 1), state)


def _row_of(subscript: Affine) -> int:
    """Return the elements of a row where a subscript counts rows and elements; 1 for others."""
    factors = {abs(factor) for _, factor in subscript.terms}
    return max(factors) if len(factors) > 1 else 1


def _check(
    access: ir.Access,
    place: int,
    ends: tuple[int, int],
    context: AccessContext,
    state: ReadingState,
) -> None:
    extent = state.source.variables[access.array].shape[place]
    far = ends[0] if ends[0] < 0 else ends[1]
    if not 0 <= far < extent and context.loc is not None:
        message = f"subscript {access.subscripts[place]} of {access} reaches {far}, "
        message += f"but the extent is {extent}"
        state.report("E138", message, context.loc, "change the loops, the subscript or the shape")


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


@dataclass(frozen=True, slots=True)
class AccessContext:
    """The loops and conditions around an access."""

    loops: tuple[RangeLoop, ...] = ()
    conditions: tuple[ir.Condition, ...] = ()
    """Those that are affine; is_certain tells whether these are all."""
    is_certain: bool = True
    loc: SourceLoc | None = None

    @property
    def key(self) -> Hashable:
        """Return a key that contexts share where an access has the same values."""
        return (*(loop.iterator for loop in self.loops), self.conditions, self.is_certain)

    def under(self, condition: ir.Condition, *, holds: bool) -> AccessContext:
        """Return the context where a condition holds or does not."""
        parts = ir.conjuncts(condition if holds else ir.negated(condition))
        known = tuple(filter(ir.is_affine_condition, parts))
        is_certain = self.is_certain and len(known) == len(parts)
        return replace(self, conditions=(*self.conditions, *known), is_certain=is_certain)


def _accesses_of(
    items: Iterable[Item], context: AccessContext | None = None
) -> Iterator[tuple[ir.Access, AccessContext]]:
    around = context or AccessContext()
    for item in items:
        here = replace(around, loc=item.loc)
        match item:
            case RangeLoop(body=body):
                yield from _accesses_of(body, replace(around, loops=(*around.loops, item)))
            case Branch(condition, then, otherwise):
                yield from _reads(condition, here)
                yield from _accesses_of(then, around.under(condition, holds=True))
                yield from _accesses_of(otherwise, around.under(condition, holds=False))
            case Assign(target, value):
                yield from _reads(value, here)
                yield target, here


def _reads(
    value: ir.Expression, context: AccessContext
) -> Iterator[tuple[ir.Access, AccessContext]]:
    match value:
        case ir.Read(access):
            yield access, context
        case ir.Select(condition, then, otherwise):
            yield from _reads(condition, context)
            yield from _reads(then, context.under(condition, holds=True))
            yield from _reads(otherwise, context.under(condition, holds=False))
        case ir.Logic(op, operands):
            for operand in operands:
                yield from _reads(operand, context)
                context = context.under(operand, holds=op == ir.LogicOp.AND)
        case _:
            for operand in ir.children(value):
                yield from _reads(operand, context)


def _interval_in(
    value: Affine, context: AccessContext, ranges: Mapping[str, tuple[int, int]], *, is_exact: bool
) -> tuple[int, int] | None:
    """Return the lowest and highest value in a context; None where that is never reached.

    The values in between need not all occur. If it need not be exact, it may be too large.
    """
    box = value.interval(ranges)
    is_box = not context.conditions and all(map(_is_plain, context.loops))
    is_box = is_box and all(isinstance(atom, Iter) for atom, _ in value.terms)
    return box if is_box or not is_exact else _exact(value, context)


def _is_plain(loop: RangeLoop) -> bool:
    """Return whether a loop has constant bounds, and runs."""
    if any(bound.terms for bound in (*loop.lower, *loop.upper)):
        return False
    return max(b.constant for b in loop.lower) < min(b.constant for b in loop.upper)


def _exact(value: Affine, context: AccessContext) -> tuple[int, int] | None:
    import islpy

    names = {loop.iterator: f"c{position}" for position, loop in enumerate(context.loops)}
    constraints = [f"s = {isl_affine(value, names)}"]
    for loop in context.loops:
        own = names[loop.iterator]
        constraints += [f"{isl_affine(bound, names)} <= {own}" for bound in loop.lower]
        constraints += [f"{own} < {isl_affine(bound, names)}" for bound in loop.upper]
    constraints += [isl_condition(condition, names) for condition in context.conditions]
    exists = f"exists ({', '.join(names.values())}: " if names else "("
    reached = islpy.Set(f"{{ [s] : {exists}{' and '.join(constraints)}) }}")
    if reached.is_empty():
        return None
    return reached.dim_min_val(0).to_python(), reached.dim_max_val(0).to_python()
