"""Conditions: comparisons and connectives, negations pushed inwards."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.operations import met
from streamopt.frontends.c.values.value import CValue, converted_value, integer
from streamopt.frontends.c.values.wide import compared
from streamopt.ir.element import common_type
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Condition,
    Literal,
    Logic,
    LogicOp,
    Select,
    negated,
    of_affine,
)


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition that is not constant, with the size and depth of its tree."""

    tree: Condition
    size: int
    depth: int


_OPS = {op.value: op for op in CompareOp}


def condition_of(
    node: ast.Node, state: ReadingState, *, negated: bool = False
) -> Truth | bool | None:
    """Return whether an expression is not zero: a condition, or a bool where that is constant.

    None where a problem was reported.
    """
    match node:
        case ast.UnaryOp(op="!", expr=operand):
            return condition_of(operand, state, negated=not negated)
        case ast.BinaryOp(op="&&" | "||" as op):
            return _joined(node, (op == "&&") != negated, negated, state)
        case ast.BinaryOp(op=op) if op in _OPS:
            return _related(node, _OPS[op], state, negated=negated)
        case _:
            value = expressions.value_of(node, state)
            if value is None or not expressions.observed(value, node, state):
                return None
            return _compared(CompareOp.EQ if negated else CompareOp.NE, value, integer(0))


def _joined(
    node: ast.BinaryOp, is_and: bool, negated: bool, state: ReadingState
) -> Truth | bool | None:
    """Join the operands of a chain of one connective; walks down its left side in a loop."""
    operands: list[ast.Node] = [node.right]
    first = node.left
    while isinstance(first, ast.BinaryOp) and first.op == node.op:
        operands.append(first.right)
        first = first.left
    operands.append(first)
    found: list[Truth] = []
    waiting = reversed(operands)
    for operand in waiting:
        state.guarded += 1
        part = condition_of(operand, state, negated=negated)
        state.guarded -= 1
        if part is None:
            for other in waiting:  # for their problems
                condition_of(other, state, negated=negated)
            return None
        if isinstance(part, Truth):
            found.append(part)
        elif part != is_and:
            return _decided(found, is_and, part)
    return _decided(found, is_and, is_and)


def _decided(found: list[Truth], is_and: bool, constant: bool) -> Truth | bool:
    """Return the joined truths; a constant that decides makes the others unimportant."""
    if constant != is_and or not found:
        return constant
    if len(found) == 1:
        return found[0]
    op = LogicOp.AND if is_and else LogicOp.OR
    size = 1 + sum(part.size for part in found)
    flat: list[Condition] = []
    for part in found:
        tree = part.tree
        flat.extend(tree.operands if isinstance(tree, Logic) and tree.op == op else [tree])
    return Truth(Logic(op, tuple(flat)), size, 1 + max(part.depth for part in found))


def _related(
    node: ast.BinaryOp, op: CompareOp, state: ReadingState, *, negated: bool
) -> Truth | bool | None:
    """Return a comparison or its opposite; values that aren't numbers have no opposite order."""
    left, right = expressions.value_of(node.left, state), expressions.value_of(node.right, state)
    if left is None or right is None:
        return None
    for value, part in ((left, node.left), (right, node.right)):
        if not expressions.observed(value, part, state):
            return None
    is_ordered = op not in (CompareOp.EQ, CompareOp.NE)
    if negated and not (is_ordered and (left.element.is_float or right.element.is_float)):
        return _compared(op.opposite, left, right)
    truth = _compared(op, left, right)
    if isinstance(truth, bool):
        return truth != negated
    if not negated:
        return truth
    tree = Compare(CompareOp.EQ, truth.tree, Literal(0.0))
    return Truth(tree, truth.size + 2, truth.depth + 1)


def _compared(op: CompareOp, left: CValue, right: CValue) -> Truth | bool:
    if left.wide or right.wide or left.element.is_fixed or right.element.is_fixed:
        left, right = compared(left, right)
    element = common_type(left.element, right.element) or left.element
    if element.is_fixed:
        size, depth = 1 + left.size + right.size, 1 + max(left.depth, right.depth)
        return Truth(Compare(op, left.tree, right.tree), size, depth)
    if left.constant is not None and right.constant is not None:
        first, second = (converted_value(side, element).constant or 0 for side in (left, right))
        return bool(op.holds(first, second))
    left_index, right_index = left.affine, right.affine
    if left_index is not None and right_index is not None:
        if not left_index.terms:
            left_index, right_index, op = right_index, left_index, op.mirrored
        return Truth(Compare(op, of_affine(left_index), of_affine(right_index)), 3, 2)
    match left.tree, right.constant:
        case Select(asked, Literal(then), Literal(otherwise)), int(number) if element.is_integer:
            sides = op.holds(then, number), op.holds(otherwise, number)
            if sides[0] == sides[1]:
                return sides[0]
            return Truth(asked if sides[0] else negated(asked), left.size, left.depth)
        case _:
            pass
    one, other = met(left, right, element)
    size, depth = 1 + one.size + other.size, 1 + max(one.depth, other.depth)
    return Truth(Compare(op, one.tree, other.tree), size, depth)
