"""The right side of a statement: from Python's syntax tree to an expression tree."""

from __future__ import annotations

import ast
import math
from contextlib import ExitStack
from functools import reduce
from typing import TYPE_CHECKING

from streamopt.formats.graph_json.scope import read_access, read_affine
from streamopt.formats.names import FIXED, FUNCTIONS, INDEX, INFINITY, did_you_mean
from streamopt.ir.arithmetic import ConstantError, folded_binary, folded_call, negated
from streamopt.ir.element import ElementType, element_problem
from streamopt.ir.expression import (
    Access,
    BinaryOp,
    Cast,
    Compare,
    CompareOp,
    Condition,
    Expression,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.formats.graph_json.scope import StatementScope

__all__ = ["read_condition", "read_expression"]

_PLACEHOLDER = Read(Access("", ()))
_SYNTAX_HINT = "statements have + - * /, numbers, array elements, functions and `a if x > b else c`"
_BINARY: Mapping[type[ast.operator], BinaryOp] = {
    ast.Add: BinaryOp.ADD,
    ast.Sub: BinaryOp.SUB,
    ast.Mult: BinaryOp.MUL,
    ast.Div: BinaryOp.DIV,
    ast.Mod: BinaryOp.MOD,
    ast.LShift: BinaryOp.SHL,
    ast.RShift: BinaryOp.SHR,
    ast.BitAnd: BinaryOp.AND,
    ast.BitOr: BinaryOp.OR,
    ast.BitXor: BinaryOp.XOR,
}
_COMPARE: Mapping[type[ast.cmpop], CompareOp] = {
    ast.Lt: CompareOp.LT,
    ast.LtE: CompareOp.LE,
    ast.Gt: CompareOp.GT,
    ast.GtE: CompareOp.GE,
    ast.Eq: CompareOp.EQ,
    ast.NotEq: CompareOp.NE,
}


def read_expression(node: ast.expr, scope: StatementScope) -> Expression:
    """Return the expression; problems (E106 to E112) go to the scope and leave a placeholder."""
    try:
        return _expression(node, scope)
    except ConstantError as error:
        scope.report("E106", f"{scope.source(node)} has no value: {error}", node)
        return _PLACEHOLDER


def _expression(node: ast.expr, scope: StatementScope) -> Expression:
    match node:
        case ast.Constant(value=value):
            return _literal(node, value, scope)
        case ast.Name(id=name) if name in scope.temporaries:
            return scope.temporaries[name]
        case ast.Name(id=name) if name == INFINITY:
            return Literal(math.inf)
        case ast.Name(id=name) if name in scope.trip_counts:
            message = f"iterator '{name}' is used as a value"
            scope.report("E106", message, node, f"write index({name}) for its value")
            return _PLACEHOLDER
        case ast.Name() | ast.Subscript():
            return Read(read_access(node, scope))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negated(read_expression(operand, scope))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return read_expression(operand, scope)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            sides = read_expression(left, scope), read_expression(right, scope)
            return folded_binary(_BINARY[type(op)], *sides)
        case _:
            return _composed(node, scope)


def _composed(node: ast.expr, scope: StatementScope) -> Expression:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _call(node, name, scope)
        case ast.IfExp(test=ast.Compare() | ast.BoolOp() as test):
            condition = read_condition(test, scope)
            with scope.under(condition):
                branches = read_expression(node.body, scope), read_expression(node.orelse, scope)
            return Select(condition, *branches)
        case ast.Compare() | ast.BoolOp():
            return read_condition(node, scope)
        case _:
            message = f"{scope.source(node)} is not part of the syntax of statements"
            scope.report("E106", message, node, _SYNTAX_HINT)
            return _PLACEHOLDER


def read_condition(node: ast.expr, scope: StatementScope) -> Condition:
    """Return the condition of a select or guard; problems (E106 to E112) go to the scope."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return Compare(_COMPARE[type(op)], _side(left, scope), _side(right, scope))
        case ast.BoolOp(op=op, values=values):
            connective = LogicOp.AND if isinstance(op, ast.And) else LogicOp.OR
            with ExitStack() as stack:
                parts: list[Condition] = []
                for value in values:
                    parts.append(read_condition(value, scope))
                    stack.enter_context(scope.under(parts[-1]))
            return Logic(connective, tuple(parts))
        case _:
            message = f"{scope.source(node)} is not a condition"
            hint = "a condition compares two values, `i < j`, or joins such with and, or"
            scope.report("E106", message, node, hint)
            return Compare(CompareOp.EQ, _PLACEHOLDER, _PLACEHOLDER)


def _side(node: ast.expr, scope: StatementScope) -> Expression:
    """Return one side of a comparison: an index where it has iterators and no arrays."""
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    if names and all(name in scope.trip_counts for name in names):
        return Index(read_affine(node, scope))
    return read_expression(node, scope)


def _literal(node: ast.expr, value: object, scope: StatementScope) -> Expression:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return Literal(number)
    scope.report("E106", f"{scope.source(node)} is not a finite number", node)
    return _PLACEHOLDER


def _call(node: ast.Call, name: str, scope: StatementScope) -> Expression:
    if name not in FUNCTIONS:
        hint = did_you_mean(name, FUNCTIONS)
        scope.report("E112", f"there is no function '{name}'", node, hint)
        return _PLACEHOLDER
    if name == INDEX and len(node.args) == 1:
        return Index(read_affine(node.args[0], scope))
    if name == FIXED and len(node.args) > 1 and not node.keywords:
        return _fixed(node, scope)
    function = Function(name) if name in set(Function) else None
    arity = 1 if function is None else function.arity
    is_chain = function in (Function.MAX, Function.MIN) and len(node.args) > arity
    if node.keywords or not (len(node.args) == arity or is_chain):
        wanted = "one argument" if arity == 1 else "two arguments"
        wanted = "two or more arguments" if function in (Function.MAX, Function.MIN) else wanted
        scope.report("E112", f"{name} takes {wanted}, without names", node)
        return _PLACEHOLDER
    arguments = [read_expression(argument, scope) for argument in node.args]
    match function:
        case None if name == "relu":
            return folded_call(Function.MAX, arguments[0], Literal(0.0))
        case None if name == "sigmoid":
            return _sigmoid(arguments[0])
        case None:
            return Cast(ElementType(name), arguments[0])
        case _ if is_chain:
            return reduce(lambda rest, left: folded_call(function, left, rest), arguments[::-1])
        case _:
            return folded_call(function, *arguments)


def _fixed(node: ast.Call, scope: StatementScope) -> Expression:
    """Return a conversion to the fixed-point type that the further arguments say."""
    text = f"{FIXED}<{', '.join(map(ast.unparse, node.args[1:]))}>"
    problem = element_problem(text)
    if problem:
        scope.report("E118", f"{text} is no element type: {problem}", node)
        return _PLACEHOLDER
    return Cast(ElementType(text), read_expression(node.args[0], scope))


def _sigmoid(value: Expression) -> Expression:
    one = Literal(1.0)
    below = folded_binary(BinaryOp.ADD, one, folded_call(Function.EXP, negated(value)))
    return folded_binary(BinaryOp.DIV, one, below)
