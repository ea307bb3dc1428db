"""An engine as built: its table, the depth of its pipeline, and how weights reach it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from streamopt.ir.engines.table import EngineTable

BEAT_BYTES = 64
"""Of a port to memory off the chip, in a cycle: the widest that the vendor's tool makes."""


@dataclass(frozen=True, slots=True)
class Supply:
    """The memory channels that weights stream from, each with a share of every word."""

    channels: tuple[str, ...]
    cycles_per_word: Fraction
    """At least 1."""
    latency_cycles: int
    """From the first request to the first word."""
    fifo_words: int
    """That can be waiting at the engine."""


@dataclass(frozen=True, slots=True)
class EngineHardware:
    """An engine as built."""

    table: EngineTable
    fill_cycles: int
    """From an iteration of its loop to the write of what it finishes."""
    supply: Supply
    input_bytes_per_cycle: int
    output_bytes_per_cycle: int
    is_shared: bool
    """Whether inputs come over a channel of weights, which wait for those of the first frame."""
