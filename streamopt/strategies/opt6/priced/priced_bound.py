"""The bound of a variant's schedules, raised at one price of LUTs after another (O16)."""

from streamopt.strategies.opt6.search_budget import SearchBudget
from streamopt.strategies.resources.budgeted import BudgetedSearch, Prepared, ShouldStop

PRICE_STEP = 1.35
"""Between prices at which bounds are compared, at first."""
MOST_PRICES = 3
"""That are tried to either side of the best one, at first; later one."""
FAR_BELOW = 0.75
"""Of the bound: where two resources say less, they aren't asked again with more labels."""


class PricedBound:
    """A lower bound, with the price at which it was found.

    Parameters
    ----------
    least_cycles
        Known beforehand.
    whole
        All DSPs and LUTs, at the price at which these cost as much.
    """

    def __init__(self, least_cycles: int, whole: SearchBudget) -> None:
        self.cycles = least_cycles
        self._whole, self._even_price = whole, whole.price
        self._price, self._step = 0.0, PRICE_STEP
        self._needs_prices = False

    def raise_to(self, cycles: int) -> None:
        """Keep a bound if it is higher."""
        self.cycles = max(self.cycles, cycles)

    def below(
        self, prepared: Prepared | None, horizon_cycles: int, should_stop: ShouldStop
    ) -> BudgetedSearch | None:
        """Return a search from below under the whole limits; None if no row is within."""
        if prepared is None:
            self.raise_to(horizon_cycles)
            return None
        run = BudgetedSearch(prepared, self._whole.dsps, self._whole.luts, should_stop)
        self.raise_to(run.least_cycles(horizon_cycles))
        return run

    def raise_at_prices(
        self, price: float, run: BudgetedSearch, horizon_cycles: int, labels: int
    ) -> None:
        """Look at a price and at the even one, and with LUTs as a resource."""
        for one in dict.fromkeys([price, self._even_price]):
            self._raise_at(one, run, horizon_cycles, labels)
        self._raise_by_both(run, horizon_cycles, labels)

    def raise_by_prices(
        self, budget_price: float, run: BudgetedSearch, horizon_cycles: int, labels: int
    ) -> None:
        """Look at what price the bound is greatest, from the best one so far to both sides.

        Steps are smaller every time. LUTs as a resource come last.
        """
        even, most = self._even_price, 1 if self._price else MOST_PRICES
        first = self._price or (even * (budget_price or even)) ** 0.5
        best, self._price = self._raise_at(first, run, horizon_cycles, labels), first
        for step in (self._step, 1.0 / self._step):
            price = self._price
            for _ in range(most):
                price *= step
                found = self._raise_at(price, run, horizon_cycles, labels)
                if found < best or self.cycles >= horizon_cycles:
                    break
                if found > best:
                    best, self._price = found, price
        self._step **= 0.5
        self._raise_by_both(run, horizon_cycles, labels)

    def _raise_at(
        self, price: float | None, run: BudgetedSearch, horizon_cycles: int, labels: int
    ) -> int:
        if self.cycles >= horizon_cycles:
            return self.cycles
        found = run.bound(horizon_cycles, labels, price)
        self.raise_to(found)
        return found

    def _raise_by_both(self, run: BudgetedSearch, horizon_cycles: int, labels: int) -> None:
        """Look for a bound with LUTs as a second resource, where that tells more than prices."""
        if run.has_many_rows or self._needs_prices:
            return
        found = self._raise_at(None, run, horizon_cycles, labels)
        self._needs_prices = found < FAR_BELOW * self.cycles
