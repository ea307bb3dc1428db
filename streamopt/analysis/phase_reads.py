"""Reads of a phase: from memory, or of what an earlier statement of the same iteration made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import reads

if TYPE_CHECKING:
    from collections.abc import Collection

    from streamopt.ir.expression import Access
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import Phase


def fetched(phase: Phase) -> tuple[Access, ...]:
    """Return the accesses that a phase reads from memory, each once.

    What an earlier statement of the phase wrote at the same place, if no guard kept it from that,
    goes on as a value.
    """
    found: dict[Access, None] = {}
    written: set[Access] = set()
    for statement in phase.statements:
        found |= dict.fromkeys(access for access in reads_of(statement) if access not in written)
        if statement.guard is None:
            written.add(statement.target)
    return tuple(found)


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
