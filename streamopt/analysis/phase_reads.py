"""Reads of a phase: from memory, or of what an earlier statement of the same iteration made."""

from collections.abc import Collection, Sequence

from streamopt.ir.expression import Access, Condition, conjuncts, reads
from streamopt.ir.program import Statement
from streamopt.ir.stepping.steps import Phase


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
    return any(each.target == access and _parts(each) <= own for each in before)


def _parts(statement: Statement) -> frozenset[Condition]:
    return frozenset() if statement.guard is None else frozenset(conjuncts(statement.guard))


def is_overwritten(number: int, statements: Sequence[Statement]) -> bool:
    """Return whether a later statement of a phase surely writes the same element."""
    own = statements[number]
    later = statements[number + 1 :]
    return any(each.target == own.target and _parts(each) <= _parts(own) for each in later)


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
