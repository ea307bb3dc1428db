"""Pointers that move along arrays: two integers follow them, the number of the array and the place.

Before::

    const float *p = x + 2;
    for (int i = 0; i < 8; i++) { y[i] = *p; p++; }

After::

    int of = 0, at = 2;
    for (int i = 0; i < 8; i++) { y[i] = x[at]; at++; }
"""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.assignments import assign
from streamopt.frontends.c.symbols import Moving, Stored
from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.syntax.usage import change_of, moved_names
from streamopt.frontends.c.values import accesses, expressions
from streamopt.frontends.c.values.value import CValue, fitting_value, integer
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access


def pointer_to(
    part: Stored, item: Declaration, function: CFunction | None, state: ReadingState
) -> Stored | Moving:
    """Return the symbol of a pointer to a part, in a function that may move it."""
    if not part.shape or not is_moved(item, function):
        return part
    pointer = unset_pointer(item, part.element, len(part.shape), state)
    _point(pointer, replace(part, offset=None), part.offset or Affine(), state, item.loc)
    return pointer


def unset_pointer(
    item: Declaration, element: ElementType, rank: int, state: ReadingState
) -> Moving:
    """Return the symbol of a pointer that doesn't point anywhere yet."""
    which, place = (
        state.source.add_variable(f"{item.name}_{what}", (), ElementType.INT32, item.loc)
        for what in ("of", "at")
    )
    return Moving(element, rank, which, place)


def _point(
    pointer: Moving, part: Stored, at: Affine, state: ReadingState, loc: SourceLoc
) -> CValue | None:
    """Emit assignments that let a pointer point so many elements behind the start of a part."""
    known = [number for number, one in enumerate(state.integers.parts) if one.is_same_part(part)]
    if not known:
        state.integers.parts.append(part)
    which, place = pointer.which, pointer.place
    value = fitting_value(at, ElementType.INT32, state.loops.ranges)
    if value is not None:
        number = integer(known[0] if known else len(state.integers.parts) - 1)
        assign(Access(which.variable, ()), which, number, state, loc)
        assign(Access(place.variable, ()), place, value, state, loc)
    return value


def is_moved(item: Declaration, function: CFunction | None) -> bool:
    """Return whether a function lets a pointer of its own point elsewhere later."""
    if function is None or item.type.is_reference:
        return False
    return item.name in moved_names(function)


def move(pointer: Moving, node: ast.Assignment, state: ReadingState) -> None:
    """Emit an assignment to a pointer; report one that moves it by an amount that varies."""
    assert isinstance(node.lvalue, ast.ID)
    loc, name = state.file.loc(node), node.lvalue.name
    change = change_of(node, name)
    to, part = None, state.part_at(pointer)
    if change is not None:
        sign, amount = change
        step = expressions.value_of(amount, state)
        now = state.integers.now.get(pointer.place.variable)
        if step is None:
            return
        if now is not None and now.affine is not None and step.affine is not None:
            to = now.affine + step.affine.scaled(sign)
    elif node.op == "=":
        part = accesses.pointed_part(node.rvalue, state, pointer.rank)
        if part is None:
            return
        if part.element != pointer.element or len(part.shape) != pointer.rank:
            message = f"{shown(node.rvalue)} is nothing that {name} can point at"
            state.report("E138", message, node, "use the array itself")
            return
        to, part = part.offset or Affine(), replace(part, offset=None)
    if to is None or part is None or _point(pointer, part, to, state, loc) is None:
        message = f"{name} points elsewhere later"
        hint = "let it stay, and subscript it; or move it by the same number in every iteration"
        state.report("E135", message, node, hint)
