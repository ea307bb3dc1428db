"""The value of an expression: operators, conversions, conditions as values."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import LimitError
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.symbols import Counter, Known, Stored
from streamopt.frontends.c.syntax.literals import Unsupported, number_of, unsupported
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of, is_plain, walked
from streamopt.frontends.c.text.cplusplus import OVERLOADED
from streamopt.frontends.c.values import accesses, conditions
from streamopt.frontends.c.values.operations import (
    LIBRARY,
    combined,
    kept_value,
    least_or_greatest,
    library_call,
    selected,
)
from streamopt.frontends.c.values.value import (
    CValue,
    Extremum,
    affine_value,
    converted_value,
    integer,
    promoted,
    real,
    typed_as,
)
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import ConstantError, type_range
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import Binary, BinaryOp, Cast, Literal, Read, walk

_LARGEST_EXACT = 2**53
"""Larger literals are put together from two."""
MAX_OPERATIONS = 10_000
MAX_DEPTH = 200
MAX_SUBSCRIPT_DEPTH = 20
"""Bounds on an expression, calls inlined: what recursion in later stages can take."""

_ARITHMETIC = {op.value: op for op in BinaryOp}
_LOGIC = {"&&", "||", "<", "<=", ">", ">=", "==", "!="}
_EFFECT_HINT = "write it as a statement of its own"


def value_of(node: ast.Node, state: ReadingState) -> CValue | None:
    """Return the value of an expression; None where a problem was reported."""
    try:
        value = _value(node, state)
    except ConstantError as problem:
        state.report("E134", f"{shown(node)} has no value: {problem}", node)
        return None
    if value is not None and (value.size > MAX_OPERATIONS or value.depth > MAX_DEPTH):
        message = f"{shown(node)} is too large once macros and calls are put in"
        hint = "split it, and keep the parts in variables"
        raise LimitError(message, state.file.loc(node), hint)
    return value


def integer_of(node: ast.Node, state: ReadingState, what: str) -> int | None:
    """Return a constant integer; reports E134 where the expression is none."""
    value = value_of(node, state)
    if value is None:
        return None
    number = value.constant
    if isinstance(number, int):
        return number
    hint = open_hint(node, state) or "use a constant or a macro"
    state.report("E134", f"{what} {shown(node)} is not a constant integer", node, hint)
    return None


def known_integer(node: ast.Node, state: ReadingState) -> int | None:
    """Return the value of an expression that is a constant integer; report nothing."""
    value = affine_of(node, state)
    return None if value is None or value.terms else value.constant


def affine_of(node: ast.Node, state: ReadingState) -> Affine | None:
    """Return the value of an integer expression that is affine in iterators; report nothing."""
    if any(isinstance(part, ast.FuncCall) for part in walked(node)):
        return None
    with state.unreported():
        value = value_of(node, state)
    return None if value is None or not value.is_integer else value.affine


def open_hint(node: ast.Node, state: ReadingState) -> str:
    """Return a hint that names an argument without value in an expression, if there is one."""
    for part in walked(node):
        if isinstance(part, ast.ID):
            symbol = state.scope.find(part.name)
            if isinstance(symbol, Stored) and symbol.is_open:
                return f"give {part.name} a value: --param {part.name}=..."
    return ""


def observed(value: CValue, node: ast.Node, state: ReadingState) -> bool:
    """Report an affine value whose type would wrap around; return whether there was none."""
    if value.affine is None or value.constant is not None:
        return True
    if value.range.low < 0 and not value.element.is_signed:
        message = f"{shown(node)} may be negative, but its type is unsigned"
        state.report("E136", message, node, "use int")
        return False
    if not value.range.within(type_range(ElementType.INT32)):
        state.report("E139", f"{shown(node)} exceeds 32 bits", node, "make the loops smaller")
        return False
    return True


def _value(node: ast.Node, state: ReadingState) -> CValue | None:
    match node:
        case ast.Constant():
            return _literal(node, state)
        case ast.ID(name=name):
            return _name(node, name, state)
        case ast.ArrayRef() | ast.UnaryOp(op="*"):
            return _element(node, state)
        case ast.BinaryOp(op=op):
            return _truth(node, state) if op in _LOGIC else _arithmetic(node, state)
        case ast.UnaryOp(op="sizeof"):
            return accesses.size_of(node, state)
        case ast.UnaryOp() if is_plain(node):
            return _unary(node, state)
        case ast.Cast():
            return _conversion(node, state)
        case ast.TernaryOp():
            return _ternary(node, state)
        case ast.FuncCall(name=ast.ID(name=function)):
            return _call(node, function, state)
        case _:
            return _refused(node, state)


def _literal(node: ast.Constant, state: ReadingState) -> CValue | None:
    number = number_of(node)
    if isinstance(number, Unsupported):
        return _refused(node, state)
    if number.element.is_float:
        return real(number.value, number.element)
    if number.value <= _LARGEST_EXACT:
        return integer(int(number.value), number.element)
    high, low = (
        Cast(number.element, Literal(float(half))) for half in divmod(int(number.value), 2**32)
    )
    whole = Binary(BinaryOp.OR, Binary(BinaryOp.SHL, high, Literal(32.0)), low)
    return CValue(number.element, whole, size=7, depth=4)


def _refused(node: ast.Node, state: ReadingState) -> None:
    refused = unsupported(node)
    match node:
        case _ if refused is not None:
            state.report("E135", f"{refused.what} is not supported", node, refused.hint)
        case ast.Assignment() | ast.UnaryOp():
            message = f"{shown(node)} changes a variable inside an expression"
            state.report("E135", message, node, _EFFECT_HINT)
        case ast.ExprList():
            state.report("E135", "a comma inside an expression", node, _EFFECT_HINT)
        case ast.InitList():
            state.report("E135", f"{shown(node)} can't stand here", node, "initialise an array")
        case _:
            state.report("E135", f"{shown(node)} is not supported", node)


def _call(node: ast.FuncCall, name: str, state: ReadingState) -> CValue | None:
    if name in state.file.functions:
        return state.inline(node, state)
    called = name.removeprefix("__builtin_")
    name = called.removeprefix(OVERLOADED)
    if name not in LIBRARY:
        report_unknown(node, name, state)
        return None
    arguments = arguments_of(node)
    arity = LIBRARY[name][0].arity
    if len(arguments) != arity:
        state.report("E138", f"{name} takes {arity} argument{'s' if arity > 1 else ''}", node)
        return None
    found = [value_of(argument, state) for argument in arguments]
    values = [
        value
        for value, argument in zip(found, arguments, strict=True)
        if value is not None and observed(value, argument, state)
    ]
    return library_call(called, values) if len(values) == len(found) else None


def report_unknown(node: ast.FuncCall, name: str, state: ReadingState) -> None:
    """Report a function that is neither known nor defined in the file."""
    hint = "include the file that defines it, or define it; of the library, math.h is known"
    state.report("E137", f"function '{name}' in {shown(node)} is not known", node, hint)


def _name(node: ast.ID, name: str, state: ReadingState) -> CValue | None:
    symbol = state.scope.find(name)
    if isinstance(symbol, Known):
        return symbol.value
    if isinstance(symbol, Counter) and symbol.left is not None:
        return symbol.left
    if isinstance(symbol, Counter):
        message = f"{name} is read outside the loop that counts it"
        state.report("E135", message, node, "use a variable of its own for this value")
        return None
    return _element(node, state)


def _element(node: ast.Node, state: ReadingState) -> CValue | None:
    found = accesses.value_at(node, state)
    if found is None:
        return None
    tree, stored = found
    if not isinstance(tree, Read):
        size = sum(1 for _ in walk(tree))
        value = CValue(stored.element, tree, size=size, depth=MAX_SUBSCRIPT_DEPTH)
        return typed_as(value, is_wide=stored.is_wide)
    if not tree.access.subscripts:
        held = state.integers.now.get(stored.variable)
        if held is not None:
            return held
        if state.is_unset(stored.variable):
            state.report("E135", f"{shown(node)} is read before it has a value", node)
            return None
    known = state.source.known_element(tree.access)
    if known is not None and stored.element.is_integer:
        return integer(int(known), stored.element)
    return typed_as(CValue(stored.element, tree), is_wide=stored.is_wide)


def _arithmetic(node: ast.BinaryOp, state: ReadingState) -> CValue | None:
    """Walk down the left side in a loop: sums may have many terms."""
    spine = [node]
    while isinstance(spine[-1].left, ast.BinaryOp) and spine[-1].left.op not in _LOGIC:
        spine.append(spine[-1].left)
    left = value_of(spine[-1].left, state)
    for part in reversed(spine):
        right = value_of(part.right, state)
        left = _combined(part, left, right, state)
        if left is not None and left.depth > MAX_DEPTH:
            break
    return left


def _combined(
    node: ast.BinaryOp, left: CValue | None, right: CValue | None, state: ReadingState
) -> CValue | None:
    if left is None or right is None:
        return None
    op = _ARITHMETIC.get(node.op)
    if op is None:
        state.report("E135", f"operator {node.op} is not supported", node)
        return None
    is_shift = op in (BinaryOp.SHL, BinaryOp.SHR) and left.element.is_fixed
    takes_integers = op not in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV)
    if takes_integers and not is_shift and not (left.is_integer and right.is_integer):
        state.report("E138", f"{shown(node)}: {op.value} takes integers", node)
        return None
    wraps = op not in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL)
    for value, side in ((left, node.left), (right, node.right)):
        is_mixed = (left.affine is None) != (right.affine is None)
        if (wraps or is_mixed) and not observed(value, side, state):
            return None
    try:
        value = combined(op, left, right)
    except ConstantError as problem:
        state.report("E134", f"{shown(node)} has no value: {problem}", node)
        return None
    if value.depth > MAX_DEPTH:
        return value
    return _ordered(value, state)


def _ordered(value: CValue, state: ReadingState) -> CValue:
    """Return the value with its iterators from the outermost loop in."""
    if value.affine is None or len(value.affine.terms) < 2:
        return value
    affine = state.loops.ordered(value.affine)
    return affine_value(affine, value.element, value.range)


def _unary(node: ast.UnaryOp, state: ReadingState) -> CValue | None:
    if node.op == "!":
        return _truth(node, state)
    if node.op == "&":
        hint = "addresses can only be passed to functions of this file"
        state.report("E135", f"address {shown(node)} is not supported here", node, hint)
        return None
    value = value_of(node.expr, state)
    if value is None:
        return None
    element = promoted(value.element)
    match node.op:
        case "+":
            return converted_value(value, element) if value.is_integer else value
        case "-":
            if isinstance(value.tree, Literal) and not value.is_integer:
                return real(-value.tree.value, value.element)
            zero = integer(0) if value.is_integer else real(-0.0, value.element)
            return _ordered(combined(BinaryOp.SUB, zero, value), state)
        case _ if value.is_integer:
            return combined(BinaryOp.XOR, value, integer(-1))
        case _:
            state.report("E138", f"{shown(node)}: {node.op} takes integers", node)
            return None


def _conversion(node: ast.Cast, state: ReadingState) -> CValue | None:
    use = state.file.types[node.to_type]
    value = value_of(node.expr, state)
    if value is None:
        return None
    if use.element is None or use.extents:
        kind = "a pointer" if use.extents else use.text
        state.report("E135", f"a conversion to {kind} is not supported", node, "leave it out")
        return None
    if not observed(value, node.expr, state):
        return None
    value = converted_value(kept_value(value, use.kept, use.element), use.element)
    return typed_as(value, is_wide=use.is_wide)


def _truth(node: ast.Node, state: ReadingState) -> CValue | None:
    """Return a condition as C's 1 or 0."""
    condition = conditions.condition_of(node, state)
    if condition is None or isinstance(condition, bool):
        return None if condition is None else integer(int(condition))
    value = selected(condition.tree, condition.size, integer(1), integer(0))
    depth = max(value.depth, condition.depth + 1)
    return replace(value, element=ElementType.INT32, is_loose=True, depth=depth)


def _ternary(node: ast.TernaryOp, state: ReadingState) -> CValue | None:
    condition = conditions.condition_of(node.cond, state)
    if isinstance(condition, bool):
        taken, other = (node.iftrue, node.iffalse)[:: 1 if condition else -1]
        return _as_beside(value_of(taken, state), other, state)
    state.guarded += 1
    then, otherwise = value_of(node.iftrue, state), value_of(node.iffalse, state)
    state.guarded -= 1
    if condition is None or then is None or otherwise is None:
        return None
    for value, part in ((then, node.iftrue), (otherwise, node.iffalse)):
        if not observed(value, part, state):
            return None
    result = selected(condition.tree, condition.size, then, otherwise)
    depth = max(result.depth, condition.depth + 1)
    return replace(result, choice=choice_of(node.cond, then, otherwise, state), depth=depth)


def _as_beside(value: CValue | None, other: ast.Node, state: ReadingState) -> CValue | None:
    """Return a value in the type that it has beside an alternative that is never taken."""
    state.guarded += 1
    with state.unreported(), state.source.collected([]):
        beside = value_of(other, state)
    state.guarded -= 1
    element = (
        None if value is None or beside is None else common_type(value.element, beside.element)
    )
    return value if value is None or element is None else converted_value(value, element)


def choice_of(
    condition: ast.Node, then: CValue, otherwise: CValue, state: ReadingState
) -> Extremum | None:
    """Return the minimum or maximum that ``a < b ? a : b`` is, if it is one."""
    if not all(value.affine is not None or value.choice is not None for value in (then, otherwise)):
        return None
    if not isinstance(condition, ast.BinaryOp) or condition.op not in ("<", "<=", ">", ">="):
        return None
    left, right = value_of(condition.left, state), value_of(condition.right, state)
    if left is None or right is None:
        return None
    is_same = (left.tree, right.tree) == (then.tree, otherwise.tree)
    if not is_same and (right.tree, left.tree) != (then.tree, otherwise.tree):
        gap = _gap(left, right), _gap(then, otherwise), _gap(otherwise, then)
        if gap[0] is None or gap[0] not in gap[1:]:
            return None
        is_same = gap[0] == gap[1]
    is_least = (condition.op in ("<", "<=")) == is_same
    return least_or_greatest(is_least, then, otherwise)


def _gap(one: CValue, other: CValue) -> Affine | None:
    """Return the difference of affine values with a sign."""
    if one.affine is None or other.affine is None:
        return None
    if not one.element.is_signed or not other.element.is_signed:
        return None
    gap = one.affine - other.affine
    return gap.ordered(sorted(gap.iterators()))
