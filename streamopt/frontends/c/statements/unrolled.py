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

from collections.abc import Callable

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import Problems
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assign
from streamopt.frontends.c.statements.headers import first_of
from streamopt.frontends.c.statements.running import once_through
from streamopt.frontends.c.symbols import Counter, Stored
from streamopt.frontends.c.syntax.trees import base_name, jumps_in, walked
from streamopt.frontends.c.syntax.usage import counted_name, names_in
from streamopt.frontends.c.values import conditions, expressions
from streamopt.ir.expression import Access

MOST_TURNS = 64
"""Of a loop that is written out."""
MAX_TURNS = 2_048
"""Of all loops of a function that are written out, trials in vain among them."""
_MENDED = {"E134", "E135", "E136", "E138"}
"""Problems that may go where integers are known."""


def tried(
    loop: ast.For | ast.While, read: Callable[[ast.For | ast.While], bool], state: ReadingState
) -> bool:
    """Read a loop by a function, or else written out; return whether that could be done.

    If neither can, all is as the function leaves it.
    """
    is_placed = isinstance(loop, ast.For) and _is_placed_by_table(loop, state)
    ways = [read, lambda loop: _is_written_out(loop, state)]
    first, second = ways[::-1] if is_placed else ways
    before = state.saved()
    found, problems = _attempted(first, loop, state)
    if not found and {one.code for one in problems.found} <= _MENDED:
        after = state.saved()
        before()
        other = _attempted(second, loop, state)
        if other[0] or is_placed:
            found, problems = other
        else:
            after()
    for one in problems.found:
        state.problems.report(one.code, one.message, one.loc, one.hint)
    return found or bool(problems.found)


def _attempted(
    read: Callable[[ast.For | ast.While], bool], loop: ast.For | ast.While, state: ReadingState
) -> tuple[bool, Problems]:
    """Read a loop in one way; return whether that is done without problems, and these."""
    problems, reported = Problems(), state.problems
    state.problems = problems
    try:
        return read(loop) and not problems.found, problems
    finally:
        state.problems = reported


def _is_written_out(loop: ast.For | ast.While, state: ReadingState) -> bool:
    """Emit the turns of a loop as long as its condition holds; return whether there is a last."""
    step = loop.next if isinstance(loop, ast.For) else None
    turn = [*once_through(loop.stmt), *([] if step is None else [step])]
    if loop.cond is None or any(jumps_in(one, ast.Break | ast.Continue) for one in turn):
        return False
    with state.scope.block():
        if isinstance(loop, ast.For) and not declared_counter(loop, state):
            return False
        for turns in range(MOST_TURNS + 1):
            holds = conditions.condition_of(loop.cond, state)
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


def declared_counter(loop: ast.For, state: ReadingState) -> bool:
    """Declare what a header counts as a variable of its own; return whether it has a value."""
    name = counted_name(loop)
    is_new = isinstance(loop.init, ast.DeclList) or isinstance(
        state.scope.find(name or ""), Counter
    )
    if name is None or not is_new:
        return _are_declared(loop.init, loop, state)
    return _is_declared(name, loop.init, loop, state)


def _are_declared(first: ast.Node | None, loop: ast.For, state: ReadingState) -> bool:
    """Read what a header does at first; variables that only count loops get one of their own."""
    match first:
        case ast.DeclList(decls=parts) | ast.ExprList(exprs=parts):
            found = [_are_declared(part, loop, state) for part in parts]
            return all(found)
        case ast.Assignment(op="=", lvalue=ast.ID(name=name)) if isinstance(
            state.scope.find(name), Counter
        ):
            return _is_declared(name, first, loop, state)
        case _:
            statements.read_all([] if first is None else [first], state)
            return True


def _is_declared(name: str, init: ast.Node | None, loop: ast.For, state: ReadingState) -> bool:
    element, first = first_of(init, name, state)
    value = None if first is None else expressions.value_of(first, state)
    if element is None or value is None:
        return False
    loc = state.file.loc(loop)
    stored = state.source.add_variable(name, (), element, loc)
    state.scope.declare(name, stored)
    assign(Access(stored.variable, ()), stored, value, state, loc)
    return True


def _is_placed_by_table(item: ast.For, state: ReadingState) -> bool:
    """Return whether numbers of a list, by a loop's variable, are in subscripts.

    ::

        for (n = 0; n < 8; n++) { y = row + offset[n]; sum += image[y][n == 0 ? 1 : 0]; }
    """
    name, placed = counted_name(item) or "", set[str]()
    nodes = [*walked(item.stmt)]

    def is_placed(node: ast.Node) -> bool:
        return any(
            _is_entry(part, name, state)
            or (isinstance(part, ast.TernaryOp) and _is_listed(part, name))
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


def _is_entry(node: ast.Node, name: str, state: ReadingState) -> bool:
    """Return whether a node is a whole number of a constant table, by a loop's variable."""
    if not isinstance(node, ast.ArrayRef) or name not in names_in(node):
        return False
    symbol = state.scope.find(next(iter(base_name(node)), ""))
    if not isinstance(symbol, Stored) or symbol.variable not in state.source.values:
        return False
    return symbol.element.is_integer
