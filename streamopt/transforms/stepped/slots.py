"""Accesses of a phase to one array that don't act in the same cycle of an iteration.

All reads of a memory stand at one place of an iteration, and all its writes at another. But what
may be the element of an earlier write is written a cycle later, and read when that has landed;
where something is read so late, every access of the memory has a cycle of its own.
"""

from dataclasses import replace

from streamopt.analysis.operations import read_guards
from streamopt.analysis.phase_reads import is_forwarded, may_meet, reads_of
from streamopt.ir import expression as ir
from streamopt.ir.expression import Access, Condition
from streamopt.ir.program import Statement
from streamopt.transforms.stepped.bank_loads import LanedAccess
from streamopt.transforms.stepped.drafts import PhaseDraft

Slots = tuple[dict[Access, int], dict[int, int]]
"""Of reads, and of writes by the place of their statement."""


def slots_of(draft: PhaseDraft, array: str) -> Slots:
    """Return numbers of the accesses of a phase to an array: equal ones share a cycle."""
    writes = draft.writes_of(array)
    ranks: dict[int, int] = {}
    for at, each in writes:
        before = [ranks[other] for other, one in writes if other < at and _meet(draft, each, one)]
        ranks[at] = max(before, default=-1) + 1
    reads = dict.fromkeys(draft.reads_of(array), 0)
    if not any(_waits(draft, access) for access in reads):
        return reads, ranks
    own = {access: number for number, access in enumerate(reads)}
    return own, {at: len(own) + number for number, at in enumerate(ranks)}


def in_slot(access: LanedAccess, slot: int) -> LanedAccess:
    """Return an access with its number."""
    return replace(access, slot=slot)


def _meet(draft: PhaseDraft, one: Statement, other: Statement) -> bool:
    return may_meet(
        (one.target.subscripts, _affine(one.guard)),
        (other.target.subscripts, _affine(other.guard)),
        draft.trip_counts,
    )


def _waits(draft: PhaseDraft, access: Access) -> bool:
    """Return whether an earlier statement of the same iteration may write what a read finds."""
    statements = draft.phase.statements
    for at, reader in enumerate(statements):
        if access in reads_of(reader) and not is_forwarded(access, reader, statements[:at]):
            own = access.subscripts, read_guards(reader).get(access)
            return any(
                may_meet(own, (each.target.subscripts, _affine(each.guard)), draft.trip_counts)
                for each in statements[:at]
                if each.target.array == access.array
            )
    return False


def _affine(guard: Condition | None) -> Condition | None:
    parts = () if guard is None else ir.affine_conjuncts(guard)
    return ir.all_of(parts) if parts else None
