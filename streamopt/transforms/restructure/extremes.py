"""Extremes written as choices, as calls: so that they can be seen as reductions.

Before::

    if (x[i] > m) m = x[i];              lo = x[i] < lo ? x[i] : lo;

After::

    m = max(m, x[i]);                    lo = min(lo, x[i]);

The same value wherever two numbers are compared. With floating-point numbers the sign of a zero
may differ where ``>=`` or ``<=`` is written, and a target that is not a number at the start is
replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from streamopt.ir.expression import (
    Call,
    Compare,
    CompareOp,
    Function,
    Read,
    Select,
)
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from streamopt.ir.expression import Condition, Expression
    from streamopt.ir.source import Item, Source

__all__ = ["with_extremes"]

_GREATER = (CompareOp.GT, CompareOp.GE)
_LESS = (CompareOp.LT, CompareOp.LE)


def with_extremes(source: Source) -> Source:
    """Return the source with its choices of the larger or smaller value as calls."""
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
