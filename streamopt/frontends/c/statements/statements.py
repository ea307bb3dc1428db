"""Statements: assignments, branches and blocks, in the order in which C runs them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c.statements import block_moves, declarations, inlining, loops
from streamopt.frontends.c.statements.assignments import behind_branch, hold
from streamopt.frontends.c.symbols import Counter, Known, Stored
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.tree import (
    Assignment,
    Block,
    Call,
    Comma,
    Continue,
    Conversion,
    Declaration,
    Evaluate,
    ForLoop,
    IfElse,
    Increment,
    Labelled,
    Name,
    Number,
    Operation,
    Return,
    Unsupported,
)
from streamopt.frontends.c.values import accesses, calls, conditions, expressions
from streamopt.frontends.c.values.value import Value, ValueProblem, converted_value
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Cast, Literal, Read
from streamopt.ir.source import Assign, Branch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamopt.errors import SourceLoc
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import Node, Statement

__all__ = ["assign_value", "read_all", "read_statement"]


def read_all(items: Iterable[Statement], state: State) -> None:
    """Read statements one after another."""
    for item in items:
        read_statement(item, state)


def read_statement(item: Statement, state: State, label: str = "") -> None:
    """Emit what a statement does; problems go to the state."""
    match item:
        case Block(items):
            state.scope.enter()
            read_all(items, state)
            state.scope.leave()
        case Declaration():
            declarations.declare(item, state)
        case ForLoop():
            loops.read_loop(item, state, label)
        case IfElse():
            _branch(item, state)
        case Evaluate(value):
            _evaluate(value, state, label)
        case Labelled(name, body):
            read_statement(body, state, re.sub(r"_{2,}", "_", name))
        case Return():
            hint = "put what follows under an if, so that the only return is the last statement"
            state.report("E135", "return before the end is not supported", item.loc, hint)
        case Continue():
            hint = "put the rest of the loop's body under an if"
            state.report("E135", "continue is not supported here", item.loc, hint)
        case Unsupported(what, hint):
            state.report("E135", f"{what} is not supported", item.loc, hint)


def _branch(item: IfElse, state: State) -> None:
    condition = conditions.condition_of(item.condition, state)
    if isinstance(condition, bool):
        taken = item.then if condition else item.otherwise
        if taken is not None:
            read_statement(Block((taken,), item.loc), state)
        return
    before = state.held
    state.held = dict(before)
    with state.block() as then:
        read_statement(item.then, state)
    first, state.held = state.held, dict(before)
    with state.block() as otherwise:
        if item.otherwise is not None:
            read_statement(item.otherwise, state)
    second = state.held
    if condition is None:
        state.held = {}
    else:
        state.held = behind_branch(item.condition, condition, (first, second), before, state)
    if condition is not None and (then or otherwise):
        state.emit(Branch(condition.tree, tuple(then), tuple(otherwise), loc=item.loc))


def _evaluate(node: Node, state: State, label: str) -> None:
    match node:
        case Assignment():
            _assign(node, state, label)
        case Increment(operand, by):
            one = Number(abs(by), ElementType.INT32, node.loc)
            _assign(Assignment("+" if by > 0 else "-", operand, one, node.loc), state, label)
        case Call(function) if function in state.unit.functions:
            inlining.inline_statement(node, state)
        case Call(function) if function in block_moves.FUNCTIONS:
            block_moves.read_move(node, state, label)
        case Call():
            calls.report_unknown(node, state)
        case Comma(parts):
            for part in parts:
                _evaluate(part, state, label)
        case Conversion(use, operand) if use.text == "void":
            if not isinstance(operand, Name):
                _evaluate(operand, state, label)
        case _:
            _check_effect(node, state)


def _check_effect(node: Node, state: State) -> None:
    match node:
        case Name() | Number():
            pass
        case Unsupported():
            expressions.value_of(node, state)
        case _:
            state.report("E135", f"{shown(node)} has no effect", node, "assign its value")


def _assign(node: Assignment, state: State, label: str) -> Value | None:
    """Emit an assignment and return the value that it leaves."""
    symbol = state.scope.find(node.target.name) if isinstance(node.target, Name) else None
    if isinstance(symbol, Known | Counter):
        return _report_fixed(shown(node.target), symbol, node, state)
    if isinstance(node.value, Assignment):
        value = _assign(node.value, state, label)
    else:
        whole = Operation(node.op, node.target, node.value, node.loc) if node.op else node.value
        value = expressions.value_of(whole, state)
    found = accesses.element_of(node.target, state)
    if found is None:
        return None
    access, stored = found
    state.written.add(stored.variable)
    if stored.is_const:
        state.report("E135", f"{shown(node.target)} is const, but it is written", node)
        return None
    if value is None or not expressions.observed(value, node.value, state):
        return None
    return assign_value(access, stored, value, state, node.loc, label)


def assign_value(
    access: Access, stored: Stored, value: Value, state: State, loc: SourceLoc, label: str = ""
) -> Value | None:
    """Emit ``access = value`` and return the value that the element then has."""
    given = value
    try:
        value = _fitted(value, stored)
        is_constant = value.constant is not None
        held = converted_value(value, stored.element) if is_constant else None
    except ValueProblem as problem:
        state.report("E134", f"the value of {access} does not exist: {problem}", loc)
        return None
    state.written.add(stored.variable)
    state.emit(Assign(access, value.tree, label, loc))
    hold(access, stored, given, state)
    return held or Value(stored.element, Read(access))


def _fitted(value: Value, stored: Stored) -> Value:
    """Return the value such that converting its tree to the element's type does what C does."""
    if stored.is_bool:
        return expressions.as_truth(value)
    if value.constant is not None:
        is_rounded = value.element == ElementType.DOUBLE and stored.element == ElementType.FLOAT
        return value if is_rounded else converted_value(value, stored.element)
    is_exact = stored.element in (value.element, ElementType.FLOAT)
    if value.is_loose and value.element.is_float and not is_exact:
        return replace(value, tree=Cast(value.element, value.tree), is_loose=False)
    return value


def _report_fixed(name: str, symbol: Known | Counter, node: Assignment, state: State) -> None:
    if isinstance(symbol, Counter) or symbol.is_iterator:
        message = f"{name} counts a loop, but it is changed outside of the loop's header"
        hint = "use another variable"
    elif isinstance(symbol.value.tree, Literal):
        message, hint = f"{name} is a constant here, but it is written", "use another variable"
    else:
        message, hint = f"{name} is written, but it stands for a value", "use another variable"
    state.report("E135", message, node, hint)
