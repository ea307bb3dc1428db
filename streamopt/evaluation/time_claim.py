"""The time that is claimed for a design, and whether one as large was ever routed."""

from collections.abc import Mapping
from dataclasses import dataclass

from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.target.routed import fullest_design

MISS_NS = 1.6
"""The most by which a published pipeline at risk misses its period: see `time_claim`."""


@dataclass(frozen=True, slots=True)
class TimeClaim:
    """A time that no tool has confirmed."""

    cycles: int
    clock_ns: float
    """The period of the target; a longer one where a sum puts it at risk."""
    routed_clock_ns: float
    """That of the fullest design of this kind that was routed, where it is longer."""
    most_routed: Mapping[str, int]
    """By resource of which the design takes more: the most of any routed one."""

    @property
    def milliseconds(self) -> float:
        """Return the time at the claimed clock."""
        return self.cycles * self.clock_ns / 1e6

    @property
    def routed_milliseconds(self) -> float:
        """Return the time at the clock of the fullest routed design."""
        return self.cycles * self.routed_clock_ns / 1e6


def time_claim(cycles: int, used: Resources, target: Target, *, is_at_risk: bool) -> TimeClaim:
    """Return the claim that is made of a design.

    A clock at risk is missed by up to 1.6 ns (79 published pipelines that are said to be at risk:
    69 miss 3.33 ns by 0.2 to 1.6 ns), so that much is added.
    """
    clock_ns = target.clock_ns + (MISS_NS if is_at_risk else 0.0)
    return TimeClaim(
        cycles=cycles,
        clock_ns=clock_ns,
        routed_clock_ns=max(clock_ns, 1e3 / fullest_design().clock_mhz),
        most_routed=target.floorplan.exceeded_routed(used),
    )
