"""Sizes in bytes: ``sizeof`` of types, variables and parts of arrays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.frontends.c.symbols import Stored
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.tree import Name, Subscript, TypeUse, Unary
from streamopt.frontends.c.values import accesses, expressions
from streamopt.frontends.c.values.value import Value, integer
from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import SizeOf

__all__ = ["size_of"]

_SIZE_TYPE = ElementType.UINT64


def size_of(node: SizeOf, state: State) -> Value | None:
    """Return a constant number of bytes; None where a problem was reported."""
    operand = node.operand
    if isinstance(operand, TypeUse):
        return _of_type(operand, node, state)
    base = operand
    while isinstance(base, Subscript | Unary):
        base = base.base if isinstance(base, Subscript) else base.operand
    symbol = state.scope.find(base.name) if isinstance(base, Name) else None
    if not isinstance(symbol, Stored):
        value = expressions.value_of(operand, state)
        return None if value is None else _bytes(value.element, 1)
    part = accesses.part_of(operand, state)
    if part is None:
        return None
    if part.shape and symbol.is_parameter and operand is base:
        hint = "write the number of bytes, or the extent times the size of an element"
        message = f"{shown(node)} is the size of a pointer, because {shown(base)} is a parameter"
        state.report("E135", message, node, hint)
        return None
    return _bytes(part.element, prod(part.shape))


def _of_type(use: TypeUse, node: SizeOf, state: State) -> Value | None:
    if use.element is None or use.is_pointer or None in use.extents:
        state.report("E135", f"{shown(node)} is not supported", node, "write the number itself")
        return None
    numbers = [
        expressions.integer_of(extent, state, "the extent") for extent in use.extents if extent
    ]
    known = [number for number in numbers if number is not None]
    return _bytes(use.element, prod(known)) if len(known) == len(numbers) else None


def _bytes(element: ElementType, count: int) -> Value:
    return integer(element.bits // 8 * count, _SIZE_TYPE)
