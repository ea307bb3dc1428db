"""Where one lane finds an element in a memory with banks, whatever the other lanes do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd, prod

from streamopt.ir.affine import Affine
from streamopt.ir.network import Memory
from streamopt.ir.program import Loop
from streamopt.rtl.kernel.subscripts import TileSum, divided, sum_at


@dataclass(frozen=True, slots=True)
class TileIndex:
    """A sum over counters, and a constant."""

    over: TileSum
    first: int

    def plus(self, other: TileIndex, factor: int) -> TileIndex:
        """Return this and a multiple of another."""
        steps = (a + factor * b for a, b in zip(self.over.steps, other.over.steps, strict=True))
        digits = dict(self.over.digits)
        for digit, times in other.over.digits:
            digits[digit] = digits.get(digit, 0) + factor * times
        over = TileSum(tuple(steps), tuple(digits.items()))
        return TileIndex(over, self.first + factor * other.first)


@dataclass(frozen=True, slots=True)
class HeldPlace:
    """The place of an element: in which bank, and where in it."""

    bank: TileIndex
    banks: frozenset[int]
    """That it may be in."""
    address: TileIndex
    indices: tuple[tuple[TileIndex, int], ...]
    """Along each dimension the index, as far as it says the bank, and the number of banks."""

    def is_apart(self, other: HeldPlace) -> bool:
        """Return whether the banks of two elements surely differ in each iteration."""
        if self.banks.isdisjoint(other.banks):
            return True
        pairs = zip(self.indices, other.indices, strict=True)
        return any(
            one.over == two.over and (one.first - two.first) % factor
            for (one, factor), (two, _) in pairs
        )


def lane_places(
    memory: Memory, subscripts: Sequence[Affine], tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> tuple[HeldPlace, ...]:
    """Return the places of an access in each iteration of some lanes, in row-major order."""
    names = [lane.name for lane in lanes]
    points = product(*(range(lane.trip_count) for lane in lanes))
    return tuple(
        _place(memory, subscripts, tiles, dict(zip(names, point, strict=True))) for point in points
    )


def _place(
    memory: Memory, subscripts: Sequence[Affine], tiles: Sequence[Loop], point: dict[str, int]
) -> HeldPlace:
    nothing = TileIndex(TileSum((0,) * len(tiles)), 0)
    bank = address = nothing
    banks = [0]
    indices: list[tuple[TileIndex, int]] = []
    words = [-(-extent // f) for extent, f in zip(memory.shape, memory.factors, strict=True)]
    for at, (subscript, factor) in enumerate(zip(subscripts, memory.factors, strict=True)):
        mine = {name: point[name] for name in subscript.iterators() if name in point}
        index = TileIndex(*sum_at(subscript, tiles, mine))
        rest = TileIndex(*divided(index.over, index.first, tiles, (factor, False)))
        if words[at] > 1:
            quotient = TileIndex(*divided(index.over, index.first, tiles, (factor, True)))
            address = address.plus(quotient, prod(words[at + 1 :]))
        scale = prod(memory.factors[at + 1 :])
        bank = bank.plus(rest, scale)
        banks = [one + scale * own for one in banks for own in _values(rest, tiles, factor)]
        indices.append((_inner(index, factor), factor))
    return HeldPlace(bank, frozenset(banks), address, tuple(indices))


def _values(rest: TileIndex, tiles: Sequence[Loop], factor: int) -> range:
    """Return the values that a remainder may have."""
    low, high = rest.over.bounds(tiles)
    step = gcd(factor, *rest.over.factors)
    return range(low + rest.first, min(high + rest.first, factor - 1) + 1, step)


def _inner(index: TileIndex, factor: int) -> TileIndex:
    """Return an index of the same remainder by a factor that isn't a remainder itself."""
    match index.over.digits:
        case ((digit, 1),) if not any(index.over.steps) and not digit.is_quotient:
            if digit.divisor % factor == 0:
                return TileIndex(digit.inner, digit.first + index.first)
        case _:
            pass
    return index
