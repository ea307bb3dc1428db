"""The part of a device that an engine may take."""

from __future__ import annotations

from dataclasses import replace

from streamopt.pipeline.design_limits import Budget, by_field, most_of_design
from streamopt.target.device import Target, or_usual
from streamopt.target.resources import Fit, Resources

UNLIMITED = Budget()


def most_of_engine(budget: Budget, dsp: int | None) -> tuple[Target, Resources]:
    """Return the device of a budget, and the most that an engine may take of it.

    Parameters
    ----------
    budget
        Of the whole device where it doesn't say a part.
    dsp
        DSPs, at most; None for those of the part.
    """
    target = or_usual(budget.device)
    whole = replace(budget, fit=budget.fit or Fit.DEVICE)
    part = Resources(**by_field(most_of_design(whole, (), target)))
    return target, part if dsp is None else replace(part, dsps=min(dsp, part.dsps))
