"""The hardware of a decoder as built: its table, the depths of its pipelines, its memories."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.ir.decoders.steps import DecoderTable
from streamopt.ir.engines.hardware import Supply


@dataclass(frozen=True, slots=True)
class DecoderFills:
    """Cycles from an iteration of a loop to the write of what it makes."""

    matrix_cycles: int
    squares_cycles: int
    root_cycles: int
    scaled_cycles: int
    scores_cycles: int
    values_cycles: int
    leaving_cycles: int

    @property
    def norm_cycles(self) -> int:
        """Return the cycles of a norm beyond those of its walks."""
        return self.squares_cycles + self.root_cycles + self.scaled_cycles

    @property
    def attention_cycles(self) -> int:
        """Return the cycles of a block of an attention beyond those of its walks."""
        return self.scores_cycles + self.values_cycles + self.leaving_cycles


@dataclass(frozen=True, slots=True)
class DecoderHardware:
    """A decoder as built."""

    table: DecoderTable
    supply: Supply
    """Of words, from the channels that hold weights, keys and values."""
    fills: DecoderFills
    host_bytes_per_cycle: int
    """Of the memory with tokens, embeddings and answers."""
    host_latency_cycles: int
