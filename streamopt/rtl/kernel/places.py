"""Where the lanes of an access find their elements: one word of a wide memory for all of them.

Cyclic partitioning puts index ``s`` into bank ``s mod f`` at ``s div f``. Lanes of a schedule's
tiles keep their bank, and all are at the same place in it, so that banks are one memory with wide
words and one address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from streamopt.ir.affine import Affine
from streamopt.ir.network import Fifo, Memory
from streamopt.ir.program import Loop


@dataclass(frozen=True, slots=True)
class WordPlace:
    """The elements of an access."""

    lanes: tuple[str, ...]
    """Lanes that have elements of their own, in the pipeline's order."""
    slots: tuple[int, ...]
    """Position of each in a word, by the lanes' iterations in row-major order."""
    # steps, first: address of the word, by tile loop, and where all of them are 0
    steps: tuple[int, ...]
    first: int


class UnknownPlaceError(Exception):
    """Elements that are in no common word: the text says why."""


def place_in_memory(
    memory: Memory, subscripts: Sequence[Affine], tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> WordPlace:
    """Return where an access finds its elements in a memory.

    Raises
    ------
    UnknownPlaceError
        If the lanes' banks change from iteration to iteration, or their addresses differ.
    """
    own = _lanes_in(subscripts, lanes)
    steps = [0] * len(tiles)
    slots: list[tuple[int, int]] = []
    words = [-(-extent // f) for extent, f in zip(memory.shape, memory.factors, strict=True)]
    for position, (subscript, factor) in enumerate(zip(subscripts, memory.factors, strict=True)):
        if not subscript.is_linear:
            raise UnknownPlaceError(f"{memory.name} has a subscript with a quotient")
        size = prod(words[position + 1 :])
        for at, tile in enumerate(tiles):
            step = subscript.factors.get(tile.name, 0)
            if step % factor:
                raise UnknownPlaceError(f"{memory.name} is in other banks than its lanes")
            steps[at] += step // factor * size
    for point in _points(own):
        fixed = [s.evaluate({**_zeros(tiles), **point}) for s in subscripts]
        pairs = [*zip(fixed, memory.factors, words, strict=True)]
        address = bank = 0
        for value, factor, extent in pairs:
            address = address * extent + value // factor
            bank = bank * factor + value % factor
        slots.append((address, bank))
    if len({address for address, _ in slots}) != 1:
        raise UnknownPlaceError(f"lanes are at several places in the banks of {memory.name}")
    first = slots[0][0]
    banks = tuple(bank for _, bank in slots)
    return WordPlace(tuple(loop.name for loop in own), banks, tuple(steps), first)


def place_in_streams(
    fifo: Fifo, subscripts: Sequence[Affine], tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> WordPlace:
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
    return WordPlace(tuple(loop.name for loop in own), tuple(slots), (0,) * len(tiles), 0)


def _lanes_in(subscripts: Sequence[Affine], lanes: Sequence[Loop]) -> list[Loop]:
    names = {name for subscript in subscripts for name in subscript.iterators()}
    return [loop for loop in lanes if loop.name in names]


def _points(loops: Sequence[Loop]) -> list[dict[str, int]]:
    names = [loop.name for loop in loops]
    spans = product(*(range(loop.trip_count) for loop in loops))
    return [dict(zip(names, point, strict=True)) for point in spans]


def _zeros(loops: Sequence[Loop]) -> dict[str, int]:
    return {loop.name: 0 for loop in loops}
