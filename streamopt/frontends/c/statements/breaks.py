"""Loops that are left early: an integer says whether they go on, and one where they were left."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.assignments import assign
from streamopt.frontends.c.syntax.jumps import with_notes, without_jumps
from streamopt.frontends.c.values.value import integer
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access


def with_flag(
    body: ast.Node | None, loop: ast.Node, state: ReadingState, also: Sequence[ast.Node] = ()
) -> tuple[ast.ID, list[ast.Node]]:
    """Declare an integer that is 0 behind a ``break``; return it, and a body that sets it."""
    loc = state.file.loc(loop)
    stored = state.source.add_variable("going", (), ElementType.INT32, loc)
    state.scope.declare(stored.variable, stored)
    assign(Access(stored.variable, ()), stored, integer(1), state, loc)
    items = with_notes([] if body is None else [body], ast.Break, stored.variable, also)
    return ast.ID(stored.variable, loop.coord), without_jumps(items, ast.Continue)


def place_of_break(name: str, loop: ast.For, state: ReadingState) -> ast.Assignment:
    """Declare an integer; return how it gets what counts a loop, where the loop is left early."""
    loc, at = state.file.loc(loop), loop.coord
    stored = state.source.add_variable("left", (), ElementType.INT32, loc)
    state.scope.declare(stored.variable, stored)
    assign(Access(stored.variable, ()), stored, integer(0), state, loc)
    return ast.Assignment("=", ast.ID(stored.variable, at), ast.ID(name, at), at)
