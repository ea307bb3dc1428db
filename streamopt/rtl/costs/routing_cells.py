"""Multiplexers and adders between lanes and banks, as `streamopt.rtl.emission.routing` has them."""

from __future__ import annotations

from itertools import product
from math import prod

from streamopt.rtl.costs.counting_cells import ones_among
from streamopt.rtl.kernel.places import BankDimension, BankPlace


def read_bits(place: BankPlace, element_bits: int) -> int:
    """Return the bits of choices between two by which lanes take words from banks that turn."""
    ways = sum(len(dimension.turns) - 1 for dimension in place.dimensions)
    return ways * len(place.points) * element_bits


def written_bits(place: BankPlace, element_bits: int) -> int:
    """Return the bits of choices between two by which banks take words of lanes that turn.

    A bank that only one lane comes to takes its word without a choice.
    """
    comers = [_comers(place, at) for at in range(len(place.dimensions))]
    return element_bits * sum(max(0, prod(each) - 1) for each in product(*comers))


def _comers(place: BankPlace, position: int) -> list[int]:
    """Return, by bank along a dimension, how many lanes' offsets come to it."""
    dimension = place.dimensions[position]
    alongs = {place.offsets[at][position] for at in place.points}
    turns, factor = dimension.turns, dimension.factor
    reached = [{(turn + along) % factor for turn in turns} for along in alongs]
    return [sum(bank in banks for banks in reached) for bank in range(factor)]


def added_bits(place: BankPlace, address_bits: int) -> int:
    """Return the bits of the constants that the addresses of banks differ by, each counted once."""
    tables = [_added(place, at, dimension) for at, dimension in enumerate(place.dimensions)]
    found: dict[tuple[object, ...], int] = {}
    for bank in product(*(range(dimension.factor) for dimension in place.dimensions)):
        key, constant = tuple[object, ...](), 0
        for position, (table, along) in enumerate(zip(tables, bank, strict=True)):
            by_turn = table.get(along, {})
            numbers = {*by_turn.values()}
            if len(numbers) <= 1:
                constant += sum(numbers)
                continue
            key = (*key, position, *by_turn.items())
            found[key] = ones_among(numbers, address_bits)
        if constant:
            found[*key, constant] = ones_among([constant], address_bits)
    return sum(found.values())


def _added(place: BankPlace, position: int, dimension: BankDimension) -> dict[int, dict[int, int]]:
    """Return the numbers that banks add to the address along a dimension, by turn."""
    found: dict[int, dict[int, int]] = {}
    for along in sorted({place.offsets[at][position] for at in place.points}):
        for turn in dimension.turns:
            places, bank = divmod(turn + along, dimension.factor)
            found.setdefault(bank, {})[turn] = places * dimension.scale
    return found
