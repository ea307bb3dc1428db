"""Statements: assignments, branches and blocks, in the order in which C runs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements import block_moves, inlining, loops
from streamopt.frontends.c.statements.assignments import (
    Held,
    assign,
    fitted,
    hold_known,
    merged,
)
from streamopt.frontends.c.statements.declarations import declare
from streamopt.frontends.c.statements.guarded import is_changed_in
from streamopt.frontends.c.statements.pointers import move
from streamopt.frontends.c.symbols import Counter, Known, Moving, Stored
from streamopt.frontends.c.syntax.increments import spread
from streamopt.frontends.c.syntax.literals import unsupported
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import is_block, items_of
from streamopt.frontends.c.syntax.usage import as_assignment, assigned_value
from streamopt.frontends.c.values import accesses, conditions, expressions
from streamopt.frontends.c.values.gathers import Place, search
from streamopt.frontends.c.values.operations import combined
from streamopt.frontends.c.values.value import CValue, Extremum, typed_as
from streamopt.ir.arithmetic import ConstantError
from streamopt.ir.expression import Access, BinaryOp, Condition, Literal, Read
from streamopt.ir.source import Assign, Branch, Item

_WHILE_HINT = (
    "tell how often it runs at most: --bound while=N, or --bound with its label "
    "(docs/guides/data-dependent.md)"
)
_REFUSED: Mapping[type[ast.Node], tuple[str, str]] = {
    ast.While: ("while is not supported", _WHILE_HINT),
    ast.DoWhile: ("do-while is not supported", _WHILE_HINT),
    ast.Goto: ("goto is not supported", "use loops and if"),
    ast.Switch: ("this switch is not supported", "write if and else if"),
    ast.Break: (
        "break is not supported",
        "give the loop an affine bound, or put the rest under an if",
    ),
    ast.Return: (
        "return before the end is not supported",
        "put what follows under an if, so that the only return is the last statement",
    ),
    ast.Continue: ("continue is not supported here", "put the rest of the loop's body under an if"),
}


_SILENT = frozenset(
    [
        *("assert", "ap_wait", "ap_wait_n", "fflush", "fprintf"),
        *("free", "perror", "printf", "putchar", "puts"),
    ]
)
"""Functions whose calls leave what a kernel computes as it is."""


def read_all(items: Iterable[ast.Node], state: ReadingState) -> None:
    """Read statements one after another."""
    for item in items:
        read_statement(item, state)


def read_statement(item: ast.Node, state: ReadingState, label: str = "") -> None:
    """Emit a statement; problems go to the state."""
    _read(item, state, label)
    hold_known(item, state)


def _read(item: ast.Node, state: ReadingState, label: str) -> None:
    match item:
        case _ if is_block(item):
            with state.scope.block():
                read_all(items_of(item), state)
        case ast.Decl():
            _declare(item, state)
        case ast.For():
            loops.read_loop(item, state, label)
        case ast.While() | ast.DoWhile() if loops.read_while(item, state, label):
            pass
        case ast.If():
            _branch(item, state)
        case ast.Label(name=name, stmt=body):
            if body is not None:
                read_statement(body, state, re.sub(r"_{2,}", "_", name))
        case ast.EmptyStatement() | ast.Pragma():
            pass
        case _ if type(item) in _REFUSED:
            message, hint = _REFUSED[type(item)]
            state.report("E135", message, item, hint)
        case _:
            _evaluate(item, state, label)


def _declare(item: ast.Decl, state: ReadingState) -> None:
    found = state.file.declarations[item]
    parts = None if found.value is None or found.is_static else spread(found.value)
    if parts is None:
        declare(found, state)
        return
    before, value, after = parts
    read_all(before, state)
    plain = copy(item)
    plain.init = value
    declare(replace(found, node=plain), state)
    read_all(after, state)


def _branch(item: ast.If, state: ReadingState) -> None:
    condition = conditions.condition_of(item.cond, state)
    if isinstance(condition, bool):
        side = item.iftrue if condition else item.iffalse
        state.integers.now |= _reached(side, state)
        with state.scope.block():
            read_all(items_of(side), state)
        return
    before = state.integers.now
    sides: list[Held] = []
    blocks: list[tuple[Item, ...]] = []
    for branch in (item.iftrue, item.iffalse):
        state.integers.now = before | _reached(branch, state)
        with state.block() as emitted:
            read_all(items_of(branch), state)
        blocks.append(tuple(emitted))
        sides.append(state.integers.now)
    state.integers.now = before
    if condition is None:
        state.integers.now = {}
        return

    def choice(then: CValue, otherwise: CValue) -> Extremum | None:
        return expressions.choice_of(item.cond, then, otherwise, state)

    state.integers.now = merged(condition, sides, choice, state)
    if any(blocks):
        state.source.emit(Branch(condition.tree, *blocks, loc=state.file.loc(item)))


def _reached(side: ast.Node | None, state: ReadingState) -> Held:
    """Return the values of integers that a branch alone changes."""
    inside = state.integers.inside.items()
    return {name: value for name, (value, at) in inside if is_changed_in(side, at)}


def _evaluate(node: ast.Node, state: ReadingState, label: str) -> None:
    parts = spread(node)
    if parts is not None:
        before, node, after = parts
        for one in (*before, node, *after):
            _evaluate(one, state, label if one is node else "")
            hold_known(one, state)
        return
    _evaluate_plain(node, state, label)


def _evaluate_plain(node: ast.Node, state: ReadingState, label: str) -> None:
    match node:
        case _ if (assignment := as_assignment(node)) is not None:
            _assign(assignment, state, label)
        case ast.FuncCall(name=ast.ID(name=function)):
            _call(node, function, state, label)
        case ast.ExprList(exprs=parts):
            for part in parts:
                _evaluate(part, state, label)
        case ast.Cast(to_type=to, expr=operand) if state.file.types[to].text == "void":
            if not isinstance(operand, ast.ID):
                _evaluate(operand, state, label)
        case _ if unsupported(node) is not None:
            expressions.value_of(node, state)
        case ast.ID() | ast.Constant():
            pass
        case _:
            state.report("E135", f"{shown(node)} has no effect", node, "assign its value")


def _call(node: ast.FuncCall, function: str, state: ReadingState, label: str) -> None:
    if function in state.file.functions:
        inlining.inlined(node, state.file.functions[function], state)
    elif function in _SILENT:
        pass
    elif function in block_moves.FUNCTIONS:
        block_moves.read_move(node, function, state, label)
    else:
        expressions.report_unknown(node, function, state)


def _assign(node: ast.Assignment, state: ReadingState, label: str) -> CValue | None:
    """Emit an assignment and return the value that it leaves."""
    target = node.lvalue
    symbol = state.scope.find(target.name) if isinstance(target, ast.ID) else None
    if isinstance(symbol, Moving):
        move(symbol, node, state)
        return None
    if isinstance(symbol, Known | Counter):
        return _report_fixed(shown(target), symbol, node, state)
    searched = accesses.assigned_place(target, state)
    if searched is not None:
        return _assign_searched(node, *searched, state)
    inner = node.rvalue if isinstance(node.rvalue, ast.Assignment) else None
    value = None if inner is None else _assign(inner, state, label)
    if inner is None or node.op != "=":
        given = node.rvalue if inner is None else inner.lvalue
        whole = ast.Assignment(node.op, target, given, node.coord)
        value = expressions.value_of(assigned_value(whole), state)
    found = accesses.element_of(target, state)
    if found is None:
        return None
    access, stored = found
    state.source.written.add(stored.variable)
    if stored.is_const:
        state.report("E135", f"{shown(target)} is const, but it is written", node)
        return None
    if value is None or not expressions.observed(value, node.rvalue, state):
        return None
    return assign(access, stored, value, state, state.file.loc(node), label)


def _assign_searched(
    node: ast.Assignment, whole: Stored, places: list[Place], state: ReadingState
) -> None:
    """Emit an assignment to an element whose place depends on data."""
    given = expressions.value_of(node.rvalue, state)
    if given is None or not expressions.observed(given, node.rvalue, state):
        return
    if whole.is_const:
        state.report("E135", f"{shown(node.lvalue)} is const, but it is written", node)
        return
    loc = state.file.loc(node)

    def changed(access: Access, condition: Condition) -> Item:
        value = given
        if node.op != "=":
            before = typed_as(CValue(whole.element, Read(access)), is_wide=whole.is_wide)
            value = combined(BinaryOp(node.op.removesuffix("=")), before, given)
        inner = Assign(access, fitted(value, whole).tree, loc=loc)
        return Branch(condition, (inner,), loc=loc)

    state.source.written.add(whole.variable)
    try:
        search(whole, places, changed, node, state)
    except ConstantError as problem:
        state.report("E134", f"{shown(node)} has no value: {problem}", node)


def _report_fixed(
    name: str, symbol: Known | Counter, node: ast.Assignment, state: ReadingState
) -> None:
    if isinstance(symbol, Counter) or symbol.is_iterator:
        message = f"{name} counts a loop, but it is changed outside of the loop's header"
    elif isinstance(symbol.value.tree, Literal):
        message = f"{name} is a constant here, but it is written"
    else:
        message = f"{name} is written, but it stands for a value"
    state.report("E135", message, node, "use another variable")
