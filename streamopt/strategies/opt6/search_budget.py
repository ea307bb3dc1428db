"""The budget given to a search, tightened until the built design fits (O11), and its horizons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, prod

from streamopt.ir.graph import Graph, SequentialNode
from streamopt.perf.paper.dsp import dsps_per_lane
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.target.resources import Resources

FIRST_HORIZONS = (1.25, 3.0, 12.0)
"""Horizons of the first rows, times the cycles in which all DSPs would do all products."""

LEAST_SHARE = 0.3
"""Of the LUTs: where rows have less left, what is around them has to shrink with them."""
STEP = 1.5
"""By which a price rises or falls that has no other side yet."""
TIGHT = 0.97
"""Of a limit: what takes more is short."""
SQUEEZE = 0.985
"""Of the budget, where a design that should be within its limits isn't."""
NARROW = 1.01
"""Ratio of prices that were too high and too low, between which none is tried."""

SIZING_SHARE = 0.1
"""Of the effort, for the FIFOs at the end."""
SIZING_RUNS = 40.0
"""Likewise, at least, in times of the first design's judging."""
MOST_SIZING_SHARE = 0.5
"""Of the effort: a first design without lanes takes longer to judge than what is found."""
LARGE_SIZING_SHARE = 0.15
"""Likewise, for a large graph: its first rows take long."""


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """The DSPs and LUTs of a search, and the price of LUTs."""

    # dsps, luts: of the rows of all nodes
    dsps: int
    luts: int
    price: float
    """Of a LUT in DSPs, where LUTs are paid for."""
    # low, high: prices that were too low and too high; 0 where there is none yet
    low: float = 0.0
    high: float = 0.0
    is_paid: bool = False
    """Whether LUTs are known to be short if they cost nothing."""
    share: float = 1.0
    """Of the limits, where memories or flip-flops are short, or nothing else helps."""

    @classmethod
    def whole(cls, limits: Resources, *, is_free: bool = False) -> SearchBudget:
        """Return all that the limits leave.

        Parameters
        ----------
        is_free
            Whether LUTs cost nothing at first; else the price makes both limits count alike.
        """
        return cls(limits.dsps, limits.luts, 0.0 if is_free else _even_price(limits))

    def after(self, chosen: Chosen, used: Resources, limits: Resources) -> SearchBudget:
        """Return the next budget after a design.

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

    def after_priced(self, chosen: Chosen, used: Resources, limits: Resources) -> SearchBudget:
        """Return the next budget of a search with one resource, after a design.

        Where LUTs are short and DSPs are left over, these are not given in exchange any more: at
        one price either nearly no operator is of DSPs, or too many are.
        """
        is_apart = self.dsps < limits.dsps - max(0, used.dsps - chosen.dsps)
        share = self.share * SQUEEZE if is_apart and used.over(limits) else self.share
        found = replace(self, share=share).after(chosen, used, limits)
        if chosen.dsps >= TIGHT * found.dsps:
            return found
        if is_apart or (chosen.luts > TIGHT * found.luts and found._is_narrow):
            dsps = max(1, chosen.dsps)
            return replace(found, dsps=dsps, price=self.price, low=self.low, high=self.high)
        return found

    @property
    def _is_narrow(self) -> bool:
        return 0.0 < self.high <= NARROW * self.low

    def _left(
        self, chosen: Chosen, used: Resources, limits: Resources, share: float
    ) -> SearchBudget:
        dsps = int(share * limits.dsps) - max(0, used.dsps - chosen.dsps)
        luts = int(share * limits.luts) - max(0, used.luts - chosen.luts)
        found = self._repriced(chosen, dsps, luts, _even_price(limits))
        return replace(found, dsps=max(1, dsps), luts=max(1, luts), share=share)

    def _repriced(self, chosen: Chosen, dsps: int, luts: int, even: float) -> SearchBudget:
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


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """How hard a search of a variant looks, and for what."""

    labels: int
    """Of a state."""
    steady: bool
    """Whether streams that come in bursts are left out."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """Latencies that are of interest."""

    most_cycles: int | None
    """Longer ones are not; None for all."""
    is_near: bool
    """Whether a search found a design that is as slow, so that shorter horizons leave little."""
    first_cycles: int | None = None
    """Of interest first, in a large graph where all are; None for no such latency."""


def horizons(within: Horizon, graph: Graph, dsps: int, plainest: Callable[[], Chosen]) -> list[int]:
    """Return horizons to look within, in this order.

    Parameters
    ----------
    plainest
        Returns the schedule without any unrolling, which none is longer than.
    """
    most = within.most_cycles
    longest = plainest().cycles if most is None else most
    ideal = ideal_cycles(graph, dsps)
    first = [int(times * ideal) for times in FIRST_HORIZONS if not within.is_near and ideal]
    return [*(cycles for cycles in first if cycles < longest), longest]


def far_cycles(graph: Graph, dsps: int) -> int | None:
    """Return a latency that a large graph has designs within, if its products say one."""
    return int(FIRST_HORIZONS[-1] * ideal_cycles(graph, dsps)) or None


def ideal_cycles(graph: Graph, dsps: int) -> int:
    """Return how long all products of a graph take in DSPs that always have work."""
    work = sum(
        prod(node.trip_counts.values()) * dsps_per_lane(node, graph.element_of)
        for node in graph.nodes
        if not isinstance(node, SequentialNode)
    )
    return -(-work // max(1, dsps))


def sizing_effort(limit: float, judging: float, *, is_large: bool) -> float:
    """Return the effort of all that is left for making FIFOs small, by that of judging a design."""
    share = SIZING_SHARE * limit if limit < inf else 0.0
    most = (LARGE_SIZING_SHARE if is_large else MOST_SIZING_SHARE) * limit
    return min(most, max(share, SIZING_RUNS * judging))
