"""Limits on the design as built, from numbers or from a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.design import built_resources
from streamopt.evaluation.fifo_sizing import FifoSizing, sized
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.schedule import Schedule
from streamopt.options import option_group
from streamopt.strategies.resources.limits import Limit, Limits
from streamopt.target.device import Target
from streamopt.target.resources import Fit, Resources

if TYPE_CHECKING:
    from streamopt.strategies.opt6.simulated_design import Region
    from streamopt.strategies.problem import Problem


@option_group(fit=Fit)
@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a design may take as built, as `streamopt.evaluate` says; None for no limit.

    Attributes
    ----------
    built_dsp, bram18, uram, lut, ff
        DSPs of all operators, block RAMs of 18 Kbit, UltraRAMs, LUTs and flip-flops.
    fit
        A part of the target that the design is to fit: ``slr``, ``board``, ``device``, ``raw`` or
        ``raw-device``, see `Target.budget`. Of its amounts and the limits that are given, the
        smaller ones hold, as for the DSPs in the paper's accounting. Where it is None, opt6 has
        ``slr``, or ``board`` with an array off the chip, and limits that are given replace its
        amounts, but for DSPs; opt1 to opt5 have the limits that are given.
    device
        The target that is judged on, and that is simulated for FIFO depths unless that says
        another; the U280 where not given.
    """

    built_dsp: int | None = None
    bram18: int | None = None
    uram: int | None = None
    lut: int | None = None
    ff: int | None = None
    fit: str | None = None
    device: Target | None = None

    def given(self) -> dict[str, int]:
        """Return the limits that are given, by option.

        Raises
        ------
        InfeasibleError
            If one is negative, or 0 for what every design takes (E402).
        """
        found = {key: most for key in LIMITED if (most := getattr(self, key)) is not None}
        for key, amount in found.items():
            least = int(key in _TAKEN)
            if amount < least:
                message = f"{_option(key)} is {amount}"
                raise InfeasibleError(Diagnostic("E402", message, hint=f"give {least} or more"))
        return found


LIMITED = {
    "built_dsp": ("dsps", "DSPs as built"),
    "bram18": ("bram18", "BRAM18"),
    "uram": ("uram", "URAM"),
    "lut": ("luts", "LUTs"),
    "ff": ("ffs", "FFs"),
}
"""By option: the field of `Resources`, and words for people."""
_TAKEN = ("lut", "ff")
"""Of which every design takes some."""


def with_limits(
    problem: Problem, budget: Budget, fifos: FifoSizing | None, device: Target, *, keeps_dsps: bool
) -> Problem:
    """Return a problem of opt1 to opt5 with limits on the design as built.

    Parameters
    ----------
    fifos
        How depths are found; None for those of the schedule.
    keeps_dsps
        Whether the problem's DSPs were asked for, or may be those of the part to fit.

    Raises
    ------
    InfeasibleError
        If a limit is not positive (E402), or no schedule fits those on DSPs and tiles (E401, E402).
    """
    given = most_of_design(budget, problem.ports, device)
    if budget.fit is not None:
        part = _part(Fit(budget.fit), problem.ports, device)
        dsps = problem.space.dsp_limit
        problem = problem.within(dsp_limit=min(dsps, part.dsps) if keeps_dsps else part.dsps)
    return replace(problem, limits=_limits(problem, given, device, fifos)) if given else problem


def most_of_design(budget: Budget, ports: Sequence[PortPlan], device: Target) -> dict[str, int]:
    """Return the limits on a design of opt1 to opt5, by option.

    Raises
    ------
    InfeasibleError
        If one is negative, or 0 for what every design takes (E402).
    """
    given = budget.given()
    if budget.fit is None:
        return given
    part = _part(Fit(budget.fit), ports, device)
    most = {key: getattr(part, field) for key, (field, _) in LIMITED.items()}
    return {key: min(given.get(key, amount), amount) for key, amount in most.items()}


def by_field(limits: Mapping[str, int]) -> dict[str, int]:
    """Return limits that are by option, by field of `Resources`."""
    return {LIMITED[key][0]: most for key, most in limits.items()}


def region(problem: Problem, budget: Budget, device: Target, *, keeps_dsps: bool) -> Region:
    """Return the part of a device that a design of opt6 has.

    Where nothing is said, it is the vendor's share of an SLR, or of what the board's shell leaves
    of one as soon as an array is off the chip; limits that are given replace those of this part.
    Of a part that is asked for and a limit, the smaller holds. DSPs are never more than the part's.

    Raises
    ------
    InfeasibleError
        If a limit is not positive (E402).
    """
    from streamopt.strategies.opt6.simulated_design import Region

    is_outside = any(port.kind.is_outside for port in problem.ports)
    usual = Fit.BOARD if is_outside else Fit.SLR
    fit = usual if budget.fit is None else Fit(budget.fit)
    part = _part(fit, problem.ports, device)
    limits = by_field(budget.given())
    if keeps_dsps:
        limits["dsps"] = min(limits.get("dsps", problem.space.dsp_limit), problem.space.dsp_limit)
    for field, most in limits.items():
        if budget.fit is not None or field == "dsps":
            limits[field] = min(most, getattr(part, field))
    return Region(device, replace(part, **limits), fit, device.floorplan.region_budgets(fit))


def _part(fit: Fit, ports: Sequence[PortPlan], device: Target) -> Resources:
    """Return the resources of a part of a device, beside the channels of some ports."""
    channels = (channel for port in ports for channel in port.memories if channel)
    return device.budget(fit, channels)


def region_limits(of: Region) -> tuple[Limit, ...]:
    """Return the limits of a region, in the order of the options."""
    return tuple(
        Limit(words, _option(key), getattr(of.limits, field))
        for key, (field, words) in LIMITED.items()
    )


def amounts(used: Resources) -> tuple[int, ...]:
    """Return the resources of a design, in the order of `region_limits`."""
    return tuple(getattr(used, field) for field, _ in LIMITED.values())


def _limits(
    problem: Problem, wanted: Mapping[str, int], device: Target, fifos: FifoSizing | None
) -> Limits:
    """Return limits with what judges them."""
    from streamopt.strategies.resources.design_costs import DesignCosts

    def measure(schedule: Schedule) -> Resources:
        return built_resources(problem.graph, replace(schedule, ports=problem.ports), device)

    def with_small_fifos(schedule: Schedule) -> Schedule:
        assert fifos is not None
        schedule = replace(schedule, ports=problem.ports)
        return sized(problem.graph, schedule, fifos)[0]

    sizing = None if fifos is None else with_small_fifos
    tables = tuple(port for port in problem.ports if port.kind is PortKind.ROM)
    most, space = by_field(wanted), problem.decision_space()
    costing = DesignCosts(most, space, device, measure, sizing, tables)
    each = tuple(Limit(LIMITED[key][1], _option(key), amount) for key, amount in wanted.items())
    return Limits(each, costing)


def _option(key: str) -> str:
    return "--" + key.replace("_", "-")
