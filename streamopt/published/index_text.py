"""Subscripts and guards as text: to access functions and conditions of the iterators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import LARGEST, Affine, NotAffine
from streamopt.ir.expression import (
    BinaryOp,
    Compare,
    CompareOp,
    Index,
    Literal,
    Logic,
    LogicOp,
    negated,
)
from streamopt.published.c_text import Apply, CTextError, Name, Number, parse_c

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.expression import Condition
    from streamopt.published.c_text import Tree

__all__ = ["NotAffineError", "read_guard", "read_subscript"]

_COMPARISONS = frozenset(op.value for op in CompareOp)
_NEVER_NEGATIVE = (0, LARGEST)
_CONNECTIVES = {"&&": LogicOp.AND, "||": LogicOp.OR}


class NotAffineError(Exception):
    """A text that is an expression, but not of the iterators alone; says which part."""


def read_subscript(text: str, iterators: Sequence[str]) -> Affine:
    """Return the affine expression that a text stands for, its terms in loop order.

    Raises
    ------
    CTextError
        If it isn't an expression.
    NotAffineError
        If it is no sum of iterators times constants, with divisions and remainders by constants.
    """
    return _affine(parse_c(text), frozenset(iterators)).ordered(iterators)


def read_guard(text: str, iterators: Sequence[str]) -> Condition:
    """Return the condition that a text stands for; raises as `read_subscript`."""
    return _condition(parse_c(text), iterators)


def _condition(tree: Tree, iterators: Sequence[str]) -> Condition:
    match tree:
        case Apply("!", (inner,)):
            return negated(_condition(inner, iterators))
        case Apply("&&" | "||" as sign, operands):
            return Logic(_CONNECTIVES[sign], tuple(_condition(o, iterators) for o in operands))
        case Apply(sign, (left, right)) if sign in _COMPARISONS:
            return Compare(CompareOp(sign), _side(left, iterators), _side(right, iterators))
        case _:
            return Compare(CompareOp.NE, _side(tree, iterators), Literal(0))


def _side(tree: Tree, iterators: Sequence[str]) -> Index | Literal:
    value = _affine(tree, frozenset(iterators)).ordered(iterators)
    return Index(value) if value.terms else Literal(value.constant)


def _affine(tree: Tree, iterators: frozenset[str]) -> Affine:
    match tree:
        case Number(int(value)):
            return Affine.of(value)
        case Name(name) if name in iterators:
            return Affine.iterator(name)
        case Name(name):
            raise NotAffineError(f"'{name}' is no iterator")
        case Apply("cast", (inner,)):
            return _affine(inner, iterators)
        case Apply("-", (inner,)):
            return _affine(inner, iterators).scaled(-1)
        case Apply("+" | "-" | "*" | "/" | "%" as sign, (left, right)):
            first, second = _affine(left, iterators), _affine(right, iterators)
            combined = first.combined(BinaryOp(sign), second, _NEVER_NEGATIVE)
            if isinstance(combined, NotAffine):
                raise NotAffineError(f"'{sign}' is not by a positive constant")
            return combined
        case Apply(function):
            raise NotAffineError(f"'{function}' has no place in it")
        case _:
            raise CTextError("it is not a whole number")
