"""What local integers hold at a place of the text, where that is made of iterators alone.

Here ``r + j`` is affine, because ``r`` holds ``i * 8``::

    int i, j, r;
    for (i = 0; i < 8; i++) {
        r = i * 8;
        for (j = 0; j < 8; j++)
            b[r + j] = a[r + j];
    }

A loop forgets at its start and at its end what it assigns. Behind a branch a variable holds one
value or the other by the condition, if that depends on iterators alone. Assignments that nothing
reads any more are left out at the end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c.symbols import Stored
from streamopt.frontends.c.syntax.tree import Assignment, Call, Declaration, Increment, Unary
from streamopt.frontends.c.syntax.usage import base_name, walked
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.cases import is_of_iterators
from streamopt.frontends.c.values.operations import selected
from streamopt.frontends.c.values.value import Value, ValueProblem, converted_value
from streamopt.ir.expression import reads
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import Node, Statement
    from streamopt.frontends.c.values.conditions import Truth
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access
    from streamopt.ir.source import Item

__all__ = [
    "assigned_variables",
    "behind_branch",
    "hold",
    "known_value",
    "without_unread",
]

MAX_KNOWN_NODES = 40
"""Of an integer made of iterators that is put in place of its name."""

Held = dict[str, Value]


def known_value(value: Value, element: ElementType, *, is_bool: bool = False) -> Value | None:
    """Return what a variable holds that a value is given to, if iterators alone decide it."""
    if element.is_float or not value.is_integer:
        return None
    if value.constant is not None:
        try:
            return converted_value(expressions.as_truth(value) if is_bool else value, element)
        except ValueProblem:
            return None
    if is_bool:
        return None
    if value.affine is not None:
        return converted_value(value, element)
    if value.element != element:
        return None
    is_known = value.choice is not None or is_of_iterators(value.tree, MAX_KNOWN_NODES)
    return value if is_known else None


def hold(access: Access, stored: Stored, value: Value, state: State) -> None:
    """Note what a variable holds after an assignment."""
    name = access.array
    if access.subscripts or stored.element.is_float or name in state.lasting:
        return
    known = None
    if not state.variables[name].is_argument:
        known = known_value(value, stored.element, is_bool=stored.is_bool)
    if known is None:
        state.held.pop(name, None)
    else:
        state.held[name] = known
        state.followed.add(name)


def assigned_variables(body: Statement, state: State) -> set[str]:
    """Return the variables outside of a statement that it may assign."""
    names: set[str] = set()
    for node in walked(body):
        match node:
            case Assignment(_, target) | Increment(target) | Unary("&", target):
                names.update(base_name(target))
            case Call(_, arguments):
                names.update(name for argument in arguments for name in base_name(argument))
            case Declaration(value=value, type=use) if value is not None and use.extents:
                names.update(base_name(value))
            case _:
                pass
    symbols = (state.scope.find(name) for name in names)
    return {symbol.variable for symbol in symbols if isinstance(symbol, Stored)}


def behind_branch(
    condition: Node, truth: Truth, sides: tuple[Held, Held], before: Held, state: State
) -> Held:
    """Return what variables hold where two branches meet again."""
    then, otherwise = sides
    found: Held = {}
    for name, value in then.items():
        other = otherwise.get(name)
        if other is None:
            continue
        if value is other or (value.tree, value.element) == (other.tree, other.element):
            found[name] = value
            continue
        joined = selected(truth.tree, truth.size, value, other)
        state.held = before
        choice = expressions.choice_of(condition, value, other, state)
        joined = replace(joined, choice=choice)
        known = known_value(joined, state.variables[name].element)
        if known is not None and is_of_iterators(truth.tree, MAX_KNOWN_NODES):
            found[name] = known
    return found


def without_unread(items: Sequence[Item], state: State) -> tuple[Item, ...]:
    """Return a body without assignments of followed variables that nothing reads."""
    unread = state.followed - {*_read_names(items)}
    for name in unread:
        del state.variables[name]
    return tuple(_kept(items, unread)) if unread else tuple(items)


def _read_names(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        match item:
            case RangeLoop(body=body):
                yield from _read_names(body)
            case Branch(condition, then, otherwise):
                yield from (access.array for access in reads(condition))
                yield from _read_names((*then, *otherwise))
            case Assign(_, value):
                yield from (access.array for access in reads(value))


def _kept(items: Sequence[Item], unread: set[str]) -> Iterator[Item]:
    for item in items:
        match item:
            case RangeLoop(body=body):
                inner = tuple(_kept(body, unread))
                if inner:
                    yield replace(item, body=inner)
            case Branch(_, then, otherwise):
                first, second = tuple(_kept(then, unread)), tuple(_kept(otherwise, unread))
                if first or second:
                    yield replace(item, then=first, otherwise=second)
            case Assign(target) if target.array in unread:
                pass
            case _:
                yield item
