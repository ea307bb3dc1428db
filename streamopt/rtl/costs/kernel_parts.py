"""The parts of a kernel that its cells are counted from."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.target.resources import Resources


@dataclass(frozen=True, slots=True)
class KernelParts:
    """The parts of a kernel that cells follow from.

    Attributes
    ----------
    modules
        Operators, delays and memories, all together.
    registers
        Flip-flops and shift registers around them, and what counts along loops.
    counter_bits
        Of the counters of tile loops.
    chosen_bits
        Of choices between two: begun and masked sums, streams that are kept.
    shared_luts
        Of the operands of shared operators: a LUT for each bit and two ways after the first.
    turned_bits
        Of lanes that turn among banks: for each way but one.
    added_bits
        Of constants that addresses of banks differ by.
    conditions
        That the iterations of loops have, and accesses.
    """

    modules: Resources
    registers: Resources
    counter_bits: int
    chosen_bits: int
    shared_luts: int
    turned_bits: int
    added_bits: int
    conditions: int
