"""Reductions recognised, and choices of the larger or smaller value written as calls."""

from dataclasses import dataclass, replace
from typing import assert_never

from streamopt.analysis.sum_steps import extreme_update
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Compare,
    CompareOp,
    Expression,
    Function,
    Literal,
    Read,
    Select,
    reads,
)
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Statement
from streamopt.ir.source import Assign, Branch, Item, RangeLoop, Source


@dataclass(frozen=True, slots=True)
class Recognized:
    """``target = target (reduction) term``; the term doesn't read the target."""

    reduction: Reduction
    term: Expression


def recognized(target: Access, value: Expression) -> Recognized | None:
    """Return the reduction that an assignment is a step of, if it is one.

    Before: ``m[i] = max(m[i], x[i][j])``
    After:  ``m[i] (max)= x[i][j]``
    """
    own = Read(target)
    match value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, left, right) if own in (left, right):
            found = Recognized(Reduction(op.value), right if left == own else left)
        case Binary(BinaryOp.SUB, left, right) if left == own:
            found = Recognized(Reduction.ADD, _negated(right))
        case _:
            extreme = extreme_update(target, value)
            found = extreme and Recognized(Reduction(extreme[0].value), extreme[1])
    if found is None or target in reads(found.term):
        return None
    return found


def _negated(value: Expression) -> Expression:
    """Return the value with the other sign, that of zeros included."""
    return Binary(BinaryOp.SUB, Literal(-0.0), value)


def with_extremes(source: Source) -> Source:
    """Return the source with its choices of the larger or smaller value as calls.

    Before: ``if (x[i] > m) m = x[i]``
    After:  ``m = max(m, x[i])``

    The same value wherever two numbers are compared. With floating-point numbers the sign of a zero
    may differ where ``>=`` or ``<=`` is written, and a target that is not a number at the start is
    replaced.
    """
    return replace(source, body=tuple(map(_rewritten, source.body)))


def _rewritten(item: Item) -> Item:
    match item:
        case Assign():
            return with_extreme(item)
        case RangeLoop():
            return replace(item, body=tuple(map(_rewritten, item.body)))
        case Branch(condition, (Assign() as only,), ()):
            chosen = Select(condition, only.value, Read(only.target))
            found = extreme_update(only.target, chosen)
            return item if found is None else replace(only, value=_choice(only.target, found))
        case Branch():
            then, otherwise = (tuple(map(_rewritten, b)) for b in (item.then, item.otherwise))
            return replace(item, then=then, otherwise=otherwise)
        case _:
            assert_never(item)


def with_extreme(item: Assign) -> Assign:
    """Return an assignment that is a choice of the larger or smaller value as a call."""
    found = extreme_update(item.target, item.value)
    if found is None or isinstance(item.value, Call):
        return item
    return replace(item, value=_choice(item.target, found))


def _choice(target: Access, update: tuple[Function, Expression]) -> Call:
    function, term = update
    return Call(function, (Read(target), term), is_choice=True)


def with_choices(statement: Statement, *, sequential: bool) -> Statement:
    """Return a statement without calls that are choices.

    In sequential nests, where an operator waits for the next, they are comparisons and selections
    again, which take far less than the functions of the C library.
    """
    return replace(statement, value=_without_choices(statement.value, sequential=sequential))


def _without_choices(value: Expression, *, sequential: bool) -> Expression:
    match value:
        case Call(function, (own, term), True):
            if not sequential:
                return replace(value, is_choice=False)
            op = CompareOp.GT if function is Function.MAX else CompareOp.LT
            return Select(Compare(op, term, own), term, own)
        case _:
            return value
