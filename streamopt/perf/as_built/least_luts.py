"""LUTs that a node surely takes besides its operators, for many schedules of it at once.

Partial tiles mask terms, a sum keeps its partial values, and an array that comes as a stream needs
FIFOs and, where elements are used again, a buffer. The rules are those of
`streamopt.perf.resources.fabric` and `streamopt.perf.resources.memory_blocks`, which count them on
a network; arrays have one entry a schedule. What a node takes is no less, as what depends on more
than the node is left out: addresses, and registers in place of some banks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.analysis.live_range import (
    alive_shape,
    bank_counts,
    bank_words,
    is_bound_to_bram,
    still_loops,
)
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.graph import Node
from streamopt.ir.network import Fifo, Memory, Place
from streamopt.ir.program import Array
from streamopt.perf.resources.fabric import STREAM_LUTS, fifo_fabric, memory_fabric
from streamopt.perf.resources.memory_blocks import fifo_depth_steps, fifo_storage, memory_storage
from streamopt.target.memories import Memories

Integers = npt.NDArray[np.int64]
Factors = Mapping[str, Integers]


@dataclass(frozen=True, slots=True)
class _Kind:
    """An array of some size and element, for what its banks take."""

    array: Array
    blocks: Memories

    def bank(self, words: int, place: Place) -> int:
        """Return the LUTs of one bank of a memory, in cells of a row."""
        return _bank_luts(self.array.element, self.blocks, words, place)

    def stream(self) -> int:
        """Return the LUTs of one FIFO of the depth that takes the fewest, with both its ends."""
        element, blocks = self.array.element, self.blocks
        depths = fifo_depth_steps(element.bits, blocks)
        fifos = (Fifo(self.array.name, element, (1,), depth) for depth in depths)
        return 2 * STREAM_LUTS + min(fifo_fabric(fifo_storage(f, blocks)).luts for f in fifos)


@cache
def _bank_luts(element: ElementType, blocks: Memories, words: int, place: Place) -> int:
    storage = memory_storage(Memory("", place, element, (words,), (1,)), blocks)
    return memory_fabric(storage, ping_pong=place is Place.PING_PONG).luts


def masked_luts(node: Node, factors: Factors, bits: Sequence[int]) -> Integers:
    """Return the LUTs that mask the terms of partial tiles: (T1).

    Parameters
    ----------
    bits
        Of the elements of every sum that the node accumulates.
    """
    last = {n: (node.trip_counts[n] - 1) % factors[n] + 1 for n in node.reduction_loops}
    return sum(bits) * (_copies(factors, factors) - _copies(factors, {**factors, **last}))


def sum_luts(
    node: Node, array: Array, order: Sequence[str], factors: Factors, blocks: Memories
) -> Integers:
    """Return the LUTs that hold the partial values of a sum."""
    shape = _alive(node, node.write, array, order, factors)
    return _banks(node.write, shape, _Kind(array, blocks), factors, Place.LOCAL)


def as_fifo_luts(
    node: Node, array: Array, order: Sequence[str], factors: Factors, blocks: Memories
) -> Integers:
    """Return the LUTs of an array that a node takes from a stream, and of what keeps it.

    0 where the node reads it in several ways, or by more than iterators.
    """
    access = _only_read(node, array)
    if access is None:
        return np.zeros_like(_one(factors))
    kind = _Kind(array, blocks)
    lanes = [name for s in access.subscripts for name in s.iterators()]
    found = kind.stream() * _copies(lanes, factors)
    if node.window(array.name) is not None:
        return found
    shape = _alive(node, access, array, order, factors)
    return found + _banks(access, shape, kind, factors, Place.LOCAL)


def as_buffer_luts(node: Node, array: Array, factors: Factors, blocks: Memories) -> Integers:
    """Return the LUTs of an array that a node takes from a ping-pong buffer."""
    access = _only_read(node, array)
    if access is None or node.window(array.name) is not None:
        return np.zeros_like(_one(factors))
    return _banks(access, array.shape, _Kind(array, blocks), factors, Place.PING_PONG)


def handed_luts(node: Node, array: Array, factors: Factors, blocks: Memories) -> Integers:
    """Return the LUTs of what a node alone writes as a whole into a ping-pong buffer."""
    if not _is_simple(node.write):
        return np.zeros_like(_one(factors))
    return _banks(node.write, array.shape, _Kind(array, blocks), factors, Place.PING_PONG)


def _only_read(node: Node, array: Array) -> Access | None:
    """Return the one access to an array by constants and iterators of one dimension; else None."""
    reads = node.taken_of(array.name)
    return reads[0] if len(reads) == 1 and _is_simple(reads[0]) else None


def _is_simple(access: Access) -> bool:
    names = [subscript.as_iterator() for subscript in access.subscripts if subscript.terms]
    return None not in names and len(set(names)) == len(names)


def _alive(
    node: Node, access: Access, array: Array, order: Sequence[str], factors: Factors
) -> tuple[Any, ...]:
    """Return the extents of the buffer that keeps the elements of an access that are alive."""
    still = still_loops(node, access, order, factors)
    return alive_shape(node, access, array.shape, factors, still)


def _banks(
    access: Access, shape: Sequence[Any], kind: _Kind, factors: Factors, place: Place
) -> Integers:
    """Return the LUTs of all banks of a memory that is split by the lanes of an access."""
    splits = bank_counts(access, shape, factors)
    words = _one(factors) * bank_words(shape, splits)
    sizes, places = np.unique(words, return_inverse=True)
    each = np.array([kind.bank(size, place) for size in sizes.tolist()], dtype=np.int64)
    luts = prod(splits) * each[places.ravel()]
    if place is not Place.LOCAL:
        return luts
    array_shape = kind.array.shape
    whole = bank_words(array_shape, bank_counts(access, array_shape, factors))
    return luts * np.where(is_bound_to_bram(words, whole), 0, 1)


def _copies(names: Iterable[str], factors: Factors) -> Integers:
    """Return the copies of what all lanes of some loops have for themselves."""
    return prod((factors[name] for name in names), start=_one(factors))


def _one(factors: Factors) -> Integers:
    return np.ones_like(next(iter(factors.values()), np.ones(1, dtype=np.int64)))
