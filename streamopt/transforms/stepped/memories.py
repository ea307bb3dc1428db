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
    BLOCK_WORDS,
    FEW_REGISTERS,
    MOST_COPIES,
    MOST_REGISTERS,
    MOST_SLICE_REGISTERS,
    REGISTERS_OF_A_BANK,
    ArrayDemand,
    ServedCopies,
    is_served,
    served_copies,
    widened,
)
from streamopt.transforms.stepped.held.edges import edged_demands
from streamopt.transforms.stepped.held.groups import CopyGroup
from streamopt.transforms.stepped.normal_form import told_iterators
from streamopt.transforms.stepped.skews import cost_of, skewed_layouts
from streamopt.transforms.stepped.slots import in_slot, slots_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.program import Array, Statement
    from streamopt.ir.stepping.edges import EdgeRead
    from streamopt.transforms.stepped.bank_loads import LanedAccess
    from streamopt.transforms.stepped.drafts import PhaseDraft
    from streamopt.transforms.stepped.held.groups import Read
    from streamopt.transforms.stepped.slices import SliceFinder

    Write = tuple[PhaseDraft, int, Statement]
    """A phase, and the place of a statement in it."""

FEW_BLOCKS = 512
"""Block RAMs of copies of an array that are not worth turning lanes for."""
MOST_TIMES_LEAST = 1.5
"""Block RAMs of copies that need no other layout, to those of the array alone."""
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
    edges
        Reads of single lanes, served by other memories.
    """

    memories: tuple[HeldArray, ...]
    served: Mapping[Read, str]
    mirrors: Mapping[str, tuple[Mirror, ...]]
    empty: frozenset[str] = frozenset()
    edges: tuple[EdgeRead, ...] = ()


def array_memories(
    array: Array,
    drafts: Sequence[PhaseDraft],
    slices: SliceFinder,
    ii: int,
    *,
    is_straight: bool = False,
) -> ArrayMemories | None:
    """Return memories that serve all reads of an array in so many cycles; None if none do.

    Parameters
    ----------
    is_straight
        Whether the array may be read or written where it is, outside.
    """
    chooser = _Chooser(array, drafts, slices, ii, is_straight)
    groups = chooser.groups()
    if groups is not None and _slice_registers(groups) > MOST_SLICE_REGISTERS:
        groups = replace(chooser, registers_of_a_bank=FEW_REGISTERS).groups()
    if groups is None:
        return None
    lanes = max((prod(count for _, count in each.lanes) for each in drafts), default=1)
    most = MOST_ARGUMENT_BANKS if lanes >= MANY_LANES else lanes
    wide = [_widened(group, most) for group in groups]
    return _memories(array, drafts, wide)


def _slice_registers(groups: Sequence[CopyGroup]) -> int:
    return sum(prod(each.shape) for each in groups if each.slice is not None and each.is_registers)


def _widened(group: CopyGroup, lanes: int) -> CopyGroup:
    """Return copies of a whole array with more banks, to be filled and emptied faster."""
    is_plain = all(own == HeldDimension(at) for at, own in enumerate(group.held))
    if group.slice is not None or group.is_registers or group.is_outside or group.edges:
        return group
    if not is_plain:
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
    is_straight: bool
    ends_here: bool = True
    registers_of_a_bank: int = REGISTERS_OF_A_BANK

    def groups(self) -> list[CopyGroup] | None:
        """Return copies and slices that serve all reads; None if none do."""
        reads = [(d.phase.name, a) for d in self.drafts for a in d.reads_of(self.array.name)]
        outside = self._outside(reads)
        if outside is None:
            return self._inside(reads)
        if not reads or not outside.writes:
            return [outside]
        inside = replace(self, ends_here=False)._inside(reads)
        return None if inside is None else [*inside, outside]

    def _outside(self, reads: list[Read]) -> CopyGroup | None:
        """Return the array itself, if it is only read, or holds what is written last."""
        if not self.is_straight:
            return None
        last = self.slices.needed(self.array.name, ())
        writes = [
            (d, at, each)
            for d in self.drafts
            for at, each in d.writes_of(self.array.name)
            if (d.phase.name, at) in last
        ]
        group = self._copied(() if writes else reads, writes, most=1)
        return None if group is None else replace(group, is_outside=True)

    def _inside(self, reads: list[Read]) -> list[CopyGroup] | None:
        """Return memories inside the node; those that hold all come first."""
        whole = self.whole(reads)
        if whole is not None and whole.is_registers:
            return [whole]
        sliced = {read: group for read in reads for group in self.of_slice(read)}
        own = [read for read, group in sliced.items() if self._is_own(read, group)]
        is_turned = whole is not None and whole.is_skewed
        if whole is not None and len(whole.copies.factors) == 1 and not own and not is_turned:
            return [whole]
        found = self._mixed(reads, sliced, own)
        if found is None:
            return None if whole is None else [whole]
        fewest = sum(each.blocks for each in found)
        if whole is not None and not own and not is_turned and whole.blocks <= fewest:
            return [whole]
        return found

    def _is_own(self, read: Read, group: CopyGroup) -> bool:
        """Return whether a phase that writes the array waits for a read of few elements.

        A memory of its own lets the read be late, and other reads of the array be early. Very few
        elements are registers, which are read soonest.
        """
        if prod(group.shape) <= FEW_REGISTERS:
            return True
        writes = {d.phase.name for d in self.drafts if d.writes_of(self.array.name)}
        return read[0] in writes and prod(group.shape) <= MOST_REGISTERS

    def _mixed(
        self, reads: list[Read], sliced: dict[Read, CopyGroup], own: list[Read]
    ) -> list[CopyGroup] | None:
        """Return slices for some reads and copies for the others."""
        if not sliced:
            return None
        rest = self.whole([read for read in reads if read not in sliced])
        if rest is None:
            return None
        for read in [read for read in sliced if read not in own]:
            others = {other: group for other, group in sliced.items() if other != read}
            more = self.whole([one for one in reads if one not in others])
            if more is not None and more.is_skewed:
                continue  # what an update waits for isn't turned
            if more is not None and more.blocks <= rest.blocks + sliced[read].blocks:
                rest, sliced = more, others
        is_needed = self.ends_here or bool(rest.reads)
        return [*([rest] if is_needed else []), *sliced.values()]

    def whole(self, reads: Sequence[Read]) -> CopyGroup | None:
        """Return copies of the array for some reads."""
        name = self.array.name
        writes = [(d, at, each) for d in self.drafts for at, each in d.writes_of(name)]
        if not self.ends_here or len({d.phase.name for d, _, _ in writes}) < len(writes):
            needed = self.slices.needed(name, reads, with_last=self.ends_here)
            writes = [one for one in writes if (one[0].phase.name, one[1]) in needed]
        plain = self._copied(reads, writes)
        least = -(-prod(self.array.shape) // BLOCK_WORDS)
        if plain is not None and plain.blocks <= max(FEW_BLOCKS, MOST_TIMES_LEAST * least):
            return plain
        found = (plain, self._skewed(reads, writes), self._edged(reads, writes))
        return min((one for one in found if one), key=lambda one: one.blocks, default=None)

    def _copied(
        self, reads: Sequence[Read], writes: Sequence[Write], most: int = MOST_COPIES
    ) -> CopyGroup | None:
        """Return copies with the array's own dimensions."""
        held = tuple(map(HeldDimension, range(len(self.array.shape))))
        demand = self._demand(reads, writes, held)
        copies = served_copies(demand, self.ii, most)
        return None if copies is None else _group(reads, writes, held, demand, copies)

    def _edged(self, reads: Sequence[Read], writes: Sequence[Write]) -> CopyGroup | None:
        """Return copies with memories beside them for the lanes at the edges of tiles."""
        held = tuple(map(HeldDimension, range(len(self.array.shape))))
        demand = self._demand(reads, writes, held)
        found: list[CopyGroup] = []
        for edged in edged_demands(self.array, self.drafts, demand, self.ii):
            copies = served_copies(edged.demand, self.ii, is_narrow=True)
            if copies is not None:
                group = _group(reads, writes, held, demand, copies)
                found.append(replace(group, edges=edged.edges))
        return min(found, key=lambda group: group.blocks, default=None)

    def _skewed(self, reads: Sequence[Read], writes: Sequence[Write]) -> CopyGroup | None:
        """Return a single copy in whose banks neighbours along any dimension lie apart."""
        lanes = max(prod(count for _, count in d.lanes) for d in self.drafts)
        layouts = skewed_layouts(self.array.shape, lanes)
        for held, factors in sorted(layouts, key=lambda own: cost_of(self.array.shape, *own)):
            demand = self._demand(reads, writes, held)
            if is_served(demand, factors, self.ii):
                copies = ServedCopies((factors,), tuple((0,) * len(own) for own in demand.reads))
                return _group(reads, writes, held, demand, copies)
        return None

    def _demand(
        self, reads: Sequence[Read], writes: Sequence[Write], held: Sequence[HeldDimension]
    ) -> ArrayDemand:
        return ArrayDemand(
            tuple(own.extent(self.array.shape) for own in held) or (1,),
            self._reads(reads, held),
            tuple(
                tuple(
                    in_slot(
                        d.laned(_places(each.target, held), told_iterators(each.guard)), slots[at]
                    )
                    for d, at, each in writes
                    if d is own
                )
                for own in self.drafts
                for _, slots in (slots_of(own, self.array.name),)
            ),
            tuple(d.era for d in self.drafts),
        )

    def of_slice(self, read: Read) -> tuple[CopyGroup, ...]:
        """Return the slice for a read, if there is one."""
        own = None if self._is_foremost(read) else self.slices.slice_of(*read)
        if own is None:
            return ()
        shape = tuple(d.extent(self.array.shape) for d in own.held) or (1,)
        guards = {(phase, number): guard for phase, number, guard in own.writes}
        writes = tuple(
            tuple(
                in_slot(
                    d.laned(
                        _solved_places(each.target, own.held, guards[d.phase.name, at], d),
                        told_iterators(each.guard),
                    ),
                    slots[at],
                )
                for at, each in d.writes_of(self.array.name)
                if (d.phase.name, at) in guards
            )
            for d in self.drafts
            for _, slots in (slots_of(d, self.array.name),)
        )
        demand = ArrayDemand(shape, self._reads([read], own.held), writes)
        copies = served_copies(demand, self.ii, registers_of_a_bank=self.registers_of_a_bank)
        if copies is None:
            return ()
        return (CopyGroup((read,), own.writes, shape, copies, own.held, own),)

    def _is_foremost(self, read: Read) -> bool:
        """Return whether a read is one that a chain fetches."""
        own = next(d for d in self.drafts if d.phase.name == read[0])
        return any(read[1] in own.foremost(chain) for chain in own.chains)

    def _reads(
        self, reads: Sequence[Read], held: Sequence[HeldDimension]
    ) -> tuple[tuple[LanedAccess, ...], ...]:
        return tuple(
            tuple(
                in_slot(d.laned(_places(access, held)), slots[access])
                for name, access in reads
                if name == d.phase.name
            )
            for d in self.drafts
            for slots, _ in (slots_of(d, self.array.name),)
        )


def _group(
    reads: Sequence[Read],
    writes: Sequence[Write],
    held: tuple[HeldDimension, ...],
    demand: ArrayDemand,
    copies: ServedCopies,
) -> CopyGroup:
    places = tuple((draft.phase.name, at, None) for draft, at, _ in writes)
    return CopyGroup(tuple(reads), places, demand.shape, copies, held)


def _places(access: Access, held: Sequence[HeldDimension]) -> tuple[Affine, ...]:
    return tuple(each.place(access.subscripts) for each in held)


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
    array: Array, drafts: Sequence[PhaseDraft], groups: Sequence[CopyGroup]
) -> ArrayMemories:
    memories: list[HeldArray] = []
    served: dict[Read, str] = {}
    mirrors: dict[str, tuple[Mirror, ...]] = {}
    empty: set[str] = set()
    edges: list[EdgeRead] = []
    for group in groups:
        own = [
            _memory(array, group, len(memories) + at, factors)
            for at, factors in enumerate(group.copies.factors)
        ]
        memories += own
        if group.is_outside or (group.slice is not None and not group.slice.has_start):
            empty |= {memory.name for memory in own}
        for edge in group.edges:
            held = edge.held_array(array, len(memories))
            memories.append(held)
            mirrors[edge.phase] = (*mirrors.get(edge.phase, ()), *edge.mirrors(held.name))
            edges += edge.reads_from(held.name)
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
    return ArrayMemories(tuple(memories), served, mirrors, frozenset(empty), tuple(edges))


def _memory(array: Array, group: CopyGroup, number: int, factors: tuple[int, ...]) -> HeldArray:
    name = f"{array.name}.outside" if group.is_outside else f"{array.name}_{number}"
    start = None if group.slice is None else group.slice.start
    return HeldArray(name, array.name, group.held, group.shape, factors, start, group.is_outside)
