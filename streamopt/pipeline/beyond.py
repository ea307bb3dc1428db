"""Level opt6: the graph in several forms, each solved under honest costs, the best one simulated.

A form is the graph after some rewrites. What the search of a form returns is lowered and
simulated, so that it is judged by all that it takes. Where that is more than the device region
has, LUTs get a price in DSPs, or the budget shrinks by what was too much, and the form is
searched again: ``models/formulations/opt6.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.pipeline.costing import honest_costs
from streamopt.pipeline.evaluating import evaluate
from streamopt.solvers.result import Proof, Stop
from streamopt.strategies.choose import choose

if TYPE_CHECKING:
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
    """A solution that was simulated, and the form that it is of."""

    form: _Form
    solution: Solution
    evaluation: Evaluation
    is_within: bool

    @property
    def cycles(self) -> int:
        """Return the simulated cycles."""
        return self.evaluation.trace.cycles

    @property
    def rank(self) -> tuple[bool, int]:
        """Return what is better if smaller: over its budget or not, then simulated cycles (O14)."""
        return not self.is_within, self.cycles


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
    stop = Stop.FINISHED
    for names, graph in freedom.forms(request.graph):
        left = _left(options, started)
        if tried and left.time_limit_seconds == LEAST_SECONDS:
            stop = Stop.TIME_LIMIT
        if stop is not Stop.FINISHED:
            break
        known = min((one.cycles for one in tried if one.is_within), default=None)
        costs = honest_costs(graph, region.on, freedom.counted(graph))
        form = _Form(replace(request, horizon_cycles=known), names, graph, region, costs)
        for choices in freedom.narrowest_first(graph):
            if tried and _left(options, started).time_limit_seconds == LEAST_SECONDS:
                stop = Stop.TIME_LIMIT
                break
            tried += form.search(choices, solver, options, started)
        if tried and tried[-1].solution.stop is Stop.INTERRUPTED:
            stop = Stop.INTERRUPTED
        if tried and on_incumbent is not None:
            on_incumbent(min(tried, key=lambda one: one.rank).solution)
    if not tried:
        raise _nothing_fits(request)
    best = min(tried, key=lambda one: one.rank)
    stop = best.solution.stop if stop is Stop.FINISHED else stop
    note = f"the best of {len(tried)} designs that were simulated"
    found = best.solution
    if stop is not Stop.INTERRUPTED:
        found = best.form.proved(found, freedom, solver, _left(options, started))
    spent = perf_counter() - started
    return replace(found, stop=stop, message=note, solve_seconds=spent)


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
    """What a search may take: DSPs, with LUTs of operators counted as DSPs at a price (O11).

    ``dsps + price * luts`` of a design that keeps both limits is no more than that of the limits.
    So with all LUTs of the limit, a bound under such a budget is a bound under both (O12).

    Attributes
    ----------
    luts
        What of the limit is left to operators.
    low, high
        Prices that were too low and too high; 0 where there is none yet.
    shrink
        Less than 1 where the search may not have all.
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
        """Return the next budget after a design under this one; None if none helps: (O13)."""
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
        self._horizon_cycles = request.horizon_cycles
        self._bound_cycles = 0
        self._searched: Freedom | None = None

    def search(
        self, freedom: Freedom, solver: str, options: SolveOptions, started: float
    ) -> list[_Tried]:
        """Return what was tried: first as the tool binds operators, then with LUTs at a price."""
        limits = self._region.limits
        self._searched, self._bound_cycles = freedom, 0
        bound = replace(freedom, binding=freedom.binding.unpriced)
        is_last = freedom.binding is bound.binding
        unpriced = _Budget(limits.luts, is_last=is_last)
        found = self._rounds(bound, unpriced, solver, options, started)
        was_interrupted = bool(found) and found[-1].solution.stop is Stop.INTERRUPTED
        if not is_last and not was_interrupted:
            luts = int(FIRST_SHARE * limits.luts)
            priced = _Budget(luts, limits.dsps / luts)
            found += self._rounds(freedom, priced, solver, options, started)
        return found

    def proved(
        self, found: Solution, freedom: Freedom, solver: str, options: SolveOptions
    ) -> Solution:
        """Return a solution of this form with what no schedule of the form is below: (O16).

        A bound of a few bindings, of whole tiles alone, or of the LUTs that one design left to
        operators, is no bound of the others. So the bound of free bindings is that of one more
        search, in which all LUTs of the limit are the operators'.
        """
        limits = self._region.limits
        bound = self._bound_cycles if self._searched == freedom else 0
        if freedom.binding is not freedom.binding.unpriced:
            budget = _Budget(limits.luts, limits.dsps / max(1, limits.luts))
            self._horizon_cycles = found.prediction.latency_cycles
            try:
                bound = self._answered(freedom, budget, solver, options).bound_cycles
            except InfeasibleError:  # no node can be as fast as in what was found
                bound = self._horizon_cycles
        latency = found.prediction.latency_cycles
        bound = min(bound, latency)
        proof = Proof.OPTIMAL if bound == latency else Proof.FEASIBLE
        return replace(found, bound_cycles=bound, proof=proof)

    def _answered(
        self, freedom: Freedom, budget: _Budget, solver: str, options: SolveOptions
    ) -> Solution:
        asked = replace(
            self._request,
            graph=self._graph,
            dsp_limit=budget.amount(self._region.limits),
            tiling_limit=freedom.tiling_limit,
            partial_tiles=freedom.partial_tiles,
            costs=self._costs.priced(budget.price),
            bindings=freedom.bindings(self._graph),
            horizon_cycles=self._horizon_cycles,
        )
        return choose(asked, solver, "compact", options)

    def _rounds(
        self,
        freedom: Freedom,
        budget: _Budget | None,
        solver: str,
        options: SolveOptions,
        started: float,
    ) -> list[_Tried]:
        """Return the solutions of a few rounds, until one is within the limits."""
        limits = self._region.limits
        found: list[_Tried] = []
        while budget is not None and len(found) < MOST_ROUNDS:
            try:
                answer = self._answered(freedom, budget, solver, _left(options, started))
            except InfeasibleError:
                if not budget.price and budget.shrink == 1.0:
                    self._bound_cycles = self._horizon_cycles or 0
                break
            if not budget.price and budget.shrink == 1.0:
                known = answer.bound_cycles, self._horizon_cycles or answer.bound_cycles
                self._bound_cycles = max(self._bound_cycles, min(known))
            found.append(self._judged(answer))
            self._look_below(found[-1], answer.prediction.latency_cycles)
            if answer.stop is not Stop.FINISHED:
                break
            used = found[-1].evaluation.resources.total
            operator_luts = self._costs.luts(self._graph, answer.schedule)
            budget = budget.after(used, operator_luts, limits)
        return found

    def _look_below(self, tried: _Tried, in_rows_cycles: int) -> None:
        """Let later searches leave out what is slower than a design within the limits.

        Slower than its simulation and in rows: a search finds it again, and proves a bound.
        """
        if tried.is_within:
            slower = max(tried.cycles, in_rows_cycles)
            known = self._horizon_cycles
            self._horizon_cycles = slower if known is None else min(known, slower)

    def _judged(self, answer: Solution) -> _Tried:
        evaluation = evaluate(self._graph, answer.schedule, self._region.on)
        predicted = evaluation.predicted
        assert predicted is not None
        solution = replace(
            answer,
            request=replace(self._request, horizon_cycles=None),
            schedule=replace(answer.schedule, rewrites=self._names),
            prediction=predicted,
            bound_cycles=0,
            proof=Proof.FEASIBLE,
        )
        over = evaluation.resources.total.over(self._region.limits)
        return _Tried(self, solution, evaluation, not over)
