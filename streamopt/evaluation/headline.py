"""The first thing to say of a design: the cycles of its hardware, and its share of a device."""

from collections.abc import Mapping
from dataclasses import dataclass

from streamopt.evaluation.region_usage import RegionUsage
from streamopt.evaluation.time_claim import TimeClaim
from streamopt.target.device import Target
from streamopt.target.regions import Floorplan
from streamopt.target.resources import RESOURCE_NAMES, Resources

SHOWN = {"dsps": "DSP", "luts": "LUT", "ffs": "FF", "bram18": "BRAM", "uram": "URAM"}
"""Words for people by resource, in the order in which they are told."""


NO_RESOURCES = Resources()


@dataclass(frozen=True, slots=True)
class Headline:
    """Cycles, time and shares of a region."""

    claim: TimeClaim
    target_clock_ns: float
    """As asked for, which is faster than the claimed clock where that is at risk."""
    region: str
    """The part of the device that shares are of: ``an SLR``, or the device's name."""
    percent: Mapping[str, float]
    """By resource: the share of the region."""
    arguments: Resources = NO_RESOURCES
    """Memory of arguments on the chip, which the shares are without."""
    launch_cycles: int = 0
    """Of filling resident arrays, once before the first frame."""
    call_ns: float = 0.0
    """That a host's call takes beyond the cycles; 0 for a design that no host calls."""
    regions: tuple[tuple[str, str], ...] = ()
    """Pairs of a super logic region and words on its shares, of a design that is in several."""

    @property
    def times(self) -> str:
        """Return cycles with their milliseconds at each clock."""
        times = ", ".join(f"{time} {clock}" for clock, time in self._clock_times)
        words = f"{self.claim.cycles:,} cycles: {times}"
        if self.claim.clock_ns > self.target_clock_ns:
            words += f"; {1e3 / self.target_clock_ns:.0f} MHz is at risk"
        return words

    @property
    def shares(self) -> str:
        """Return the share of every resource."""
        return ", ".join(f"{word} {_percent(self.percent[name])}" for name, word in SHOWN.items())

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a label and words: cycles, milliseconds at each clock, shares."""
        return (
            ("simulated", f"{self.claim.cycles:,} cycles"),
            *self._clock_times,
            (f"of {self.region}", self.shares),
            *self.regions,
            *((("arguments", self.uncounted),) if self.uncounted else ()),
            *((("launch", self.launch),) if self.launch_cycles else ()),
            *((("called by a host", self.call),) if self.call_ns else ()),
        )

    @property
    def _clock_times(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a clock and the time at it."""
        claim = self.claim
        clocks = dict.fromkeys((claim.clock_ns, claim.routed_clock_ns))
        return tuple((f"at {1e3 / ns:.0f} MHz", _time(claim.cycles * ns)) for ns in clocks)

    @property
    def launch(self) -> str:
        """Return the time of filling resident arrays, in words."""
        time = _time(self.launch_cycles * self.claim.clock_ns)
        return f"{self.launch_cycles:,} cycles ({time}) to fill resident arrays, once"

    @property
    def call(self) -> str:
        """Return the time at each clock with that of a host's call, in words."""
        clocks = dict.fromkeys((self.claim.clock_ns, self.claim.routed_clock_ns))
        times = (
            f"{_time(self.claim.cycles * ns + self.call_ns)} at {1e3 / ns:.0f} MHz" for ns in clocks
        )
        return f"{', '.join(times)}, with {_time(self.call_ns)} for the call"

    @property
    def uncounted(self) -> str:
        """Return the memory of arguments on the chip, in words; empty where there is none."""
        own = self.arguments
        blocks = {"BRAM18": own.bram18, "URAM": own.uram, "LUTs": own.luts, "FFs": own.ffs}
        taken = ", ".join(f"{amount:,} {word}" for word, amount in blocks.items() if amount)
        return f"on the chip, not counted: {taken}" if taken else ""

    def __str__(self) -> str:
        """Return times and shares in a line, without what it doesn't take."""
        taken = [part for part in self.shares.split(", ") if not part.endswith(" 0 %")]
        return f"{self.times} (simulated), {', '.join(taken)} of {self.region}"


def headline(
    claim: TimeClaim,
    used: Resources,
    device: Target,
    arguments: Resources = NO_RESOURCES,
    launch_cycles: int = 0,
    call_ns: float = 0.0,
) -> Headline:
    """Return the headline of a design that takes some resources of a device.

    Parameters
    ----------
    arguments
        Memory of arguments on the chip, which is no part of ``used``.
    launch_cycles
        Of filling resident arrays.
    call_ns
        Of a host's call.
    """
    percent = {
        name: 100 * getattr(used, name) / max(1, getattr(device.slr, name))
        for name in RESOURCE_NAMES
    }
    region = "an SLR" if device.slrs > 1 else device.name
    return Headline(claim, device.clock_ns, region, percent, arguments, launch_cycles, call_ns)


def region_facts(usage: RegionUsage, floorplan: Floorplan) -> tuple[tuple[str, str], ...]:
    """Return pairs of a region and words: its shares, and the wires to the next one."""
    found: list[tuple[str, str]] = []
    for at, (used, region) in enumerate(zip(usage.amounts, floorplan.regions, strict=True)):
        shares = (
            f"{word} {_percent(100 * amount / max(1, getattr(region.whole, name)))}"
            for name, word in SHOWN.items()
            if (amount := getattr(used, name))
        )
        words = ", ".join(shares) or "nothing"
        if at < len(usage.wires):
            words += f"; {usage.wires[at]:,} wires to SLR{at + 1}"
        found.append((f"SLR{at}", words))
    return tuple(found)


def _time(ns: float) -> str:
    """Return a time in milliseconds, or in nanoseconds where it is less than 1000 of them."""
    return f"{ns / 1e6:.3g} ms" if ns >= 1e3 else f"{ns:.3g} ns"


def _percent(share: float) -> str:
    return "<1 %" if 0 < share <= 0.5 else f"{share:.0f} %"
