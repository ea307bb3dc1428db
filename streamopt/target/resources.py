"""Amounts of what a device has and a design takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fit(StrEnum):
    """The part of a device that a design is to fit into: see `Floorplan.budget`."""

    SLR = "slr"
    BOARD = "board"
    DEVICE = "device"
    RAW = "raw"
    RAW_DEVICE = "raw-device"


@dataclass(frozen=True, slots=True)
class Resources:
    """DSP slices, memory blocks, look-up tables and flip-flops."""

    dsps: int = 0
    bram18: int = 0
    """Block RAMs of 18 Kbit; a RAMB36 counts two."""
    uram: int = 0
    luts: int = 0
    ffs: int = 0

    def __add__(self, other: Resources) -> Resources:
        """Return the sum, resource by resource."""
        return Resources(
            self.dsps + other.dsps,
            self.bram18 + other.bram18,
            self.uram + other.uram,
            self.luts + other.luts,
            self.ffs + other.ffs,
        )

    def scaled(self, copies: int) -> Resources:
        """Return the resources of that many copies."""
        return Resources(
            self.dsps * copies,
            self.bram18 * copies,
            self.uram * copies,
            self.luts * copies,
            self.ffs * copies,
        )

    def over(self, budget: Resources) -> tuple[str, ...]:
        """Return the names of the resources of which it takes more than the budget has.

        Examples
        --------
        >>> Resources(dsps=230, luts=10).over(Resources(dsps=220, luts=53200))
        ('dsps',)
        """
        return tuple(name for name in RESOURCE_NAMES if getattr(self, name) > getattr(budget, name))


RESOURCE_WORDS = {"dsps": "DSP", "bram18": "BRAM18", "uram": "URAM", "luts": "LUT", "ffs": "FF"}
"""Words for people by field, in the order in which tables show them."""
RESOURCE_NAMES = ("dsps", "bram18", "uram", "luts", "ffs")
