"""How arrays cross the design's boundary: decisions that a schedule carries.

An array in memory off the chip is moved by one process that does nothing else (a *mover*). It
takes the elements of one tile iteration at once, so they lie next to each other outside, in the
order of its tile loops: every transfer is one long burst, whatever the loop order inside.
"""

from dataclasses import dataclass, field
from enum import StrEnum

WORD_BITS = 512
"""Widest word of a port to memory: AMD UG1399, m_axi_max_widen_bitwidth in the kernel flow."""


class PortKind(StrEnum):
    """How an array crosses the boundary."""

    MEMORY = "memory"
    """In memory on the chip, there from the start, as the published designs have it."""
    AXI = "m_axi"
    """In memory off the chip, behind a port that bursts."""
    STREAM = "axis"
    """A stream of words."""
    ROM = "rom"
    """Not at all: a table of its values in each process that reads it."""
    RESIDENT = "resident"
    """In memory of the design, which is filled from off the chip before the first frame and stays
    as it is."""

    @property
    def is_outside(self) -> bool:
        """Return whether the array is off the chip, and a mover brings or takes it."""
        return self in (PortKind.AXI, PortKind.STREAM)


class RamBlock(StrEnum):
    """The blocks that a memory is bound to."""

    BRAM = "bram"
    URAM = "uram"
    LUTRAM = "lutram"


@dataclass(frozen=True, slots=True)
class PortPlan:
    """The port of one array."""

    array: str
    kind: PortKind
    channels: tuple[str, ...] = ()
    """Memories that hold the array, as the vendor's linker calls them: ``HBM[3]``; each holds as
    many lanes as the others, behind a port of its own. For `AXI` only."""
    is_open: bool = field(default=False, compare=False)
    """Whether a search may choose other channels, and how many, or to stream a resident array: no
    part of a schedule."""
    block: RamBlock | None = None
    """That holds a resident array; None for the tool's choice."""
    again: tuple[str, ...] = ()
    """Loops of the only reader of an array off the chip, outermost first, for each of whose
    iterations it is read anew."""

    def __str__(self) -> str:
        """Return one line: array, kind, block and channels."""
        block = [] if self.block is None else [f"in {self.block}"]
        again = [f"again for {', '.join(self.again)}"] if self.again else []
        return " ".join([f"port {self.array}: {self.kind}", *block, *self.channels, *again])

    @property
    def memories(self) -> tuple[str, ...]:
        """Return the channels; "" for one that isn't said, none for a stream."""
        return (self.channels or ("",)) if self.kind is PortKind.AXI else ()


BURST_WORDS = 64
"""Words of the longest burst: of 512 bits, they are the 4 KiB that AXI has no burst across."""
OUTSTANDING_BURSTS = 8
"""Bursts that a port has asked for and waits for.

512 words cover the latency of HBM, 100 to 200 cycles, twice; and an adapter that keeps them has no
more block RAMs than one of 256, the tool's default, as these are 512 deep at their widest.
"""
WORD_FIFO_DEPTH = 2
"""Words between a port and the process that unpacks them: both go on in each cycle."""


@dataclass(frozen=True, slots=True)
class Words:
    """How the elements of one tile iteration are packed, in each memory that holds some of them."""

    elems: int
    """Elements that a word has room for: a power of two, and at least a byte."""
    count: int
    """Words of an iteration in one memory."""
    lanes: int
    """Elements of an iteration in one memory; the last memory may have fewer."""
    memories: int
    """Of which each holds so many lanes."""

    @property
    def total(self) -> int:
        """Return the words of an iteration in all memories."""
        return self.count * self.memories

    @property
    def stride_elems(self) -> int:
        """Return the elements that the words of an iteration in one memory have room for."""
        return self.elems * self.count


FILLING_BITS = 64
"""Widest word that resident arrays are filled by: a port of 512 bits takes 13 block RAMs more, and
some hundred LUTs for each array, for what happens once."""


def words_of(lanes: int, bits: int, channels: int = 1, most_bits: int = WORD_BITS) -> Words:
    """Return the words that hold the elements of so many lanes.

    Parameters
    ----------
    channels
        Memories that may hold them; fewer do where there are fewer lanes.
    most_bits
        Of a word, but at least an element's.

    Examples
    --------
    >>> words_of(6, 32), words_of(40, 32)
    (Words(elems=8, count=1, lanes=6, memories=1), Words(elems=16, count=3, lanes=40, memories=1))
    >>> words_of(1, 4)
    Words(elems=2, count=1, lanes=1, memories=1)
    >>> words_of(40, 32, 4)
    Words(elems=16, count=1, lanes=10, memories=4)
    """
    most, own = max(1, most_bits // bits), -(-lanes // channels)
    memories = -(-lanes // own)
    if own >= most:
        return Words(most, -(-own // most), own, memories)
    return Words(max(1 << (own - 1).bit_length(), 8 // bits), 1, own, memories)
