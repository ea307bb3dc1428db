"""Blocks that hold memories and FIFOs: block RAM, UltraRAM, LUT memory or shift registers.

Evidence: the reports of 61 published designs on PolyBench and chains of matrix products (Vitis HLS
2023.2, xcu280): 5200 banks of local arrays and 600 of ping-pong buffers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import LEAST_DEPTH_ELEMS, Place

if TYPE_CHECKING:
    from streamopt.ir.network import Fifo, Memory
    from streamopt.target.memories import Memories

__all__ = [
    "BankStorage",
    "StorageKind",
    "bank_extents",
    "block_rams",
    "fifo_depth_steps",
    "fifo_storage",
    "memory_storage",
]

_HALVES = {Place.LOCAL: 1, Place.ROM: 1, Place.PING_PONG: 2}


class StorageKind(StrEnum):
    """Material of a bank."""

    OUTSIDE = "outside"
    """Not part of the design: arguments."""
    REGISTERS = "registers"
    SHIFT_REGISTER = "shift_register"
    LUTRAM = "lutram"
    BRAM = "bram"
    URAM = "uram"


@dataclass(frozen=True, slots=True)
class BankStorage:
    """A memory or a group of FIFOs as built.

    Attributes
    ----------
    banks
        Equal parts, each with ports of its own.
    words, bits
        Size of a bank: words, both halves of a ping-pong buffer counted, and the bits of each.
    blocks
        Block RAMs of 18 Kbit or UltraRAMs that a bank takes; 0 for the other kinds.
    is_fifo
        Whether its banks are streams.
    """

    kind: StorageKind
    banks: int
    words: int
    bits: int
    blocks: int = 0
    is_fifo: bool = False

    @property
    def bram18(self) -> int:
        """Return the block RAMs of all banks."""
        return self.banks * self.blocks if self.kind is StorageKind.BRAM else 0

    @property
    def uram(self) -> int:
        """Return the UltraRAMs of all banks."""
        return self.banks * self.blocks if self.kind is StorageKind.URAM else 0


def bank_extents(memory: Memory) -> tuple[int, ...]:
    """Return the extents of one bank of a cyclically partitioned array."""
    return tuple(-(-n // f) for n, f in zip(memory.shape, memory.factors, strict=True))


def memory_storage(memory: Memory, blocks: Memories) -> BankStorage:
    """Return how an array is held.

    An element a bank needs no memory: registers. Both halves of a ping-pong buffer lie in one
    bank, one above the other. A table is never in UltraRAM, which begins as zero (AMD UG573).
    """
    bits = memory.element.bits
    words = prod(bank_extents(memory))
    if memory.place in (Place.ARGUMENT, Place.OFF_CHIP):
        return BankStorage(StorageKind.OUTSIDE, memory.banks, words, bits)
    if words == 1 and memory.place in (Place.LOCAL, Place.ROM):
        return BankStorage(StorageKind.REGISTERS, memory.banks, words, bits)
    if memory.place is Place.ROM:
        blocks = replace(blocks, uram_shape=None)
    return _random_access(memory.banks, words * _HALVES[memory.place], bits, blocks)


def fifo_storage(fifo: Fifo, blocks: Memories) -> BankStorage:
    """Return how a group of streams is held, each in a bank of its own.

    Short ones are shift registers. The synthesis report of Vitis HLS counts one block RAM for a
    FIFO in block RAM, however deep it is; counted here is what its elements fill.
    """
    bits, words = fifo.element.bits, fifo.depth_elems
    kind, count = StorageKind.BRAM, 0
    if words <= blocks.shift_register_words or words * bits <= blocks.shift_register_bits:
        kind = StorageKind.SHIFT_REGISTER
    elif words <= blocks.lutram_words:
        kind = StorageKind.LUTRAM
    else:
        count = block_rams(words, bits, blocks)
    return BankStorage(kind, prod(fifo.lanes), words, bits, count, is_fifo=True)


def fifo_depth_steps(bits: int, blocks: Memories) -> tuple[int, ...]:
    """Return depths of a FIFO: for each way to hold it, the least one, which costs least."""
    shifted = max(blocks.shift_register_words, blocks.shift_register_bits // bits)
    return LEAST_DEPTH_ELEMS, shifted + 1, blocks.lutram_words + 1


def _random_access(banks: int, words: int, bits: int, blocks: Memories) -> BankStorage:
    if words <= blocks.lutram_words:
        return BankStorage(StorageKind.LUTRAM, banks, words, bits)
    if _fills_an_uram(words, bits, blocks):
        return BankStorage(StorageKind.URAM, banks, words, bits, 1)
    return BankStorage(StorageKind.BRAM, banks, words, bits, block_rams(words, bits, blocks))


def _fills_an_uram(words: int, bits: int, blocks: Memories) -> bool:
    """Return whether one UltraRAM holds the bank and more than half of its words are used."""
    shape = blocks.uram_shape
    return shape is not None and bits <= shape.bits and shape.words < 2 * words <= 2 * shape.words


def block_rams(words: int, bits: int, blocks: Memories) -> int:
    """Return the fewest block RAMs of 18 Kbit that hold a bank.

    Up to the words of `power_of_two_words` the depth is rounded up to a power of two, so that
    address bits choose the block; deeper memories are cascades.
    """
    if words <= blocks.power_of_two_words:
        words = 1 << (words - 1).bit_length()
    return min(shape.blocks(words, bits) for shape in blocks.bram18_shapes)
