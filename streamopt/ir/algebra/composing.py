"""Expressions from expressions, with the constant arithmetic done that needs no type."""

from collections.abc import Callable, Mapping
from functools import partial, reduce

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.divisions import remainder

ZERO, ONE = ir.Literal(0.0), ir.Literal(1.0)


def add(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return ``left + right``; a literal 0 adds nothing."""
    if left == ZERO:
        return right
    return left if right == ZERO else ir.Binary(ir.BinaryOp.ADD, left, right)


def subtract(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return ``left - right``."""
    return left if right == ZERO else ir.Binary(ir.BinaryOp.SUB, left, right)


def multiply(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return ``left * right``; a literal 1 changes nothing."""
    if left == ONE:
        return right
    return left if right == ONE else ir.Binary(ir.BinaryOp.MUL, left, right)


def divide(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return ``left / right``, which truncates for integers."""
    return left if right == ONE else ir.Binary(ir.BinaryOp.DIV, left, right)


def reciprocal(value: ir.Expression) -> ir.Expression:
    """Return ``1 / value``."""
    return ir.Binary(ir.BinaryOp.DIV, ONE, value)


def square(value: ir.Expression) -> ir.Expression:
    """Return ``value * value``."""
    return multiply(value, value)


def call(function: ir.Function, *arguments: ir.Expression) -> ir.Expression:
    """Return a function's value."""
    return ir.Call(function, arguments)


maximum, minimum = partial(call, ir.Function.MAX), partial(call, ir.Function.MIN)
exponential, logarithm = partial(call, ir.Function.EXP), partial(call, ir.Function.LOG)


def as_condition(value: ir.Expression) -> ir.Condition:
    """Return a truth value as it is, a number as whether it isn't 0."""
    if isinstance(value, ir.Compare | ir.Logic):
        return value
    return ir.Compare(ir.CompareOp.NE, value, ZERO)


def as_number(value: ir.Expression) -> ir.Expression:
    """Return a truth value as 1 or 0, a number as it is."""
    return ir.Select(value, ONE, ZERO) if isinstance(value, ir.Compare | ir.Logic) else value


def index_holds(
    op: ir.CompareOp, index: Affine, bound: int, trip_counts: Mapping[str, int]
) -> ir.Condition | bool:
    """Return ``index op bound`` for LT or GE: true or false where all iterations agree."""
    low, high = index.bounds(trip_counts)
    below = op is ir.CompareOp.LT
    if high < bound:
        return below
    if low >= bound:
        return not below
    return ir.Compare(op, ir.Index(index.ordered(trip_counts)), ir.Literal(float(bound)))


def divides(divisor: int, index: Affine, trip_counts: Mapping[str, int]) -> ir.Condition | bool:
    """Return whether a number divides an index: true or false where all iterations agree."""
    rest = remainder(index, divisor, trip_counts)
    if not rest.terms:
        return rest.constant == 0
    return ir.Compare(ir.CompareOp.EQ, ir.Index(rest.ordered(trip_counts)), ZERO)


def all_of(conditions: list[ir.Condition | bool]) -> ir.Condition | bool:
    """Return whether all conditions hold."""
    if any(condition is False for condition in conditions):
        return False
    unknown = tuple(c for c in conditions if not isinstance(c, bool))
    if not unknown:
        return True
    return ir.all_of(unknown)


def select(condition: ir.Condition, then: ir.Expression, otherwise: ir.Expression) -> ir.Expression:
    """Return ``then if condition else otherwise``, of numbers or of truth values."""
    if isinstance(then, ir.Compare | ir.Logic) or isinstance(otherwise, ir.Compare | ir.Logic):
        return as_condition(ir.Select(condition, as_number(then), as_number(otherwise)))
    return then if then == otherwise else ir.Select(condition, then, otherwise)


def chosen(
    condition: ir.Condition | bool,
    then: Callable[[], ir.Expression],
    otherwise: Callable[[], ir.Expression],
) -> ir.Expression:
    """Return `select` of two values, or the only one that there is where all iterations agree."""
    if isinstance(condition, bool):
        return then() if condition else otherwise()
    return select(condition, then(), otherwise())


def occurrences(expression: ir.Expression, array: str) -> int:
    """Return how often an array's elements are read."""
    return sum(isinstance(e, ir.Read) and e.access.array == array for e in ir.walk(expression))


def product(*factors: ir.Expression) -> ir.Expression:
    """Return the product, left to right."""
    return reduce(multiply, factors)


def size(expression: ir.Expression) -> int:
    """Return the number of operations."""
    return sum(not isinstance(e, ir.Literal | ir.Read | ir.Index) for e in ir.walk(expression))
