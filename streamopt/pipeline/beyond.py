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

from streamopt.pipeline.costing import honest_costs
from streamopt.pipeline.evaluating import evaluate, target
from streamopt.solvers.result import Stop
from streamopt.strategies.choose import choose
from streamopt.transforms.rewrites import rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.binding import Binding
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule
    from streamopt.perf.honest import HonestCosts
    from streamopt.pipeline.evaluating import Evaluation
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import OnIncumbent, Request, Solution
    from streamopt.target.resources import Resources

__all__ = ["Freedom", "solve_beyond"]

MOST_ROUNDS = 5
"""Searches of one form, each with another budget."""
LEAST_SECONDS = 1e-3


@dataclass(frozen=True, slots=True)
class Freedom:
    """What opt6 may decide beyond loop orders and unroll factors.

    Attributes
    ----------
    forms
        Sequences of rewrites, the most promising first.
    bindings
        What the operators of a node may be built from.
    """

    forms: tuple[tuple[str, ...], ...]
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class _Tried:
    """A solution that was simulated."""

    solution: Solution
    evaluation: Evaluation
    is_within: bool

    @property
    def rank(self) -> tuple[bool, int]:
        """Return what is better if smaller: over its budget or not, then simulated cycles."""
        return not self.is_within, self.evaluation.trace.cycles


def solve_beyond(
    request: Request,
    freedom: Freedom,
    solver: str,
    options: SolveOptions,
    on_incumbent: OnIncumbent = None,
) -> Solution:
    """Return the schedule of fewest simulated cycles of all forms of the graph."""
    started = perf_counter()
    tried: list[_Tried] = []
    on = target()
    limits = replace(on.slr, dsps=request.dsp_limit)
    for names, graph in _forms(request.graph, freedom.forms):
        left = _left(options, started)
        if tried and left.time_limit_seconds == LEAST_SECONDS:
            break
        form = _Form(request, names, graph, honest_costs(graph, on), limits)
        tried += form.search(freedom.bindings, solver, options, started)
        best = min(tried, key=lambda one: one.rank)
        if on_incumbent is not None:
            on_incumbent(best.solution)
    best = min(tried, key=lambda one: one.rank)
    return replace(best.solution, solve_seconds=perf_counter() - started)


def _left(options: SolveOptions, started: float) -> SolveOptions:
    if options.time_limit_seconds is None:
        return options
    left = max(LEAST_SECONDS, options.time_limit_seconds - (perf_counter() - started))
    return replace(options, time_limit_seconds=left)


def _forms(
    graph: Graph, names: Sequence[tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], Graph]]:
    """Yield the different forms of a graph, by the rewrites that make them."""
    seen: list[Graph] = []
    for kept in names:
        form = rewritten(graph, kept)
        if form not in seen:
            seen.append(form)
            yield kept, form


class _Form:
    """One form of the graph, searched with one budget after another."""

    def __init__(
        self,
        request: Request,
        names: tuple[str, ...],
        graph: Graph,
        costs: HonestCosts,
        limits: Resources,
    ) -> None:
        self._request = request
        self._names = names
        self._graph = graph
        self._costs = costs
        self._limits = limits

    def search(
        self,
        bindings: tuple[Binding, ...],
        solver: str,
        options: SolveOptions,
        started: float,
    ) -> list[_Tried]:
        """Return the solutions of a few rounds, until one is within the limits."""
        found: list[_Tried] = []
        price, shrink, low, high = 0.0, 1.0, 0.0, 0.0
        limits = self._limits
        luts = limits.luts
        bound = 0
        for _ in range(MOST_ROUNDS):
            costs = self._costs.priced(price)
            budget = int((limits.dsps + price * luts) * shrink)
            asked = replace(
                self._request,
                graph=self._graph,
                dsp_limit=budget,
                tiling_limit=1,
                costs=costs,
                bindings=bindings,
            )
            answer = choose(asked, solver, "compact", _left(options, started))
            if shrink == 1.0:
                bound = max(bound, answer.bound_cycles)
            one = self._judged(answer, bound)
            found.append(one)
            used = one.evaluation.resources.total
            print(self._names, f"price {price:.4f} budget {budget} {answer.objective_cycles} {answer.proof} {answer.solve_seconds:.1f}s sim {one.evaluation.trace.cycles} {used}", flush=True)
            if one.is_within or answer.stop is not Stop.FINISHED:
                break
            if used.luts > limits.luts and used.dsps <= limits.dsps:
                if price == 0.0:
                    luts = int(limits.luts * self._operator_luts(answer.schedule) / used.luts)
                    luts = max(1, luts)
                low = price
                price = (low * high) ** 0.5 if high else 2 * low or 0.5 * limits.dsps / luts
            elif used.dsps > limits.dsps and used.luts <= limits.luts and price:
                high = price
                price = (low * high) ** 0.5 if low else high / 2
            else:
                shrink *= limits.dsps / max(used.dsps, limits.dsps + 1)
        return found

    def _operator_luts(self, schedule: Schedule) -> int:
        return self._costs.luts(self._graph, schedule)

    def _judged(self, answer: Solution, bound_cycles: int) -> _Tried:
        evaluation = evaluate(self._graph, answer.schedule)
        over = evaluation.resources.total.over(self._limits)
        schedule = replace(answer.schedule, rewrites=self._names)
        predicted = evaluation.predicted
        assert predicted is not None
        solution = replace(
            answer,
            request=self._request,
            schedule=schedule,
            prediction=predicted,
            bound_cycles=min(bound_cycles, predicted.latency_cycles),
        )
        return _Tried(solution, evaluation, not over)
