"""Memories inside a node for one array: slices for some reads, copies for the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.operators import CompareOp
from streamopt.ir.stepping.stepped import HeldArray, HeldDimension, Mirror
from streamopt.transforms.stepped.copies import ArrayDemand, blocks_of, served_copies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.program import Array
    from streamopt.transforms.stepped.copies import ServedCopies
    from streamopt.transforms.stepped.drafts import PhaseDraft
    from streamopt.transforms.stepped.slices import Slice, SliceFinder

    Read = tuple[str, Access]
    """A phase and what it reads."""


@dataclass(frozen=True, slots=True)
class ArrayMemories:
    """Memories of one array.

    Attributes
    ----------
    served
        By phase and access: the memory that serves a read.
    mirrors
        By phase: writes into the memories.
    empty
        Memories into which nothing is brought.
    """

    memories: tuple[HeldArray, ...]
    served: Mapping[Read, str]
    mirrors: Mapping[str, tuple[Mirror, ...]]
    empty: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Group:
    """Copies of one kind: of the whole array, or of a slice of it."""

    reads: tuple[Read, ...]
    shape: tuple[int, ...]
    copies: ServedCopies
    slice: Slice | None = None

    @property
    def blocks(self) -> int:
        return sum(blocks_of(self.shape, factors) for factors in self.copies.factors)


def array_memories(
    array: Array, drafts: Sequence[PhaseDraft], slices: SliceFinder, ii: int
) -> ArrayMemories | None:
    """Return memories that serve all reads of an array in so many cycles; None if none do."""
    reads = [(d.phase.name, access) for d in drafts for access in d.reads_of(array.name)]
    whole = _whole(array, drafts, reads, ii)
    if whole is not None and len(whole.copies.factors) == 1:
        return _memories(array, drafts, [whole])
    groups = _sliced(array, drafts, reads, slices, ii)
    if groups is None:
        return None if whole is None else _memories(array, drafts, [whole])
    if whole is not None and whole.blocks <= sum(group.blocks for group in groups):
        groups = [whole]
    return _memories(array, drafts, groups)


def _sliced(
    array: Array, drafts: Sequence[PhaseDraft], reads: list[Read], slices: SliceFinder, ii: int
) -> list[_Group] | None:
    """Return copies for the reads that no slices serve, and slices for others; None if none do."""
    found: dict[Read, _Group] = {}
    for read in reads:
        own = slices.slice_of(*read)
        group = None if own is None else _of_slice(array, drafts, [read], own, ii)
        if group is not None:
            found[read] = group
    if not found:
        return None
    rest = _whole(array, drafts, [read for read in reads if read not in found], ii)
    if rest is None:
        return None
    for read in [*found]:
        others = {other: group for other, group in found.items() if other != read}
        more = _whole(array, drafts, [one for one in reads if one not in others], ii)
        if more is not None and more.blocks <= rest.blocks + found[read].blocks:
            rest, found = more, others
    return [rest, *found.values()]


def _whole(
    array: Array, drafts: Sequence[PhaseDraft], reads: Sequence[Read], ii: int
) -> _Group | None:
    shape = array.shape or (1,)
    demand = ArrayDemand(
        shape,
        tuple(
            tuple(d.laned(access.subscripts) for name, access in reads if name == d.phase.name)
            for d in drafts
        ),
        tuple(
            tuple(d.laned(each.target.subscripts) for _, each in d.writes_of(array.name))
            for d in drafts
        ),
    )
    copies = served_copies(demand, ii)
    return None if copies is None else _Group(tuple(reads), shape, copies)


def _of_slice(
    array: Array, drafts: Sequence[PhaseDraft], reads: Sequence[Read], own: Slice, ii: int
) -> _Group | None:
    shape = tuple(d.modulus or array.shape[d.dimension] for d in own.held) or (1,)
    guards = {(phase, number): guard for phase, number, guard in own.writes}
    writes = tuple(
        tuple(
            d.laned(_solved_places(each.target, own.held, guards[d.phase.name, at], d))
            for at, each in d.writes_of(array.name)
            if (d.phase.name, at) in guards
        )
        for d in drafts
    )
    wanted = tuple(
        tuple(d.laned(_places(access, own.held)) for name, access in reads if name == d.phase.name)
        for d in drafts
    )
    copies = served_copies(ArrayDemand(shape, wanted, writes), ii)
    return None if copies is None else _Group(tuple(reads), shape, copies, own)


def _places(access: Access, held: Sequence[HeldDimension]) -> tuple[Affine, ...]:
    return tuple(each.place(access.subscripts[each.dimension]) for each in held)


def _solved_places(
    target: Access, held: Sequence[HeldDimension], guard: Condition | None, draft: PhaseDraft
) -> tuple[Affine, ...]:
    """Return the places of a write; of loops that its guard tells the iteration, no lanes."""
    known: dict[str, Affine] = {}
    parallel = {loop.name for loop in draft.phase.loops}
    for part in () if guard is None else ir.conjuncts(guard):
        match part:
            case ir.Compare(CompareOp.EQ, left, right):
                sides = ir.as_affine(left), ir.as_affine(right)
            case _:
                continue
        if sides[0] is None or sides[1] is None:
            continue
        apart = (sides[0] - sides[1]).substitute(known)
        for name, factor in apart.factors.items():
            if name in parallel and name not in known and abs(factor) == 1:
                rest = apart - Affine.iterator(name).scaled(factor)
                known[name] = rest.scaled(-factor)
                break
    return _places(target.substitute(known), held)


def _memories(
    array: Array, drafts: Sequence[PhaseDraft], groups: Sequence[_Group]
) -> ArrayMemories:
    memories: list[HeldArray] = []
    served: dict[Read, str] = {}
    mirrors: dict[str, tuple[Mirror, ...]] = {}
    empty: set[str] = set()
    for group in groups:
        own = [
            _memory(array, group, len(memories) + at, factors)
            for at, factors in enumerate(group.copies.factors)
        ]
        memories += own
        if group.slice is not None and not group.slice.has_start:
            empty |= {memory.name for memory in own}
        numbers = {d.phase.name: iter(n) for d, n in zip(drafts, group.copies.served, strict=True)}
        served |= {read: own[next(numbers[read[0]])].name for read in group.reads}
        for draft in drafts:
            name = draft.phase.name
            new = [
                Mirror(at, memory.name, guard)
                for at, guard in _writes(array, draft, group.slice)
                for memory in own
            ]
            mirrors[name] = (*mirrors.get(name, ()), *new)
    return ArrayMemories(tuple(memories), served, mirrors, frozenset(empty))


def _memory(array: Array, group: _Group, number: int, factors: tuple[int, ...]) -> HeldArray:
    name = f"{array.name}_{number}"
    if group.slice is None:
        held = tuple(map(HeldDimension, range(len(array.shape))))
        return HeldArray(name, array.name, held, group.shape, factors)
    own = group.slice
    return HeldArray(name, array.name, own.held, group.shape, factors, own.start)


def _writes(
    array: Array, draft: PhaseDraft, own: Slice | None
) -> list[tuple[int, Condition | None]]:
    if own is None:
        return [(at, None) for at, _ in draft.writes_of(array.name)]
    return [(at, guard) for phase, at, guard in own.writes if phase == draft.phase.name]
