"""Searches of a large graph with a price of LUTs, over rows that are made once (O20).

Rows that none dominates within some limits and a horizon are, of those within wider ones, the ones
that keep to these. So rows are made for the whole limits, and every search takes them.
"""

from dataclasses import replace

import numpy as np

from streamopt.ir.graph import Graph
from streamopt.perf.as_built.paced_runs import (
    PacedCosts,
    PacedRuns,
    waits_for_sums,
    waits_in_tree,
)
from streamopt.perf.costs import CostModel, PricedCosts
from streamopt.search.instance import instance
from streamopt.search.labels.row_subset import surrogate
from streamopt.solvers.result import Stop
from streamopt.space.horizon import HorizonFilter, chosen_rows
from streamopt.space.row_values import NodeRows
from streamopt.space.usage import RowUsage
from streamopt.strategies.exact.deadlines import DeadlineAim
from streamopt.strategies.exact.latency import solve_latency
from streamopt.strategies.opt6.search_budget import SearchBudget
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.budgeted import Prepared, without_channels
from streamopt.strategies.resources.known_rows import KnownRows
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution

MOST_NODES = 26
"""Of graphs that are searched by labels, with DSPs and LUTs as resources, unless nodes of a tree
wait for each other (O30)."""
FIRST_SHARE = 0.5
"""Of the effort, after which no further budget is tried for a graph that has a design within its
limits, so that some is left for its bound."""
EARLY_SHARE = 0.25
"""Likewise, where rows have windows: searches for the bound find better schedules on the way than
those with rough times do."""
STEADY_SHARE = 0.35
"""Likewise, after which a tree with windows has no search without bursts."""
LARGE_PART = 0.15
"""Of the effort that is left once there are rows, for one search."""
DEADLINE_PART = 0.35
"""Likewise, of a graph that is searched by deadlines alone."""
LAST_PART = 0.9
"""Likewise, for the bound and what is found on the way."""
TREE_LAST_PART = 0.75
"""Likewise, where descents by curves follow (O35)."""


def is_large(graph: Graph) -> bool:
    """Return whether the search has one resource, LUTs with a price."""
    return len(graph.nodes) > MOST_NODES or waits_in_tree(graph)


class LargeGraph:
    """One variant of a graph, with its rows at every price.

    Parameters
    ----------
    problem
        Within the limits of the region.
    costs
        As built, with LUTs.
    is_rough
        Whether times leave out what hardly tells rows apart: for schedules, not for bounds.
    has_many_rows
        Whether it is large for its rows.

    Attributes
    ----------
    is_large
        See the function of that name.
    is_streamed
        Whether it is a tree that descents by curves are for.
    has_curves
        Whether descents by curves are for it, at least after its bound.
    waits_for_sums
        See the function of that name; such a tree is searched by deadlines after it was by labels.
    costs
        Those of searches: with windows, rows wait for those of slow producers (O30).
    first_share
        Of the effort, after which no search but that for the bound is begun if there is a design.
    steady_share
        Likewise, no search without bursts.
    """

    def __init__(
        self,
        problem: Problem,
        costs: CostModel,
        *,
        is_rough: bool = False,
        has_many_rows: bool = False,
    ) -> None:
        self._given, self._is_rough = (problem, costs), is_rough
        graph, self._is_paced, self._waits_for_all = problem.graph, False, False
        self.is_large = is_large(graph) or has_many_rows
        self.waits_for_sums = waits_for_sums(graph)
        self.is_streamed = waits_in_tree(graph)
        self.has_curves = self.is_large and any(node.windows for node in graph.nodes)
        waits = self.is_streamed or self.waits_for_sums
        if waits or self.has_curves:
            self._is_paced = True
            self._waits_for_all = waits
            costs = PacedCosts(costs, PacedRuns(graph, waits_for_all=waits, is_rough=is_rough))
            problem = problem.within(costs=costs)
        self._problem, self.costs = problem, costs
        self.first_share = EARLY_SHARE if self._is_paced else FIRST_SHARE
        self.steady_share = STEADY_SHARE if self.is_streamed else self.first_share
        self._rows = KnownRows(problem)
        self._followed: Prepared | None = None

    def streamed_rows(self, *, after_bound: bool) -> Prepared | None:
        """Return the rows for descents, or those of a form that came before.

        Those of graphs that are no trees come after the bound, which takes what time they need.
        """
        known = self._rows.prepared or self._followed
        return known if self._waits_for_all or (self._is_paced and after_bound) else None

    def follow(self, other: "LargeGraph") -> None:
        """Take the rows of a form of fewer choices as long as there are none."""
        self._followed = other.streamed_rows(after_bound=True)

    def whole(self) -> "LargeGraph":
        """Return the same with nothing left out of its times; itself where nothing is."""
        if not (self._is_rough and self._is_paced):
            return self
        return LargeGraph(*self._given, has_many_rows=self.is_large)

    def solved(
        self,
        budget: SearchBudget,
        horizon_cycles: int | None,
        run: Run,
        *,
        steady: bool = False,
        only_bound: bool = False,
    ) -> Solution | None:
        """Return the best schedule that was found, with its bound; None where no row is left.

        Parameters
        ----------
        horizon_cycles
            Rows that alone take longer are left out; None for none.
        steady
            Whether streams that come in bursts are left out; the bound is then of the others only.
        only_bound
            Whether this is the last search; passes by deadlines alone begin with the bound then.

        Raises
        ------
        SearchStoppedError
            If the time is up before there are rows.
        SearchTooLargeError
            If the graph is too entangled.
        """
        prepared = self._rows.within(horizon_cycles, run.clock, steady=steady)
        if prepared is None:
            return None
        asked = self._asked(budget, horizon_cycles)
        longest = asked.evaluate(asked.plainest()).latency_cycles
        rows = HorizonFilter(asked.decision_space(), _priced(prepared, budget.price)).within(
            longest if horizon_cycles is None else horizon_cycles
        )
        if rows is None:
            return None
        share = DEADLINE_PART if self._waits_for_all else LARGE_PART
        if only_bound:
            share = TREE_LAST_PART if self._waits_for_all else LAST_PART
        options, clock = run.clock.part(run.options, share * run.clock.left())
        own, aim = Run(asked, options, clock=clock), None
        if self._waits_for_all:
            aim = DeadlineAim.BOUND if only_bound else DeadlineAim.SCHEDULES
        found = solve_latency(
            own, most_nodes=0 if self.is_large else MOST_NODES, rows=rows, aim=aim
        )
        if found.stop is Stop.INTERRUPTED:
            run.clock.interrupt()
        return found

    def _asked(self, budget: SearchBudget, horizon_cycles: int | None) -> Problem:
        return self._problem.within(
            dsp_limit=int(budget.dsps + budget.price * budget.luts),
            lut_limit=None,
            horizon_cycles=horizon_cycles,
            costs=PricedCosts(self.costs, budget.price),
        )


def _priced(prepared: Prepared, price: float) -> dict[str, NodeRows]:
    """Return the rows that none dominates where LUTs cost so many DSPs."""
    alone = without_channels(prepared.rows)
    # LUTs stay a resource where they can't run short: they have a price all the same
    whole = instance(prepared.space, alone, prepared.space.limits[1:])
    paid = surrogate(whole, price)
    kept = {name: np.zeros(len(own), dtype=np.bool_) for name, own in alone.items()}
    for name, places in zip(whole.names, paid.places, strict=True):
        if name:
            kept[name][places] = True
    usage = dict(zip(whole.names, (node.usage for node in paid.problem.nodes), strict=True))
    few = chosen_rows(alone, kept)
    return {name: replace(own, usage=RowUsage(usage[name])) for name, own in few.items()}
