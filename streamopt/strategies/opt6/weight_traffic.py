"""Cycles that weights take which no memory of a region can hold: (O33) of opt6.md.

A resident array is in blocks of one kind. So one that is larger than all blocks of any kind is off
the chip, read in every frame through one port; and of the others as much as all kinds together
can't hold.
"""

from collections.abc import Sequence
from math import ceil

from streamopt.evaluation.open_channels import array_bytes
from streamopt.ir.graph import Graph
from streamopt.ir.ports import WORD_BITS, PortKind, PortPlan
from streamopt.strategies.refinement.streamed_weights import near_channels
from streamopt.target.device import Target
from streamopt.target.memories import Memories
from streamopt.target.resources import Resources

LUT_BITS = 64
"""That a LUT holds as a memory, at most."""
BYTE_BITS = 8


def weight_traffic_cycles(
    graph: Graph, ports: Sequence[PortPlan], on: Target, limits: Resources
) -> int:
    """Return the cycles below which no design moves the weights that can't be resident.

    Parameters
    ----------
    ports
        Of the graph; only resident arrays that may be off the chip instead are looked at.
    limits
        Of the region.
    """
    names = {p.array for p in ports if p.kind is PortKind.RESIDENT and p.is_open}
    arrays = [array for array in graph.arrays if array.name in names]
    channels = [on.channel(name) for name in near_channels(on)]
    if not arrays or not channels:
        return 0
    rates = [channel.bytes_per_cycle(on.clock_ns) for channel in channels]
    kinds = _bits(on.memories, limits)
    large = [a for a in arrays if a.size_elems * a.element.bits > max(kinds)]
    small = sum(a.size_elems * a.element.bits for a in arrays if a not in large)
    alone = max((array_bytes(a) for a in large), default=0) / min(max(rates), WORD_BITS / BYTE_BITS)
    beside = max(0, small - sum(kinds)) // BYTE_BITS
    together = (sum(array_bytes(a) for a in large) + beside) / sum(rates)
    return ceil(max(alone, together))


def _bits(memories: Memories, limits: Resources) -> list[int]:
    """Return the bits of all blocks of each kind."""
    bram = max(shape.words * shape.bits for shape in memories.bram18_shapes)
    uram = memories.uram_shape
    return [
        limits.bram18 * bram,
        limits.uram * uram.words * uram.bits if uram else 0,
        limits.luts * LUT_BITS + limits.ffs,
    ]
