"""Statement text, in the syntax of Python, to statements of the program; nothing is evaluated."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.formats.graph_json.expressions import read_condition, read_expression
from streamopt.formats.graph_json.scope import read_access
from streamopt.formats.names import is_reserved
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Expression,
    Function,
    Read,
    children,
)
from streamopt.ir.program import Reduction, Statement

if TYPE_CHECKING:
    from streamopt.formats.graph_json.scope import StatementScope

__all__ = ["read_statement"]

MAX_TEXT_CHARACTERS = 20_000
MAX_OPERATIONS = 10_000
MAX_DEPTH = 200
"""Bounds on a statement, temporaries inlined: what recursion in later stages can take."""

_DEPTH_HINT = "split it into several nodes"
_SIGN_HINT = "add the negative, `X[i] += -(...)`, or multiply by the reciprocal"
_FORMS_HINT = "write `X[i] = ...`, `X[i] += ...`, `X[i] *= ...` or `t = ...`"


def read_statement(scope: StatementScope) -> Statement | None:
    """Read the statement of a scope.

    A temporary is added to the scope's temporaries, to be inlined where it is used; the result
    is then None, as it is where a problem leaves no statement. Problems go to the scope.
    """
    try:
        return _read(scope)
    except RecursionError:
        scope.report("E106", "the statement is nested too deeply", hint=_DEPTH_HINT)
        return None


def _read(scope: StatementScope) -> Statement | None:
    tree = _parsed(scope)
    match tree:
        case None:
            return None
        case ast.If(test=test, body=[ast.Assign() | ast.AugAssign() as inner], orelse=[]):
            guard = read_condition(test, scope)
            with scope.under(guard):
                statement = _statement(inner, scope)
            return replace(statement, guard=guard) if statement is not None else None
        case _:
            return _statement(tree, scope)


def _statement(tree: ast.stmt, scope: StatementScope) -> Statement | None:
    match tree:
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if (
            name not in scope.arrays
        ):
            _define_temporary(target, value, scope)
            return None
        case ast.Assign(targets=[ast.Name() | ast.Subscript() as target], value=value):
            access = _target(target, scope)
            term, reduction = _recognized(access, read_expression(value, scope), scope)
        case ast.AugAssign(target=ast.Name() | ast.Subscript() as target, value=value) if (
            isinstance(tree.op, ast.Add | ast.Mult)
        ):
            access = _target(target, scope)
            term = read_expression(value, scope)
            reduction = Reduction.ADD if isinstance(tree.op, ast.Add) else Reduction.MUL
            if scope.sequential:
                op = BinaryOp.ADD if reduction is Reduction.ADD else BinaryOp.MUL
                term, reduction = Binary(op, Read(access), term), None
        case ast.AugAssign(op=ast.Sub() | ast.Div()):
            scope.report("E106", "only += and *= are reductions", hint=_SIGN_HINT)
            return None
        case _:
            scope.report("E106", "this is not a statement that a node can have", hint=_FORMS_HINT)
            return None
    _check_size(term, scope)
    return Statement(access, term, reduction, loc=scope.loc)


def _parsed(scope: StatementScope) -> ast.stmt | None:
    text = scope.text
    if len(text) > MAX_TEXT_CHARACTERS:
        scope.report("E106", f"the statement has more than {MAX_TEXT_CHARACTERS} characters")
        return None
    if not text.isascii() or not text.isprintable():
        scope.report("E106", "a statement is one line of ASCII characters")
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(text).body
    except SyntaxError as error:
        long_number = "digits" in error.msg
        message = "a number has thousands of digits" if long_number else f"syntax: {error.msg}"
        scope.report("E106", message, error.offset or None)
        return None
    except (RecursionError, MemoryError):
        scope.report("E106", "the statement is nested too deeply", hint=_DEPTH_HINT)
        return None
    if len(statements) != 1:
        scope.report(
            "E106", f"there are {len(statements)} statements in one text", hint=_FORMS_HINT
        )
        return None
    if _is_deep(statements[0]):
        scope.report("E106", "the statement is nested too deeply", hint=_DEPTH_HINT)
        return None
    return statements[0]


def _is_deep(tree: ast.AST) -> bool:
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            return True
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return False


def _check_size(value: Expression, scope: StatementScope) -> bool:
    waiting, count = [(value, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MAX_OPERATIONS or depth > MAX_DEPTH:
            message = "the statement is too large once its temporaries are put in"
            scope.report("E106", message, hint="give the temporaries arrays and nodes of their own")
            return False
        waiting += [(child, depth + 1) for child in children(node)]
    return True


def _define_temporary(target: ast.Name, value: ast.expr, scope: StatementScope) -> None:
    if target.id in scope.trip_counts:
        scope.report("E103", f"temporary '{target.id}' has the name of an iterator", target)
    elif is_reserved(target.id):
        message = f"temporary '{target.id}' has the name of a function or keyword"
        scope.report("E104", message, target)
    expression = read_expression(value, scope)
    scope.temporaries[target.id] = (
        expression if _check_size(expression, scope) else Read(Access("", ()))
    )


def _target(node: ast.expr, scope: StatementScope) -> Access:
    access = read_access(node, scope)
    array = scope.arrays.get(access.array)
    if array is not None and array.is_given:
        message = f"the statement writes {array.name}, which has role {array.role}"
        scope.report("E113", message, node, "write an array with role internal or output")
    return access


def _recognized(
    target: Access, value: Expression, scope: StatementScope
) -> tuple[Expression, Reduction | None]:
    """Return the term and the reduction of ``X = X + term`` and its kin; else the value itself."""
    match value:
        case _ if scope.sequential:
            return value, None
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, left, right):
            sides, reduction = (left, right), Reduction(op.value)
        case Call(Function.MAX | Function.MIN as function, (left, right)):
            sides, reduction = (left, right), Reduction(function.value)
        case _:
            return value, None
    match sides:
        case (Read(access), term) if access == target:
            return term, reduction
        case (term, Read(access)) if access == target:
            return term, reduction
        case _:
            return value, None
