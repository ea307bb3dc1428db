"""The shapes of engines that are looked at, and how weights reach them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import ceil

from streamopt.ir.engines.hardware import BEAT_BYTES, Supply
from streamopt.ir.engines.shape import EngineShape, FloatAdder
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
FLOATS = EngineSpace((4, 8, 16, 32, 64, 128), (1, 2, 4, 8))
"""Of floating-point numbers, whose lines and epilogues cost more."""


@dataclass(frozen=True, slots=True)
class Multipliers:
    """The multipliers that shapes may have."""

    dsps: int
    packed: bool = False
    lut_products: int = 0
    """Multipliers that may be built from LUTs."""
    dsps_each: int = 1
    epilogue_dsps: int = 0
    """Of the epilogues of a result that leaves in a cycle."""
    adder: FloatAdder | None = None
    """None for integers."""

    @property
    def factor(self) -> int:
        """Return the products of a multiplier."""
        return 2 if self.packed else 1

    def most(self, drain: int) -> int:
        """Return the products of a cycle that aren't built from LUTs."""
        left = self.dsps - drain * self.epilogue_dsps
        return max(0, self.factor * (left // self.dsps_each))

    def shape(self, like: EngineShape, depth: int) -> EngineShape | None:
        """Return a shape with another depth, and as few products from LUTs as it needs.

        None if it has too many products, or only ones from LUTs.
        """
        most = self.most(like.drain)
        if not 0 < depth <= like.banks:
            return None
        in_luts = max(0, like.outputs - _even(most // depth, self.factor))
        if in_luts == like.outputs or in_luts * depth > self.lut_products:
            return None
        return replace(like, depth=depth, in_luts=in_luts)


def shapes(space: EngineSpace, multipliers: Multipliers) -> Iterator[EngineShape]:
    """Yield the shapes that no other is better than: with as many products of a sum as fit.

    A shape with fewer products of a sum, all else equal, has at least as many steps.
    """
    factor = multipliers.factor
    for banks, drain in product(space.banks, space.drains):
        if drain > banks:
            continue
        most = multipliers.most(drain)
        for outputs in range(factor, most + multipliers.lut_products + 1, factor):
            none = EngineShape(
                *(outputs, 0, banks, drain, space.beside, multipliers.packed),
                adder=multipliers.adder,
            )
            plain = min(most // outputs, banks)
            found = [multipliers.shape(none, plain)]
            for depth in range((most + multipliers.lut_products) // outputs, plain, -1):
                mixed = multipliers.shape(none, depth)
                if mixed is not None and mixed.in_luts:
                    found.append(mixed)
                    break
            yield from (one for one in found if one is not None)


def _even(count: int, factor: int) -> int:
    return count - count % factor


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
