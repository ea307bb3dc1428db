"""Statement text, in the syntax of Python, to statements of the program; nothing is evaluated."""

import ast
import math
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce

from streamopt.formats.graph_json.scope import StatementScope, read_access, read_affine
from streamopt.formats.names import FUNCTIONS, INDEX, INFINITY, SIZED, did_you_mean, is_reserved
from streamopt.ir import expression as ir
from streamopt.ir.arithmetic import ConstantError, folded_binary, folded_call, negated
from streamopt.ir.element import MAX_BITS, ElementType, element_problem
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Statement

_PLACEHOLDER = ir.Read(ir.Access("", ()))
_SYNTAX_HINT = "statements have + - * /, numbers, array elements, functions and `a if x > b else c`"
_BINARY: Mapping[type[ast.operator], ir.BinaryOp] = {
    ast.Add: ir.BinaryOp.ADD,
    ast.Sub: ir.BinaryOp.SUB,
    ast.Mult: ir.BinaryOp.MUL,
    ast.Div: ir.BinaryOp.DIV,
    ast.Mod: ir.BinaryOp.MOD,
    ast.LShift: ir.BinaryOp.SHL,
    ast.RShift: ir.BinaryOp.SHR,
    ast.BitAnd: ir.BinaryOp.AND,
    ast.BitOr: ir.BinaryOp.OR,
    ast.BitXor: ir.BinaryOp.XOR,
}
_COMPARE: Mapping[type[ast.cmpop], ir.CompareOp] = {
    ast.Lt: ir.CompareOp.LT,
    ast.LtE: ir.CompareOp.LE,
    ast.Gt: ir.CompareOp.GT,
    ast.GtE: ir.CompareOp.GE,
    ast.Eq: ir.CompareOp.EQ,
    ast.NotEq: ir.CompareOp.NE,
}


def read_expression(node: ast.expr, scope: StatementScope) -> ir.Expression:
    """Return the expression; problems (E106 to E112) go to the scope and leave a placeholder."""
    try:
        return _expression(node, scope)
    except ConstantError as error:
        scope.report("E106", f"{scope.source(node)} has no value: {error}", node)
        return _PLACEHOLDER


def _expression(node: ast.expr, scope: StatementScope) -> ir.Expression:
    match node:
        case ast.Constant(value=value):
            return _literal(node, value, scope)
        case ast.Name(id=name) if name in scope.temporaries:
            return scope.temporaries[name]
        case ast.Name(id=name) if name == INFINITY:
            return ir.Literal(math.inf)
        case ast.Name(id=name) if name in scope.trip_counts:
            message = f"iterator '{name}' is used as a value"
            scope.report("E106", message, node, f"write index({name}) for its value")
            return _PLACEHOLDER
        case ast.Name() | ast.Subscript():
            return ir.Read(read_access(node, scope))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negated(read_expression(operand, scope))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return read_expression(operand, scope)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            sides = read_expression(left, scope), read_expression(right, scope)
            return folded_binary(_BINARY[type(op)], *sides)
        case _:
            return _composed(node, scope)


def _composed(node: ast.expr, scope: StatementScope) -> ir.Expression:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _call(node, name, scope)
        case ast.IfExp(test=ast.Compare() | ast.BoolOp() as test):
            condition = read_condition(test, scope)
            with scope.under(condition):
                branches = read_expression(node.body, scope), read_expression(node.orelse, scope)
            return ir.Select(condition, *branches)
        case ast.Compare() | ast.BoolOp():
            return read_condition(node, scope)
        case _:
            message = f"{scope.source(node)} is not part of the syntax of statements"
            scope.report("E106", message, node, _SYNTAX_HINT)
            return _PLACEHOLDER


def read_condition(node: ast.expr, scope: StatementScope) -> ir.Condition:
    """Return the condition of a select or guard; problems (E106 to E112) go to the scope."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return ir.Compare(_COMPARE[type(op)], _side(left, scope), _side(right, scope))
        case ast.BoolOp(op=op, values=values):
            connective = ir.LogicOp.AND if isinstance(op, ast.And) else ir.LogicOp.OR
            with ExitStack() as stack:
                parts: list[ir.Condition] = []
                for value in values:
                    parts.append(read_condition(value, scope))
                    stack.enter_context(scope.under(parts[-1]))
            return ir.Logic(connective, tuple(parts))
        case _:
            message = f"{scope.source(node)} is not a condition"
            hint = "a condition compares two values, `i < j`, or joins such with and, or"
            scope.report("E106", message, node, hint)
            return ir.Compare(ir.CompareOp.EQ, _PLACEHOLDER, _PLACEHOLDER)


def _side(node: ast.expr, scope: StatementScope) -> ir.Expression:
    """Return one side of a comparison: an index where it has iterators and no arrays."""
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    if names and all(name in scope.trip_counts for name in names):
        return ir.Index(read_affine(node, scope))
    return read_expression(node, scope)


def _literal(node: ast.expr, value: object, scope: StatementScope) -> ir.Expression:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return ir.Literal(number)
    scope.report("E106", f"{scope.source(node)} is not a finite number", node)
    return _PLACEHOLDER


def _call(node: ast.Call, name: str, scope: StatementScope) -> ir.Expression:
    if name not in FUNCTIONS:
        hint = did_you_mean(name, FUNCTIONS)
        scope.report("E112", f"there is no function '{name}'", node, hint)
        return _PLACEHOLDER
    if name == INDEX and len(node.args) == 1:
        return ir.Index(read_affine(node.args[0], scope))
    if name in SIZED and node.args and not node.keywords:
        return _sized(name, node, scope)
    function = ir.Function(name) if name in set(ir.Function) else None
    arity = 1 if function is None else function.arity
    is_chain = function in (ir.Function.MAX, ir.Function.MIN) and len(node.args) > arity
    if node.keywords or not (len(node.args) == arity or is_chain):
        wanted = "one argument" if arity == 1 else "two arguments"
        wanted = (
            "two or more arguments" if function in (ir.Function.MAX, ir.Function.MIN) else wanted
        )
        scope.report("E112", f"{name} takes {wanted}, without names", node)
        return _PLACEHOLDER
    arguments = [read_expression(argument, scope) for argument in node.args]
    match function:
        case None if name == "relu":
            return folded_call(ir.Function.MAX, arguments[0], ir.Literal(0.0))
        case None if name == "sigmoid":
            return _sigmoid(arguments[0])
        case None:
            return ir.Cast(ElementType(name), arguments[0])
        case _ if is_chain:
            return reduce(lambda rest, left: folded_call(function, left, rest), arguments[::-1])
        case _:
            return folded_call(function, *arguments)


def _sized(name: str, node: ast.Call, scope: StatementScope) -> ir.Expression:
    """Return a conversion to the type whose widths the further arguments say."""
    text = f"{name}<{', '.join(map(ast.unparse, node.args[1:]))}>"
    problem = element_problem(text, MAX_BITS)
    if problem:
        scope.report("E118", f"{text} is no element type: {problem}", node)
        return _PLACEHOLDER
    return ir.Cast(ElementType(text), read_expression(node.args[0], scope))


def _sigmoid(value: ir.Expression) -> ir.Expression:
    one = ir.Literal(1.0)
    below = folded_binary(ir.BinaryOp.ADD, one, folded_call(ir.Function.EXP, negated(value)))
    return folded_binary(ir.BinaryOp.DIV, one, below)


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
                op = ir.BinaryOp.ADD if reduction is Reduction.ADD else ir.BinaryOp.MUL
                term, reduction = ir.Binary(op, ir.Read(access), term), None
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


def _check_size(value: ir.Expression, scope: StatementScope) -> bool:
    waiting, count = [(value, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MAX_OPERATIONS or depth > MAX_DEPTH:
            message = "the statement is too large once its temporaries are put in"
            scope.report("E106", message, hint="give the temporaries arrays and nodes of their own")
            return False
        waiting += [(child, depth + 1) for child in ir.children(node)]
    return True


def _define_temporary(target: ast.Name, value: ast.expr, scope: StatementScope) -> None:
    if target.id in scope.trip_counts:
        scope.report("E103", f"temporary '{target.id}' has the name of an iterator", target)
    elif is_reserved(target.id):
        message = f"temporary '{target.id}' has the name of a function or keyword"
        scope.report("E104", message, target)
    expression = read_expression(value, scope)
    scope.temporaries[target.id] = (
        expression if _check_size(expression, scope) else ir.Read(ir.Access("", ()))
    )


def _target(node: ast.expr, scope: StatementScope) -> ir.Access:
    access = read_access(node, scope)
    array = scope.arrays.get(access.array)
    if array is not None and array.is_given:
        message = f"the statement writes {array.name}, which has role {array.role}"
        scope.report("E113", message, node, "write an array with role internal or output")
    return access


def _recognized(
    target: ir.Access, value: ir.Expression, scope: StatementScope
) -> tuple[ir.Expression, Reduction | None]:
    """Return the term and the reduction of ``X = X + term`` and its kin; else the value itself."""
    match value:
        case _ if scope.sequential:
            return value, None
        case ir.Binary(ir.BinaryOp.ADD | ir.BinaryOp.MUL as op, left, right):
            sides, reduction = (left, right), Reduction(op.value)
        case ir.Call(ir.Function.MAX | ir.Function.MIN as function, (left, right)):
            sides, reduction = (left, right), Reduction(function.value)
        case _:
            return value, None
    match sides:
        case (ir.Read(access), term) if access == target:
            return term, reduction
        case (term, ir.Read(access)) if access == target:
            return term, reduction
        case _:
            return value, None
