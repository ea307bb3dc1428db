"""Integers that only some iterations change, by conditions on the iterators.

Before::

    for (r = 0; r < 10; r++) for (c = 0; c < 18; c++)
        if (r >= 2 && c < 16) y[r][c] = s[n++];

After::

    for (r = 0; r < 10; r++) for (c = 0; c < 18; c++)
        if (r >= 2 && c < 16) y[r][c] = s[16 * (r - 2) + c];

The value has this form where the condition holds, and there alone it is used. Each part of the
condition is tried for every value of the variable that it names: those for which it holds have to
be evenly spaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import running
from streamopt.frontends.c.statements.headers import constant_header
from streamopt.frontends.c.symbols import Known, Moving, Stored
from streamopt.frontends.c.syntax.trees import base_name, items_of, walked
from streamopt.frontends.c.syntax.usage import (
    assigned_target,
    counted_name,
    names_in,
    referenced_in,
)
from streamopt.frontends.c.values import conditions
from streamopt.frontends.c.values.value import CValue, affine_value, integer
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import Range, type_range

MAX_TRIED = 8192
"""Values of a loop's variable for which conditions are tried."""


@dataclass(frozen=True, slots=True)
class GuardedLoop:
    """A loop with constant bounds whose body is looked at."""

    name: str
    """Its variable."""
    values: range
    iterations: Affine
    """How often it has run."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """The values of integers where they are changed, and after the loop."""

    inside: Mapping[str, tuple[CValue, ast.Node]]
    """By variable: the value where a statement changes it, and that statement."""
    always: Mapping[str, CValue]
    """The value at the start of every iteration, where each changes it by as much."""
    after: Mapping[str, CValue]


@dataclass(frozen=True, slots=True)
class _ChangePath:
    """The way from a body to the only change of a variable."""

    amount: int
    conditions: tuple[ast.Node, ...]
    loops: tuple[ast.For, ...]
    change: ast.Node


def guarded_in(
    body: Sequence[ast.Node], loop: GuardedLoop | None, names: Sequence[str], state: ReadingState
) -> Guarded:
    """Return the integers that some iterations of a loop change.

    To be asked where the loop's own variable is declared already.
    """
    inside: dict[str, tuple[CValue, ast.Node]] = {}
    always: dict[str, CValue] = {}
    after: dict[str, CValue] = {}
    if loop is None or len(loop.values) > MAX_TRIED:
        return Guarded(inside, always, after)
    changed = changed_in(body, state)
    for name in names:
        symbol = state.scope.find(name)
        place = symbol.place if isinstance(symbol, Moving) else symbol
        if not isinstance(place, Stored):
            continue
        variable = place.variable
        outer = state.integers.inside.get(variable)
        start = state.integers.now.get(variable) or (outer[0] if outer else None)
        if start is None or start.affine is None:
            continue
        path = _path(body, name, state)
        if path is None or (outer is not None and outer[1] is not path.change):
            continue
        value, last, is_uniform = _values(path, start, loop, changed, state)
        if is_uniform and value is not None and variable in state.integers.now:
            always[variable] = value
        if value is not None:
            inside[variable] = value, path.change
        if last is not None and variable in state.integers.now:
            after[variable] = last
    return Guarded(inside, always, after)


def changed_in(body: Sequence[ast.Node], state: ReadingState) -> set[str]:
    """Return the names that have other values in other iterations."""
    nodes = [*walked(*body)]
    found = {node.name or "" for node in nodes if isinstance(node, ast.Decl)}
    for node in nodes:
        target = assigned_target(node)
        if isinstance(node, ast.UnaryOp) and node.op == "&":
            target = node.expr
        found |= set() if target is None else {*base_name(target)}
        if isinstance(node, ast.FuncCall):
            found |= referenced_in(node, state.file.functions)
    return found


def is_changed_in(side: ast.Node | None, change: ast.Node) -> bool:
    """Return whether a branch has a statement, outside of branches and loops of its own."""
    waiting = [side]
    while waiting:
        node = waiting.pop()
        if node is change:
            return True
        if node is None or isinstance(node, ast.If | ast.For | ast.While):
            continue
        waiting += [part for _, part in node.children()]
    return False


def _path(body: Sequence[ast.Node], name: str, state: ReadingState) -> _ChangePath | None:
    flat = [part for item in body for part in running.pieces(item)]
    touching = [item for item in flat if running.touches(item, name, state)]
    if len(touching) != 1:
        return None
    match touching[0]:
        case ast.If(cond=condition, iftrue=then, iffalse=otherwise):
            sides = [
                side is not None and running.touches(side, name, state)
                for side in (then, otherwise)
            ]
            if sides[0] == sides[1]:
                return None
            items = items_of(then if sides[0] else otherwise)
            own = tuple(_joined(condition, holds=sides[0]))
            inner = _path(items, name, state)
            if inner is not None:
                both = (*own, *inner.conditions)
                return _ChangePath(inner.amount, both, inner.loops, inner.change)
            change = running.change_by(items, name, state)
            if change is None or change.modulus or change.divisor != 1:
                return None
            changing = [part for item in items for part in running.pieces(item)]
            first = next(part for part in changing if running.touches(part, name, state))
            return _ChangePath(change.amount, own, (), first)
        case ast.For(stmt=inside) as loop:
            inner = _path(running.once_through(inside), name, state)
            if inner is None:
                return None
            return _ChangePath(inner.amount, inner.conditions, (loop, *inner.loops), inner.change)
        case _:
            return None


def _joined(condition: ast.Node, *, holds: bool) -> Iterator[ast.Node]:
    """Yield the conditions that all hold where one holds, or where it does not."""
    match condition:
        case ast.UnaryOp(op="!", expr=operand):
            yield from _joined(operand, holds=not holds)
        case ast.BinaryOp(op="&&" | "||" as op, left=left, right=right) if (op == "&&") == holds:
            yield from _joined(left, holds=holds)
            yield from _joined(right, holds=holds)
        case _:
            yield condition if holds else ast.UnaryOp("!", condition, condition.coord)


def _values(
    path: _ChangePath, start: CValue, loop: GuardedLoop, changed: set[str], state: ReadingState
) -> tuple[CValue | None, CValue | None, bool]:
    """Return the value where the variable is changed, and after the loop, if they are known.

    The last tells whether every iteration changes it.
    """
    assert start.affine is not None
    sorted_out = _sorted(path, loop, changed)
    amount = None if sorted_out is None else _times_inside(path, sorted_out, state)
    if sorted_out is None or amount is None:
        return None, None, False
    own, others = sorted_out[loop.name], sorted_out[""]
    times = _holding(own, loop.name, loop.values, state)
    if times is None:
        return None, None, False
    gap = times[1] - times[0] if len(times) > 1 else 1
    if any(later - one != gap for one, later in pairwise(times)):
        return None, None, False
    total = len(times) * amount
    value = last = None
    if times:
        done = (loop.iterations - Affine.of(times[0])).floordiv(gap)
        value = _bounded(start.affine + done.scaled(amount), start, total, state)
    if not others:
        last = _bounded(start.affine + Affine.of(total), start, total, state)
    return value, last, not own and not others


def _sorted(
    path: _ChangePath, loop: GuardedLoop, changed: set[str]
) -> Mapping[str, Sequence[ast.Node]] | None:
    """Return the conditions of a path by the variable of a loop that they name, others by "".

    None where one names two of them, or what changes otherwise.
    """
    known = {"", loop.name, *(counted_name(one) or "" for one in path.loops)}
    named = [(condition, names_in(condition) & known) for condition in path.conditions]
    if any(len(found) > 1 for _, found in named) or names_in(*path.conditions) & changed - known:
        return None
    return {name: [one for one, found in named if name in (found or {""})] for name in known}


def _times_inside(
    path: _ChangePath, found: Mapping[str, Sequence[ast.Node]], state: ReadingState
) -> int | None:
    """Return by how much one iteration changes the variable, all loops inside of it run."""
    amount = path.amount
    for one in path.loops:
        name = counted_name(one)
        header = None if name is None else constant_header(one, state)
        if header is None or name is None or len(range(*header)) > MAX_TRIED:
            return None
        times = _holding(found[name], name, range(*header), state)
        if times is None:
            return None
        amount *= len(times)
    return amount


def _bounded(value: Affine, start: CValue, total: int, state: ReadingState) -> CValue | None:
    assert start.affine is not None
    low, high = start.affine.interval(state.loops.ranges)
    reach = Range(low + min(total, 0), high + max(total, 0))
    fits = reach.within(type_range(start.element))
    return affine_value(value, start.element, reach) if fits else None


def _holding(
    tried: Sequence[ast.Node], name: str, values: range, state: ReadingState
) -> list[int] | None:
    """Return the iterations in which conditions hold; None where they depend on more."""
    if not tried:
        return [*range(len(values))]
    found: list[int] = []
    with state.scope.block(), state.unreported():
        for at, value in enumerate(values):
            state.scope.declare(name, Known(integer(value), is_iterator=True))
            for condition in tried:
                holds = conditions.condition_of(condition, state)
                if not isinstance(holds, bool):
                    return None
                if not holds:
                    break
            else:
                found.append(at)
    return found
