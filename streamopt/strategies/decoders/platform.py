"""A device as decoders see it: the channels of its fastest memory, and what operators cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.shape import DecoderShape
from streamopt.ir.decoders.steps import DecoderTable
from streamopt.ir.engines.hardware import BEAT_BYTES, Supply
from streamopt.perf.decoders.resources import DecoderCosts, decoder_costs, decoder_fills
from streamopt.target.channels import MemoryChannel
from streamopt.target.device import Target

FIFO_WORDS = 512
"""That can wait: what the blocks of a FIFO have room for anyway."""


@dataclass(frozen=True, slots=True)
class DecoderPlatform:
    """A device at its clock."""

    target: Target
    costs: DecoderCosts
    channels: tuple[str, ...]
    """Of the fastest kind of memory."""
    channel_rate: Fraction
    """Bytes a cycle that each of them delivers."""
    channel_bytes: int
    """That each of them holds; 0 if nobody said."""
    latency_cycles: int
    host: MemoryChannel
    """Of another kind of memory, where there is one: for tokens, embeddings and answers."""

    def has_room(self, table: DecoderTable) -> bool:
        """Return whether channels hold the weights, keys and values of a model."""
        return not self.channel_bytes or table.channel_bytes <= self.channel_bytes

    @property
    def bytes_per_cycle(self) -> float:
        """Return the bytes a cycle of all channels."""
        return float(len(self.channels) * self.channel_rate)


def decoder_platform(target: Target) -> DecoderPlatform:
    """Return a device as decoders see it.

    Raises
    ------
    TargetError
        E857 if nobody said how fast its memory is.
    """
    kinds: dict[str, list[str]] = {}
    for channel in target.channels:
        kinds.setdefault(channel.name.partition("[")[0], []).append(channel.name)
    if not kinds:
        target.channel("DDR[0]")  # there is none, which is refused
    names = max(kinds.values(), key=lambda own: len(own) * target.channel(own[0]).bytes_per_s)
    own = target.channel(names[0])
    others = [channel for channel in target.channels if channel.name not in names]
    rate = Fraction(own.bytes_per_s) * Fraction(str(target.clock_ns)) / 10**9
    latency = own.latency_cycles(target.clock_ns)
    host = others[0] if others else own
    costs, size = decoder_costs(target), own.size_bytes
    return DecoderPlatform(target, costs, tuple(names), rate, size, latency, host)


def decoder_hardware(
    model: DecoderModel, shape: DecoderShape, platform: DecoderPlatform
) -> DecoderHardware:
    """Return a shape as built: words over the first channels of a device's fastest memory."""
    table = DecoderTable(model, shape)
    per_word = max(Fraction(1), shape.share_bytes / platform.channel_rate)
    # Keys that are read next must have been written: what is read ahead is less than a pass.
    ahead = min(FIFO_WORDS, model.layers * table.layer_words // 2)
    names = platform.channels[: shape.channels]
    supply = Supply(names, per_word, platform.latency_cycles, ahead)
    clock_ns = platform.target.clock_ns
    width = min(BEAT_BYTES, int(platform.host.bytes_per_cycle(clock_ns)))
    fills = decoder_fills(table, platform.costs)
    return DecoderHardware(table, supply, fills, width, platform.host.latency_cycles(clock_ns))
