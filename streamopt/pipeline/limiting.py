"""Limits on what a design takes as built, from numbers or from a device."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.ports import PortKind
from streamopt.strategies.resources.limits import Limit, Limits
from streamopt.target.device import or_usual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.evaluation.fifo_sizing import FifoSizing
    from streamopt.ir.schedule import Schedule
    from streamopt.pipeline.beyond.judging import Region
    from streamopt.strategies.solution import Request
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

__all__ = ["AsBuilt", "Fit", "amounts", "limited", "region", "region_limits"]


class Fit(StrEnum):
    """What a design is to fit into."""

    SLR = "slr"
    DEVICE = "device"


class AsBuilt(TypedDict, total=False):
    """The most that a design may take as built, as `evaluate` says; None for no limit.

    Attributes
    ----------
    built_dsp, bram18, uram, lut, ff
        DSPs of all operators, block RAMs of 18 Kbit, UltraRAMs, LUTs and flip-flops.
    fit
        ``slr`` or ``device``: whatever of these, and of DSPs in the paper's accounting, is not
        given is what one region or the whole of the target has.
    on
        The target that is judged on, and that is simulated for FIFO depths unless that says
        another; the U280 where not given.
    """

    built_dsp: int | None
    bram18: int | None
    uram: int | None
    lut: int | None
    ff: int | None
    fit: str | None
    on: Target | None


_FIELDS = {
    "built_dsp": ("dsps", "DSPs as built"),
    "bram18": ("bram18", "BRAM18"),
    "uram": ("uram", "URAM"),
    "lut": ("luts", "LUTs"),
    "ff": ("ffs", "FFs"),
}
"""By option: the field of `Resources`, and words for people."""


def limited(
    request: Request, built: AsBuilt, fifos: FifoSizing | None, *, keeps_dsps: bool
) -> tuple[Request, FifoSizing | None]:
    """Return a request with limits on the design as built, and how its FIFOs are sized.

    Parameters
    ----------
    fifos
        How depths are found; None for those of the schedule.
    keeps_dsps
        Whether the request's DSPs were asked for, or may be those of the region to fit.

    Raises
    ------
    InfeasibleError
        If a limit is negative (E402), or no schedule fits those on DSPs and tiles (E401, E402).
    """
    if not built:
        return request, fifos
    device = or_usual(built.get("on") or (None if fifos is None else fifos.on))
    given = {key: most for key in _FIELDS if (most := built.get(key)) is not None}
    if fifos is not None and fifos.on is None:
        fifos = replace(fifos, on=device)
    fit = built.get("fit")
    if fit is not None:
        region = device.slr if Fit(fit) is Fit.SLR else device.total
        given = {key: getattr(region, field) for key, (field, _) in _FIELDS.items()} | given
        request = request if keeps_dsps else replace(request, dsp_limit=region.dsps)
    return replace(request, limits=_limits(request, given, device, fifos)), fifos


def region(dsps: int, built: AsBuilt, fifos: FifoSizing | None, *, keeps_dsps: bool) -> Region:
    """Return the part of a device that a design of opt6 has: one region if nothing else is said."""
    on = or_usual(built.get("on") or (None if fifos is None else fifos.on))
    whole = on.total if built.get("fit") == Fit.DEVICE else on.slr
    given = {key: most for key in _FIELDS if (most := built.get(key)) is not None}
    _check_positive(given)
    if keeps_dsps or built.get("fit") is None:
        given["built_dsp"] = min(dsps, given.get("built_dsp", dsps))
    from streamopt.pipeline.beyond.judging import Region

    return Region(on, replace(whole, **{_FIELDS[key][0]: most for key, most in given.items()}))


def region_limits(of: Region) -> tuple[Limit, ...]:
    """Return the limits of a region, in the order of the options."""
    return tuple(
        Limit(words, _option(key), getattr(of.limits, field))
        for key, (field, words) in _FIELDS.items()
    )


def amounts(used: Resources) -> tuple[int, ...]:
    """Return what a design takes, in the order of `region_limits`."""
    return tuple(getattr(used, field) for field, _ in _FIELDS.values())


def _limits(
    request: Request, wanted: Mapping[str, int], device: Target, fifos: FifoSizing | None
) -> Limits | None:
    """Return the limits with what judges them; None for none."""
    from streamopt.evaluation.design import built_resources
    from streamopt.evaluation.fifo_sizing import sized
    from streamopt.strategies.resources.design_costs import DesignCosts

    if not wanted:
        return None
    _check_positive(wanted)

    def measure(schedule: Schedule) -> Resources:
        return built_resources(request.graph, replace(schedule, ports=request.ports), device)

    def with_small_fifos(schedule: Schedule) -> Schedule:
        assert fifos is not None
        schedule = replace(schedule, ports=request.ports)
        return sized(request.graph, schedule, fifos)[0]

    by_field = {_FIELDS[key][0]: amount for key, amount in wanted.items()}
    sizing = None if fifos is None else with_small_fifos
    tables = tuple(port for port in request.ports if port.kind is PortKind.ROM)
    costing = DesignCosts(by_field, request.space(), device, measure, sizing, tables)
    each = tuple(Limit(_FIELDS[key][1], _option(key), amount) for key, amount in wanted.items())
    return Limits(each, costing)


def _check_positive(wanted: Mapping[str, int]) -> None:
    for key, amount in wanted.items():
        if amount < 0:
            message = f"{_option(key)} is {amount}"
            raise InfeasibleError(Diagnostic("E402", message, hint="give 0 or more"))


def _option(key: str) -> str:
    return "--" + key.replace("_", "-")
