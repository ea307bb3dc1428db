"""Places of elements in banks, against subscripts that are evaluated."""

from itertools import product
from math import prod
from random import Random

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import Memory, Place
from streamopt.ir.program import Loop
from streamopt.rtl.kernel.places import BankPlace, place_in_memory
from streamopt.rtl.kernel.subscripts import TileSum, UnknownPlaceError, sum_at

TILES = (Loop("a", 3), Loop("b", 5))
LANES = (Loop("p", 2), Loop("q", 3))


def value(counted: TileSum, point: dict[str, int]) -> int:
    """Return a sum over counters at a point."""
    total = sum(s * point[tile.name] for s, tile in zip(counted.steps, TILES, strict=True))
    for digit, factor in counted.digits:
        whole = value(digit.inner, point) + digit.first
        total += factor * (whole // digit.divisor if digit.is_quotient else whole % digit.divisor)
    return total


def linear(rng: Random, names: str) -> Affine:
    terms = (Affine.iterator(name).scaled(rng.randint(0, 6)) for name in names)
    return sum(terms, Affine.of(rng.randint(0, 5)))


@pytest.mark.parametrize("seed", range(40))
def test_sums_count_quotients_and_remainders(seed: int) -> None:
    rng = Random(seed)
    subscript = linear(rng, "abp") + linear(rng, "abp").floordiv(rng.randint(1, 8)).scaled(2)
    subscript += linear(rng, "abp").mod(rng.randint(1, 8)).scaled(rng.randint(1, 3))
    for lane in range(2):
        counted, constant = sum_at(subscript, TILES, {"p": lane})
        low, high = counted.bounds(TILES)
        for a, b in product(range(3), range(5)):
            point = {"a": a, "b": b}
            assert value(counted, point) + constant == subscript.evaluate(point | {"p": lane})
            assert low <= value(counted, point) <= high


def check_place(place: BankPlace, memory: Memory, subscripts: tuple[Affine, ...]) -> None:
    """Every lane is in the bank and at the place that its index says."""
    words = [-(-n // f) for n, f in zip(memory.shape, memory.factors, strict=True)]
    scales = [prod(words[at + 1 :]) for at in range(len(words))]
    spans = (range(loop.trip_count) for loop in LANES if loop.name in place.lanes)
    for (at, lane), a, b in product(enumerate(product(*spans)), range(3), range(5)):
        point = {"a": a, "b": b} | dict(zip(place.lanes, lane, strict=True))
        index = [s.evaluate({"p": 0, "q": 0} | point) for s in subscripts]
        address = value(place.base, point)
        banks: list[int] = []
        for dimension, offset in zip(place.dimensions, place.offsets[at], strict=True):
            turned = value(dimension.turn, point)
            assert turned in dimension.turns
            carried, bank = divmod(turned + offset, dimension.factor)
            address += carried * dimension.scale
            banks.append(bank)
        pairs = [*zip(index, memory.factors, scales, strict=True)]
        assert banks == [one % factor for one, factor, _ in pairs]
        assert address == sum(one // factor * scale for one, factor, scale in pairs)


@pytest.mark.parametrize("seed", range(40))
def test_banks_and_places_are_those_of_the_index(seed: int) -> None:
    rng = Random(seed)
    factors = rng.randint(1, 5), rng.randint(1, 5)
    memory = Memory("m", Place.ARGUMENT, ElementType.FLOAT, (90, 90), factors)
    subscripts = linear(rng, "abp"), linear(rng, "bq")
    check_place(place_in_memory(memory, subscripts, TILES, LANES), memory, subscripts)


def test_lanes_that_meet_in_a_bank_are_parted() -> None:
    memory = Memory("m", Place.ARGUMENT, ElementType.FLOAT, (30,), (2,))
    place = place_in_memory(memory, (linear(Random(0), "a") + Affine.iterator("q"),), TILES, LANES)
    assert [part.points for part in place.parts()] == [(0, 1), (2,)]


def test_lanes_that_count_in_different_ways_have_no_place() -> None:
    memory = Memory("m", Place.ARGUMENT, ElementType.FLOAT, (30,), (1,))
    subscript = (Affine.iterator("a") + Affine.iterator("q")).floordiv(2)
    with pytest.raises(UnknownPlaceError, match="different ways"):
        place_in_memory(memory, (subscript,), TILES, LANES)
