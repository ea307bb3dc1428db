"""Expressions of isl's syntax trees as affine expressions, bounds and conditions.

[1] Grosser, Verdoolaege and Cohen, Polyhedral AST generation is more than scanning polyhedra,
    TOPLAS 37, 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Index, Logic, LogicOp, negated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Condition

__all__ = ["TreeChoiceError", "affine_of", "bounds_of", "condition_of", "reach_of", "within"]


class TreeChoiceError(Exception):
    """An expression of a tree chooses between values."""


def affine_of(expression: Any, known: Mapping[str, Affine]) -> Affine:
    """Return an integer expression as an affine one.

    Parameters
    ----------
    known
        What stands for each iterator of the tree.

    Raises
    ------
    TreeChoiceError
        If it is none.
    """
    import islpy as isl

    kinds, ops = isl.ast_expr_type, isl.ast_expr_op_type
    match expression.get_type():
        case kinds.int:
            return Affine.of(expression.get_val().to_python())
        case kinds.id:
            return known[expression.get_id().get_name()]
        case _:
            pass
    op = expression.get_op_type()
    if op in (ops.min, ops.max, ops.select, ops.cond):
        raise TreeChoiceError
    left, *others = _arguments(expression)
    first = affine_of(left, known)
    if op == ops.minus:
        return first.scaled(-1)
    second = affine_of(others[0], known)
    if op == ops.add:
        return first + second
    if op == ops.sub:
        return first - second
    if op == ops.mul:
        plain, scaled = (first, second) if not first.terms else (second, first)
        assert not plain.terms
        return scaled.scaled(plain.constant)
    assert not second.terms
    # Where isl knows that nothing is negative or remains, its operators are those of C.
    if op in (ops.div, ops.pdiv_q, ops.fdiv_q):
        return first.floordiv(second.constant)
    assert op in (ops.pdiv_r, ops.zdiv_r), op
    return first.mod(second.constant)


def bounds_of(
    expression: Any, known: Mapping[str, Affine], *, least: bool
) -> tuple[Affine, ...] | None:
    """Return the operands of a minimum (``least``) or maximum, or the expression alone.

    None where there are others inside: a bound that depends on a condition.
    """
    import islpy as isl

    ops = isl.ast_expr_op_type
    wanted, other = (ops.min, ops.max) if least else (ops.max, ops.min)
    op = expression.get_op_type() if expression.get_type() == isl.ast_expr_type.op else None
    if op == wanted:
        found = [bounds_of(part, known, least=least) for part in _arguments(expression)]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            return None
        return tuple(dict.fromkeys(bound for part in parts for bound in part))
    if op in (other, ops.select, ops.cond):
        return None
    return (affine_of(expression, known),)


def within(side: Affine, op: CompareOp, bound: Any, known: Mapping[str, Affine]) -> Condition:
    """Return ``side op bound`` where the bound has minima, maxima and choices inside.

    Parameters
    ----------
    op
        ``<=``, ``<`` or ``>=``.
    """
    import islpy as isl

    ops = isl.ast_expr_op_type
    kind = bound.get_op_type() if bound.get_type() == isl.ast_expr_type.op else None
    if kind in (ops.select, ops.cond):
        choice, *ways = _arguments(bound)
        condition = condition_of(choice, known)
        then, otherwise = (within(side, op, way, known) for way in ways)
        taken = Logic(LogicOp.AND, (condition, then))
        return Logic(LogicOp.OR, (taken, Logic(LogicOp.AND, (negated(condition), otherwise))))
    if kind in (ops.min, ops.max):
        parts = tuple(within(side, op, part, known) for part in _arguments(bound))
        is_all = (kind == ops.min) == (op is not CompareOp.GE)
        return Logic(LogicOp.AND if is_all else LogicOp.OR, parts)
    return Compare(op, Index(side), Index(affine_of(bound, known)))


def reach_of(
    bound: Any, known: Mapping[str, Affine], reach: Mapping[str, tuple[int, int]]
) -> tuple[int, int]:
    """Return values between which a bound lies, where iterators are between two values each."""
    import islpy as isl

    ops = isl.ast_expr_op_type
    kind = bound.get_op_type() if bound.get_type() == isl.ast_expr_type.op else None
    if kind not in (ops.select, ops.cond, ops.min, ops.max):
        return affine_of(bound, known).interval(reach)
    parts = _arguments(bound)[1 if kind in (ops.select, ops.cond) else 0 :]
    ends = [reach_of(part, known, reach) for part in parts]
    return min(low for low, _ in ends), max(high for _, high in ends)


def condition_of(expression: Any, known: Mapping[str, Affine]) -> Condition:
    """Return a condition of the tree."""
    import islpy as isl

    ops: Any = isl.ast_expr_op_type
    joints = {
        ops.and_: LogicOp.AND,
        ops.and_then: LogicOp.AND,
        ops.or_: LogicOp.OR,
        ops.or_else: LogicOp.OR,
    }
    comparisons = {
        ops.eq: CompareOp.EQ,
        ops.le: CompareOp.LE,
        ops.lt: CompareOp.LT,
        ops.ge: CompareOp.GE,
        ops.gt: CompareOp.GT,
    }
    op = expression.get_op_type()
    if op in joints:
        parts = tuple(condition_of(part, known) for part in _arguments(expression))
        return Logic(joints[op], parts)
    left, right = (Index(affine_of(part, known)) for part in _arguments(expression))
    return Compare(comparisons[op], left, right)


def _arguments(expression: Any) -> tuple[Any, ...]:
    return tuple(expression.get_op_arg(at) for at in range(expression.get_op_n_arg()))
