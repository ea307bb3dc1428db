"""Cells of memories, delays, FIFOs and buffers for UltraScale+, as Yosys maps them."""

from __future__ import annotations

from streamopt.rtl.blocks.buffer import BufferMemory
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.target.resources import Resources

_SHORTEST_SHIFT, _SHIFT_BITS = 3, 32
"""Registers in a row from which LUTs hold them, and how many one holds."""
_SMALL_WORDS, _SMALL_BITS, _LARGE_WORDS, _LARGE_BITS, _GROUP_LUTS = 32, 14, 64, 7, 8
"""RAM32M16 and RAM64M8: words and bits of a group of eight LUTs."""
_MORE_WAYS = 3
"""Rows of a memory that one LUT more can choose among, of four inputs and two bits."""
_BLOCK_SHAPES = ((512, 36), (1024, 18), (2048, 9), (4096, 4), (8192, 2), (16384, 1))
"""Words and bits of a block RAM of 18 Kbit."""


def row_cells(bits: int, registers: int) -> Resources:
    """Return the cells of registers in a row that have no reset.

    Examples
    --------
    >>> row_cells(32, 5).luts, row_cells(32, 2).ffs
    (32, 64)
    """
    if registers < _SHORTEST_SHIFT:
        return Resources(ffs=bits * registers)
    return Resources(luts=bits * -(-registers // _SHIFT_BITS))


def delay_cells(delay: Delay) -> Resources:
    """Return the cells of a delay."""
    return row_cells(delay.width, delay.levels)


def memory_cells(memory: LutMemory) -> Resources:
    """Return the cells of a memory of LUTs; each reader has a copy.

    Examples
    --------
    >>> memory_cells(LutMemory(32, 2)).luts, memory_cells(LutMemory(32, 250)).luts
    (24, 196)
    """
    if memory.words <= _SMALL_WORDS:
        groups = -(-memory.width // _SMALL_BITS)
        return Resources(luts=_GROUP_LUTS * groups * memory.readers)
    rows = -(-memory.words // _LARGE_WORDS)
    groups = rows * -(-memory.width // _LARGE_BITS)
    chosen = memory.width * -(-(rows - 1) // _MORE_WAYS)
    written = rows if rows > 1 else 0
    return Resources(luts=(_GROUP_LUTS * groups + chosen) * memory.readers + written)


def fifo_cells(fifo: FifoBlock) -> Resources:
    """Return the cells of a FIFO: its memory, a count, two places, and two flags."""
    count, place = fifo.depth.bit_length(), max(1, (fifo.depth - 1).bit_length())
    control = Resources(luts=2 * count + 2 * place, ffs=count + 2 * place)
    return memory_cells(fifo.memory) + control


def channel_cells(channel: BufferMemory | FifoBlock) -> Resources:
    """Return the cells of a FIFO or a buffer."""
    return fifo_cells(channel) if isinstance(channel, FifoBlock) else buffer_cells(channel)


def buffer_cells(buffer: BufferMemory) -> Resources:
    """Return the cells of a buffer: block RAMs, a copy for each reader."""
    ways = (
        -(-buffer.all_words // words) * -(-buffer.width // bits) for words, bits in _BLOCK_SHAPES
    )
    return Resources(bram18=min(ways) * buffer.readers)
