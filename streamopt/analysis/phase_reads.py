"""Accesses of one iteration: what is read from memory, what a statement made, what may meet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import gcd

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Condition, conjuncts, reads
from streamopt.ir.program import Statement
from streamopt.ir.stepping.steps import Phase

Guarded = tuple[Sequence[Affine], ir.Condition | None]
"""Subscripts, and the affine condition under which they are touched."""


def fetched(phase: Phase) -> tuple[Access, ...]:
    """Return the accesses that a phase reads from memory, each once.

    What an earlier statement of the phase wrote at the same place goes on as a value, if it surely
    ran: without a guard, or with one that holds wherever the reading statement runs.
    """
    found: dict[Access, None] = {}
    for at, statement in enumerate(phase.statements):
        before = phase.statements[:at]
        for access in reads_of(statement):
            if not is_forwarded(access, statement, before):
                found[access] = None
    return tuple(found)


def is_forwarded(access: Access, statement: Statement, before: Sequence[Statement]) -> bool:
    """Return whether a read of a statement surely gets what an earlier one of its phase wrote."""
    own = _parts(statement)
    for each in reversed(before):
        if may_be_stale(access, (each.target,)):
            return False
        if each.target == access and _parts(each) <= own:
            return True
    return False


def receivers(number: int, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the later statements of a phase that may get what one writes.

    Those that read the same element, unless another one in between surely writes it.
    """
    target = statements[number].target
    return tuple(
        each
        for at, each in enumerate(statements[number + 1 :], start=number + 1)
        if target in reads_of(each) and not is_forwarded(target, each, statements[number + 1 : at])
    )


def _parts(statement: Statement) -> frozenset[Condition]:
    return frozenset() if statement.guard is None else frozenset(conjuncts(statement.guard))


def is_overwritten(number: int, statements: Sequence[Statement]) -> bool:
    """Return whether a later statement of a phase surely writes the same element.

    None until then may read it from memory; what is surely the same element goes on as a value.
    """
    own = statements[number]
    for each in statements[number + 1 :]:
        if any(may_be_stale(access, (own.target,)) for access in reads_of(each)):
            return False
        if each.target == own.target and _parts(each) <= _parts(own):
            return True
    return False


def reads_of(statement: Statement) -> tuple[Access, ...]:
    """Return the distinct accesses that a statement reads: in its guard, then in its value."""
    return tuple(dict.fromkeys(a for e in statement.expressions for a in reads(e)))


def may_be_stale(access: Access, written: Collection[Access]) -> bool:
    """Return whether an element may have changed since it was read in the same iteration."""
    return any(
        target.array == access.array and target != access and not _are_apart(target, access)
        for target in written
    )


def _are_apart(one: Access, other: Access) -> bool:
    """Return whether two accesses differ by constants, not all of them 0."""
    apart = [a - b for a, b in zip(one.subscripts, other.subscripts, strict=True)]
    return any(not by.terms and by.constant for by in apart)


def may_meet(one: Guarded, other: Guarded, trip_counts: Mapping[str, int]) -> bool:
    """Return False only if two accesses of an array never touch one element in an iteration."""
    pairs = zip(one[0], other[0], strict=True)
    may_be_equal = all(_may_be_zero(a - b, trip_counts) for a, b in pairs)
    return may_be_equal and not _exclude_each_other(one[1], other[1], trip_counts)


def _exclude_each_other(
    one: ir.Condition | None, other: ir.Condition | None, trip_counts: Mapping[str, int]
) -> bool:
    """Return whether conditions never hold together, as far as fixed iterators say it."""
    if one is None or other is None:
        return False
    return any(
        not may_hold(ir.substitute_condition(there, {name: Affine.of(value)}), trip_counts)
        for here, there in ((one, other), (other, one))
        for name, value in _fixed(here)
    )


def _fixed(condition: ir.Condition) -> Iterator[tuple[str, int]]:
    """Yield iterators that a condition fixes, with their values."""
    for difference in ir.equations(condition):
        name = Affine(difference.terms).as_iterator()
        if name is not None:
            yield name, -difference.constant


def may_hold(condition: ir.Condition, trip_counts: Mapping[str, int]) -> bool:
    """Return False only if an affine condition holds at no iteration.

    Decided by the interval of the sides' difference and, for equalities, by the greatest common
    divisor of its factors; the parts of a conjunction are judged one by one.
    """
    match condition:
        case ir.Compare(op, left, right):
            return _comparison_may_hold(op, _affine(left) - _affine(right), trip_counts)
        case ir.Logic(ir.LogicOp.AND, operands):
            return all(may_hold(operand, trip_counts) for operand in operands)
        case ir.Logic(ir.LogicOp.OR, operands):
            return any(may_hold(operand, trip_counts) for operand in operands)
        case _:
            raise AssertionError(condition)


def _affine(side: ir.Expression) -> Affine:
    found = ir.as_affine(side)
    assert found is not None, side
    return found


def _comparison_may_hold(
    op: ir.CompareOp, difference: Affine, trip_counts: Mapping[str, int]
) -> bool:
    if op is ir.CompareOp.EQ and not _may_be_zero(difference, trip_counts):
        return False
    return bool(op.may_hold(*difference.bounds(trip_counts)))


def _may_be_zero(difference: Affine, trip_counts: Mapping[str, int]) -> bool:
    low, high = difference.bounds(trip_counts)
    step = gcd(*(factor for _, factor in difference.terms))
    return low <= 0 <= high and not (step and difference.constant % step)
