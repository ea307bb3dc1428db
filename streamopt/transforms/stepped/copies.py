"""Copies of an array inside a node, and their banks: as few block RAMs as serve all accesses.

A bank has two ports. Reads of one phase come in the same cycle as writes of any phase, since the
pipeline is flattened, and a write goes to every copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import gcd, prod
from typing import TYPE_CHECKING

from streamopt.transforms.partitions import PORTS
from streamopt.transforms.stepped.bank_loads import fullest_bank, offsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.transforms.stepped.bank_loads import LanedAccess, LanedSubscript

MOST_COPIES = 4
"""Of an array; then an iteration takes more cycles instead."""
BLOCK_WORDS = 512
"""Of a block RAM of 18 Kbit, of 36 bits at most."""
MOST_REGISTERS = 1024
"""Elements of an array without ports."""
REGISTERS_OF_A_BANK = 16
"""Elements: banks that hold as few of them are registers."""
MOST_SLICE_REGISTERS = 4 * MOST_REGISTERS
"""Elements of all slices of an array; of more, only banks of `FEW_REGISTERS` are registers."""
MOST_AWAITED = 512
"""Elements that are registers where one is read and written an iteration: that is 2 cycles less."""
FEW_REGISTERS = 4
"""Elements that are registers however many accesses there are."""
MOST_MORE_FOR_ALIKE = 1.1
"""Block RAMs of copies with the same banks, to those of copies that differ."""
MOST_MORE_FOR_WIDTH = 1.5
"""Block RAMs of a copy with more banks than its reads need, to those that these need."""
MOST_CANDIDATES = 24
MOST_STEPS = 4096
"""Of looking for a copy for each read of a phase."""


@dataclass(frozen=True, slots=True)
class ArrayDemand:
    """Accesses to one array, by phase.

    Attributes
    ----------
    reads
        Of each phase: what has to be served.
    writes
        Of each phase.
    eras
        Of each phase: one after another, no two at once.
    """

    shape: tuple[int, ...]
    reads: tuple[tuple[LanedAccess, ...], ...]
    writes: tuple[tuple[LanedAccess, ...], ...]
    eras: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ServedCopies:
    """Copies, and which of them serves each read.

    Attributes
    ----------
    factors
        Of each copy.
    served
        Like the demand's reads: the copy's number.
    """

    factors: tuple[tuple[int, ...], ...]
    served: tuple[tuple[int, ...], ...]


def is_served(demand: ArrayDemand, factors: tuple[int, ...], ii: int) -> bool:
    """Return whether one copy serves all reads and writes, those of each era by themselves."""
    for era in {*demand.eras}:
        own = [at for at, other in enumerate(demand.eras) if other == era]
        asked = (
            max((fullest_bank(each, factors) for at in own if (each := accesses[at])), default=0)
            for accesses in (demand.reads, demand.writes)
        )
        if sum(asked) > PORTS * ii:
            return False
    return True


def served_copies(
    demand: ArrayDemand,
    ii: int,
    most: int = MOST_COPIES,
    registers_of_a_bank: int = REGISTERS_OF_A_BANK,
    *,
    is_narrow: bool = False,
) -> ServedCopies | None:
    """Return copies of an array, so many at most, that serve all reads; None if none do.

    Parameters
    ----------
    is_narrow
        Whether of copies that take as many block RAMs those with the fewest banks each are wanted:
        a lane whose bank moves chooses among fewer.
    """
    if prod(demand.shape) <= FEW_REGISTERS:
        return _registers(demand)
    found = _memories(demand, ii, most, is_narrow=is_narrow)
    few = prod(demand.shape) <= MOST_REGISTERS
    if few and (found is None or _elems_a_bank(demand.shape, found) <= registers_of_a_bank):
        return _registers(demand)
    if prod(demand.shape) <= MOST_AWAITED and _is_awaited(demand):
        return _registers(demand)
    return found


def _is_awaited(demand: ArrayDemand) -> bool:
    """Return whether a phase updates elements, one in an iteration: its next visit waits for it."""
    phases = [(*reads, *writes) for reads, writes in zip(demand.reads, demand.writes, strict=True)]
    is_narrow = not any(access.extents for accesses in phases for access in accesses)
    return is_narrow and any(map(all, zip(demand.reads, demand.writes, strict=True)))


def _elems_a_bank(shape: tuple[int, ...], copies: ServedCopies) -> float:
    return prod(shape) / sum(map(prod, copies.factors))


def _registers(demand: ArrayDemand) -> ServedCopies:
    served = tuple((0,) * len(reads) for reads in demand.reads)
    return ServedCopies((demand.shape,), served)


def _memories(demand: ArrayDemand, ii: int, most: int, *, is_narrow: bool) -> ServedCopies | None:
    candidates = [
        (factors, room)
        for factors in _candidates(demand)
        for room in (_room(demand, factors, ii),)
        if room > 0
    ]
    candidates.sort(key=lambda one: (blocks_of(demand.shape, one[0]), prod(one[0]), one[0]))
    candidates = _undominated(candidates, demand.shape)
    phases = [_PhaseReads.of(reads) for reads in demand.reads]
    priced = [(blocks_of(demand.shape, one[0]), one) for one in candidates[:MOST_CANDIDATES]]
    best: ServedCopies | None = None
    least = (0, 0)
    for count in range(1, most + 1):
        for each in combinations_with_replacement(priced, count):
            banks = max(prod(factors) for _, (factors, _) in each) if is_narrow else 0
            cost = sum(price for price, _ in each), banks
            if best is not None and cost >= least:
                continue
            chosen = [one for _, one in each]
            served = _served(phases, chosen)
            if served is not None:
                best = ServedCopies(tuple(factors for factors, _ in chosen), served)
                least = cost
    return None if best is None else _alike(demand, phases, best, ii)


def _room(demand: ArrayDemand, factors: tuple[int, ...], ii: int) -> int:
    """Return how many reads of a bank there is room for beside the writes."""
    writes = (fullest_bank(each, factors) for each in demand.writes if each)
    return PORTS * ii - max(writes, default=0)


def _undominated(
    candidates: Sequence[tuple[tuple[int, ...], int]], shape: tuple[int, ...]
) -> list[tuple[tuple[int, ...], int]]:
    """Return candidates, by blocks, than which no other has finer banks at the same price."""
    return [
        (factors, room)
        for at, (factors, room) in enumerate(candidates)
        if not any(
            other != at
            and blocks_of(shape, finer) <= blocks_of(shape, factors)
            and more >= room
            and finer != factors
            and all(f % own == 0 for f, own in zip(finer, factors, strict=True))
            for other, (finer, more) in enumerate(candidates)
        )
    ]


def _alike(
    demand: ArrayDemand, phases: Sequence[_PhaseReads], copies: ServedCopies, ii: int
) -> ServedCopies:
    """Return copies with the same banks if that takes hardly more: they are filled at once.

    If it takes more, they still get as many along dimensions along which no tile moves.
    """
    shared = tuple(map(max, zip(*copies.factors, strict=True)))
    blocks = sum(blocks_of(demand.shape, factors) for factors in copies.factors)
    accesses = [access for own in (*demand.reads, *demand.writes) for access in own]
    still = [not any(a.subscripts[at].moving.terms for a in accesses) for at in range(len(shared))]
    even = tuple(
        tuple(
            most if is_still and most % own else own
            for own, most, is_still in zip(factors, shared, still, strict=True)
        )
        for factors in copies.factors
    )
    for choice in ((shared,) * len(copies.factors), even):
        if sum(blocks_of(demand.shape, own) for own in choice) <= MOST_MORE_FOR_ALIKE * blocks:
            served = _served(phases, [(own, _room(demand, own, ii)) for own in choice])
            if served is not None:
                return ServedCopies(choice, served)
    return copies


def widened(shape: tuple[int, ...], factors: tuple[int, ...], lanes: int) -> tuple[int, ...]:
    """Return more banks for a copy, up to so many, that take hardly more block RAMs.

    Each bank becomes several, so no bank is asked more often; the copy is filled and emptied
    faster.
    """
    most = MOST_MORE_FOR_WIDTH * blocks_of(shape, factors) + 1
    found = factors
    for at in reversed(range(len(shape))):
        while 2 * found[at] <= shape[at] and 2 * prod(found) <= lanes:
            found = (*found[:at], 2 * found[at], *found[at + 1 :])
            if blocks_of(shape, found) <= most:
                factors = found
    return factors


def blocks_of(shape: tuple[int, ...], factors: tuple[int, ...]) -> int:
    """Return the block RAMs of a copy."""
    words = prod(-(-n // f) for n, f in zip(shape, factors, strict=True))
    return prod(factors) * -(-words // BLOCK_WORDS)


def _served(
    phases: Sequence[_PhaseReads], copies: Sequence[tuple[tuple[int, ...], int]]
) -> tuple[tuple[int, ...], ...] | None:
    found: list[tuple[int, ...]] = []
    for reads in phases:
        served = _assigned(reads, copies)
        if served is None:
            return None
        found.append(served)
    return tuple(found)


def _assigned(
    reads: _PhaseReads, copies: Sequence[tuple[tuple[int, ...], int]]
) -> tuple[int, ...] | None:
    """Return a copy for each read of a phase, so that no bank is asked too often; depth first."""
    steps = [MOST_STEPS]

    def rest(chosen: tuple[int, ...], held: tuple[int, ...]) -> tuple[int, ...] | None:
        steps[0] -= 1
        if len(chosen) == len(reads.bits) or steps[0] < 0:
            return chosen if len(chosen) == len(reads.bits) else None
        for number, (factors, room) in enumerate(copies):
            more = held[number] | reads.bits[len(chosen)]
            if reads.fullest(more, factors) <= room:
                found = rest((*chosen, number), (*held[:number], more, *held[number + 1 :]))
                if found is not None:
                    return found
        return None

    return rest((), (0,) * len(copies))


@dataclass(frozen=True, slots=True)
class _PhaseReads:
    """The reads of a phase by number; sets of them are the bits of a whole number.

    Attributes
    ----------
    distinct
        The reads, equal ones once.
    bits
        Of each read, in the order of the demand; equal reads have the same bit.
    known
        By set and factors: what was asked for before.
    """

    distinct: tuple[LanedAccess, ...]
    bits: tuple[int, ...]
    known: dict[tuple[int, tuple[int, ...]], int]

    @staticmethod
    def of(reads: Sequence[LanedAccess]) -> _PhaseReads:
        """Return the reads with a bit for each that differs from those before."""
        bits = {read: 1 << at for at, read in enumerate(dict.fromkeys(reads))}
        return _PhaseReads(tuple(bits), tuple(bits[read] for read in reads), {})

    def fullest(self, chosen: int, factors: tuple[int, ...]) -> int:
        """Return the most elements of one bank that a set of reads touches in one iteration."""
        key = chosen, factors
        if key not in self.known:
            own = [read for at, read in enumerate(self.distinct) if chosen >> at & 1]
            self.known[key] = fullest_bank(own, factors)
        return self.known[key]


def _candidates(demand: ArrayDemand) -> Iterator[tuple[int, ...]]:
    """Yield partition factors that suit some accesses, each once."""
    phases = [(*reads, *writes) for reads, writes in zip(demand.reads, demand.writes, strict=True)]
    single = dict.fromkeys(
        factors
        for accesses in phases
        for access in accesses
        for factors in _factors_for(access, accesses, demand.shape)
    )
    pairs = (tuple(map(max, one, other)) for one, other in combinations_with_replacement(single, 2))
    some = dict.fromkeys(((1,) * len(demand.shape), *single, *pairs))
    yield from some
    for factors in single:
        for at, (factor, extent) in enumerate(zip(factors, demand.shape, strict=True)):
            if factor > 1 and factor & (factor - 1) == 0 and 2 * factor < extent:
                yield (*factors[:at], 2 * factor, *factors[at + 1 :])
    if any(len(writes) > 1 for writes in demand.writes):
        for factors in some:
            for at, (factor, extent) in enumerate(zip(factors, demand.shape, strict=True)):
                if factor == 1 < extent:
                    yield (*factors[:at], 2, *factors[at + 1 :])


def _factors_for(
    access: LanedAccess, others: Sequence[LanedAccess], shape: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Yield factors with which the lanes of an access are in banks of their own.

    Each lane iterator belongs to one of the dimensions in whose subscripts it is; banks hold what
    one access touches, or what all with its moving part do.
    """
    extents = dict(access.extents)
    places = [
        [at for at, s in enumerate(access.subscripts) if name in s.offset.iterators()]
        for name in extents
    ]
    for chosen in product(*places):
        own = [
            {name for name, at in zip(extents, chosen, strict=True) if at == dimension}
            for dimension in range(len(shape))
        ]
        parts = [
            _banks_for(s, extents, names, extent)
            for s, names, extent in zip(access.subscripts, own, shape, strict=True)
        ]
        together = [other for other in others if other.moving == access.moving]
        either = [
            dict.fromkeys((part, _spanning(at, part, together, extent)))
            for at, (part, extent) in enumerate(zip(parts, shape, strict=True))
        ]
        yield from product(*either)


def _banks_for(
    subscript: LanedSubscript, extents: Mapping[str, int], names: set[str], extent: int
) -> int:
    """Return the fewest banks along a dimension that tell some lanes apart."""
    if not names:
        return 1
    places = offsets(subscript, {name: extents[name] for name in names})
    span = int(places.max() - places.min()) + 1
    for banks in range(len(places), span):
        are_apart = len({*(places % banks).tolist()}) == len(places)
        if are_apart and _cheap_banks(subscript, banks) == banks:
            return min(extent, banks)
    return min(extent, _cheap_banks(subscript, span))


def _cheap_banks(subscript: LanedSubscript, least: int) -> int:
    """Return so many banks, or somewhat more, that each lane goes to few of them.

    They are a multiple of the steps by which a subscript moves; a power of two where these have
    nothing in common.
    """
    steps = [by for _, by in subscript.moving.terms]
    if not steps:
        return least
    step = gcd(*steps) if subscript.moving.is_linear else 1
    return -(-least // step) * step if step > 1 else 1 << (least - 1).bit_length()


def _spanning(at: int, part: int, together: Sequence[LanedAccess], extent: int) -> int:
    """Return banks along a dimension for all places of accesses that move together."""
    if any(one.subscripts[at].is_free for one in together):
        return part
    found = [offsets(one.subscripts[at], dict(one.extents)) for one in together]
    span = max(int(p.max()) for p in found) - min(int(p.min()) for p in found) + 1
    banks = part if part >= span else _cheap_banks(together[0].subscripts[at], span)
    return min(extent, max(part, banks))
