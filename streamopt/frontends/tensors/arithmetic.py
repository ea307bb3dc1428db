"""Expressions from expressions, with the constant arithmetic done that needs no type."""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING

from streamopt.frontends.tensors.indexing import remainder
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Compare,
    CompareOp,
    Expression,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
    walk,
)

if TYPE_CHECKING:
    from streamopt.frontends.tensors.indexing import ElementPoint
    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Condition

ZERO, ONE = Literal(0.0), Literal(1.0)


def add(left: Expression, right: Expression) -> Expression:
    """Return ``left + right``; a literal 0 adds nothing."""
    if left == ZERO:
        return right
    return left if right == ZERO else Binary(BinaryOp.ADD, left, right)


def subtract(left: Expression, right: Expression) -> Expression:
    """Return ``left - right``."""
    return left if right == ZERO else Binary(BinaryOp.SUB, left, right)


def multiply(left: Expression, right: Expression) -> Expression:
    """Return ``left * right``; a literal 1 changes nothing."""
    if left == ONE:
        return right
    return left if right == ONE else Binary(BinaryOp.MUL, left, right)


def divide(left: Expression, right: Expression) -> Expression:
    """Return ``left / right``, which truncates for integers."""
    return left if right == ONE else Binary(BinaryOp.DIV, left, right)


def reciprocal(value: Expression) -> Expression:
    """Return ``1 / value``."""
    return Binary(BinaryOp.DIV, ONE, value)


def square(value: Expression) -> Expression:
    """Return ``value * value``."""
    return multiply(value, value)


def call(function: Function, *arguments: Expression) -> Expression:
    """Return a function's value."""
    return Call(function, arguments)


maximum, minimum = partial(call, Function.MAX), partial(call, Function.MIN)
exponential, logarithm = partial(call, Function.EXP), partial(call, Function.LOG)


def as_condition(value: Expression) -> Condition:
    """Return a truth value as it is, a number as whether it isn't 0."""
    if isinstance(value, Compare | Logic):
        return value
    return Compare(CompareOp.NE, value, ZERO)


def as_number(value: Expression) -> Expression:
    """Return a truth value as 1 or 0, a number as it is."""
    return Select(value, ONE, ZERO) if isinstance(value, Compare | Logic) else value


def index_holds(op: CompareOp, index: Affine, bound: int, point: ElementPoint) -> Condition | bool:
    """Return ``index op bound`` for LT or GE: true or false where all iterations agree."""
    low, high = index.bounds(point.trip_counts)
    below = op is CompareOp.LT
    if high < bound:
        return below
    if low >= bound:
        return not below
    return Compare(op, Index(index.ordered(point.trip_counts)), Literal(float(bound)))


def divides(divisor: int, index: Affine, point: ElementPoint) -> Condition | bool:
    """Return whether a number divides an index: true or false where all iterations agree."""
    rest = remainder(index, divisor, point.trip_counts)
    if not rest.terms:
        return rest.constant == 0
    return Compare(CompareOp.EQ, Index(rest.ordered(point.trip_counts)), ZERO)


def all_of(conditions: list[Condition | bool]) -> Condition | bool:
    """Return whether all conditions hold."""
    if any(condition is False for condition in conditions):
        return False
    unknown = tuple(c for c in conditions if not isinstance(c, bool))
    if not unknown:
        return True
    return unknown[0] if len(unknown) == 1 else Logic(LogicOp.AND, unknown)


def select(condition: Condition, then: Expression, otherwise: Expression) -> Expression:
    """Return ``then if condition else otherwise``, of numbers or of truth values."""
    if isinstance(then, Compare | Logic) or isinstance(otherwise, Compare | Logic):
        return as_condition(Select(condition, as_number(then), as_number(otherwise)))
    return then if then == otherwise else Select(condition, then, otherwise)


def occurrences(expression: Expression, array: str) -> int:
    """Return how often an array's elements are read."""
    return sum(isinstance(e, Read) and e.access.array == array for e in walk(expression))


def product(*factors: Expression) -> Expression:
    """Return the product, left to right."""
    return reduce(multiply, factors)


def size(expression: Expression) -> int:
    """Return the number of operations."""
    leaves = Literal | Read | Index
    return sum(not isinstance(e, leaves) for e in walk(expression))
