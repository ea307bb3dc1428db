"""What a search may take, so that the design that comes of it is within its limits: (O11)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.strategies.resources.budgeted import Chosen
    from streamopt.target.resources import Resources

__all__ = ["Allowance"]

LEAST_SHARE = 0.3
"""Of the LUTs: where rows have less left, what is around them has to shrink with them."""
STEP = 1.5
"""By which a price rises or falls that has no other side yet."""
TIGHT = 0.97
"""Of a limit: what takes more is short."""
SQUEEZE = 0.985
"""Of the allowance, where a design that should be within its limits isn't."""
NARROW = 1.01
"""Ratio of prices that were too high and too low, between which none is tried."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of a search.

    Attributes
    ----------
    dsps, luts
        Of the rows of all nodes.
    price
        Of a LUT in DSPs, where LUTs are paid for.
    low, high
        Prices that were too low and too high; 0 where there is none yet.
    is_paid
        Whether LUTs are known to be short if they cost nothing.
    share
        Of the limits, where memories or flip-flops are short, or nothing else helps.
    """

    dsps: int
    luts: int
    price: float
    low: float = 0.0
    high: float = 0.0
    is_paid: bool = False
    share: float = 1.0

    @classmethod
    def whole(cls, limits: Resources, *, is_free: bool = False) -> Allowance:
        """Return all that the limits leave.

        Parameters
        ----------
        is_free
            Whether LUTs cost nothing at first; else the price makes both limits count alike.
        """
        return cls(limits.dsps, limits.luts, 0.0 if is_free else _even_price(limits))

    def after(self, chosen: Chosen, used: Resources, limits: Resources) -> Allowance:
        """Return the next allowance after a design.

        What the design takes beyond its rows is not left to rows.

        Parameters
        ----------
        used
            What it takes, of which its rows say a part.
        """
        over = used.over(limits)
        share = self.share
        if over and not {"dsps", "luts"} & set(over):
            share /= max(getattr(used, name) / max(1, getattr(limits, name)) for name in over)
        found = self._left(chosen, used, limits, share)
        if over and found.luts < LEAST_SHARE * limits.luts:
            excess = used.luts / limits.luts
            return replace(self, dsps=int(self.dsps / excess), luts=int(self.luts / excess))
        if over and (found == self or self._is_narrow):
            found = self._left(chosen, used, limits, share * SQUEEZE)
        return found

    @property
    def _is_narrow(self) -> bool:
        return 0.0 < self.high <= NARROW * self.low

    def _left(self, chosen: Chosen, used: Resources, limits: Resources, share: float) -> Allowance:
        dsps = int(share * limits.dsps) - max(0, used.dsps - chosen.dsps)
        luts = int(share * limits.luts) - max(0, used.luts - chosen.luts)
        found = self._repriced(chosen, dsps, luts, _even_price(limits))
        return replace(found, dsps=max(1, dsps), luts=max(1, luts), share=share)

    def _repriced(self, chosen: Chosen, dsps: int, luts: int, even: float) -> Allowance:
        """Return a higher price where LUTs alone are short, and a lower one where DSPs are."""
        few_dsps, few_luts = chosen.dsps > TIGHT * dsps, chosen.luts > TIGHT * luts
        if not self.price:
            cheap = self.high / STEP if self.high else even
            return replace(self, price=cheap, is_paid=True) if chosen.luts > luts else self
        if few_luts and not few_dsps:
            between = (self.price * self.high) ** 0.5 if self.high else self.price * STEP
            return replace(self, low=self.price, price=between)
        if few_dsps and not few_luts:
            cheap = self.price / STEP if self.is_paid else 0.0
            between = (self.price * self.low) ** 0.5 if self.low else cheap
            return replace(self, high=self.price, price=between)
        return self


def _even_price(limits: Resources) -> float:
    """Return the price at which all LUTs cost as much as all DSPs."""
    return limits.dsps / max(1, limits.luts)
