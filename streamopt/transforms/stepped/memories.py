"""Memories inside a node for one array: slices for some reads, copies for the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS
from streamopt.ir.stepping.stepped import HeldArray, HeldDimension, Mirror
from streamopt.transforms.stepped.copies import (
    MOST_REGISTERS,
    ArrayDemand,
    blocks_of,
    served_copies,
    widened,
)
from streamopt.transforms.stepped.normal_form import told_iterators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.program import Array
    from streamopt.transforms.stepped.bank_loads import LanedAccess
    from streamopt.transforms.stepped.copies import ServedCopies
    from streamopt.transforms.stepped.drafts import PhaseDraft
    from streamopt.transforms.stepped.slices import Slice, SliceFinder

    Read = tuple[str, Access]
    """A phase and what it reads."""

MANY_LANES = 8
"""Of a phase: with so many, arrays are copied in and out as fast as arguments can be read."""


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
    """Copies of one kind: of the whole array, or of a slice of it.

    Attributes
    ----------
    writes
        Triples (phase, statement, guard beside the statement's).
    """

    reads: tuple[Read, ...]
    writes: tuple[tuple[str, int, Condition | None], ...]
    shape: tuple[int, ...]
    copies: ServedCopies
    slice: Slice | None = None

    @property
    def blocks(self) -> int:
        return sum(blocks_of(self.shape, factors) for factors in self.copies.factors)

    @property
    def is_registers(self) -> bool:
        return self.copies.factors == (self.shape,)


def array_memories(
    array: Array, drafts: Sequence[PhaseDraft], slices: SliceFinder, ii: int
) -> ArrayMemories | None:
    """Return memories that serve all reads of an array in so many cycles; None if none do."""
    groups = _Chooser(array, drafts, slices, ii).groups()
    if groups is None:
        return None
    lanes = max((prod(count for _, count in each.lanes) for each in drafts), default=1)
    most = MOST_ARGUMENT_BANKS if lanes >= MANY_LANES else lanes
    wide = [_widened(group, most) for group in groups]
    return _memories(array, drafts, wide)


def _widened(group: _Group, lanes: int) -> _Group:
    """Return copies of a whole array with more banks, to be filled and emptied faster."""
    if group.slice is not None or group.is_registers:
        return group
    factors = tuple(widened(group.shape, own, lanes) for own in group.copies.factors)
    return replace(group, copies=replace(group.copies, factors=factors))


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Chooses copies and slices of one array."""

    array: Array
    drafts: Sequence[PhaseDraft]
    slices: SliceFinder
    ii: int

    def groups(self) -> list[_Group] | None:
        """Return copies and slices that serve all reads; None if none do."""
        reads = [(d.phase.name, a) for d in self.drafts for a in d.reads_of(self.array.name)]
        whole = self.whole(reads)
        if whole is not None and whole.is_registers:
            return [whole]
        sliced = {read: group for read in reads for group in self.of_slice(read)}
        own = [read for read, group in sliced.items() if self._is_own(read, group)]
        if whole is not None and len(whole.copies.factors) == 1 and not own:
            return [whole]
        found = self._mixed(reads, sliced, own)
        if found is None:
            return None if whole is None else [whole]
        if whole is not None and not own and whole.blocks <= sum(each.blocks for each in found):
            return [whole]
        return found

    def _is_own(self, read: Read, group: _Group) -> bool:
        """Return whether a phase that writes the array waits for a read of few elements.

        A memory of its own lets the read be late, and other reads of the array be early.
        """
        writes = {d.phase.name for d in self.drafts if d.writes_of(self.array.name)}
        return read[0] in writes and prod(group.shape) <= MOST_REGISTERS

    def _mixed(
        self, reads: list[Read], sliced: dict[Read, _Group], own: list[Read]
    ) -> list[_Group] | None:
        """Return slices for some reads and copies for the others."""
        if not sliced:
            return None
        rest = self.whole([read for read in reads if read not in sliced])
        if rest is None:
            return None
        for read in [read for read in sliced if read not in own]:
            others = {other: group for other, group in sliced.items() if other != read}
            more = self.whole([one for one in reads if one not in others])
            if more is not None and more.blocks <= rest.blocks + sliced[read].blocks:
                rest, sliced = more, others
        return [rest, *sliced.values()]

    def whole(self, reads: Sequence[Read]) -> _Group | None:
        """Return copies of the array for some reads."""
        name, shape = self.array.name, self.array.shape or (1,)
        writes = [(d, at, each) for d in self.drafts for at, each in d.writes_of(name)]
        if len({d.phase.name for d, _, _ in writes}) < len(writes):
            needed = self.slices.needed(name, reads)
            writes = [one for one in writes if (one[0].phase.name, one[1]) in needed]
        demand = ArrayDemand(
            shape,
            self._reads(reads, None),
            tuple(
                tuple(
                    d.laned(each.target.subscripts, told_iterators(each.guard))
                    for d, _, each in writes
                    if d is own
                )
                for own in self.drafts
            ),
        )
        copies = served_copies(demand, self.ii)
        if copies is None:
            return None
        places = tuple((d.phase.name, at, None) for d, at, _ in writes)
        return _Group(tuple(reads), places, shape, copies)

    def of_slice(self, read: Read) -> tuple[_Group, ...]:
        """Return the slice for a read, if there is one."""
        own = None if self._is_foremost(read) else self.slices.slice_of(*read)
        if own is None:
            return ()
        shape = tuple(d.modulus or self.array.shape[d.dimension] for d in own.held) or (1,)
        guards = {(phase, number): guard for phase, number, guard in own.writes}
        writes = tuple(
            tuple(
                d.laned(
                    _solved_places(each.target, own.held, guards[d.phase.name, at], d),
                    told_iterators(each.guard),
                )
                for at, each in d.writes_of(self.array.name)
                if (d.phase.name, at) in guards
            )
            for d in self.drafts
        )
        demand = ArrayDemand(shape, self._reads([read], own.held), writes)
        copies = served_copies(demand, self.ii)
        return () if copies is None else (_Group((read,), own.writes, shape, copies, own),)

    def _is_foremost(self, read: Read) -> bool:
        """Return whether a read is one that a chain fetches."""
        own = next(d for d in self.drafts if d.phase.name == read[0])
        return any(read[1] in own.foremost(chain) for chain in own.chains)

    def _reads(
        self, reads: Sequence[Read], held: Sequence[HeldDimension] | None
    ) -> tuple[tuple[LanedAccess, ...], ...]:
        return tuple(
            tuple(
                d.laned(access.subscripts if held is None else _places(access, held))
                for name, access in reads
                if name == d.phase.name
            )
            for d in self.drafts
        )


def _places(access: Access, held: Sequence[HeldDimension]) -> tuple[Affine, ...]:
    return tuple(each.place(access.subscripts[each.dimension]) for each in held)


def _solved_places(
    target: Access, held: Sequence[HeldDimension], guard: Condition | None, draft: PhaseDraft
) -> tuple[Affine, ...]:
    """Return the places of a write; of loops that its guard tells the iteration, no lanes."""
    known: dict[str, Affine] = {}
    parallel = {loop.name for loop in draft.phase.loops}
    for equation in ir.equations(guard):
        apart = equation.substitute(known)
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
                for phase, at, guard in group.writes
                if phase == name
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
