"""Affine conditions made short: decided where the loops decide them, else with few terms."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from streamopt.analysis.instances import StatementInstance
from streamopt.ir.affine import Affine, FloorDiv
from streamopt.ir.algebra.composing import as_condition
from streamopt.ir.expression import (
    Cast,
    Compare,
    CompareOp,
    Condition,
    Expression,
    Index,
    Literal,
    Logic,
    LogicOp,
    Select,
    affine_difference,
    children,
    negated,
    rebuild,
)


def simplified(condition: Condition, trip_counts: Mapping[str, int]) -> Condition | bool:
    """Return a shorter condition, or its truth where it is the same at every iteration."""
    match condition:
        case Compare(op):
            gap = affine_difference(condition)
            return condition if gap is None else _compared(*_undivided(op, gap), trip_counts)
        case Logic(op, operands):
            parts = [simplified(operand, trip_counts) for operand in operands]
            return _joined(op, parts)
        case _:
            assert_never(condition)


def conjunction(
    conditions: Iterable[Condition], trip_counts: Mapping[str, int]
) -> Condition | bool:
    """Return all conditions as one, or its truth where it is the same at every iteration.

    Before: ``0 <= i + 1 and i + 1 < 12 and j - 1 < i - 1      # i below 10, j below 8``
    After:  ``j < i``
    """
    return _joined(LogicOp.AND, [simplified(c, trip_counts) for c in conditions])


def _undivided(op: CompareOp, gap: Affine) -> tuple[CompareOp, Affine]:
    """Return an equal comparison with 0 without a floor: ``d * x <= v`` for ``x <= v // d``."""
    floors = [(atom, factor) for atom, factor in gap.terms if isinstance(atom, FloorDiv)]
    if len(floors) != 1 or abs(floors[0][1]) != 1 or op in (CompareOp.EQ, CompareOp.NE):
        return op, gap
    ((atom, factor),) = floors
    assert isinstance(atom, FloorDiv)
    # gap = factor * floor + rest, so that gap op 0 compares the floor with -factor * rest
    other = (gap - Affine(((atom, factor),))).scaled(-factor)
    kind = op if factor > 0 else op.mirrored
    beyond = 1 if kind in (CompareOp.LE, CompareOp.GT) else 0
    bound = (other + Affine.of(beyond)).scaled(atom.divisor)
    strict = CompareOp.LT if kind in (CompareOp.LT, CompareOp.LE) else CompareOp.GE
    return _undivided(strict, atom.value - bound)


def _compared(op: CompareOp, gap: Affine, trip_counts: Mapping[str, int]) -> Condition | bool:
    known = op.truth(*gap.bounds(trip_counts))
    if known is not None:
        return known
    left = Affine(tuple(term for term in gap.terms if term[1] > 0))
    right = Affine(tuple(term for term in gap.terms if term[1] < 0)).scaled(-1)
    if not left.terms:
        left, right, op = right, left, op.mirrored
        constant = gap.constant
    else:
        constant = -gap.constant
    op, constant = _shortest(op, constant, plain=not right.terms)
    if not right.terms:
        return Compare(op, Index(left), Literal(float(constant)))
    if constant < 0:
        return Compare(op, Index(left + Affine.of(-constant)), Index(right))
    return Compare(op, Index(left), Index(right + Affine.of(constant)))


def _shortest(op: CompareOp, constant: int, *, plain: bool) -> tuple[CompareOp, int]:
    """Return ``left op right + constant`` as >= and < of numbers, and without a constant of 1."""
    match op:
        case CompareOp.GT if plain or constant == -1:
            return CompareOp.GE, constant + 1
        case CompareOp.LE if plain or constant == -1:
            return CompareOp.LT, constant + 1
        case CompareOp.GE if not plain and constant == 1:
            return CompareOp.GT, 0
        case CompareOp.LT if not plain and constant == 1:
            return CompareOp.LE, 0
        case _:
            return op, constant


def _joined(op: LogicOp, parts: list[Condition | bool]) -> Condition | bool:
    decisive = op is LogicOp.OR
    if any(part is decisive for part in parts):
        return decisive
    left: dict[Condition, None] = {}
    for part in parts:
        match part:
            case bool():
                pass
            case Logic(inner, operands) if inner is op:
                left.update(dict.fromkeys(operands))
            case _:
                left[part] = None
    if not left:
        return not decisive
    return next(iter(left)) if len(left) == 1 else Logic(op, tuple(left))


def with_conditions(instance: StatementInstance) -> StatementInstance:
    """Return a statement with conditions instead of numbers that tell whether they hold.

    Before: ``s = (k == 0 ? 1 : 0) != 0 ? 0 : s``
    After:  ``s = k == 0 ? 0 : s``
    """
    guards = tuple(as_condition(_with_conditions(guard)) for guard in instance.guards)
    assign = replace(instance.assign, value=_with_conditions(instance.assign.value))
    return replace(instance, assign=assign, guards=guards)


def _with_conditions(value: Expression) -> Expression:
    operands = children(value)
    changed = rebuild(value, tuple(map(_with_conditions, operands))) if operands else value
    match changed:
        case Compare(CompareOp.NE | CompareOp.EQ as op, number, Literal(0.0)):
            condition = _told_by(number)
            if condition is None:
                return changed
            return condition if op is CompareOp.NE else negated(condition)
        case _:
            return changed


def _told_by(number: Expression) -> Condition | None:
    match number:
        case Cast(element, inner) if element.is_integer:
            return _told_by(inner)
        case Select(condition, Literal(1.0), Literal(0.0)):
            return condition
        case Compare() | Logic():
            return number
        case _:
            return None
