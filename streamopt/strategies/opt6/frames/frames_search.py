"""Level opt6 for frames that follow each other: the least distance of frames, simulated.

For each variant of the graph, the rows of the least interval are found under limits on DSPs and
LUTs; of the rows that take no more and run no longer, those of the least latency are taken, as
these stream most and so need the fewest buffers. The design is simulated for several frames, with
buffers and FIFOs that let them follow each other, and the limits of rows follow from all that it
takes: (I5) to (I7) of ``models/formulations/interval.md``.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil, isqrt

from streamopt.errors import InfeasibleError
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Binding, Schedule
from streamopt.perf.as_built.work_bound import busy_cycles
from streamopt.perf.costs import CheapRuns, PricedCosts
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.result import Proof
from streamopt.space.assemble import interval_cycles
from streamopt.space.fixed import Fixed
from streamopt.space.objective import Latency
from streamopt.space.tiles import MOST_CHOICES
from streamopt.strategies.dispatch import answer
from streamopt.strategies.opt6.choices import (
    counted,
    prefilled_first,
    sharing_dsps,
    variants,
    with_boundary,
)
from streamopt.strategies.opt6.frames.built_nodes import (
    SQUEEZE,
    next_limits,
    row_amounts,
)
from streamopt.strategies.opt6.frames.interval_rows import IntervalRows, LeastInterval
from streamopt.strategies.opt6.frames.steady_design import (
    SteadyDesign,
    lacks_memory,
    late_nodes,
    late_weights,
)
from streamopt.strategies.opt6.frames.steady_trials import SteadyTrials
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.opt5_start import NoBetterError, steady_designs
from streamopt.strategies.opt6.priced.large_graph import MOST_NODES
from streamopt.strategies.opt6.search_budget import ideal_cycles
from streamopt.strategies.opt6.search_options import SearchOptions
from streamopt.strategies.opt6.weight_traffic import weight_traffic_cycles
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.largest_budget import Trial
from streamopt.strategies.run import Run
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.solution import Solution
from streamopt.transforms.rewrites import INPUTS, REWRITES, WINDOWS, changed_by, rewritten

HOPELESS = 2
"""Times the best interval, from which a design of opt5, and those after it, aren't simulated."""
MOST_ROUNDS = 8
"""Limits of rows that are tried until a design takes nearly all of its limits."""
PART = 0.3
"""Of the effort that is left, for one search of streams."""
VARIANTS_SHARE = 0.5
"""Of the effort, after which no further variant is looked at if there is a design."""
FIRST, FIRST_IN_DSPS = 0.5, 1.25
"""Of the time in which all DSPs would do all products: the horizon of the first rows, as products
may be in LUTs, and two in a DSP; the latter where they have a DSP each, of which some wait."""
NODE_CHOICES = 4096
"""Vectors of unroll factors of a node: nodes on their own are looked at for each once. All ways to
build operators share them."""
START_CHOICES = 512
"""Likewise, for a first design with products in DSPs alone."""
Ways = Mapping[str, tuple[Binding, ...]]
BALANCED = "balance_paths"


@dataclass(frozen=True, slots=True)
class _VariantRows:
    """A variant with its rows, and their least interval under the whole limits."""

    variant: GraphVariant
    rows: IntervalRows
    least: LeastInterval


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
        self._trials = SteadyTrials(run.clock, sizes_fifos=options.sizes_fifos)
        self._bounds: dict[tuple[str, ...], int] = {}
        self._limit = run.clock.limit

    def work(self) -> None:
        """Look at all variants, then, if the graph is small, at designs of opt5."""
        problem, without = self.run.problem, self._options.space.without
        tried = variants(problem.graph, without, shares_arguments=bool(problem.ports))
        on = self._options.region.on
        for names, graph in prefilled_first(tried, without, on):
            is_late = self.run.clock.spent() > VARIANTS_SHARE * self._limit
            best = self._trials.best
            if best is not None and best.design.is_within and is_late:
                break
            variant = self._variant(names, graph)
            with suppress(SearchTooLargeError):
                if best is None and (shared := sharing_dsps(variant.problem.space.bindings)):
                    self._start(variant, shared)
                for found in self._rows(variant):
                    self._look(found)
        if len(problem.graph.nodes) <= MOST_NODES:
            steady_designs(self.run, on, self._keep_opt5)

    def answer(self) -> Solution:
        """Return the best design with its bound.

        Raises
        ------
        InfeasibleError
            If there is none (E401).
        """
        best = self._trials.best
        if best is None:
            variant = self._variant((), self.run.problem.graph)
            variant.problem.decision_space()  # refuses limits that are too low for any
            best = self._trials.simulated(variant, variant.problem.plainest())
        # the model is that of the variant
        problem = self.run.problem.within(costs=best.variant.problem.space.costs)
        cycles = best.design.chosen.cycles
        known = self._bounds.get(_unbalanced(best.variant.names), 0)
        bound = min(cycles, max(known, _least_interval_cycles(best.variant)))
        return replace(
            best.design.solution(self.run),
            problem=problem,
            bound=bound,
            proof=Proof.OPTIMAL if bound == cycles else Proof.FEASIBLE,
            message=f"the best of {self._trials.count} designs of which frames were simulated",
        )

    def _variant(self, names: tuple[str, ...], graph: Graph) -> GraphVariant:
        space, on = self._options.space, self._options.region.on
        if WINDOWS in names and INPUTS not in space.without:
            names = (*names, INPUTS)
        own, names = with_boundary(self.run.problem, names, graph, on)
        choices = max(MOST_CHOICES, NODE_CHOICES * len(own.graph.nodes))
        partial = choices if space.partial_tiles else 0
        return GraphVariant(own, names, self._options, self._builder, partial_tiles=partial)

    def _keep_opt5(self, found: Solution) -> Trial[SteadyDesign]:
        """Keep the design of an answer of opt5."""
        names, problem = found.schedule.rewrites, self.run.problem
        variant = self._variant(names, rewritten(problem.graph, names))
        schedule = replace(found.schedule, rewrites=())
        costs = variant.problem.space.costs
        if self._trials.is_vain(interval_cycles(variant.graph, schedule, costs) // HOPELESS):
            raise NoBetterError
        tried = self._trials.simulated(variant, schedule)
        self._keep(tried)
        used = max(tried.design.used.dsps, tried.design.chosen.dsps)
        if not tried.design.is_within:
            used = ceil(tried.design.excess * problem.space.dsp_limit)
        return Trial(tried, found.problem.space.dsp_limit, used, found.dsps)

    def _keep(self, tried: SteadyDesign) -> None:
        if self._trials.is_best(tried):
            self._report()

    def _rows(self, variant: GraphVariant) -> Iterator[_VariantRows]:
        """Yield the rows of a variant, if there are any within the limits."""
        self.run.clock.check()
        space = variant.problem.space
        most = max(map(len, space.bindings.values()), default=1)
        choices = min(space.partial_tiles, max(MOST_CHOICES, space.partial_tiles // most))
        share = FIRST if most > 1 else FIRST_IN_DSPS
        for found in self._rows_of(variant, share, choices, space.bindings):
            limits, names = self._options.region.limits, _unbalanced(variant.names)
            bound = found.rows.bound(limits.dsps, limits.luts)
            self._bounds[names] = max(self._bounds.get(names, 0), bound)
            yield found

    def _rows_of(
        self, variant: GraphVariant, share: float, choices: int, ways: Ways
    ) -> Iterator[_VariantRows]:
        """Yield rows of a variant, if there are any within the limits.

        Parameters
        ----------
        share
            Of the time in which all DSPs would do all products: the first horizon.
        choices
            Vectors of unroll factors, beyond which those with idle lanes are left out.
        ways
            That operators may be built in.
        """
        limits, costs = self._options.region.limits, variant.costs.with_surroundings()
        problem = variant.problem.within(costs=costs, partial_tiles=choices, bindings=ways)
        first = int(share * ideal_cycles(variant.graph, limits.dsps))
        rows = IntervalRows(problem, first, self.run.clock)
        best, asked = self._trials.best, (limits.dsps, limits.luts)
        if best is not None and best.variant is variant:
            before = best.design.chosen.schedule
            rows.learn(before, row_amounts(variant.graph, before, costs), best.built)
            asked = next_limits(best.built, best.design.used, limits)
        least = rows.least(*asked)
        if least is not None:
            yield _VariantRows(variant, rows, least)

    def _start(self, variant: GraphVariant, shared: Ways) -> None:
        """Keep a design of a variant with products in DSPs alone: two to one, or else one (I12)."""
        few = START_CHOICES * len(variant.graph.nodes)
        choices = min(variant.problem.space.partial_tiles, few)
        lone: Ways = {}
        for share, ways in ((FIRST * FIRST_IN_DSPS, shared), (FIRST_IN_DSPS, lone)):
            for found in self._rows_of(variant, share, choices, ways):
                for tried in self._tried(found):
                    self._keep(tried)
            best = self._trials.best
            if best is not None and best.design.is_within and best.is_close:
                return

    def _look(self, found: _VariantRows) -> None:
        """Look for a better design of a variant; with balanced paths if frames are far apart."""
        problem, tried, names = self.run.problem, None, found.variant.names
        for tried in self._tried(found):
            self._keep(tried)
        if tried is None or tried.is_close or problem.space.fixed or BALANCED in names:
            return
        asked = sorted([*names, BALANCED], key=lambda name: REWRITES[name].is_final)
        kept, balanced = changed_by(problem.graph, asked)
        if BALANCED in kept:
            for own in self._rows(self._variant(kept, balanced)):
                self._look(own)

    def _tried(self, found: _VariantRows) -> Iterator[SteadyDesign]:
        """Yield designs, as long as rows promise a better one with all that designs took (I9)."""
        variant, rows = found.variant, found.rows
        least: LeastInterval | None = found.least
        costs = variant.costs.with_surroundings()
        for _ in range(MOST_ROUNDS):
            self.run.clock.check()
            if least is None or self._trials.is_vain(least.cycles):
                return
            schedule = self._streamed(variant, least)
            tried = self._trials.simulated(variant, schedule)
            yield tried
            for node, factors in late_nodes(tried):
                rows.leave_out(node, factors)
            rows.learn(schedule, row_amounts(variant.graph, schedule, costs), tried.built)
            least = self._least_after(rows, least, tried)

    def _least_after(
        self, rows: IntervalRows, before: LeastInterval, tried: SteadyDesign
    ) -> LeastInterval | None:
        """Return rows after a design: of an interval on the way to the best if memories lack."""
        limits, used = self._options.region.limits, tried.design.used
        best, is_good = self._trials.best, tried.design.is_within and tried.is_close
        if not is_good and lacks_memory(tried.design, limits):
            if best is not None and best.design.is_within and best.is_close:
                asked = next_limits(tried.built, replace(used, bram18=0, uram=0), limits)
                return rows.least(*asked, isqrt(before.cycles * best.cycles))
            for late in late_weights(tried):
                rows.narrow(*late)
        asked = next_limits(tried.built, used, limits)
        least = rows.least(*asked)
        if least is not None and least.schedule == before.schedule:
            least = rows.least(*(int(SQUEEZE * most) for most in asked))
        return least

    def _streamed(self, variant: GraphVariant, least: LeastInterval) -> Schedule:
        """Return the schedule of the least latency with the same lanes and operators."""
        costs = variant.costs.with_surroundings()
        cheap = PricedCosts(CheapRuns(costs, least.cycles, least.used), 0.0)
        limit = max(1, sum(dsps for dsps, _ in least.used.values()))
        plans = {plan.node: plan for plan in least.schedule.nodes}
        fixed = {(n, loop): u for n, plan in plans.items() for loop, u in plan.factors.items()}
        asked = variant.problem.within(
            costs=cheap,
            lut_limit=None,
            dsp_limit=limit,
            fixed=Fixed(
                factors=fixed, target_iis={name: plan.target_ii for name, plan in plans.items()}
            ),
            bindings={name: (plan.binding,) for name, plan in plans.items()},
        )
        found = self._answer(replace(asked, objective=Latency(), graph=variant.graph))
        if found is None:
            return least.schedule
        is_within = interval_cycles(variant.graph, found.schedule, costs) <= least.cycles
        return found.schedule if is_within else least.schedule

    def _answer(self, problem: Problem) -> Solution | None:
        part = self.run.part(problem, silent=True, most=PART * self.run.clock.left())
        with suppress(InfeasibleError, SearchTooLargeError):
            return answer(part, self._options.strategies)
        return None

    def _report(self) -> None:
        best, run = self._trials.best, self.run
        if best is not None and best.design.is_within and run.on_incumbent is not None:
            run.on_incumbent(self.answer())


def _unbalanced(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return rewrites without the one that only adds copies, which makes no interval shorter."""
    return tuple(name for name in names if name != BALANCED)


def _least_interval_cycles(variant: GraphVariant) -> int:
    """Return the cycles that frames are apart at least, by traffic and by busy operators."""
    graph, on, limits = variant.graph, variant.region.on, variant.region.limits
    priced = counted(variant.options.space.binding, graph)
    busy = busy_cycles(graph, variant.problem.space.bindings, priced, on, limits)
    return max(weight_traffic_cycles(graph, variant.ports, on, limits), busy)
