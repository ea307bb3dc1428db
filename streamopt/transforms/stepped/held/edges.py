"""Memories for the lanes at the edges of tiles, where a phase updates an array in place.

Before (16 lanes of ``i``, a phase that reads ``A[i - 1]``, ``A[i]`` and ``A[i + 1]``)::

    A[400][400], twice: lane 0 reads bank 15 of the tile before, whose own row lane 15 reads

After::

    A[400][400], once, and two memories of 25 rows: those that lane 15 writes, and lane 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.stepping.edges import EdgeRead, FixedLane
from streamopt.ir.stepping.stepped import HeldArray, HeldDimension, Mirror
from streamopt.transforms.stepped.bank_loads import LanedSubscript
from streamopt.transforms.stepped.copies import ArrayDemand, served_copies
from streamopt.transforms.stepped.tile_loops import LANE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.program import Array
    from streamopt.transforms.stepped.bank_loads import LanedAccess
    from streamopt.transforms.stepped.drafts import PhaseDraft

    Places = tuple[tuple[Access, LanedAccess], ...]
    """Accesses of a phase, and where their lanes are."""

MOST_EDGES = 4
"""Lanes of a loop with memories of their own."""


@dataclass(frozen=True, slots=True)
class EdgeMemory:
    """A memory with the elements that one lane of a loop writes."""

    phase: str
    dimension: int
    """Of the array: the one along which the loop moves."""
    writer: FixedLane
    statements: tuple[int, ...]
    """Places of those that write."""
    reads: tuple[tuple[Access, int], ...]
    """Pairs (access, lane) that it serves."""
    shape: tuple[int, ...]
    factors: tuple[int, ...]

    def held_array(self, array: Array, number: int) -> HeldArray:
        """Return the memory."""
        lanes = self.writer.count
        held = tuple(
            HeldDimension(at, divisor=lanes if at == self.dimension else 1)
            for at in range(len(array.shape))
        )
        row = ir.Index(Affine.iterator(f"d{self.dimension}").mod(lanes))
        start = ir.Compare(ir.CompareOp.EQ, row, ir.Literal(self.writer.lane))
        return HeldArray(
            f"{array.name}_{number}",
            array.name,
            held,
            self.shape,
            self.factors,
            start,
            only=(self.dimension, self.writer),
        )

    def mirrors(self, memory: str) -> Iterator[Mirror]:
        """Yield the writes to it."""
        for at in self.statements:
            yield Mirror(at, memory, lane=self.writer)

    def reads_from(self, memory: str) -> Iterator[EdgeRead]:
        """Yield the reads that it serves."""
        for access, lane in self.reads:
            yield EdgeRead(access, replace(self.writer, lane=lane), memory)


@dataclass(frozen=True, slots=True)
class EdgedDemand:
    """The demand on an array without the reads that other memories serve, and these."""

    demand: ArrayDemand
    edges: tuple[EdgeMemory, ...]


def edged_demands(
    array: Array, drafts: Sequence[PhaseDraft], demand: ArrayDemand, ii: int
) -> Iterator[EdgedDemand]:
    """Yield demands that are left where lanes at the edges along a dimension are served apart.

    Parameters
    ----------
    demand
        On the array as it is, of all its reads and writes.
    """
    using = [at for at in range(len(drafts)) if demand.reads[at] or demand.writes[at]]
    if len(using) != 1:
        return
    own = drafts[using[0]]
    accesses, writes = own.reads_of(array.name), own.writes_of(array.name)
    (reads, written) = demand.reads[using[0]], demand.writes[using[0]]
    is_plain = not own.chains and len(accesses) == len(reads) and len(writes) == len(written) == 1
    if not is_plain or any(access.slot for access in reads):
        return
    for name, count in own.lanes:
        for dimension, subscript in enumerate(writes[0][1].target.subscripts):
            if subscript == Affine.iterator(name):
                places = tuple(zip(accesses, reads, strict=True))
                one = _OneSide(array, own, dimension, FixedLane(name, count, 0))
                found = one.demand(demand, using[0], places, written[0], ii)
                if found is not None:
                    yield found


@dataclass(frozen=True, slots=True)
class _OneSide:
    """The edges of a tile along one dimension."""

    array: Array
    draft: PhaseDraft
    dimension: int
    at: FixedLane

    def demand(
        self, whole: ArrayDemand, place: int, reads: Places, write: LanedAccess, ii: int
    ) -> EdgedDemand | None:
        """Return the demand that is left, and edges; None if there are none, or too many."""
        count, iterator = self.at.count, Affine.iterator(self.at.loop)
        served: dict[int, list[tuple[Access, int]]] = {}
        rest: list[LanedAccess] = []
        known = dict(reads)
        for access, laned in reads:
            apart = access.subscripts[self.dimension] - iterator
            if apart.terms or abs(apart.constant) >= count:
                return None
            by = apart.constant
            for lane in range(count):
                if not 0 <= lane + by < count:
                    served.setdefault((lane + by) % count, []).append((access, lane))
            rest.append(_lanes_from(laned, self._lane, max(0, -by), count - abs(by)))
        if not served or len(served) > MOST_EDGES:
            return None
        found = [self._edge(row, own, known, write, ii) for row, own in sorted(served.items())]
        edges = tuple(edge for edge in found if edge is not None)
        if len(edges) < len(found):
            return None
        left = [tuple(rest) if at == place else own for at, own in enumerate(whole.reads)]
        return EdgedDemand(replace(whole, reads=tuple(left)), edges)

    @property
    def _lane(self) -> str:
        return self.at.loop + LANE

    def _edge(
        self,
        row: int,
        reads: Sequence[tuple[Access, int]],
        known: dict[Access, LanedAccess],
        write: LanedAccess,
        ii: int,
    ) -> EdgeMemory | None:
        """Return the memory that one lane writes; None if one copy doesn't serve its reads."""
        shape = tuple(
            -(-extent // self.at.count) if at == self.dimension else extent
            for at, extent in enumerate(self.array.shape)
        )
        asked = tuple(self._fixed(known[access], lane) for access, lane in reads)
        demand = ArrayDemand(shape, (asked,), ((self._fixed(write, row),),))
        copies = served_copies(demand, ii, most=1)
        if copies is None:
            return None
        name = self.draft.phase.name
        statements = tuple(at for at, _ in self.draft.writes_of(self.array.name))
        writer = replace(self.at, lane=row)
        return EdgeMemory(
            name, self.dimension, writer, statements, tuple(reads), shape, copies.factors[0]
        )

    def _fixed(self, access: LanedAccess, lane: int) -> LanedAccess:
        """Return an access of one lane, in the rows that tiles have of such."""
        one = _lanes_from(access, self._lane, lane, 1)
        row = LanedSubscript(Affine.iterator(self.at.loop), Affine())
        subscripts = tuple(
            row if at == self.dimension else own for at, own in enumerate(one.subscripts)
        )
        return replace(one, subscripts=subscripts)


def _lanes_from(access: LanedAccess, name: str, first: int, count: int) -> LanedAccess:
    """Return an access of some of the lanes of a loop."""
    moved = {name: (Affine.iterator(name) if count > 1 else Affine()) + Affine.of(first)}
    subscripts = tuple(
        replace(own, offset=own.offset.substitute(moved)) for own in access.subscripts
    )
    extents = [(own, count if own == name else n) for own, n in access.extents]
    return replace(
        access, subscripts=subscripts, extents=tuple((o, n) for o, n in extents if n > 1)
    )
