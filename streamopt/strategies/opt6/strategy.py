"""Level opt6: variants of the graph, each searched by the costs as built, the best one simulated.

A variant is the graph after some rewrites. The schedule that its search returns is lowered and
simulated, so that it is judged by all that it takes. Where that is more than the device region
has, what the design takes beyond its rows is left to it, and the variant is searched again:
``models/formulations/opt6.md``.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from time import perf_counter

import numpy as np

from streamopt.errors import Diagnostic
from streamopt.evaluation.boundary_ports import boundary_cycles
from streamopt.evaluation.open_channels import is_open
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.result import Proof, Stop
from streamopt.space.level import LevelName
from streamopt.space.objective import Interval, Latency
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.opt6.channel_rounds import bound_of_designs, quickest_round, settled
from streamopt.strategies.opt6.choices import gains_from_partial_tiles, variants, with_boundary
from streamopt.strategies.opt6.design_pool import DesignPool, best_of, nothing_fits
from streamopt.strategies.opt6.frames.frames_search import steady_design
from streamopt.strategies.opt6.graph_variant import CLOSE, GraphVariant
from streamopt.strategies.opt6.opt5_start import quicker_designs
from streamopt.strategies.opt6.priced.large_graph import MOST_NODES
from streamopt.strategies.opt6.search_budget import Horizon, SearchEffort, far_cycles, sizing_effort
from streamopt.strategies.opt6.search_options import SearchOptions
from streamopt.strategies.opt6.simulated_design import SimulatedDesign
from streamopt.strategies.opt6.staged_passes import fits_on_chip, staged_design
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import HEARTBEAT_SECONDS, Run
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.solution import Solution

FIRST_LABELS = 256
"""Labels a state, in the first search of every variant."""
MORE_LABELS = (1024, 4096)
"""Likewise, of the variant that has the best design then."""
OVER = 2.0
"""Times of the best design: where large graphs are searched first, if it is over its limits."""
BURSTS = 0.02
"""Share by which a simulation is later than the closed form where bursts are the likely reason."""
NO_CYCLES = 2**62
"""Stands for 'no design yet'."""
VARIANTS_SHARE = 0.25
"""Of the effort, after which no further variant is begun."""
STREAMED_SHARE = 0.2
"""Likewise, no further choice of tiles of a large graph with windows, whose bound takes long."""
DESCENTS_SHARE = 0.4
"""Of it (a large graph: of that before FIFOs), after which a search goes no further down."""
KICKS_SHARES = (0.3, 0.6)
"""Of the effort, after which no further descent is begun, before each search with more labels."""
SOON_SHARE = 0.25
"""Of the effort, after which a good gap is enough."""
KICKED = 2
"""Variants whose best designs are changed at random."""
MOST_FRUITLESS = 3
"""Rounds of such descents that lead to no better design."""
LAST_RUNS = 18.0
"""Of these, for what follows when FIFOs stay as they are: simulations with the least FIFOs wait for
each other at every cycle, so that they take longer."""


@dataclass(frozen=True, slots=True)
class Opt6:
    """The schedule of fewest simulated cycles of all variants of a graph."""

    options: SearchOptions
    sizing_clock: SearchClock | None = None
    """Of making FIFOs small afterwards: it is told what time to leave for what follows."""

    @property
    def name(self) -> str:
        """Return the name."""
        return LevelName.OPT6.value

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why a problem can't be solved (E523, E524)."""
        if not isinstance(problem.objective, (Latency, Interval)):
            message = f"{self.name} minimises the latency or the interval, and nothing else"
            hint = f"leave --objective and --latency-target out, or choose {LevelName.OPT5}"
            return Diagnostic("E524", message, hint=hint)
        reasons = [strategy.accepts(problem) for strategy in self.options.strategies]
        return None if None in reasons else reasons[-1]

    def solve(self, run: Run) -> Solution:
        """Return the best design with its bound.

        Raises
        ------
        InfeasibleError
            If no schedule has so few DSPs (E401).
        """
        problem, staged = run.problem, None
        if isinstance(problem.objective, Interval):
            return steady_design(run, self.options)
        with run.until_stopped():
            staged = staged_design(run, self.options)
        if staged is not None and not fits_on_chip(problem.graph, self.options.region.limits):
            return staged.solution(run)
        if is_open(problem.ports, self.options.region.on):
            search = quickest_round(run, self._searched, self.options.region)
        else:
            search = self._searched(run, 0)
        if staged is not None and staged.design.rank < search.rank:
            return staged.solution(run)
        return search.answer()

    def _searched(self, run: Run, transfer_cycles: int) -> "_VariantSearch":
        """Return a search for designs whose open ports have channels for transfers in a time."""
        search, graph = _VariantSearch(run, self.options, transfer_cycles), run.problem.graph
        without, by_ports = self.options.space.without, bool(run.problem.ports)
        with run.until_stopped():
            forms = variants(graph, without, shares_arguments=by_ports, streams_inputs=by_ports)
            first = next(forms)
            if not search.begins_streamed(*first):
                search.begin(self.sizing_clock)
            for names, graph in chain([first], forms):
                search.look(names, graph)
            search.leave_what_follows(self.sizing_clock)
            search.refine()
            search.settle_channels()
        return search


class _VariantSearch:
    """A run with the variants of its graph, and the designs that were tried.

    Open ports have channels for so many cycles of transfer, or 0 for as few as these allow.
    """

    def __init__(self, run: Run, options: SearchOptions, transfer_cycles: int) -> None:
        self.run = run
        self._wanted_cycles = transfer_cycles
        self._options, region = options, options.region
        self._builder = PlanBuilder(region.on, region.limits, options.space.most_banks)
        self._plain = self._variant((), run.problem.graph, partial=options.space.partial_tiles)
        self._last = self._plain
        self._searched, self._quicker = DesignPool(), DesignPool()
        self._limit = run.clock.limit
        self._random = np.random.default_rng(run.options.seed)
        self._reported = 0.0
        self._far_cycles: int | None = None
        run.clock.on_beat = self._beat

    def _variant(self, names: tuple[str, ...], graph: Graph, *, partial: int) -> GraphVariant:
        on, wanted = self._options.region.on, self._wanted_cycles
        own, names = with_boundary(self.run.problem, names, graph, on, wanted)
        return GraphVariant(own, names, self._options, self._builder, partial_tiles=partial)

    @property
    def _best(self) -> tuple[SimulatedDesign, GraphVariant] | None:
        """Return the best design of all; of equal ones one that was searched for."""
        return best_of([pool.best for pool in (self._searched, self._quicker) if pool.best])

    @property
    def _horizon(self) -> Horizon:
        """Return which designs are of interest."""
        searched, best = self._searched.best, self._best
        is_near = searched is not None and searched[0].is_within
        if best is not None and best[0].is_within:
            return Horizon(best[0].cycles - is_near, is_near)
        return Horizon(None, is_near, int(OVER * best[0].cycles) if best else self._far_cycles)

    def begins_streamed(self, names: tuple[str, ...], form: Graph) -> bool:
        """Return whether a form is too large for opt5; descents by curves are for some."""
        if not self._variant(names, form, partial=False).is_streamed:
            return False
        self._far_cycles = far_cycles(form, self.run.problem.space.dsp_limit)
        if begins := len(form.nodes) > MOST_NODES:
            self.run.clock.leave(sizing_effort(self._limit, 0.0, is_large=True))
        return begins

    def leave_what_follows(self, sizing_clock: SearchClock | None) -> None:
        """Leave time for what follows when FIFOs stay as they are, if `begin` didn't."""
        if sizing_clock is not None and self._quicker.best is None and self._best is not None:
            sizing_clock.leave(LAST_RUNS * self._best[1].judging_work)

    def begin(self, sizing_clock: SearchClock | None) -> None:
        """Take what other levels answer at once; if it isn't within, the design without lanes."""
        plain, clock = self._plain, self.run.clock

        def keep(tried: SimulatedDesign) -> None:
            self._quicker.add(tried, plain)
            self._report()

        began = clock.spent()
        if not any(isinstance(node, SequentialNode) for node in plain.graph.nodes):
            quicker_designs(plain, self.run, keep)  # whose plans would be built once more
        best = self._quicker.best
        if best is not None and best[0].is_within:
            began = clock.spent()
            plain.judged(best[0].chosen)
        elif best is None or not plain.is_large:  # of which that runs for long
            began = clock.spent()
            keep(plain.judged(plain.plainest()))
        judging = clock.spent() - began
        clock.leave(sizing_effort(self._limit, judging, is_large=plain.is_large))
        if sizing_clock is not None:
            sizing_clock.leave(LAST_RUNS * judging)

    def look(self, names: tuple[str, ...], graph: Graph) -> None:
        """Look for a design of one variant that is better than those of the others.

        Whole tiles come first where partial ones give a loop another factor: they are searched
        soon, and prune the rows of partial ones. The bound is of the last, with all choices.
        """
        if self._is_late(VARIANTS_SHARE * self._limit):
            return
        partial = self._options.space.partial_tiles
        widest = self._variant(names, graph, partial=partial)
        if widest.names != names:
            return
        choices, tiling_limit = [widest], self.run.problem.space.tiling_limit
        if partial and gains_from_partial_tiles(widest.graph, tiling_limit):
            choices.insert(0, self._variant(names, graph, partial=False))
        share = VARIANTS_SHARE if self._far_cycles is None else STREAMED_SHARE
        for variant in choices:
            if self._is_late(share * self._limit):
                return
            self._last = variant
            with suppress(SearchTooLargeError):
                self._search(variant, FIRST_LABELS, widest)
            widest.follow(variant)

    def refine(self) -> None:
        """Look for better designs of the best form, and for a bound."""
        self._bound(FIRST_LABELS)
        if (best := self._best) is not None and best[1].has_curves and not self._is_close():
            self._kick(1.0)  # after which a search that is proved has nothing to look for
        for labels, share in zip(MORE_LABELS, KICKS_SHARES, strict=True):
            best = self._searched.best or self._best
            if best is None or self._is_close() or best[1].is_proved:
                return
            self._kick(share)
            if self._is_late(SOON_SHARE * self._limit) and self._gap() <= self._options.good_gap:
                return
            with suppress(SearchTooLargeError):
                self._search(best[1], labels, best[1])
            self._bound(labels)
        if not self._is_close():
            self._kick(1.0)

    def settle_channels(self) -> None:
        """Change the channels of the best design as long as it gets better."""
        best, on = self._best, self._options.region.on
        if best is None or not is_open(best[1].ports, on):
            return
        for tried in settled(*best, self.run.clock):
            self._searched.add(tried, best[1])
            self._report()

    @property
    def transfer_cycles(self) -> int:
        """Return the cycles that the channels of the best design take at least."""
        if self._best is None:
            return 0
        design, variant = self._best
        return boundary_cycles(variant.graph, design.chosen.schedule.ports, variant.region.on)

    @property
    def rank(self) -> tuple[float, int]:
        """Return the rank of the best design; the last of all where there is none."""
        return (inf, 0) if self._best is None else self._best[0].rank

    def answer(self) -> Solution:
        """Return the best design with its bound; none is E401."""
        best, variant = self._least_over()
        best = variant.best_placed(best)
        found = best.solution(self.run)
        latency = found.latency_cycles
        least = min(latency, self._least_closed_cycles(variant))
        bound = bound_of_designs(variant, best, least, FIRST_LABELS, self.run.clock)
        count = self._searched.count + self._quicker.count
        return replace(
            found,
            bound=bound,
            proof=Proof.OPTIMAL if bound == latency else Proof.FEASIBLE,
            message=f"the best of {count} designs that were simulated",
            least_found_cycles=least if least < latency else 0,
        )

    def _keep(self, variant: GraphVariant, effort: SearchEffort, widest: GraphVariant) -> None:
        for tried in variant.tried(self._horizon, effort, self.run):
            self._searched.add(tried, widest)
            self._report()

    def _descend(self, variant: GraphVariant, widest: GraphVariant) -> None:
        """Go down from the designs of a variant that promise most."""
        effort = DESCENTS_SHARE * (self.run.clock.limit if widest.is_large else self._limit)
        for start in self._searched.descent_starts(widest):
            for tried in variant.descended(start, self.run.clock):
                self._searched.add(tried, widest)
                if self._is_late(effort):
                    return
            self._report()

    def _kick(self, share: float) -> None:
        """Go down from designs nearby the best ones, until that leads to no better ones."""
        fruitless = 0
        while fruitless < MOST_FRUITLESS and not self._is_late(share * self._limit):
            before = self._best
            for variant in self._searched.variants()[:KICKED]:
                for start in self._searched.starts(variant):
                    for tried in variant.descended(start, self.run.clock, self._random):
                        self._searched.add(tried, variant)
            fruitless = fruitless + 1 if self._best == before else 0
            self._report()

    def _search(self, variant: GraphVariant, labels: int, widest: GraphVariant) -> None:
        """Search a variant; again without bursts if they are what makes its best design slow."""
        self._keep(variant, SearchEffort(labels, steady=False), widest)
        if self._far_cycles is not None and variant is not widest:
            return
        self._descend(variant, widest)
        ends = widest.is_large and self._is_late(widest.steady_share * self._limit)
        best, least = self._searched.best, self._least_closed_cycles(widest)
        if not ends and (best is None or best[0].cycles > (1.0 + BURSTS) * least):
            self._keep(variant, SearchEffort(labels, steady=True), widest)
            self._descend(variant, widest)

    def _is_late(self, effort: float) -> bool:
        """Return whether there is a design, and more than this effort is spent."""
        best = self._searched.best
        return best is not None and best[0].is_within and self.run.clock.spent() > effort

    def _bound(self, labels: int) -> None:
        if self._best is None:
            return
        _, variant = self._best
        least = self._least_closed_cycles(variant)
        with suppress(SearchTooLargeError):
            if not variant.is_large:
                variant.raise_bound(least, labels, self.run.clock)
            if variant.is_paced and (found := variant.narrowed(least - 1, self.run)) is not None:
                self._searched.add(found, variant)
        self._report()

    def _is_close(self) -> bool:
        """Return whether the best design is next to the bound, and simulated as predicted."""
        if self._best is None or self._gap() > CLOSE:
            return False
        design, _ = self._best
        return design.cycles <= (1.0 + BURSTS) * design.chosen.cycles

    def _gap(self) -> float:
        """Return the gap between the bound and the least closed form within the limits."""
        assert self._best is not None
        best, variant = self._best
        closed = min(best.chosen.cycles, self._least_closed_cycles(variant))
        return 1.0 - variant.bound_cycles / max(1, closed)

    def _least_closed_cycles(self, variant: GraphVariant) -> int:
        """Return the least closed form of the designs of a variant, of those within the limits."""
        found = [pool.least_closed_cycles(variant) for pool in (self._searched, self._quicker)]
        return min((cycles for cycles in found if cycles is not None), default=NO_CYCLES)

    def _least_over(self) -> tuple[SimulatedDesign, GraphVariant]:
        """Return the best design, of quick choices where none is within the limits."""
        best = self._best
        if best is not None and best[0].is_within:
            return best
        searched = self._searched.best
        variant = self._last if searched is None else searched[1]
        spent, limit = self.run.clock.spent, self._limit
        tried = [(found, variant) for found in variant.quickest(lambda: spent() > limit)]
        tried += [pool.best for pool in (self._searched, self._quicker) if pool.best]
        least = min(found.chosen.dsps for found, _ in tried)
        if searched is None and least > self.run.problem.space.dsp_limit:
            raise nothing_fits(self.run.problem)
        found = best_of(tried)
        assert found is not None
        return found

    def _report(self) -> None:
        best, run = self._best, self.run
        if best is None:
            return
        if run.on_incumbent is not None and best[0].is_within:
            run.on_incumbent(replace(best[0].solution(run), stop=Stop.INTERRUPTED))
        self._reported = 0.0
        self._beat()

    def _beat(self) -> None:
        """Tell progress every now and then."""
        tell, now, best = self.run.options.on_progress, perf_counter(), self._best
        if tell is None or now - self._reported < HEARTBEAT_SECONDS:
            return
        self._reported = now
        found = None if best is None else float(best[0].cycles)
        bound = None if best is None else float(best[1].bound_cycles)
        is_bound = found is not None and bound is not None and bound <= found
        tell(self.run.clock.progress(found, bound if is_bound else None))
