"""Multiplexers and adders between lanes and banks, as `streamopt.rtl.emission.routing` has them."""

from __future__ import annotations

from itertools import product
from math import prod

from streamopt.rtl.costs.counting_cells import ones_among
from streamopt.rtl.kernel.places import BankPlace


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
    found: dict[tuple[object, ...], int] = {}
    for steps in place.steps():
        key = tuple[object, ...]()
        for position, by_turn in steps.turned:
            key = (*key, position, *by_turn.items())
            found[key] = ones_among(by_turn.values(), address_bits)
        if steps.constant:
            found[*key, steps.constant] = ones_among([steps.constant], address_bits)
    return sum(found.values())
