"""Extents of pointers: how far the function reaches behind each of them.

``float *a`` with ``a[i * 8 + k]``, i below 6 and k below 8, has 48 elements.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, TypeAlias, assert_never

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Index,
    Literal,
    Logic,
    LogicOp,
    conditional_reads,
    is_affine_condition,
    negated,
)
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamopt.frontends.c.state import State
    from streamopt.ir.expression import Access, Condition, Expression
    from streamopt.ir.source import Item

__all__ = ["OPEN", "close_extents"]

OPEN = 2**31 - 1
"""Stands for the first extent of a pointer until all of the function is read."""

_MAX_EXACT = 1000
"""So many accesses are looked at exactly; bounds of the others may come out too large."""

_Context: TypeAlias = "tuple[RangeLoop | Condition, ...]"


def close_extents(state: State) -> None:
    """Give pointers the extents that their uses need, and forget those without uses."""
    if not state.pointers:
        return
    reached: dict[str, tuple[int, int]] = {}
    seen: set[tuple[Affine, _Context]] = set()
    for access, context in _accesses(state.blocks[0], ()):
        if access.array not in state.pointers or (access.subscripts[0], context) in seen:
            continue
        is_exact = len(seen) < _MAX_EXACT
        seen.add((access.subscripts[0], context))
        ends = _interval(access.subscripts[0], context, state, is_exact=is_exact)
        if ends is not None:
            low, high = reached.get(access.array, ends)
            reached[access.array] = min(low, ends[0]), max(high, ends[1])
    for name in state.pointers:
        _close(name, reached.get(name), state)


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


def _accesses(items: Iterable[Item], context: _Context) -> Iterator[tuple[Access, _Context]]:
    """Yield every access with the loops and affine conditions around it, outermost first."""
    for item in items:
        match item:
            case RangeLoop(body=body):
                yield from _accesses(body, (*context, item))
            case Branch(condition, then, otherwise):
                yield from _reads(condition, context)
                known = is_affine_condition(condition)
                yield from _accesses(then, (*context, condition) if known else context)
                other = (*context, negated(condition)) if known else context
                yield from _accesses(otherwise, other)
            case Assign(target, value):
                yield from _reads(value, context)
                yield target, context


def _reads(value: Expression, context: _Context) -> Iterator[tuple[Access, _Context]]:
    for access, conditions in conditional_reads(value):
        yield access, (*context, *conditions)


def _interval(
    subscript: Affine, context: _Context, state: State, *, is_exact: bool
) -> tuple[int, int] | None:
    """Return the lowest and highest value of a subscript; None where it is never reached."""
    box = subscript.interval(state.ranges)
    is_box = all(
        isinstance(part, RangeLoop) and not any(bound.terms for bound in (*part.lower, *part.upper))
        for part in context
    ) and all(isinstance(atom, Iter) for atom, _ in subscript.terms)
    return box if is_box or not is_exact else _exact_interval(subscript, context)


def _exact_interval(subscript: Affine, context: _Context) -> tuple[int, int] | None:
    import islpy

    loops = [part for part in context if isinstance(part, RangeLoop)]
    names = {loop.iterator: f"c{position}" for position, loop in enumerate(loops)}
    constraints = [f"s = {_affine(subscript, names)}"]
    for part in context:
        if isinstance(part, RangeLoop):
            own = names[part.iterator]
            constraints += [f"{_affine(bound, names)} <= {own}" for bound in part.lower]
            constraints += [f"{own} < {_affine(bound, names)}" for bound in part.upper]
        else:
            constraints.append(_condition(part, names))
    exists = f"exists ({', '.join(names.values())}: " if names else "("
    reached = islpy.Set(f"{{ [s] : {exists}{' and '.join(constraints)}) }}")
    if reached.is_empty():
        return None
    return reached.dim_min_val(0).to_python(), reached.dim_max_val(0).to_python()


def _affine(value: Affine, names: dict[str, str]) -> str:
    parts = [str(value.constant)]
    for atom, factor in value.terms:
        match atom:
            case Iter(name):
                text = names[name]
            case FloorDiv(inner, divisor):
                text = f"floor(({_affine(inner, names)})/{divisor})"
            case Mod(inner, divisor):
                text = f"(({_affine(inner, names)}) mod {divisor})"
            case _:
                assert_never(atom)
        parts.append(f"{factor} * {text}")
    return " + ".join(parts)


def _condition(condition: Condition, names: dict[str, str]) -> str:
    match condition:
        case Compare(op, left, right):
            sign = "=" if op == CompareOp.EQ else op.value
            return f"({_side(left, names)} {sign} {_side(right, names)})"
        case Logic(op, operands):
            joint = " and " if op == LogicOp.AND else " or "
            return f"({joint.join(_condition(operand, names) for operand in operands)})"


def _side(side: Expression, names: dict[str, str]) -> str:
    match side:
        case Index(value):
            return _affine(value, names)
        case Literal(value):
            return str(int(value))
        case _:
            raise AssertionError("an affine condition has affine sides")
