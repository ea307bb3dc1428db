"""Pointers that move along an array: where they point at first, and an integer that follows them.

Before::

    const float *p = x + 2;
    for (int i = 0; i < 8; i++) { y[i] = *p; p++; }

After::

    int at = 0;
    for (int i = 0; i < 8; i++) { y[i] = x[2 + at]; at++; }
"""

from __future__ import annotations

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.assignments import assign
from streamopt.frontends.c.symbols import Moving, Stored
from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.syntax.usage import change_of, moved_names
from streamopt.frontends.c.values import accesses, expressions
from streamopt.frontends.c.values.value import fitting_value, integer
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access


def pointer_to(
    part: Stored, item: Declaration, function: CFunction | None, state: ReadingState
) -> Stored | Moving:
    """Return the symbol of a pointer to a part, in a function that may move it."""
    if not part.shape or not is_moved(item, function):
        return part
    place = state.source.add_variable(f"{item.name}_at", (), ElementType.INT32, item.loc)
    assign(Access(place.variable, ()), place, integer(0), state, item.loc)
    return Moving(part, place)


def is_moved(item: Declaration, function: CFunction | None) -> bool:
    """Return whether a function lets a pointer of its own point elsewhere later."""
    if function is None or item.type.is_reference:
        return False
    return item.name in moved_names(function)


def move(pointer: Moving, node: ast.Assignment, state: ReadingState) -> None:
    """Emit an assignment to a pointer; report one that lets it point at another array."""
    assert isinstance(node.lvalue, ast.ID)
    change = change_of(node, node.lvalue.name)
    to = None
    if change is not None:
        sign, amount = change
        step = integer(1) if amount is None else expressions.value_of(amount, state)
        now = state.integers.now.get(pointer.place.variable)
        if step is None:
            return
        if now is not None and now.affine is not None and step.affine is not None:
            to = now.affine + step.affine.scaled(sign)
    elif node.op == "=":
        to = _place_of(pointer, node.rvalue, state)
    ranges = state.loops.ranges
    value = None if to is None else fitting_value(to, ElementType.INT32, ranges)
    if value is None:
        message = f"{node.lvalue.name} points elsewhere later"
        hint = "let it stay, and subscript it; or move it by the same number in every iteration"
        state.report("E135", message, node, hint)
        return
    place, loc = pointer.place, state.file.loc(node)
    assign(Access(place.variable, ()), place, value, state, loc)


def _place_of(pointer: Moving, node: ast.Node, state: ReadingState) -> Affine | None:
    """Return where an expression points along the variable of a pointer; None if elsewhere."""
    found = accesses.pointed_part(node, state, len(pointer.part.shape))
    if found is None or found.variable != pointer.part.variable:
        return None
    if (found.prefix, found.shape) != (pointer.part.prefix, pointer.part.shape):
        return None
    return (found.offset or Affine()) - (pointer.part.offset or Affine())
