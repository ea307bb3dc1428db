"""The super logic regions of a device, and the part of them that a design can count on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streamopt.target.resources import Fit, Resources
from streamopt.target.routed import fullest_design, most_routed


@dataclass(frozen=True, slots=True)
class Guideline:
    """The shares of a region that a design should keep to, so that it is placed and routed."""

    dsps_percent: int
    bram18_percent: int
    uram_percent: int
    luts_percent: int
    ffs_percent: int

    def of(self, whole: Resources) -> Resources:
        """Return these shares, in whole resources.

        Examples
        --------
        >>> Guideline(80, 80, 80, 70, 50).of(Resources(dsps=3008, luts=434560))
        Resources(dsps=2406, bram18=0, uram=0, luts=304192, ffs=0)
        """
        return Resources(
            whole.dsps * self.dsps_percent // 100,
            whole.bram18 * self.bram18_percent // 100,
            whole.uram * self.uram_percent // 100,
            whole.luts * self.luts_percent // 100,
            whole.ffs * self.ffs_percent // 100,
        )


@dataclass(frozen=True, slots=True)
class LogicRegion:
    """A super logic region (SLR)."""

    whole: Resources
    left: Resources
    """Its resources without those of the platform's shell."""
    channels: tuple[str, ...]
    """Channels to memory off the chip that it reaches without a crossing: ``HBM`` for all of a
    kind, ``DDR[1]`` for one."""

    def reaches(self, channel: str) -> bool:
        """Return whether a channel is one of its own."""
        return channel in self.channels or channel.partition("[")[0] in self.channels


@dataclass(frozen=True, slots=True)
class Floorplan:
    """The regions of a device."""

    total: Resources
    slr: Resources
    """One region, on average; the device, where there is one."""
    regions: tuple[LogicRegion, ...]
    guideline: Guideline
    """The shares of a region that the vendor advises."""
    crossing_wires: int | None = None
    """Wires between a region and the next one (super long lines); None where nobody said."""

    def region_budgets(self, fit: Fit) -> tuple[Resources, ...]:
        """Return the resources that a design may take of each region, in the order of regions.

        They are those whose sum `budget` is; none for a part that isn't told region by region.
        """
        if fit is not Fit.DEVICE or len(self.regions) < 2:
            return ()
        return tuple(self.guideline.of(region.left) for region in self.regions)

    def region_of(self, channels: Sequence[str]) -> int:
        """Return the region that reaches most of some channels, the first of equals."""
        reached = [sum(map(region.reaches, channels)) for region in self.regions]
        return reached.index(max(reached))

    def budget(self, fit: Fit, channels: Sequence[str]) -> Resources:
        """Return the resources that a design with ports to some channels may take.

        ``raw`` and ``raw-device`` are all of one SLR and of the device. The others are the shares
        that the vendor advises: ``slr`` of one bare SLR, ``board`` of what the shell leaves of the
        largest that reaches one of the channels, and at most what has been routed in one,
        ``device`` of what it leaves of each, added up.
        """
        if fit is Fit.RAW:
            return self.slr
        if fit is Fit.RAW_DEVICE:
            return self.total
        if fit is Fit.SLR:
            return self.guideline.of(self.slr)
        if fit is Fit.DEVICE:
            return sum((self.guideline.of(region.left) for region in self.regions), Resources())
        left = self.guideline.of(self._beside(channels).left)
        dsps, luts = most_routed(slrs=1)
        return replace(left, dsps=min(left.dsps, dsps), luts=min(left.luts, luts))

    def exceeded_routed(self, used: Resources) -> dict[str, int]:
        """Return the most that was ever routed, of the resources of which a design takes more.

        It is held against the designs on as many regions as it needs, whose LUTs are as synthesised
        and at most the share of the fullest.
        """
        whole = range(1, len(self.regions))
        count = next((n for n in whole if not used.over(self.slr.scaled(n))), len(self.regions))
        dsps, luts = most_routed(count)
        share = int(fullest_design().lut_share * count * self.slr.luts)
        most = {"dsps": dsps, "luts": min(luts, share)}
        return {name: amount for name, amount in most.items() if getattr(used, name) > amount}

    def place_of(self, used: Resources, channels: Sequence[str]) -> str:
        """Return the SLR next to channels if a design fits into what the shell leaves of it."""
        region = self._beside(channels)
        fits = len(self.regions) > 1 and not used.over(region.left)
        return f"SLR{self.regions.index(region)}" if fits else ""

    def _beside(self, channels: Sequence[str]) -> LogicRegion:
        """Return the largest region, after the shell, that reaches one of some channels."""
        reached = [region for region in self.regions if any(map(region.reaches, channels))]
        return max(reached or self.regions, key=lambda region: region.left.luts)
