"""The shapes of engines that are looked at, and how weights reach them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil

from streamopt.ir.engines.hardware import BEAT_BYTES, Supply
from streamopt.ir.engines.shape import EngineShape
from streamopt.target.channels import MOST_PORTS
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class EngineSpace:
    """The shapes that are open."""

    banks: tuple[int, ...] = (16, 32, 64, 128, 256)
    drains: tuple[int, ...] = (8, 16, 32)
    beside: int = 4
    """Most neighbouring positions, or parts of a result, at once."""
    fifo_words: int = 512
    """Words of weights that can wait: what the blocks of a FIFO have room for anyway."""


USUAL = EngineSpace()


def shapes(
    space: EngineSpace, dsps: int, *, packed: bool, lut_products: int = 0
) -> Iterator[EngineShape]:
    """Yield the shapes that no other is better than: with as many products of a sum as fit.

    A shape with fewer products of a sum, all else equal, has at least as many steps.

    Parameters
    ----------
    lut_products
        Multipliers that may be built from LUTs.
    """
    factor = 2 if packed else 1
    most = factor * dsps
    for banks, drain in product(space.banks, space.drains):
        if drain > banks:
            continue
        for outputs in range(factor, most + lut_products + 1, factor):
            depth = min(most // outputs, banks)
            if depth:
                yield EngineShape(outputs, depth, banks, drain, space.beside, packed)
            more = min(_mixed_depth(outputs, most, lut_products, factor), banks)
            if more > depth:
                in_luts = outputs - _even(most // more, factor)
                yield EngineShape(outputs, more, banks, drain, space.beside, packed, in_luts)


def _even(count: int, factor: int) -> int:
    return count - count % factor


def _mixed_depth(outputs: int, most: int, lut_products: int, factor: int) -> int:
    """Return the most products of each sum, those in LUTs included; 0 if there are none."""
    for depth in range((most + lut_products) // outputs, 0, -1):
        in_luts = outputs - _even(most // depth, factor)
        if 0 < in_luts < outputs and in_luts * depth <= lut_products:
            return depth
    return 0


def supply_of(word_bytes: int, target: Target, channels: int | None, fifo_words: int) -> Supply:
    """Return the fewest channels that bring a word a cycle, or all that there are.

    Parameters
    ----------
    channels
        At most; None for those of the fastest kind of memory, less one for inputs and outputs.
    """
    kinds: dict[str, list[str]] = {}
    for channel in target.channels:
        kinds.setdefault(channel.name.partition("[")[0], []).append(channel.name)
    rates = {
        kind: sum(target.channel(name).bytes_per_s for name in names)
        for kind, names in kinds.items()
    }
    names = kinds[max(rates, key=rates.__getitem__)]
    most = min(len(names), MOST_PORTS) if channels is None else min(channels, len(names))
    wanted = min(max(1, most), ceil(word_bytes / BEAT_BYTES))
    own = target.channel(names[0])
    beats = ceil(word_bytes / (BEAT_BYTES * wanted))
    rate = Fraction(own.bytes_per_s) * Fraction(str(target.clock_ns)) / 10**9
    per_word = beats * max(Fraction(1), BEAT_BYTES / rate)
    latency = own.latency_cycles(target.clock_ns)
    return Supply(tuple(names[:wanted]), per_word, latency, fifo_words)
