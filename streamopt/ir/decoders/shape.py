"""The shape of the hardware that all layers of a decoder share."""

from __future__ import annotations

from dataclasses import dataclass

PAIR_BYTES = 8
"""An offset and a factor of 32 bits: of each sum."""
HEAD_NUMBERS, TABLE_ENTRIES = 16, 256
"""Numbers of a layer, and entries of its activation."""


@dataclass(frozen=True, slots=True)
class DecoderShape:
    """Multipliers, and the words that reach them: one of each cycle."""

    outputs: int
    """Sums of a position that are at work at once."""
    depth: int
    """Products of each in a cycle."""
    positions: int
    """That share a word of weights."""
    channels: int
    """That a word of weights, keys or values comes over."""
    share_bytes: int
    """That each channel has of a word; a power of 2."""
    drain: int
    """Results of a position that leave in a cycle."""
    lanes: int
    """Features of a position that norms, and what leaves an attention, have in a cycle."""
    queries: int
    """Positions that share a word of keys or values."""
    rows: int
    """Positions that are in the hardware at once, at most: longer prompts come in parts."""

    @property
    def word_bytes(self) -> int:
        """Return the bytes of a word."""
        return self.channels * self.share_bytes

    @property
    def products(self) -> int:
        """Return the products with weights in a cycle."""
        return self.outputs * self.depth * self.positions

    def __str__(self) -> str:
        """Return the numbers in one line."""
        return (
            f"{self.outputs} sums of {self.depth} products at {self.positions} positions, "
            f"{self.queries} of attention, {self.channels} channels of {self.share_bytes} bytes"
        )
