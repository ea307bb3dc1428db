"""Cells of masters and of ends of streams for UltraScale+, with the FIFOs inside.

Flip-flops are counted; LUTs are those of the sums and choices at each counter, as Yosys maps them,
and a few beside them.
"""

from __future__ import annotations

from streamopt.ir.ports import WORD_FIFO_DEPTH
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.costs.block_cells import fifo_cells
from streamopt.rtl.outside.word_streams import WordStream
from streamopt.rtl.outside.write_master import DEPTH, UNANSWERED
from streamopt.target.resources import Resources

_READ_LUTS, _WRITE_LUTS = 16, 62
"""Beside the counters of a master."""
_BIT_LUTS, _LAST_BIT_LUTS = 5, 2
"""For each bit of a count of beats: of what is left, its place and its address; where there is one
burst, which is always the last one."""


def end_cells(stream: WordStream, frame_bits: int) -> Resources:
    """Return the cells of all ends of an array off the chip.

    Parameters
    ----------
    frame_bits
        Of the number of a frame.
    """
    one = (_bus_cells if stream.is_bus else _stream_cells)(stream, frame_bits)
    gathered = stream.words.count
    if gathered > 1:
        place = (gathered - 1).bit_length()
        kept = 0 if stream.is_written else stream.word_bits * (gathered - 1)
        # words in which lanes choose a beat: a LUT has four inputs and two bits of a choice
        chosen = stream.word_bits * -(-(gathered - 1) // 3) if stream.is_written else 0
        one += Resources(luts=2 * place + chosen, ffs=place + kept)
    depth = WORD_FIFO_DEPTH
    if stream.is_bus:
        depth = DEPTH if stream.is_written else stream.depth
    one += fifo_cells(FifoBlock(stream.all_bits, depth))
    return sum([one] * stream.words.memories, Resources())


def _bus_cells(stream: WordStream, frame_bits: int) -> Resources:
    """Return the cells of a master without its FIFO."""
    bits, passes = stream.beats.bit_length(), max(1, (stream.times - 1).bit_length())
    is_single = stream.beats <= stream.burst_beats
    luts = bits * (_LAST_BIT_LUTS if is_single else _BIT_LUTS) + 2 * (passes - 1)
    ffs = frame_bits + 2 * bits + passes
    if not stream.is_written:
        room = (stream.depth * stream.words.count).bit_length()
        return Resources(luts=luts + _READ_LUTS + 2 * room, ffs=ffs + room)
    allowed = (UNANSWERED * stream.burst_beats).bit_length()
    counted = frame_bits + bits + allowed + UNANSWERED.bit_length() + 1
    return Resources(luts=luts + _WRITE_LUTS + bits, ffs=ffs + counted)


def _stream_cells(stream: WordStream, frame_bits: int) -> Resources:
    """Return the cells of the end of a stream without its FIFO."""
    if not stream.is_written:
        return Resources(luts=1)
    sent = max(1, (stream.beats - 1).bit_length())
    return Resources(luts=sent, ffs=sent + frame_bits)
