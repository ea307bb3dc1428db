"""Integers that are one of several affine values: ``a[i == 0 ? 0 : i - 1]``, clamped borders.

A read through such a subscript is a choice between reads::

    i == 0 ? a[0] : a[i - 1]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType

MAX_CASES = 64
"""Of one access; its text has a copy of the read for each."""


@dataclass(frozen=True, slots=True)
class Fork:
    """One of two values, by a condition."""

    condition: ir.Condition
    then: Cases
    otherwise: Cases


Cases: TypeAlias = Affine | Fork


def is_of_iterators(tree: ir.Expression, largest: int) -> bool:
    """Return whether a value depends on iterators alone, in a tree of so many nodes at most."""
    for count, node in enumerate(ir.walk(tree)):
        if isinstance(node, ir.Read) or count >= largest:
            return False
    return True


def cases_of(tree: ir.Expression) -> Cases | None:
    """Return the affine values that an integer may have; None where it has others or too many."""
    found = _cases(tree)
    if found is None or _count(found) > MAX_CASES:
        return None
    return _pruned(found, {})


def read_at(array: str, subscripts: Sequence[Cases]) -> ir.Expression | None:
    """Return the read of an element as a choice of reads; None where there are too many."""
    total = 1
    for subscript in subscripts:
        total *= _count(subscript)
    return _read(array, (), tuple(subscripts)) if total <= MAX_CASES else None


def _read(array: str, chosen: tuple[Affine, ...], left: tuple[Cases, ...]) -> ir.Expression:
    if not left:
        return ir.Read(ir.Access(array, chosen))
    first, *rest = left
    if isinstance(first, Affine):
        return _read(array, (*chosen, first), tuple(rest))
    then, otherwise = (
        _read(array, chosen, (branch, *rest)) for branch in (first.then, first.otherwise)
    )
    return ir.Select(first.condition, then, otherwise)


def _count(cases: Cases) -> int:
    return 1 if isinstance(cases, Affine) else _count(cases.then) + _count(cases.otherwise)


def _cases(tree: ir.Expression) -> Cases | None:
    match tree:
        case ir.Literal() | ir.Index():
            return ir.as_affine(tree)
        case ir.Cast(ElementType.INT32 | ElementType.INT64, operand):
            return _cases(operand)
        case ir.Select(condition, then, otherwise):
            return _fork(condition, then, otherwise)
        case ir.Call(ir.Function.MAX | ir.Function.MIN as function, (left, right)):
            op = ir.CompareOp.GT if function == ir.Function.MAX else ir.CompareOp.LT
            return _fork(ir.Compare(op, left, right), left, right)
        case ir.Binary(op, left, right):
            return _combined(op, _cases(left), _cases(right))
        case _:
            return None


def _combined(op: ir.BinaryOp, left: Cases | None, right: Cases | None) -> Cases | None:
    match op:
        case ir.BinaryOp.ADD:
            return _joined(left, right, lambda one, other: one + other)
        case ir.BinaryOp.SUB:
            return _joined(left, right, lambda one, other: one - other)
        case ir.BinaryOp.MUL:
            if isinstance(left, Affine) and not left.terms:
                left, right = right, left
            if not isinstance(right, Affine) or right.terms:
                return None
            return _joined(left, right, lambda value, factor: value.scaled(factor.constant))
        case _:
            return None


def _fork(condition: ir.Condition, then: ir.Expression, otherwise: ir.Expression) -> Cases | None:
    first, second = _cases(then), _cases(otherwise)
    if first is None or second is None:
        return None
    if not isinstance(condition, ir.Compare) or ir.is_affine_condition(condition):
        return Fork(condition, first, second)
    left, right = _cases(condition.left), _cases(condition.right)
    size = _count(first) + _count(second)
    if left is None or right is None or _count(left) * _count(right) * size > MAX_CASES:
        return Fork(condition, first, second)
    return _joined(left, right, lambda one, other: _chosen(condition.op, one, other, first, second))


def _chosen(op: ir.CompareOp, left: Affine, right: Affine, then: Cases, otherwise: Cases) -> Cases:
    """Return a choice by a comparison of affine values."""
    gap = left - right
    if not gap.terms:
        return then if op.holds(gap.constant, 0) else otherwise
    return Fork(ir.Compare(op, ir.of_affine(left), ir.of_affine(right)), then, otherwise)


def _pruned(cases: Cases, known: Mapping[ir.Condition, bool]) -> Cases:
    """Return the cases without those that earlier conditions rule out."""
    if isinstance(cases, Affine):
        return cases
    if cases.condition in known:
        taken = cases.then if known[cases.condition] else cases.otherwise
        return _pruned(taken, known)
    then = _pruned(cases.then, {**known, cases.condition: True})
    otherwise = _pruned(cases.otherwise, {**known, cases.condition: False})
    return then if then == otherwise else Fork(cases.condition, then, otherwise)


def _joined(
    left: Cases | None, right: Cases | None, joined: Callable[[Affine, Affine], Cases]
) -> Cases | None:
    """Join two values in every case of both."""
    if left is None or right is None or _count(left) * _count(right) > MAX_CASES:
        return None
    if isinstance(left, Fork):
        condition, pairs = left.condition, ((left.then, right), (left.otherwise, right))
    elif isinstance(right, Fork):
        condition, pairs = right.condition, ((left, right.then), (left, right.otherwise))
    else:
        return joined(left, right)
    then, otherwise = (_joined(one, other, joined) for one, other in pairs)
    return Fork(condition, then, otherwise) if then and otherwise else None
