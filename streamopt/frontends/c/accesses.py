"""Array elements: which part of which variable an expression names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c import expressions
from streamopt.frontends.c.rendering import shown
from streamopt.frontends.c.symbols import Broken, Counter, Known, Pending, Stored
from streamopt.frontends.c.tree import Name, Number, Subscript, Unary
from streamopt.frontends.names import did_you_mean
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.tree import Node

__all__ = ["element_of", "part_of"]

_AFFINE_HINT = "a subscript is a sum of iterators times constants, or such a sum / or % a constant"


def element_of(node: Node, state: State) -> tuple[Access, Stored] | None:
    """Return the element that an expression names; None where a problem was reported."""
    part = part_of(node, state)
    if part is None:
        return None
    if part.shape:
        wanted, found = len(part.prefix) + len(part.shape), len(part.prefix)
        message = f"{part.variable} has {_counted(wanted, 'dimension')}, but "
        message += f"{shown(node)} has {_counted(found, 'subscript')}"
        state.report("E138", message, node, "subscript every dimension")
        return None
    return Access(part.variable, part.prefix), part


def part_of(node: Node, state: State) -> Stored | None:
    """Return the variable, or the part of one, that an expression names."""
    indices: list[Node] = []
    base = node
    while isinstance(base, Subscript | Unary):
        if isinstance(base, Subscript):
            indices.append(base.index)
            base = base.base
        elif base.op == "*":
            indices.append(Number(0, ElementType.INT32, base.loc))
            base = base.operand
        else:
            break
    whole = _variable(base, node, state)
    subscripts = [_subscript(index, node, state) for index in reversed(indices)]
    if whole is None or None in subscripts:
        return None
    known = [subscript for subscript in subscripts if subscript is not None]
    shape = whole.shape
    if not shape and isinstance(node, Unary | Subscript) and known == [Affine()]:
        return whole
    if len(known) > len(shape):
        dimensions = len(whole.prefix) + len(shape)
        message = f"{whole.variable} has {_counted(dimensions, 'dimension')}, but "
        message += f"{shown(node)} has {_counted(len(whole.prefix) + len(known), 'subscript')}"
        state.report("E138", message, node)
        return None
    if not _is_inside(known, whole, node, state):
        return None
    return replace(whole, prefix=(*whole.prefix, *known), shape=shape[len(known) :])


def _is_inside(known: list[Affine], whole: Stored, node: Node, state: State) -> bool:
    for subscript, extent in zip(known, whole.shape, strict=False):
        if not subscript.terms and not 0 <= subscript.constant < extent:
            message = f"{shown(node)} reaches {subscript.constant}, but the extent is {extent}"
            state.report("E138", message, node, "change the subscript or the shape")
            return False
    return True


def _variable(base: Node, node: Node, state: State) -> Stored | None:
    if not isinstance(base, Name):
        hint = "subscript an array by its name: A[i][j]"
        state.report("E135", f"{shown(node)} is not an array element", node, hint)
        return None
    symbol = state.scope.find(base.name)
    match symbol:
        case Stored():
            return symbol
        case None:
            hint = did_you_mean(base.name, state.scope.names())
            state.report("E137", f"'{base.name}' is not declared", base, hint)
        case Known() | Counter() | Pending():
            state.report("E138", f"{shown(node)}: {base.name} is not an array", node)
        case Broken():
            pass
    return None


def _subscript(index: Node, node: Node, state: State) -> Affine | None:
    value = expressions.value_of(index, state)
    if value is None:
        return None
    if value.affine is not None:
        return state.in_loop_order(value.affine)
    if not value.is_integer:
        message = f"subscript {shown(index)} of {shown(node)} is not an integer"
        state.report("E138", message, index)
        return None
    message = f"subscript {shown(index)} of {shown(node)} is not affine"
    hint = expressions.open_hint(index, state)
    state.report("E134" if hint else "E136", message, index, hint or _AFFINE_HINT)
    return None


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
