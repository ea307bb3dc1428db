"""The first thing to say of a design: the cycles of its hardware, and its share of a device.

Milliseconds are told at two clocks: that of the target, which no tool has confirmed, and that of
the fullest design of this kind that was routed and run (`streamopt.target.routed`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamopt.target.resources import RESOURCE_NAMES
from streamopt.target.routed import fullest_design

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

__all__ = ["SHORT_NAMES", "Headline", "headline"]

SHORT_NAMES: dict[str, str] = dict(
    zip(RESOURCE_NAMES, ("DSP", "BRAM18", "URAM", "LUT", "FF"), strict=True)
)
_SHOWN = {"dsps": "DSP", "luts": "LUT", "ffs": "FF", "bram18": "BRAM", "uram": "URAM"}


@dataclass(frozen=True, slots=True)
class Headline:
    """Cycles, time and shares of a region.

    Attributes
    ----------
    clock_ns, routed_clock_ns
        Of the target, and of the fullest routed design, unless that is faster.
    region
        The part of the device that shares are of: ``an SLR``, or the device's name.
    percent
        By resource: the share of the region.
    """

    cycles: int
    clock_ns: float
    routed_clock_ns: float
    region: str
    percent: Mapping[str, float]

    @property
    def milliseconds(self) -> float:
        """Return the time of the latency at the clock of the target."""
        return self.cycles * self.clock_ns / 1e6

    @property
    def routed_milliseconds(self) -> float:
        """Return the time of the latency at the clock of the fullest routed design."""
        return self.cycles * self.routed_clock_ns / 1e6

    @property
    def times(self) -> str:
        """Return cycles with their milliseconds at each clock."""
        (_, cycles), *times, _ = self.facts
        return f"{cycles}: {', '.join(f'{time} {clock}' for clock, time in times)}"

    @property
    def shares(self) -> str:
        """Return the share of every resource."""
        return ", ".join(f"{word} {_percent(self.percent[name])}" for name, word in _SHOWN.items())

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a label and words: cycles, milliseconds at each clock, shares."""
        clocks = dict.fromkeys((self.clock_ns, self.routed_clock_ns))
        times = [(f"at {1e3 / ns:.0f} MHz", f"{self.cycles * ns / 1e6:.3g} ms") for ns in clocks]
        return (
            ("simulated", f"{self.cycles:,} cycles"),
            *times,
            (f"of {self.region}", self.shares),
        )

    def __str__(self) -> str:
        """Return times and shares in a line, without what it doesn't take."""
        taken = [part for part in self.shares.split(", ") if not part.endswith(" 0 %")]
        return f"{self.times} (simulated), {', '.join(taken)} of {self.region}"

    def record(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "simulated_cycles": self.cycles,
            "milliseconds": self.milliseconds,
            "milliseconds_as_routed": self.routed_milliseconds,
            "clock_mhz": 1e3 / self.clock_ns,
            "routed_clock_mhz": 1e3 / self.routed_clock_ns,
            "percent_of": self.region,
            "percent": {name: round(share, 2) for name, share in self.percent.items()},
        }


def headline(cycles: int, used: Resources, device: Target) -> Headline:
    """Return the headline of a design of so many cycles and resources of a device."""
    return Headline(
        cycles,
        device.clock_ns,
        max(device.clock_ns, 1e3 / fullest_design().clock_mhz),
        "an SLR" if device.slrs > 1 else device.name,
        {
            name: 100 * getattr(used, name) / max(1, getattr(device.slr, name))
            for name in RESOURCE_NAMES
        },
    )


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.5 else f"{share:.0f} %"
