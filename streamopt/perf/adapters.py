"""What ports to memory off the chip take: the adapters between a process and its bus.

AMD UG1399, "Controlling AXI4 Burst Behavior": an adapter keeps num_outstanding x max_burst_length
words, 16 x 16 if nothing is said, in a FIFO. One of 32 bits takes 580 LUTs and 512 flip-flops (the
synthesis report of a vector addition). That wider ones take two of each for every further bit is
an estimate: no published design has a port. A mover goes one way, so an adapter has one FIFO.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.network import Place
from streamopt.ir.ports import words_of
from streamopt.perf.memory_blocks import block_rams
from streamopt.target.resources import Resources

if TYPE_CHECKING:
    from streamopt.ir.network import Memory, Pipeline
    from streamopt.target.memories import Memories

__all__ = ["adapter_resources"]

KEPT_WORDS = 16 * 16
NARROW_BITS, NARROW_LUTS, NARROW_FFS = 32, 580, 512
FABRIC_A_BIT = 2


def adapter_resources(memory: Memory, mover: Pipeline, blocks: Memories) -> Resources:
    """Return what the ports of an array off the chip take; nothing for a stream.

    Parameters
    ----------
    mover
        Takes the elements of all its lanes at once.
    """
    if memory.place is not Place.OFF_CHIP or not memory.channels:
        return Resources()
    words = words_of(mover.copies, memory.element.storage_bits, len(memory.channels))
    bits = words.elems * memory.element.storage_bits
    fabric = FABRIC_A_BIT * max(0, bits - NARROW_BITS)
    one = Resources(
        bram18=block_rams(KEPT_WORDS, bits, blocks),
        luts=NARROW_LUTS + fabric,
        ffs=NARROW_FFS + fabric,
    )
    return one.scaled(words.memories)
