"""LUTs that turn all lanes of an access at once to the banks of a memory."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode
from streamopt.ir.stepping.turned_lanes import turned_lanes
from streamopt.perf.resources.fabric import choice_luts

if TYPE_CHECKING:
    from streamopt.ir.network import Memory, Pipeline, Port

_STEPS_OF_A_LUT = 2
"""A LUT with six inputs chooses one of four values: two steps of turning by a power of two."""
_ADDRESS_BITS = 16
"""Of the address that a bank computes from its lane: an estimate."""


def turning_luts(port: Port, pipeline: Pipeline, memory: Memory) -> int | None:
    """Return the LUTs that turn the lanes of a port; None if it isn't one that turns them.

    Every step is a multiplexer of two values for each bank, and for a write of a bit more, which
    says whether the bank is written. A bank computes its address from the lane that it serves, and
    where it has parts of its own, chooses one of them.
    """
    lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
    turned = turned_lanes(port.subscripts, memory.shape, memory.factors, lanes)
    if turned is None:
        return None
    others = [
        (subscript, factor)
        for at, (subscript, factor) in enumerate(zip(port.subscripts, memory.factors, strict=True))
        if at != turned.dimension
    ]
    steps = -(-(turned.banks.bit_length() - 1) // _STEPS_OF_A_LUT)
    is_write = port.mode is AccessMode.WRITE
    luts = turned.banks * steps * (memory.element.bits + is_write)
    if any(turned.lane in subscript.iterators() for subscript, _ in others):
        luts += turned.banks * _ADDRESS_BITS
    parts = prod(factor for subscript, factor in others if subscript.iterators())
    if parts > 1 and not is_write:
        luts += choice_luts(turned.banks, parts, memory.element.bits)
    return luts
