"""Limits on what a design takes as built, from numbers or from a device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.pipeline.evaluating import size_fifos, timed_network
from streamopt.strategies.limits import Limit, Limits

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule
    from streamopt.pipeline.evaluating import FifoSizing
    from streamopt.strategies.solution import Request
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

__all__ = ["DSPS", "Fit", "Most", "limits"]

DSPS = 2560
"""In the paper's accounting, where nothing is said."""


class Fit(StrEnum):
    """What a design is to fit into."""

    SLR = "slr"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Most:
    """The most that a design may take as built; None for no limit."""

    built_dsp: int | None = None
    bram18: int | None = None
    uram: int | None = None
    lut: int | None = None
    ff: int | None = None

    def within(self, region: Resources) -> Most:
        """Return the same with what a region has where nothing is said."""
        has = {key: getattr(region, field) for key, (field, _) in _FIELDS.items()}
        said = {key: getattr(self, key) for key in _FIELDS}
        return Most(**{key: has[key] if most is None else most for key, most in said.items()})


_FIELDS = {
    "built_dsp": ("dsps", "DSPs as built"),
    "bram18": ("bram18", "BRAM18"),
    "uram": ("uram", "URAM"),
    "lut": ("luts", "LUTs"),
    "ff": ("ffs", "FFs"),
}
"""By option: the field of `Resources`, and words for people."""


def limits(request: Request, most: Most, target: Target, fifos: FifoSizing | None) -> Limits | None:
    """Return the limits with what judges them; None for none.

    Parameters
    ----------
    fifos
        How depths are found; None for those of the schedule.

    Raises
    ------
    InfeasibleError
        If a limit is negative (E402), or no schedule fits those on DSPs and tiles (E401, E402).
    """
    from streamopt.budget.costs import DesignCosts

    wanted = {key: getattr(most, key) for key in _FIELDS if getattr(most, key) is not None}
    if not wanted:
        return None
    for key, amount in wanted.items():
        if amount < 0:
            message = f"{_option(key)} is {amount}"
            raise InfeasibleError(Diagnostic("E402", message, hint="give 0 or more"))

    def measure(schedule: Schedule) -> Resources:
        from streamopt.perf.resources import resources

        network, timings = timed_network(request.graph, schedule, target)
        return resources(network, timings, target).total

    def sized(schedule: Schedule) -> Schedule:
        assert fifos is not None
        return size_fifos(request.graph, schedule, fifos)[0]

    by_field = {_FIELDS[key][0]: amount for key, amount in wanted.items()}
    sizing = None if fifos is None else sized
    costing = DesignCosts(by_field, request.space(), target, measure, sizing)
    each = tuple(Limit(_FIELDS[key][1], _option(key), amount) for key, amount in wanted.items())
    return Limits(each, costing)


def _option(key: str) -> str:
    return "--" + key.replace("_", "-")
