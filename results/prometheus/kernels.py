"""The twelve kernels of Prometheus off the chip: programs, ports, and what no design can beat."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.analysis.counting import executions
from streamopt.analysis.instances import instances
from streamopt.frontends.c import read_c
from streamopt.ir.expression import Binary, BinaryOp, walk
from streamopt.ir.ports import WORD_BITS
from streamopt.ir.program import Role
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

__all__ = ["CHANNELS", "Bound", "bound_of", "ports_of", "program_path", "source_options", "target"]

POLYBENCH = Path(__file__).parents[2] / "tests" / "polybench" / "kernels"
CHANNELS = ("one", "several")
"""Of HBM, for each array."""
DEVICE, CLOCK_NS = "u55c", 4.55
PRODUCT_DSPS = 3
DEFINES = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}


@dataclass(frozen=True, slots=True)
class Bound:
    """Lower bounds of a kernel, in cycles."""

    compute_cycles: int
    """A product for each statement with one, at 3 DSPs; additions may be LUTs."""
    traffic_cycles: int
    """The largest array over its channels, once in one direction."""

    @property
    def cycles(self) -> int:
        """Return the larger one."""
        return max(self.compute_cycles, self.traffic_cycles)


def target() -> Target:
    """Return the device at Prometheus' clock."""
    return Target.named(DEVICE, CLOCK_NS)


def program_path(kernel: str) -> Path:
    """Return the C text of a kernel."""
    return POLYBENCH / kernel / f"{kernel}.c"


def source_options() -> so.SourceOptions:
    """Return size and type of the published runs: MEDIUM, 32-bit floats."""
    return so.SourceOptions(define=DEFINES, include=[POLYBENCH])


def _channels_each(graph: Graph, channels: str) -> int:
    """Return how many channels each array has: as many as there are for all of them."""
    outside = [array for array in graph.arrays if array.role is not Role.INTERNAL and array.shape]
    every = len(target().channels)
    most = max(1, every // max(1, len(outside)))
    return 1 << (most.bit_length() - 1) if channels == "several" else 1


def ports_of(graph: Graph, channels: str) -> so.Space:
    """Return the space of designs whose arrays are in HBM; numbers alone are registers."""
    each = _channels_each(graph, channels)
    outside = [array for array in graph.arrays if array.role is not Role.INTERNAL and array.shape]
    kind = "m_axi" if each == 1 else f"m_axi:{each}"
    asked = {array.name: kind for array in outside}
    return so.Space(ports=so.plan_ports(graph, ports=asked, device=target()))


def bound_of(kernel: str, dsps: int, channels: str) -> Bound:
    """Return the bounds of a kernel with so many DSPs."""
    options = source_options()
    graph = so.dataflow(so.load(program_path(kernel), options=options))
    rate = min(channel.bytes_per_cycle(CLOCK_NS) for channel in target().channels)
    rate = min(rate, WORD_BITS / 8) * _channels_each(graph, channels)
    largest = max(
        array.size_elems * array.element.bits // 8
        for array in graph.arrays
        if array.role is not Role.INTERNAL
    )
    return Bound(ceil(_products(kernel) * PRODUCT_DSPS / dsps), ceil(largest / rate))


def _products(kernel: str) -> int:
    """Return how often a statement with a product runs; factors that stay can be moved out."""
    body = read_c(program_path(kernel), defines=DEFINES, include=[POLYBENCH]).body
    found = 0
    for instance in instances(body):
        parts = (part for part in walk(instance.assign.value) if isinstance(part, Binary))
        if any(part.op is BinaryOp.MUL for part in parts):
            loops = [(loop.iterator, loop) for loop in instance.loops]
            found += executions(loops, instance.guards)
    return found
