"""One variant of the graph, searched under one budget after another until designs are within."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import numpy as np

from streamopt.errors import InfeasibleError
from streamopt.evaluation.boundary_ports import boundary_cycles
from streamopt.ir.ports import PortPlan
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS, Schedule
from streamopt.perf.as_built.work_bound import lut_dual_price, work_bound_cycles
from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.result import Proof, Stop
from streamopt.space.assemble import evaluate, least_luts
from streamopt.space.level import BindingChoice
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.dispatch import answer
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings, counted, sharing_dsps
from streamopt.strategies.opt6.fitting_lanes import with_fitting_lanes
from streamopt.strategies.opt6.priced.large_graph import LargeGraph
from streamopt.strategies.opt6.priced.mixed_bindings import with_mixed_bindings
from streamopt.strategies.opt6.priced.priced_bound import PricedBound
from streamopt.strategies.opt6.search_budget import Horizon, SearchBudget, SearchEffort, horizons
from streamopt.strategies.opt6.search_options import SearchOptions
from streamopt.strategies.opt6.simulated_descent import TUNING as DESCENT
from streamopt.strategies.opt6.simulated_descent import SimulatedDescent
from streamopt.strategies.opt6.simulated_design import SimulatedDesign, judged
from streamopt.strategies.opt6.streamed.streamed_descent import StreamedDescents
from streamopt.strategies.opt6.weight_traffic import weight_traffic_cycles
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.budgeted import BudgetedSearch, Chosen, Prepared
from streamopt.strategies.resources.known_rows import KnownRows, rows_of
from streamopt.strategies.run import SEARCH, Run
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.solution import Solution
from streamopt.work import spent

MOST_ROUNDS = 2
"""Budgets that are tried until a design is within its limits."""
LARGE_ROUNDS = 10
"""Likewise, of a large graph, whose rows are there already."""
FULL = 0.95
"""Share of a limit from which on a design of a large graph is worth no further budget."""
MOST_WITHIN = 2
"""Designs of it within the limits that are followed by another budget."""
MOST_QUICK = 4
"""Designs that are tried where the time is up."""
CLOSE = 0.002
"""Gap below which nothing more is looked for."""
FEWEST_LABELS = 32
"""Labels of a state, where the time is up."""
PART = 0.3
"""Of the time that is left, for one answer of a solver."""
HOPE = 0.9
"""Of the cycles of the design before: where the next search begins."""


class GraphVariant:
    """One variant of a graph.

    Parameters
    ----------
    problem
        Of the variant, with its ports.
    names
        Of the rewrites that make the variant.
    builder
        Of plans of sequential nodes.
    partial_tiles
        See `streamopt.space.decisions.SpaceOptions`.

    Attributes
    ----------
    steady_share, is_large, is_streamed, has_curves
        See `LargeGraph`.
    judging_work
        Of the last design.
    is_proved
        Whether there are curves, and a schedule that the bound is the closed form of.
    """

    def __init__(
        self,
        problem: Problem,
        names: tuple[str, ...],
        options: SearchOptions,
        builder: PlanBuilder,
        *,
        partial_tiles: int,
    ) -> None:
        self.names, self.graph, self.ports = names, problem.graph, problem.ports
        self.options, self.region, self.builder = options, options.region, builder
        on, limits, graph = self.region.on, self.region.limits, self.graph
        binding = options.space.binding
        priced = counted(binding, graph)
        self._most_banks = banks = options.space.most_banks or MOST_ARGUMENT_BANKS
        self.costs = costs = as_built_costs(graph, on, priced, self.ports, banks, builder)
        choices = bindings(binding, graph, on)
        self.problem = problem.within(
            partial_tiles=partial_tiles,
            costs=costs,
            bindings=choices,
            dsp_limit=limits.dsps,
            lut_limit=limits.luts,
            most_of_node=self.region.most_of_node,
        )
        has_choices = any(len(own) > 1 for own in choices.values())
        self._is_short_of_luts = is_priced = has_choices and binding in (None, BindingChoice.FREE)
        whole = SearchBudget.whole(limits, is_free=not is_priced)
        self._take(LargeGraph(self.problem, costs, is_rough=True))
        price = self._dual_price if is_priced and self.is_large else whole.price
        self._budget = replace(whole, is_paid=is_priced and self.is_large, price=price)
        self._may_enlarge = options.searches and bool(sharing_dsps(choices))
        self._rows = KnownRows(self.problem)
        self._with_surroundings: Prepared | None = None
        self._descent: SimulatedDescent | None = None
        self._known_cycles: dict[bool, int] = {}
        self.judging_work, self.is_proved = 0.0, False
        self._streamed = StreamedDescents(costs, limits, self.judged)
        least = max(
            boundary_cycles(graph, self.ports, on),
            weight_traffic_cycles(graph, self.ports, on, limits),
            work_bound_cycles(graph, costs, choices, priced, on, limits),
        )
        self._bound = PricedBound(least, SearchBudget.whole(limits))

    def tried(self, horizon: Horizon, effort: SearchEffort, run: Run) -> Iterator[SimulatedDesign]:
        """Yield designs, the last of which is within the limits if one was found."""
        for _ in range(0 if self.is_large else MOST_ROUNDS):
            run.clock.check()
            chosen = self._chosen(horizon, effort, run)
            if chosen is None:
                break
            found = self.judged(chosen)
            yield found
            before = self._budget
            self._budget = before.after(chosen, found.counted, self.region.limits)
            if found.is_within or self._budget == before:
                return
        if self.is_large:
            yield from self._tried_large(horizon, effort, run)

    def _tried_large(
        self, horizon: Horizon, effort: SearchEffort, run: Run
    ) -> Iterator[SimulatedDesign]:
        """Yield designs until one takes nearly all of a limit."""
        within, clock = 0, run.clock
        for _ in range(LARGE_ROUNDS):
            clock.check()
            if within and clock.spent() > self._large.first_share * clock.limit:
                return
            chosen = self._chosen(horizon, effort, run)
            if chosen is None:
                return
            found = self.judged(chosen)
            yield found
            before, is_full = self._budget, found.is_within and found.excess > FULL
            self._budget = before.after_priced(chosen, found.used, self.region.limits)
            within += found.is_within
            if is_full or within > MOST_WITHIN or self._budget == before:
                return
            if found.is_within:
                horizon = Horizon(chosen.cycles - 1, is_near=True)

    def descended(
        self,
        start: SimulatedDesign,
        clock: SearchClock,
        random: np.random.Generator | None = None,
    ) -> Iterator[SimulatedDesign]:
        """Yield designs on the way down from one that was searched for (O22).

        Parameters
        ----------
        random
            Chooses the first change; None for the best one.
        """
        prepared, cycles = self._rows.prepared, start.chosen.cycles
        if prepared is None:
            own = self._large if self.is_streamed or random is None else self._bounding
            if (rows := own.streamed_rows(after_bound=random is not None)) is not None:
                yield from self._streamed.designs(rows, start, self.judging_work, clock, random)
            return
        if self._descent is None or self._descent.horizon_cycles < cycles:
            horizon = int(DESCENT.horizon * cycles)
            self._descent = SimulatedDescent(prepared, horizon, self.region, self.judged)
        descent = self._descent
        for found in descent.designs(start) if random is None else descent.kicked(start, random):
            yield found
            clock.check()

    def judged(self, chosen: Chosen, ports: tuple[PortPlan, ...] | None = None) -> SimulatedDesign:
        """Return a schedule as a design, with the ports of the problem if no others are given."""
        began, sizes = spent(), self.options.sizes_fifos
        chosen = replace(chosen, schedule=self.bounded(chosen.schedule, ports))
        found = judged(self.graph, self.names, chosen, self.region, sizes_fifos=sizes)
        self.judging_work = spent() - began
        return found

    def best_placed(self, design: SimulatedDesign) -> SimulatedDesign:
        """Return a design with the best partition over its regions, if that is none slower."""
        if not self.region.each:
            return design
        sizes = self.options.sizes_fifos
        found = judged(
            self.graph, self.names, design.chosen, self.region, sizes_fifos=sizes, is_rough=False
        )
        return min(found, design, key=lambda each: each.rank)

    def bounded(self, schedule: Schedule, ports: tuple[PortPlan, ...] | None = None) -> Schedule:
        """Return a schedule with ports, those of the problem if no others are given."""
        ports = self.ports if ports is None else ports
        return replace(schedule, ports=ports, most_banks=self._most_banks)

    @property
    def is_paced(self) -> bool:
        """Return whether its bound is of searches with a price of LUTs, at least at last."""
        return self.is_large or (self._large.waits_for_sums and not self._is_short_of_luts)

    @property
    def bound_cycles(self) -> int:
        """Return the best bound of all schedules so far."""
        return self._bound.cycles

    def follow(self, other: "GraphVariant") -> None:
        """Begin with the budget that another form of a large graph came to."""
        if other.is_large:
            self._enlarge()
            self._budget, self.judging_work = other._budget, other.judging_work
            self._large.follow(other._large)

    @cached_property
    def _dual_price(self) -> float:
        ways, on = self.problem.space.bindings, self.region.on
        return lut_dual_price(self.graph, ways, on, self.region.limits)

    def _take(self, large: LargeGraph) -> None:
        self._large, self._bounding = large, large.whole()
        self.is_large, self.is_streamed = large.is_large, large.is_streamed
        self.has_curves, self.steady_share = large.has_curves, large.steady_share

    def _enlarge(self) -> None:
        """Give LUTs a price, as labels have too many rows for two resources."""
        if not self.is_large:
            self._take(LargeGraph(self.problem, self.costs, is_rough=True, has_many_rows=True))
            self._rows = KnownRows(self.problem)
            self._budget = replace(self._budget, is_paid=True, price=self._dual_price)

    def narrowed(self, horizon_cycles: int, run: Run) -> SimulatedDesign | None:
        """Look for a higher bound of a large graph within a horizon; return a design if found."""
        price = self._dual_price if self._is_short_of_luts else self._budget.price
        whole = replace(SearchBudget.whole(self.region.limits), price=price)
        found = self._bounding.solved(whole, horizon_cycles, run, only_bound=True)
        if found is None:
            self._bound.raise_to(horizon_cycles)
            return None
        self._bound.raise_to(min(found.bound, horizon_cycles))
        self.is_proved = self.has_curves and found.bound >= found.latency_cycles
        chosen = self._answered(found)
        return self.judged(chosen) if chosen.cycles <= horizon_cycles else None

    def raise_bound(self, horizon_cycles: int, labels: int, clock: SearchClock) -> None:
        """Look for a higher bound of all schedules within a horizon (O16).

        Where LUTs are short, it is of rows that tell more of them; there are more of these, so that
        the plain ones are asked first, once.
        """
        if self._with_surroundings is None:
            rows = self._rows.within(horizon_cycles, clock)
            run = self._bound.below(rows, horizon_cycles, clock.should_stop)
            if run is not None:
                self._bound.raise_at_prices(self._budget.price, run, horizon_cycles, labels)
        if not self._is_short_of_luts or self.bound_cycles >= (1.0 - CLOSE) * horizon_cycles:
            return
        if self._with_surroundings is None:
            costs = self.costs.with_surroundings()
            asked = self.problem.within(costs=costs, horizon_cycles=horizon_cycles)
            self._with_surroundings = rows_of(asked, clock)
        run = self._bound.below(self._with_surroundings, horizon_cycles, clock.should_stop)
        if run is not None:
            self._bound.raise_by_prices(self._budget.price, run, horizon_cycles, labels)

    def _chosen(self, within: Horizon, effort: SearchEffort, run: Run) -> Chosen | None:
        if not self.options.searches or self.is_large:
            first = within.first_cycles or within.most_cycles
            for horizon_cycles in dict.fromkeys([first, within.most_cycles]):
                if (found := self._solved(horizon_cycles, run, steady=effort.steady)) is not None:
                    return found
            return None
        for horizon in horizons(within, self.graph, self.region.limits.dsps, self.plainest):
            prepared = self._rows.within(horizon, run.clock, steady=effort.steady)
            if prepared is None:
                continue
            budget = self._budget
            search = BudgetedSearch(prepared, budget.dsps, budget.luts, run.clock.should_stop)
            if search.has_many_rows and self._may_enlarge:
                self._enlarge()
                return None
            hoped = int(HOPE * self._known_cycles.get(effort.steady, 0))
            chosen = search.best(horizon, effort.labels, budget.price, min(hoped, horizon))
            if chosen is not None:
                self._known_cycles[effort.steady] = chosen.cycles
                return chosen
        return None

    def _solved(self, horizon_cycles: int | None, run: Run, *, steady: bool) -> Chosen | None:
        """Return a solver's answer to the compact program, or that of the search of large graphs.

        That has one resource, so LUTs have a price. It gets a part of the time that is left, as
        what it answers may be over the limits.
        """
        budget, limits = self._budget, self.region.limits
        with suppress(InfeasibleError, SearchTooLargeError):
            found = self._answer(budget, horizon_cycles, run, steady=steady)
            if found is None:
                return None
            is_certain = found.solver == SEARCH or found.proof is Proof.OPTIMAL
            is_whole = (budget.dsps, budget.luts) == (limits.dsps, limits.luts)
            if is_certain and is_whole and not steady:
                self._bound.raise_to(found.bound)
            if horizon_cycles is None or found.latency_cycles <= horizon_cycles:
                return self._answered(found)
        return None

    def _answer(
        self, budget: SearchBudget, horizon_cycles: int | None, run: Run, *, steady: bool
    ) -> Solution | None:
        if self.options.searches:
            with suppress(SearchTooLargeError):
                return self._large.solved(budget, horizon_cycles, run, steady=steady)
        asked = self.problem.within(
            dsp_limit=budget.dsps, lut_limit=budget.luts, horizon_cycles=horizon_cycles
        )
        part = run.part(asked, silent=True, most=PART * run.clock.left())
        found = answer(part, self.options.strategies)
        if found.stop is Stop.INTERRUPTED:
            run.clock.interrupt()
        return found

    def plainest(self) -> Chosen:
        """Return the schedule without any unrolling, as the tool binds operators or as (O36)."""
        return self._as_chosen(self.problem.plainest())

    def quickest(self, is_over: Callable[[], bool]) -> Iterator[SimulatedDesign]:
        """Yield designs of short searches, the plainest at last, until one is within the limits.

        They are for when the search ended before any such design.

        Parameters
        ----------
        is_over
            Whether the whole time is up, so that no further search is begun.
        """
        for _ in range(MOST_QUICK):
            if self._rows.prepared is None or is_over():
                break
            chosen = self._quick(self._rows.prepared, is_over)
            if chosen is None:
                break
            found = self.judged(chosen)
            yield found
            before = self._budget
            self._budget = before.after(chosen, found.counted, self.region.limits)
            if found.is_within:
                return
            if self._budget == before:
                break
        yield self.judged(self.plainest())

    def _quick(self, prepared: Prepared, is_over: Callable[[], bool]) -> Chosen | None:
        budget, horizon_cycles = self._budget, prepared.space.horizon_cycles
        assert horizon_cycles is not None
        run = BudgetedSearch(prepared, budget.dsps, budget.luts, is_over)
        if (schedule := run.quick(horizon_cycles)) is not None:
            return self._as_chosen(schedule)
        with suppress(SearchTooLargeError, SearchStoppedError):
            return run.best(horizon_cycles, FEWEST_LABELS, budget.price)
        return None

    def answered(self, answer: Solution) -> SimulatedDesign:
        """Return another strategy's answer to the graph of the variant as a design."""
        return self.judged(self._answered(answer))

    def _answered(self, answer: Solution) -> Chosen:
        chosen = self._as_chosen(answer.schedule)
        return replace(chosen, solver=answer.solver, solver_version=answer.solver_version)

    def _as_chosen(self, schedule: Schedule) -> Chosen:
        costs = self._large.costs
        schedule = with_fitting_lanes(self.problem.decision_space(), schedule)
        if self._budget.is_paid:
            limits, ways = (self._budget.dsps, self._budget.luts), self.problem.space.bindings
            schedule = with_mixed_bindings(self.graph, schedule, ways, costs, limits)
        found = evaluate(self.graph, schedule, costs)
        luts = least_luts(self.graph, schedule, costs)
        return Chosen(schedule, found.latency_cycles, found.dsps, luts)
