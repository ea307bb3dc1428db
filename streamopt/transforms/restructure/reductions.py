"""Reductions recognised, and choices of the larger or smaller value written as calls."""

from dataclasses import dataclass, replace
from typing import assert_never

from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Compare,
    CompareOp,
    Condition,
    Expression,
    Function,
    Literal,
    Read,
    Select,
    reads,
)
from streamopt.ir.operators import Reduction
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
        case Call(Function.MAX | Function.MIN as function, (left, right)) if own in (left, right):
            found = Recognized(Reduction(function.value), right if left == own else left)
        case _:
            found = None
    if found is None or target in reads(found.term):
        return None
    return found


def _negated(value: Expression) -> Expression:
    """Return the value with the other sign, that of zeros included."""
    return Binary(BinaryOp.SUB, Literal(-0.0), value)


_GREATER = (CompareOp.GT, CompareOp.GE)
_LESS = (CompareOp.LT, CompareOp.LE)


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
            return _assigned(item)
        case RangeLoop():
            return replace(item, body=tuple(map(_rewritten, item.body)))
        case Branch(condition, (Assign() as only,), ()):
            function = _function(condition, only.value, Read(only.target))
            if function is None:
                return item
            return replace(only, value=Call(function, (Read(only.target), only.value)))
        case Branch():
            then, otherwise = (tuple(map(_rewritten, b)) for b in (item.then, item.otherwise))
            return replace(item, then=then, otherwise=otherwise)
        case _:
            assert_never(item)


def _assigned(item: Assign) -> Assign:
    own = Read(item.target)
    match item.value:
        case Select(condition, then, otherwise) if otherwise == own:
            term, function = then, _function(condition, then, own)
        case Select(condition, then, otherwise) if then == own:
            term, function = otherwise, _opposite(_function(condition, otherwise, own))
        case _:
            return item
    return item if function is None else replace(item, value=Call(function, (own, term)))


def _function(condition: Condition, term: Expression, own: Read) -> Function | None:
    """Return which of two values a condition takes the term for, if it compares just these."""
    match condition:
        case Compare(op, left, right) if {left, right} == {term, own} and left != right:
            greater = op in (_GREATER if left == term else _LESS)
            smaller = op in (_LESS if left == term else _GREATER)
            return Function.MAX if greater else Function.MIN if smaller else None
        case _:
            return None


def _opposite(function: Function | None) -> Function | None:
    match function:
        case Function.MAX:
            return Function.MIN
        case Function.MIN:
            return Function.MAX
        case _:
            return None
