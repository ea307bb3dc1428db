"""Figures that no design can beat: its multiplications, and the weights that don't fit on the chip.

*Compute*: multiply-accumulates over the products of a cycle. Where a row isn't packed, a product
takes a DSP, three of 32-bit floats. Where it is, products of 8 bits take what they take in the
operator table of the device: a half of a DSP and some LUTs, or LUTs alone; there are as many as fit
into the DSPs and all LUTs of the row. *Traffic*: all weights once a result, at the rate of
all channels of the part; of them, those that its block RAMs and UltraRAMs can hold may stay there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from math import ceil, inf

from cases import BITS, work_of

from streamopt.errors import TargetError
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.target.device import Target
from streamopt.target.operators import OperatorCost

__all__ = ["Bound", "Wanted", "bound_of"]

DSPS_PER_PRODUCT = {"float": 3}
PACKED = "int8"
BUILT = ("packed", "dsp", "fabric")
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
    luts: int
    """Of the published design, or of the part where they aren't published."""
    packed: bool
    """Whether products may be two in a DSP, or in LUTs."""

    @property
    def name(self) -> str:
        """Return a name for files."""
        packed = "packed" if self.packed else "plain"
        limits = f"{self.dsps}dsps_{self.luts}luts_{packed}"
        return f"{self.network}_{self.metric}_{limits}_{self.device}_{self.clock_ns:g}ns"

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
    weight_bytes: int
    bytes_per_cycle: float
    traffic_cycles: int
    """Of all weights, once."""
    left_cycles: int
    """Of the weights that the part's memories can't hold."""
    macs: int
    products: float
    """Of a cycle, at most."""

    @property
    def cycles(self) -> int:
        """Return the bound."""
        return max(self.compute_cycles, self.left_cycles)


def bound_of(wanted: Wanted) -> Bound:
    """Return the bounds of a published row."""
    work, target = work_of(wanted.work), Target.named(wanted.device, wanted.clock_ns)
    weight_bytes = work.weights * BITS[wanted.element] // 8
    context_bits = CONTEXT_BITS.get(wanted.element, BITS[wanted.element])
    moved_bytes = weight_bytes + work.context * context_bits // 8
    on_chip = target.slr if wanted.part == "slr" else target.total
    held_bytes = on_chip.bram18 * BRAM18_BYTES + on_chip.uram * URAM_BYTES
    rate = _bytes_per_cycle(target, wanted.part)
    products = _products(wanted, target)
    return Bound(
        ceil(work.macs / products),
        weight_bytes,
        rate,
        ceil(moved_bytes / rate),
        ceil(max(0, moved_bytes - held_bytes) / rate),
        work.macs,
        products,
    )


def _products(wanted: Wanted, target: Target) -> float:
    """Return the most products of a cycle."""
    if not wanted.packed:
        return wanted.dsps // DSPS_PER_PRODUCT.get(wanted.element, 1)
    limits = float(wanted.dsps), float(wanted.luts)
    costs = [(cost.dsps / cost.products, cost.luts / cost.products) for cost in _costs(target)]
    alone = [
        min(_ratio(most, cost) for most, cost in zip(limits, own, strict=True)) for own in costs
    ]
    mixed = [_mixed(one, other, limits) for one, other in combinations(costs, 2)]
    return max(alone + mixed)


def _costs(target: Target) -> list[OperatorCost]:
    """Return the costs of a product of 8 bits in all ways that the device has."""
    found: list[OperatorCost] = []
    for built in BUILT:
        with suppress(TargetError):
            found.append(target.operator(Operator.MUL, ElementType.INT8, built))
    return found


def _ratio(most: float, cost: float) -> float:
    return most / cost if cost else inf


def _mixed(
    one: tuple[float, float], other: tuple[float, float], limits: tuple[float, float]
) -> float:
    """Return the products of two kinds that take all of both limits; 0 if there are none."""
    (a, b), (c, d), (dsps, luts) = one, other, limits
    if not (area := a * d - b * c):
        return 0.0
    of_one, of_other = (dsps * d - luts * c) / area, (luts * a - dsps * b) / area
    return of_one + of_other if min(of_one, of_other) >= 0 else 0.0


def _bytes_per_cycle(target: Target, part: str) -> float:
    """Return the rate of one DDR channel for an SLR, of the fastest kind of memory for a device."""
    kinds: dict[str, list[float]] = {}
    for channel in target.channels:
        kind = channel.name.partition("[")[0]
        kinds.setdefault(kind, []).append(channel.bytes_per_cycle(target.clock_ns))
    if part == "slr":
        return max(rates[0] for rates in kinds.values())
    return max(sum(rates) for rates in kinds.values())
