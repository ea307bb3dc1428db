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
from streamopt.ir.program import Array, Role
from streamopt.target.channels import MOST_PORTS, quickest_cycles
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

__all__ = ["CHANNELS", "Bound", "bound_of", "ports_of", "program_path", "source_options", "target"]

POLYBENCH = Path(__file__).parents[2] / "tests" / "polybench" / "kernels"
CHANNELS = ("one", "chosen", "board")
"""Of HBM: one for each array, or as many as the search chooses, at most 32 in all; these, too, for
a design that keeps to a region beside the shell."""
DEVICE, CLOCK_NS = "u55c", 4.55
PRODUCT_LUTS = 700
"""Of a multiplier without DSPs; others take one DSP at least."""
DEFINES = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}


@dataclass(frozen=True, slots=True)
class Bound:
    """Lower bounds of a kernel, in cycles."""

    compute_cycles: int
    """A product for each statement with one, in multipliers of a DSP or of LUTs alone, as many as
    there is room for."""
    traffic_cycles: int
    """All arrays over their channels, once in one direction, whatever channels each has."""

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


def _outside(graph: Graph) -> list[Array]:
    """Return the arrays in HBM; numbers alone are registers."""
    return [array for array in graph.arrays if array.role is not Role.INTERNAL and array.shape]


def ports_of(graph: Graph, channels: str) -> so.Space:
    """Return the space of designs whose arrays are in HBM."""
    kind = "m_axi:1" if channels == "one" else "m_axi"
    asked = {array.name: kind for array in _outside(graph)}
    return so.Space(ports=so.plan_ports(graph, ports=asked, device=target()))


def bound_of(kernel: str, dsps: int, luts: int, channels: str) -> Bound:
    """Return the bounds of a kernel with so many DSPs and LUTs."""
    options = source_options()
    graph = so.dataflow(so.load(program_path(kernel), options=options))
    every = target().channels
    rate = min(*(channel.bytes_per_cycle(CLOCK_NS) for channel in every), WORD_BITS / 8)
    sizes = {a.name: a.size_elems * a.element.bits // 8 for a in _outside(graph)}
    traffic = ceil(max(sizes.values()) / rate)
    if channels != "one":
        traffic = quickest_cycles(sizes, rate, len(every), MOST_PORTS)
    multipliers = dsps + luts // PRODUCT_LUTS
    return Bound(ceil(_products(kernel) / multipliers), traffic)


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
