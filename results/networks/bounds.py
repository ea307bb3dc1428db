"""Figures that no design can beat: its multiplications, and the weights that don't fit on the chip.

*Compute*: a multiplication takes a DSP, half of one where two of 8 bits are packed into each, three
of 32-bit floats; so cycles are multiply-accumulates over those that the DSPs do in one. A design
that also multiplies in LUTs may be below it. *Traffic*: all weights once a result, at the rate of
all channels of the part; of them, those that its block RAMs and UltraRAMs can hold may stay there.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from cases import BITS, work_of

from streamopt.target.device import Target

__all__ = ["Bound", "Wanted", "bound_of"]

DSPS_PER_PRODUCT = {"float": 3}
PACKED = ("int4", "int8")
BRAM18_BYTES, URAM_BYTES = 18 * 1024 // 8, 288 * 1024 // 8
CONTEXT_BITS = {"int4": 8}
SECOND_NS, MILLISECOND_NS = 1e9, 1e6


@dataclass(frozen=True, slots=True)
class Wanted:
    """A published row, as far as bounds depend on it."""

    network: str
    element: str
    metric: str
    dsps: int
    clock_ns: float
    device: str
    part: str

    @property
    def work(self) -> str:
        """Return the network that is run for the metric: one token of a text is a step."""
        return f"{self.network}_step" if self.metric == "tokens_s" else self.network

    def of_cycles(self, cycles: float) -> float:
        """Return the value of the metric for so many cycles."""
        match self.metric:
            case "ttft_ms" | "board_ms":
                return cycles * self.clock_ns / MILLISECOND_NS
            case "tokens_s":
                return SECOND_NS / (cycles * self.clock_ns)
            case _:
                return cycles

    def cycles(self, value: float) -> float:
        """Return the cycles of a value of the metric."""
        match self.metric:
            case "ttft_ms" | "board_ms":
                return value * MILLISECOND_NS / self.clock_ns
            case "tokens_s":
                return SECOND_NS / (value * self.clock_ns)
            case _:
                return value


@dataclass(frozen=True, slots=True)
class Bound:
    """Lower bounds of a result, in cycles."""

    compute_cycles: int
    packed_cycles: int
    """Of the compute, with two products of 8 bits a DSP; as without where there are none."""
    weight_bytes: int
    bytes_per_cycle: float
    traffic_cycles: int
    """Of all weights, once."""
    left_cycles: int
    """Of the weights that the part's memories can't hold."""

    def cycles(self, *, packed: bool) -> int:
        """Return the bound."""
        return max(self.packed_cycles if packed else self.compute_cycles, self.left_cycles)


def bound_of(wanted: Wanted) -> Bound:
    """Return the bounds of a published row."""
    work, target = work_of(wanted.work), Target.named(wanted.device, wanted.clock_ns)
    products = wanted.dsps // DSPS_PER_PRODUCT.get(wanted.element, 1)
    packed = 2 * products if wanted.element in PACKED else products
    weight_bytes = work.weights * BITS[wanted.element] // 8
    context_bits = CONTEXT_BITS.get(wanted.element, BITS[wanted.element])
    moved_bytes = weight_bytes + work.context * context_bits // 8
    on_chip = target.slr if wanted.part == "slr" else target.total
    held_bytes = on_chip.bram18 * BRAM18_BYTES + on_chip.uram * URAM_BYTES
    rate = _bytes_per_cycle(target, wanted.part)
    return Bound(
        ceil(work.macs / products),
        ceil(work.macs / packed),
        weight_bytes,
        rate,
        ceil(moved_bytes / rate),
        ceil(max(0, moved_bytes - held_bytes) / rate),
    )


def _bytes_per_cycle(target: Target, part: str) -> float:
    """Return the rate of one DDR channel for an SLR, of the fastest kind of memory for a device."""
    kinds: dict[str, list[float]] = {}
    for channel in target.channels:
        kind = channel.name.partition("[")[0]
        kinds.setdefault(kind, []).append(channel.bytes_per_cycle(target.clock_ns))
    if part == "slr":
        return max(rates[0] for rates in kinds.values())
    return max(sum(rates) for rates in kinds.values())
