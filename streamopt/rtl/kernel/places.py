"""Where the lanes of an access find their elements: banks side by side, and places in them.

Cyclic partitioning puts index ``s`` into bank ``s mod f`` at ``s div f``. Where lanes keep their
bank and all are at the same place in it, banks are one memory with wide words and one address.
Where a tile's first index isn't a multiple of the banks, its remainder says by how many banks the
lanes turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd, prod

from streamopt.ir.affine import Affine, Mod
from streamopt.ir.network import Fifo, Memory
from streamopt.ir.program import Loop
from streamopt.rtl.kernel.subscripts import TileSum, UnknownPlaceError, divided, sum_at


@dataclass(frozen=True, slots=True)
class StreamPlace:
    """The streams of an access."""

    lanes: tuple[str, ...]
    """Lanes that have streams of their own, in the pipeline's order."""
    slots: tuple[int, ...]
    """Position of each in a word, by the lanes' iterations in row-major order."""


@dataclass(frozen=True, slots=True)
class BankDimension:
    """The banks and places along one dimension of an array."""

    factor: int
    """Banks."""
    scale: int
    """Places in a bank from one index of it to the next."""
    turn: TileSum
    """By how many banks the lanes turn."""
    turns: tuple[int, ...]
    """Its values, ascending; 0 alone where lanes keep their banks."""


@dataclass(frozen=True, slots=True)
class BankSteps:
    """Numbers that the address of a bank has on top of that of its access."""

    turned: tuple[tuple[int, Mapping[int, int]], ...]
    """Pairs (dimension, number by turn), where turns have different numbers."""
    constant: int


@dataclass(frozen=True, slots=True)
class BankPlace:
    """The elements of an access: lane at ``offset`` in bank ``(turn + offset) mod factor``."""

    lanes: tuple[str, ...]
    """Lanes that have elements of their own, in the pipeline's order."""
    dimensions: tuple[BankDimension, ...]
    offsets: tuple[tuple[int, ...], ...]
    """By the lanes' iterations in row-major order, along each dimension; none where an iteration
    never happens."""
    base: TileSum
    """The address where turn and offset are 0."""

    @property
    def banks(self) -> int:
        """Return the number of banks."""
        return prod(dimension.factor for dimension in self.dimensions)

    @property
    def points(self) -> tuple[int, ...]:
        """Return the lanes' iterations that happen."""
        return tuple(at for at, offset in enumerate(self.offsets) if offset)

    def without(self, never: Collection[int]) -> BankPlace:
        """Return the place without iterations of lanes that never happen."""
        kept = (() if at in never else offset for at, offset in enumerate(self.offsets))
        return replace(self, offsets=tuple(kept))

    def bank(self, offset: Sequence[int]) -> int:
        """Return the bank of an offset where nothing turns."""
        bank = 0
        for dimension, along in zip(self.dimensions, offset, strict=True):
            bank = bank * dimension.factor + along % dimension.factor
        return bank

    def added(self, offset: Sequence[int]) -> int:
        """Return the number that an offset adds to the address where nothing turns."""
        pairs = zip(self.dimensions, offset, strict=True)
        return sum(along // dimension.factor * dimension.scale for dimension, along in pairs)

    def steps(self) -> Iterator[BankSteps]:
        """Yield what is added to the address of each bank, in row-major order."""
        tables = [self._numbers(at) for at in range(len(self.dimensions))]
        for bank in product(*(range(dimension.factor) for dimension in self.dimensions)):
            found = [table.get(along, {}) for table, along in zip(tables, bank, strict=True)]
            several = [len({*by_turn.values()}) > 1 for by_turn in found]
            turned = tuple((at, found[at]) for at, is_turned in enumerate(several) if is_turned)
            plain = zip(found, several, strict=True)
            constant = sum(sum({*one.values()}) for one, is_turned in plain if not is_turned)
            yield BankSteps(turned, constant)

    def _numbers(self, position: int) -> dict[int, dict[int, int]]:
        """Return the number that is added along a dimension, by bank and turn."""
        dimension = self.dimensions[position]
        found: dict[int, dict[int, int]] = {}
        for along in sorted({offset[position] for offset in self.offsets if offset}):
            for turn in dimension.turns:
                places, bank = divmod(turn + along, dimension.factor)
                found.setdefault(bank, {})[turn] = places * dimension.scale
        return found

    @property
    def is_word(self) -> bool:
        """Return whether all lanes are at one place, in banks that they keep."""
        if any(dimension.turns != (0,) for dimension in self.dimensions):
            return False
        return len({self.added(self.offsets[at]) for at in self.points}) <= 1

    def parts(self) -> tuple[BankPlace, ...]:
        """Return the place as several ones, in each of which a bank is asked for one element."""
        ranks: list[dict[int, int]] = []
        for at, dimension in enumerate(self.dimensions):
            seen: dict[int, int] = {}
            along = sorted({offset[at] for offset in self.offsets if offset})
            rank: dict[int, int] = {}
            for one in along:
                residue = one % dimension.factor
                rank[one] = seen[residue] = seen.get(residue, -1) + 1
            ranks.append(rank)
        groups: dict[tuple[int, ...], set[int]] = {}
        for at in self.points:
            key = tuple(rank[o] for rank, o in zip(ranks, self.offsets[at], strict=True))
            groups.setdefault(key, set()).add(at)
        every = {*range(len(self.offsets))}
        return tuple(self.without(every - groups[key]) for key in sorted(groups))


def place_in_memory(
    memory: Memory, subscripts: Sequence[Affine], tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> BankPlace:
    """Return where an access finds its elements in a memory.

    Raises
    ------
    UnknownPlaceError
        If lanes are at places that count along the loops in different ways.
    """
    own = _lanes_in(subscripts, lanes)
    words = [-(-extent // f) for extent, f in zip(memory.shape, memory.factors, strict=True)]
    base = TileSum((0,) * len(tiles))
    dimensions: list[BankDimension] = []
    along: list[dict[tuple[int, ...], int]] = []
    asked: list[list[str]] = []
    for position, (subscript, factor) in enumerate(zip(subscripts, memory.factors, strict=True)):
        scale = prod(words[position + 1 :])
        if words[position] == 1:  # a bank has one place: all that counts is the remainder
            subscript, scale = _without_remainder(subscript, factor), 0
        counted, offsets = _counted(memory, subscript, tiles, own)
        quotient, turn = _split(memory, counted, tiles, factor)
        base = _sum(base, quotient, scale)
        dimensions.append(BankDimension(factor, scale, turn, _values(turn, tiles, factor)))
        along.append(offsets)
        asked.append([loop.name for loop in own if loop.name in subscript.iterators()])
    offsets = tuple(
        tuple(
            of[tuple(point[name] for name in names)] for of, names in zip(along, asked, strict=True)
        )
        for point in _points(own)
    )
    return BankPlace(tuple(loop.name for loop in own), tuple(dimensions), offsets, base)


def _counted(
    memory: Memory, subscript: Affine, tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> tuple[TileSum, dict[tuple[int, ...], int]]:
    """Return the sum of counters in a subscript, and constants by the lanes in it."""
    mine = [loop for loop in lanes if loop.name in subscript.iterators()]
    found: dict[tuple[int, ...], int] = {}
    sums: dict[TileSum, None] = {}
    for point in _points(mine):
        total, constant = sum_at(subscript, tiles, point)
        sums[total] = None
        found[tuple(point.values())] = constant
    if len(sums) > 1:
        raise UnknownPlaceError(f"lanes count along {memory.name} in different ways")
    return next(iter(sums)), found


def _without_remainder(subscript: Affine, factor: int) -> Affine:
    """Return an expression of the same remainder by a factor, without remainders inside."""
    found = Affine.of(subscript.constant)
    for atom, times in subscript.terms:
        whole = Affine(((atom, 1),))
        if isinstance(atom, Mod) and atom.divisor * times % factor == 0:
            whole = atom.value
        found += whole.scaled(times)
    return found


def _split(
    memory: Memory, counted: TileSum, tiles: Sequence[Loop], factor: int
) -> tuple[TileSum, TileSum]:
    """Return quotient and remainder of a sum by the banks of a dimension."""
    if counted.is_multiple_of(factor):
        return counted.divided(factor), TileSum((0,) * len(tiles))
    quotient, whole = divided(counted, 0, tiles, (factor, True))
    turn, rest = divided(counted, 0, tiles, (factor, False))
    if whole or rest:
        raise UnknownPlaceError(f"{memory.name} is counted down along several banks")
    return quotient, turn


def _values(turn: TileSum, tiles: Sequence[Loop], factor: int) -> tuple[int, ...]:
    low, high = turn.bounds(tiles)
    step = gcd(factor, *turn.factors)
    return tuple(range(low, min(high, factor - 1) + 1, step))


def _sum(left: TileSum, right: TileSum, scale: int) -> TileSum:
    steps = tuple(a + scale * b for a, b in zip(left.steps, right.steps, strict=True))
    digits = dict(left.digits)
    for digit, factor in right.digits:
        digits[digit] = digits.get(digit, 0) + scale * factor
    return TileSum(steps, tuple(digits.items()))


def place_in_streams(
    fifo: Fifo, subscripts: Sequence[Affine], tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> StreamPlace:
    """Return which streams an access uses.

    Raises
    ------
    UnknownPlaceError
        If a stream is chosen by the iteration, or if it isn't all of them.
    """
    own = _lanes_in(subscripts, lanes)
    if any({*s.iterators()} & {tile.name for tile in tiles} for s in subscripts):
        raise UnknownPlaceError(f"a stream of {fifo.name} is chosen by the iteration")
    slots: list[int] = []
    for point in _points(own):
        slot = 0
        for subscript, extent in zip(subscripts, fifo.lanes, strict=True):
            slot = slot * extent + subscript.evaluate(point)
        slots.append(slot)
    if sorted(slots) != [*range(prod(fifo.lanes))]:
        raise UnknownPlaceError(f"not all streams of {fifo.name} are used at once")
    return StreamPlace(tuple(loop.name for loop in own), tuple(slots))


def _lanes_in(subscripts: Sequence[Affine], lanes: Sequence[Loop]) -> list[Loop]:
    names = {name for subscript in subscripts for name in subscript.iterators()}
    return [loop for loop in lanes if loop.name in names]


def _points(loops: Sequence[Loop]) -> Iterator[dict[str, int]]:
    names = [loop.name for loop in loops]
    for point in product(*(range(loop.trip_count) for loop in loops)):
        yield dict(zip(names, point, strict=True))
