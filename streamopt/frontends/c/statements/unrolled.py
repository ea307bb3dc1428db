"""Loops that are written out, each turn with the integers that it has.

Before::

    for (h = 1; h < 8; h *= 2) for (i = 0; i < h; i++) a[i] += a[i + h];

After::

    for (i = 0; i < 1; i++) a[i] += a[i + 1];
    for (i = 0; i < 2; i++) a[i] += a[i + 2];
    for (i = 0; i < 4; i++) a[i] += a[i + 4];

That is tried where a loop can't be read as one: what is computed from its integers may be affine in
each turn alone, as with halved spans, alternating buffers, neighbours by number, and flags. A loop
whose first form has a problem is read as if that had never been tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.running import turn_of
from streamopt.frontends.c.statements.sequences import declared_counter, read_sequences
from streamopt.frontends.c.syntax.trees import jumps_in, walked
from streamopt.frontends.c.syntax.usage import counted_name, names_in
from streamopt.frontends.c.values import conditions

MOST_TURNS = 64
"""Of a loop that is written out."""
MAX_TURNS = 2_048
"""Of all loops of a function that are written out, trials in vain among them."""
_MENDED = {"E134", "E135", "E136", "E138"}
"""Problems that may go where integers are known."""
Emit = Callable[[ast.For | ast.While, Sequence[ast.Node], ReadingState, str], bool]
"""Emits a loop whose turns do some statements; returns whether that is possible."""


def tried(
    loop: ast.For | ast.While, read: Callable[[], bool], state: ReadingState, label: str
) -> bool:
    """Read a loop by a function, or else in other ways; return whether that could be done.

    If none can, it is read by the function, which then may compare places one by one.
    """

    def in_turns(emit: Emit) -> bool:
        turn = turn_of(loop)
        ends_early = any(jumps_in(one, kind) for one in turn for kind in (ast.Break, ast.Continue))
        with suppress(LimitError), state.scope.block():
            is_declared = not isinstance(loop, ast.For) or declared_counter(loop, state)
            return not ends_early and is_declared and emit(loop, turn, state, label)
        return False

    sequences, turns = partial(in_turns, read_sequences), partial(in_turns, _is_written_out)
    ways = [read, sequences, turns]
    if isinstance(loop, ast.For) and _chooses_places(loop):
        ways = [turns, read, sequences]
    may_compare, state.loops.may_compare = state.loops.may_compare, False
    before = state.saved()
    after, problems = before, Problems()
    for way in ways:
        with state.unreported() as found:
            is_read = way()
        if is_read and not found.found:
            state.loops.may_compare = may_compare
            return True
        if way is read:
            after, problems = state.saved(), found
            if not {one.code for one in problems.found} <= _MENDED:
                break
        before()
    state.loops.may_compare = may_compare
    if may_compare:
        before()
        return read()
    after()
    for one in problems.found:
        state.problems.report(one.code, one.message, one.loc, one.hint)
    return bool(problems.found)


def _is_written_out(
    loop: ast.For | ast.While, turn: Sequence[ast.Node], state: ReadingState, _: str
) -> bool:
    """Emit the turns of a loop as long as its condition holds; return whether there is a last."""
    for turns in range(MOST_TURNS + 1):
        holds = None if loop.cond is None else conditions.condition_of(loop.cond, state)
        state.loops.written_out += 1
        if holds is False:
            return turns > 0
        if holds is not True or state.loops.written_out > MAX_TURNS:
            return False
        with state.scope.block():
            statements.read_all(turn, state)
        if state.problems.found:
            return False
    return False


def _chooses_places(item: ast.For) -> bool:
    """Return whether one of several numbers, by a loop's variable, is in subscripts.

    ::

        for (n = 0; n < 4; n++) { y = row + (n == 0 ? -1 : n == 1 ? 1 : 0); sum += image[y][col]; }
    """
    name, placed = counted_name(item) or "", set[str]()
    nodes = [*walked(item.stmt)]

    def is_placed(node: ast.Node) -> bool:
        return any(
            (isinstance(part, ast.TernaryOp) and _is_listed(part, name))
            or (isinstance(part, ast.ID) and part.name in placed)
            for part in walked(node)
        )

    before = -1
    while before < len(placed):
        before = len(placed)
        for node in nodes:
            match node:
                case (
                    ast.Assignment(lvalue=ast.ID(name=target), rvalue=ast.Node() as value)
                    | ast.Decl(name=str(target), init=ast.Node() as value)
                ) if target not in placed and is_placed(value):
                    placed.add(target)
                case _:
                    pass
    return any(is_placed(node.subscript) for node in nodes if isinstance(node, ast.ArrayRef))


def _is_listed(node: ast.Node | None, name: str) -> bool:
    """Return whether a node is a number, or one of several by a variable."""
    match node:
        case ast.TernaryOp(cond=asked, iftrue=then, iffalse=otherwise):
            return name in names_in(asked) and all(_is_listed(s, name) for s in (then, otherwise))
        case ast.UnaryOp(op="-", expr=operand):
            return isinstance(operand, ast.Constant)
        case _:
            return isinstance(node, ast.Constant)
