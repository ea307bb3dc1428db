"""How arrays cross the design's boundary: decisions that a schedule carries.

An array in memory off the chip is moved by one process that does nothing else (a *mover*). It
takes the elements of one tile iteration at once, so they lie next to each other outside, in the
order of its tile loops: every transfer is one long burst, whatever the loop order inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["WORD_BITS", "PortKind", "PortPlan", "Words", "words_of"]

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


@dataclass(frozen=True, slots=True)
class PortPlan:
    """The port of one array.

    Attributes
    ----------
    channel
        Memory that holds the array, as the vendor's linker calls it: ``HBM[3]``; for `AXI` only.
    """

    array: str
    kind: PortKind
    channel: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """How the elements of one tile iteration are packed.

    Attributes
    ----------
    elems
        Elements that a word has room for: a power of two.
    count
        Words of an iteration.
    """

    elems: int
    count: int

    @property
    def stride_elems(self) -> int:
        """Return the elements that the words of an iteration have room for."""
        return self.elems * self.count


def words_of(lanes: int, bits: int) -> Words:
    """Return the words that hold the elements of so many lanes.

    Examples
    --------
    >>> words_of(6, 32), words_of(40, 32)
    (Words(elems=8, count=1), Words(elems=16, count=3))
    """
    most = WORD_BITS // bits
    if lanes >= most:
        return Words(most, -(-lanes // most))
    return Words(1 << (lanes - 1).bit_length(), 1)
