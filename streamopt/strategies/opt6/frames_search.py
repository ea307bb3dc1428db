"""Level opt6 for frames that follow each other: the least distance of frames, simulated.

For each variant of the graph, the exact search finds the rows of the least interval, with its
proof; of the rows that keep it, those of the least latency are taken, as these stream most and so
need the fewest buffers. The design is simulated for several frames, with buffers and FIFOs that
let them follow each other; where it is more than the region has, what it takes beyond its rows is
left to it, and the variant is searched again: ``models/formulations/interval.md``.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil

from streamopt.errors import InfeasibleError
from streamopt.evaluation.boundary_ports import boundary_of_form
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import CheapRuns, PricedCosts
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.result import Proof
from streamopt.space.assemble import evaluate, interval_cycles, least_luts, node_costs
from streamopt.space.objective import Latency
from streamopt.strategies.dispatch import answer
from streamopt.strategies.opt6.choices import variants
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.opt5_start import steady_designs
from streamopt.strategies.opt6.search_budget import SearchBudget
from streamopt.strategies.opt6.search_options import SearchOptions
from streamopt.strategies.opt6.simulated_design import SimulatedDesign, judged
from streamopt.strategies.problem import Problem
from streamopt.strategies.refinement.frame_buffers import (
    CLOSE,
    deepened,
    frames_cycles,
    shallow,
    unstretched,
)
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.strategies.resources.largest_budget import Trial
from streamopt.strategies.run import Run
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.solution import Solution
from streamopt.transforms.rewrites import changed_by, rewritten

MOST_ROUNDS = 6
"""Budgets that are tried until a design is within its limits."""
PART = 0.3
"""Of the effort that is left, for one search."""
VARIANTS_SHARE = 0.4
"""Of the effort, after which no further variant is looked at."""
BALANCED = "balance_paths"
HALF = 0.5
"""A DSP, that all LUTs cost where they cost nothing: of equal DSPs the fewest LUTs."""
PARTS = 2**20
"""Of a DSP, in which LUTs are paid."""


@dataclass(frozen=True, slots=True)
class SteadyDesign:
    """A design that was simulated for several frames."""

    design: SimulatedDesign
    """Its cycles are those between frames in the model."""
    cycles: int
    """Between frames, simulated."""
    variant: GraphVariant

    @property
    def rank(self) -> tuple[float, int]:
        """Return the key to minimize: the excess over limits, then cycles (O14)."""
        return max(1.0, self.design.excess), self.cycles

    @property
    def is_close(self) -> bool:
        """Return whether frames follow each other as closely as the model says."""
        return self.cycles <= (1 + CLOSE) * self.design.chosen.cycles


def steady_design(run: Run, options: SearchOptions) -> Solution:
    """Return the design of the least distance of frames, with its bound.

    Raises
    ------
    InfeasibleError
        If no schedule has so few DSPs (E401).
    """
    search = _FramesSearch(run, options)
    with run.until_stopped():
        search.work()
    return search.answer()


class _FramesSearch:
    """A run with the best design so far."""

    def __init__(self, run: Run, options: SearchOptions) -> None:
        self.run, self._options, region = run, options, options.region
        self._builder = PlanBuilder(region.on, region.limits, options.space.most_banks)
        self._best: SteadyDesign | None = None
        self._bounds: dict[tuple[str, ...], int] = {}
        self._known: dict[tuple[GraphVariant, int, int, float], Solution | None] = {}
        self._limit = run.clock.limit
        self._count = 0

    def work(self) -> None:
        """Take what opt5 answers; then look at all variants, those of the least intervals first."""
        problem, options = self.run.problem, self._options
        steady_designs(self.run, options.region.on, self._keep_opt5)
        shares = bool(problem.ports)
        found: list[tuple[int, int, GraphVariant]] = []
        for names, graph in variants(problem.graph, options.space.without, shares_arguments=shares):
            self.run.clock.check()
            if found and self.run.clock.spent() > VARIANTS_SHARE * self._limit:
                break
            variant = self._variant(names, graph)
            least = self._least(variant, self._budget(variant))
            if least is not None:
                found.append((least.interval_cycles, len(found), variant))
        for _, _, variant in sorted(found):
            self._look(variant)

    def answer(self) -> Solution:
        """Return the best design with its bound.

        Raises
        ------
        InfeasibleError
            If there is none (E401).
        """
        best = self._best
        if best is None:
            variant = self._variant((), self.run.problem.graph)
            variant.problem.decision_space()  # refuses limits that are too low for any
            best = self._simulated(variant, variant.problem.plainest())
        # the model is that of the variant
        problem = self.run.problem.within(costs=best.variant.problem.space.costs)
        cycles = best.design.chosen.cycles
        bound = min(cycles, self._bounds.get(_unbalanced(best.variant.names), 0))
        return replace(
            best.design.solution(self.run),
            problem=problem,
            bound=bound,
            proof=Proof.OPTIMAL if bound == cycles else Proof.FEASIBLE,
            message=f"the best of {self._count} designs of which frames were simulated",
        )

    def _variant(self, names: tuple[str, ...], graph: Graph) -> GraphVariant:
        problem, options = self.run.problem, self._options
        outside, ports = boundary_of_form(graph, problem.ports, options.region.on)
        own = replace(problem, graph=outside, ports=ports)
        partial = options.space.partial_tiles
        return GraphVariant(own, names, options, self._builder, partial_tiles=partial)

    def _keep_opt5(self, found: Solution) -> Trial[SteadyDesign]:
        """Keep the design of an answer of opt5."""
        names, problem = found.schedule.rewrites, self.run.problem
        variant = self._variant(names, rewritten(problem.graph, names))
        tried = self._simulated(variant, replace(found.schedule, rewrites=()))
        self._keep(tried)
        used = max(tried.design.used.dsps, tried.design.chosen.dsps)
        if not tried.design.is_within:
            used = ceil(tried.design.excess * problem.space.dsp_limit)
        return Trial(tried, found.problem.space.dsp_limit, used, found.dsps)

    def _keep(self, tried: SteadyDesign) -> None:
        if self._best is None or tried.rank < self._best.rank:
            self._best = tried
            self._report()

    def _budget(self, variant: GraphVariant) -> SearchBudget:
        choices = variant.problem.space.bindings.values()
        is_free = all(len(own) <= 1 for own in choices)
        return SearchBudget.whole(self._options.region.limits, is_free=is_free)

    def _look(self, variant: GraphVariant) -> None:
        """Look for a better design of a variant; with balanced paths if frames are far apart."""
        problem, tried = self.run.problem, None
        for tried in self._tried(variant):
            self._keep(tried)
        if tried is None or tried.is_close or problem.space.fixed or BALANCED in variant.names:
            return
        kept, balanced = changed_by(problem.graph, [*variant.names, BALANCED])
        if BALANCED in kept:
            self._look(self._variant(kept, balanced))

    def _tried(self, variant: GraphVariant) -> Iterator[SteadyDesign]:
        """Yield designs under one budget after another, until one is within the limits."""
        limits = self._options.region.limits
        budget = self._budget(variant)
        for _ in range(MOST_ROUNDS):
            self.run.clock.check()
            least, best = self._least(variant, budget), self._best
            if least is None:
                return
            if best is not None and best.design.is_within and best.cycles <= least.interval_cycles:
                return
            found = self._simulated(variant, self._streamed(variant, least))
            yield found
            before = budget
            budget = budget.after(found.design.chosen, found.design.used, limits)
            if found.design.is_within or budget == before:
                return

    def _least(self, variant: GraphVariant, budget: SearchBudget) -> Solution | None:
        """Return the schedule of the least interval within a budget, and of those of least cost."""
        key = variant, budget.dsps, budget.luts, budget.price
        if key not in self._known:
            limits = self._options.region.limits
            price = max(budget.price, HALF / limits.luts)
            luts = price * budget.luts if budget.price else HALF
            costs = PricedCosts(variant.problem.space.costs, price, PARTS)
            limit = int(PARTS * (budget.dsps + luts))
            asked = variant.problem.within(costs=costs, dsp_limit=limit, lut_limit=None)
            found = self._known[key] = self._answer(asked)
            is_whole = (budget.dsps, budget.luts) == (limits.dsps, limits.luts)
            if found is not None and is_whole:
                names = _unbalanced(variant.names)
                self._bounds[names] = max(self._bounds.get(names, 0), found.bound)
        return self._known[key]

    def _streamed(self, variant: GraphVariant, least: Solution) -> Schedule:
        """Return the schedule of the least latency, of those that cost no more a node."""
        costs = variant.problem.space.costs
        each = node_costs(variant.graph, least.schedule, costs)
        most = {name: (c.dsps, c.luts) for name, c in each.items()}
        cheap = PricedCosts(CheapRuns(costs, least.interval_cycles, most), 0.0)
        asked = variant.problem.within(costs=cheap, lut_limit=None)
        found = self._answer(replace(asked, objective=Latency()))
        is_within = found is not None and interval_cycles(variant.graph, found.schedule, costs)
        if found is None or is_within > least.interval_cycles:
            return least.schedule
        return found.schedule

    def _answer(self, problem: Problem) -> Solution | None:
        part = self.run.part(problem, silent=True, most=PART * self.run.clock.left())
        with suppress(InfeasibleError, SearchTooLargeError):
            return answer(part, self._options.strategies)
        return None

    def _simulated(self, variant: GraphVariant, schedule: Schedule) -> SteadyDesign:
        """Return a schedule as a design whose buffers let frames follow each other."""
        self._count += 1
        graph, region, costs = variant.graph, variant.region, variant.problem.space.costs
        cycles = interval_cycles(graph, schedule, costs)
        chosen = Chosen(
            schedule,
            cycles,
            evaluate(graph, schedule, costs).dsps,
            least_luts(graph, schedule, costs),
        )
        schedule = variant.judged(chosen).chosen.schedule  # with ports
        if frames_cycles(graph, schedule, region.on) > (1 + CLOSE) * cycles:
            schedule = deepened(graph, unstretched(graph, schedule, cycles, region.on))
        if self._options.sizes_fifos:
            schedule = shallow(graph, schedule, region.on)
        design = judged(
            graph, variant.names, replace(chosen, schedule=schedule), region, sizes_fifos=False
        )
        return SteadyDesign(design, frames_cycles(graph, schedule, region.on), variant)

    def _report(self) -> None:
        best, run = self._best, self.run
        if best is not None and best.design.is_within and run.on_incumbent is not None:
            run.on_incumbent(self.answer())


def _unbalanced(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return rewrites without the one that only adds copies, which makes no interval shorter."""
    return tuple(name for name in names if name != BALANCED)
