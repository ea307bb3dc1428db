"""Level opt6: the graph in several forms, each solved under honest costs, the best one simulated.

A form is the graph after some rewrites. What the search of a form returns is lowered and
simulated, so that it is judged by all that it takes. Where that is more than the device region
has, LUTs get a price in DSPs, or the budget shrinks by what was too much, and the form is
searched again: ``models/formulations/opt6.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from sys import maxsize
from time import perf_counter
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.pipeline.costing import honest_costs
from streamopt.pipeline.evaluating import evaluate
from streamopt.solvers.result import Proof, Stop
from streamopt.strategies.choose import choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.graph import Graph
    from streamopt.perf.honest import HonestCosts
    from streamopt.pipeline.evaluating import Evaluation
    from streamopt.pipeline.freedom import Freedom
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import OnIncumbent, Request, Solution
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

__all__ = ["Region", "solve_beyond"]

MOST_ROUNDS = 8
"""Searches of one form under prices, each with another budget."""
FIRST_SHARE = 0.55
"""Of operators in all LUTs, before a design says more."""
LITTLE = 1.15
"""An excess over a limit for which the whole budget shrinks."""
LEAST_SHARE = 0.3
"""Below, what is around the operators would have to shrink, and a price does nothing about that."""
CLOSE = 0.97
"""Budgets and prices that are nearer to each other count as the same."""
LEAST_SECONDS = 1e-3


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a device, with what a design may take of it."""

    on: Target
    limits: Resources


@dataclass(frozen=True, slots=True)
class _Tried:
    """A solution that was simulated."""

    solution: Solution
    evaluation: Evaluation
    is_within: bool

    @property
    def cycles(self) -> int:
        """Return the simulated cycles."""
        return self.evaluation.trace.cycles

    @property
    def rank(self) -> tuple[bool, int]:
        """Return what is better if smaller: over its budget or not, then simulated cycles."""
        return not self.is_within, self.cycles

    def bounded(self, bound_cycles: int) -> _Tried:
        """Return the same with another lower bound of the form's schedules."""
        cycles = self.solution.prediction.latency_cycles
        proof = Proof.OPTIMAL if bound_cycles >= cycles else Proof.FEASIBLE
        bound = min(bound_cycles, cycles)
        return replace(self, solution=replace(self.solution, bound_cycles=bound, proof=proof))


def solve_beyond(
    request: Request,
    freedom: Freedom,
    solver: str,
    options: SolveOptions,
    region: Region,
    on_incumbent: OnIncumbent = None,
) -> Solution:
    """Return the schedule of fewest simulated cycles of all forms of the graph.

    Parameters
    ----------
    region
        Where the design must fit.

    Raises
    ------
    InfeasibleError
        If no schedule has so few DSPs (E401).
    """
    started = perf_counter()
    tried: list[_Tried] = []
    for names, graph in freedom.forms(request.graph):
        left = _left(options, started)
        if tried and left.time_limit_seconds == LEAST_SECONDS:
            break
        known = min((one.cycles for one in tried if one.is_within), default=None)
        costs = honest_costs(graph, region.on, freedom.counted(graph))
        form = _Form(replace(request, horizon_cycles=known), names, graph, region, costs)
        tried += form.search(freedom, solver, options, started)
        if tried and on_incumbent is not None:
            on_incumbent(min(tried, key=lambda one: one.rank).solution)
    if not tried:
        raise _nothing_fits(request)
    best = min(tried, key=lambda one: one.rank)
    return replace(best.solution, solve_seconds=perf_counter() - started)


def _nothing_fits(request: Request) -> InfeasibleError:
    return InfeasibleError(
        Diagnostic(
            "E401",
            f"{request.graph.name} needs more than {request.dsp_limit} DSPs with no unrolling, "
            "when all operators are counted",
            hint="give --dsp a larger number, or let adders be LUTs: --binding free",
        )
    )


def _left(options: SolveOptions, started: float) -> SolveOptions:
    if options.time_limit_seconds is None:
        return options
    left = max(LEAST_SECONDS, options.time_limit_seconds - (perf_counter() - started))
    return replace(options, time_limit_seconds=left)


@dataclass(frozen=True, slots=True)
class _Budget:
    """What a search may take: DSPs, with LUTs of operators counted as DSPs at a price.

    ``dsps + price * luts`` of a design that keeps both limits is no more than that of the limits,
    so that a bound under such a budget is a bound under both.

    Attributes
    ----------
    luts
        What of the limit is left to operators.
    low, high
        Prices that were too low and too high; 0 where there is none yet.
    shrink
        Less than 1 where the search may not have all, and so gives no bound.
    is_last
        Whether no search follows that gives LUTs a price.
    """

    luts: int
    price: float = 0.0
    low: float = 0.0
    high: float = 0.0
    shrink: float = 1.0
    is_last: bool = True

    def amount(self, limits: Resources) -> int:
        """Return the budget of the search."""
        return int((limits.dsps + self.price * self.luts) * self.shrink)

    def after(self, used: Resources, operator_luts: int, limits: Resources) -> _Budget | None:
        """Return the next budget after a design under this one; None if none helps."""
        over = used.over(limits)
        left = limits.luts - (used.luts - operator_luts)
        if not over:
            is_tight = not self.price or left <= self.luts / CLOSE or self.high or self.low
            return None if is_tight else _Budget(left, limits.dsps / left)
        excess = max(getattr(used, name) / getattr(limits, name) for name in over)
        if not self.price:
            return self._without_price(used, limits, excess)
        if excess < LITTLE or {"dsps", "luts"} <= set(over):
            return replace(self, shrink=self.shrink / max(excess, 1.005))
        if "dsps" in over:
            between = (self.low * self.price) ** 0.5 if self.low else self.price / 1.5
            return replace(self, high=self.price, price=between)
        if "luts" not in over or left < LEAST_SHARE * limits.luts:
            return replace(self, shrink=self.shrink / excess)
        if left < CLOSE * self.luts:
            return _Budget(left, self.price * self.luts / left, shrink=self.shrink)
        between = (self.price * self.high) ** 0.5 if self.high else self.price * 1.5
        return replace(self, low=self.price, price=between)

    def _without_price(self, used: Resources, limits: Resources, excess: float) -> _Budget | None:
        """Return the next budget after a design that has too much of something.

        What is around operators, such as accumulators and lanes, follows how many there are.
        """
        if used.dsps > limits.dsps:
            return replace(self, shrink=self.shrink * limits.dsps / (used.dsps + 1))
        return replace(self, shrink=self.shrink / excess) if self.is_last else None


class _Form:
    """One form of the graph, searched with one budget after another."""

    def __init__(
        self,
        request: Request,
        names: tuple[str, ...],
        graph: Graph,
        region: Region,
        costs: HonestCosts,
    ) -> None:
        self._request = request
        self._names = names
        self._graph = graph
        self._region = region
        self._costs = costs

    def search(
        self, freedom: Freedom, solver: str, options: SolveOptions, started: float
    ) -> list[_Tried]:
        """Return what was tried: first as the tool binds operators, then with LUTs at a price."""
        limits = self._region.limits
        plain = replace(freedom, binding=freedom.binding.unpriced)
        is_last = freedom.binding is plain.binding
        unpriced = _Budget(limits.luts, is_last=is_last)
        found = self._rounds(plain, unpriced, solver, options, started)
        if is_last:
            return found
        luts = int(FIRST_SHARE * limits.luts)
        priced = _Budget(luts, limits.dsps / luts)
        known = self._horizon(found)
        others = self._rounds(freedom, priced, solver, options, started, known)
        # no answer at all says that what is known is best
        bound = max((one.solution.bound_cycles for one in others), default=known or 0)
        return [*(one.bounded(bound) for one in found), *others]

    def _horizon(self, found: Sequence[_Tried]) -> int | None:
        """Return the cycles of the best design within the limits so far; None for none."""
        known = [one.cycles for one in found if one.is_within]
        earlier = self._request.horizon_cycles
        return min([*known, *([] if earlier is None else [earlier])], default=None)

    def _rounds(
        self,
        freedom: Freedom,
        budget: _Budget | None,
        solver: str,
        options: SolveOptions,
        started: float,
        horizon_cycles: int | None = None,
    ) -> list[_Tried]:
        """Return the solutions of a few rounds, until no other budget helps."""
        limits = self._region.limits
        asked = replace(
            self._request,
            graph=self._graph,
            tiling_limit=freedom.tiling_limit,
            bindings=freedom.bindings(self._graph),
            horizon_cycles=horizon_cycles or self._request.horizon_cycles,
        )
        found: list[_Tried] = []
        bound = 0
        while budget is not None and len(found) < MOST_ROUNDS:
            asked = replace(
                asked,
                dsp_limit=budget.amount(limits),
                costs=self._costs.priced(budget.price),
            )
            try:
                answer = choose(asked, solver, "compact", _left(options, started))
            except InfeasibleError:
                break
            if budget.shrink == 1.0:
                bound = max(bound, min(answer.bound_cycles, asked.horizon_cycles or maxsize))
            found.append(self._judged(answer, bound))
            asked = replace(asked, horizon_cycles=self._horizon(found))
            if answer.stop is not Stop.FINISHED:
                break
            used = found[-1].evaluation.resources.total
            operator_luts = self._costs.luts(self._graph, answer.schedule)
            budget = budget.after(used, operator_luts, limits)
        return [one.bounded(bound) for one in found]

    def _judged(self, answer: Solution, bound_cycles: int) -> _Tried:
        evaluation = evaluate(self._graph, answer.schedule, self._region.on)
        predicted = evaluation.predicted
        assert predicted is not None
        solution = replace(
            answer,
            request=replace(self._request, horizon_cycles=None),
            schedule=replace(answer.schedule, rewrites=self._names),
            prediction=predicted,
        )
        over = evaluation.resources.total.over(self._region.limits)
        return _Tried(solution, evaluation, not over).bounded(bound_cycles)
