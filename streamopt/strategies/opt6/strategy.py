"""Level opt6: variants of the graph, each searched by the costs as built, the best one simulated.

A variant is the graph after some rewrites. The schedule that its search returns is lowered and
simulated, so that it is judged by all that it takes. Where that is more than the device region
has, what the design takes beyond its rows is left to it, and the variant is searched again:
``models/formulations/opt6.md``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.evaluation.boundary_ports import boundary_of_form
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Proof, Stop
from streamopt.space.level import LevelName
from streamopt.space.objective import Latency
from streamopt.strategies.opt6.choices import gains_from_partial_tiles, variants
from streamopt.strategies.opt6.graph_variant import CLOSE, GraphVariant, SearchOptions
from streamopt.strategies.opt6.opt5_start import quicker_designs
from streamopt.strategies.opt6.search_budget import Horizon, SearchEffort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.graph import Graph
    from streamopt.strategies.opt6.simulated_design import SimulatedDesign
    from streamopt.strategies.problem import Problem
    from streamopt.strategies.run import Run, SearchClock
    from streamopt.strategies.solution import Solution

__all__ = ["Opt6"]

FIRST_LABELS = 256
"""Labels a state, in the first search of every variant."""
MORE_LABELS = (1024, 4096)
"""Likewise, of the variant that has the best design then."""
BURSTS = 0.02
"""Share by which a simulation is later than the closed form where bursts are the likely reason."""
NO_CYCLES = 2**62
"""Stands for 'no design yet': more than any has."""
VARIANTS_SHARE = 0.4
"""Of the time limit, after which no further variant is begun."""
SIZING_SHARE = 0.1
"""Of the time limit, for the FIFOs at the end."""
SIZING_RUNS = 40.0
"""Likewise, at least, in times of the first design's judging."""
LAST_RUNS = 18.0
"""Of these, for what follows when FIFOs stay as they are: simulations with the least FIFOs wait for
each other at every cycle, so that they take longer."""


@dataclass(frozen=True, slots=True)
class Opt6:
    """The schedule of fewest simulated cycles of all variants of a graph.

    Attributes
    ----------
    sizing_clock
        Of making FIFOs small afterwards: it is told what time to leave for what follows.
    """

    options: SearchOptions
    sizing_clock: SearchClock | None = None

    @property
    def name(self) -> str:
        """Return the name."""
        return LevelName.OPT6.value

    def accepts(self, problem: Problem) -> Diagnostic | None:
        """Return why a problem can't be solved (E523, E524)."""
        if not isinstance(problem.objective, Latency):
            message = f"{self.name} minimises the latency, and nothing else"
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
        search = _VariantSearch(run, self.options)
        problem, space = run.problem, self.options.space
        with run.until_stopped():
            search.begin(self.sizing_clock)
            shares = bool(problem.ports)
            for names, graph in variants(problem.graph, space.without, shares_arguments=shares):
                search.look(names, graph)
            search.refine()
        return search.answer()


class _VariantSearch:
    """A run with the variants of its graph, and the designs that were tried."""

    def __init__(self, run: Run, options: SearchOptions) -> None:
        self.run = run
        self._options = options
        plain = self._variant((), run.problem.graph, partial=options.space.partial_tiles)
        self._variants = [plain]
        self._tried: list[tuple[SimulatedDesign, GraphVariant]] = []
        self._quicker: list[tuple[SimulatedDesign, GraphVariant]] = []

    def _variant(self, names: tuple[str, ...], graph: Graph, *, partial: bool) -> GraphVariant:
        problem, on = self.run.problem, self._options.region.on
        outside, ports = boundary_of_form(graph, problem.ports, on)
        own = replace(problem, graph=outside, ports=ports)
        return GraphVariant(own, names, self._options, partial_tiles=partial)

    @property
    def _best(self) -> tuple[SimulatedDesign, GraphVariant] | None:
        """Return the best design of all; of equal ones one that was searched for."""
        return _best_of([*self._tried, *self._quicker])

    @property
    def _horizon(self) -> Horizon:
        """Return which designs are of interest."""
        searched = _best_of(self._tried)
        is_near = searched is not None and searched[0].is_within
        best = self._best
        if best is None or not best[0].is_within:
            return Horizon(None, is_near)
        return Horizon(best[0].cycles - is_near, is_near)

    def begin(self, sizing_clock: SearchClock | None) -> None:
        """Take what other levels answer at once, for the graph as it is."""
        plain, clock = self._variants[0], self.run.clock

        def keep(tried: SimulatedDesign) -> None:
            self._quicker.append((tried, plain))
            self._report()

        began = clock.seconds()
        keep(plain.judged(plain.plainest()))
        judging = clock.seconds() - began
        share = SIZING_SHARE * (self.run.options.time_limit_seconds or 0.0)
        clock.leave(max(share, SIZING_RUNS * judging))
        if sizing_clock is not None:
            sizing_clock.leave(LAST_RUNS * judging)
        quicker_designs(plain, self.run, keep)

    def look(self, names: tuple[str, ...], graph: Graph) -> None:
        """Look for a design of one variant that is better than those of the others.

        Whole tiles come first where partial ones give a loop another factor: they are searched
        soon, and their designs prune the rows of partial ones. Where the closed form misses
        stalls, they may also be faster when simulated. The bound is of the last, with all choices.
        """
        if self._is_late():
            return
        partial = self._options.space.partial_tiles
        widest = self._variant(names, graph, partial=partial)
        tiling_limit = self.run.problem.space.tiling_limit
        choices = [widest]
        if partial and gains_from_partial_tiles(widest.graph, tiling_limit):
            choices.insert(0, self._variant(names, graph, partial=False))
        for variant in choices:
            if self._is_late():
                return
            self._variants.append(variant)
            with suppress(SearchTooLargeError):
                self._search(variant, FIRST_LABELS, widest)

    def refine(self) -> None:
        """Look for better designs of the best form, and for a bound."""
        self._bound(FIRST_LABELS)
        for labels in MORE_LABELS:
            best = _best_of(self._tried) or self._best
            if best is None or self._gap() <= CLOSE:
                return
            _, variant = best
            with suppress(SearchTooLargeError):
                self._search(variant, labels, variant)
            self._bound(labels)

    def answer(self) -> Solution:
        """Return the best design with its bound.

        Raises
        ------
        InfeasibleError
            If there is none (E401).
        """
        best, variant = self._least_over()
        found = best.solution(self.run)
        latency = found.latency_cycles
        least = min(latency, self._least_closed_cycles(variant))
        bound = min(variant.bound_cycles, least)
        count = len(self._tried) + len(self._quicker)
        return replace(
            found,
            bound=bound,
            proof=Proof.OPTIMAL if bound == latency else Proof.FEASIBLE,
            message=f"the best of {count} designs that were simulated",
            least_found_cycles=least if least < latency else 0,
        )

    def _keep(self, variant: GraphVariant, effort: SearchEffort, widest: GraphVariant) -> None:
        for tried in variant.tried(self._horizon, effort, self.run):
            self._tried.append((tried, widest))
            self._report()

    def _search(self, variant: GraphVariant, labels: int, widest: GraphVariant) -> None:
        """Search a variant; again without bursts if they are what makes its best design slow."""
        self._keep(variant, SearchEffort(labels, steady=False), widest)
        best = _best_of(self._tried)
        if best is None or best[0].cycles > (1.0 + BURSTS) * best[0].chosen.cycles:
            self._keep(variant, SearchEffort(labels, steady=True), widest)

    def _is_late(self) -> bool:
        """Return whether the other variants are left out, as there is a design and little time."""
        best, limit = _best_of(self._tried), self.run.options.time_limit_seconds
        has_design = best is not None and best[0].is_within
        return (
            has_design and limit is not None and self.run.clock.seconds() > VARIANTS_SHARE * limit
        )

    def _bound(self, labels: int) -> None:
        if self._best is None:
            return
        _, variant = self._best
        with suppress(SearchTooLargeError):
            variant.raise_bound(self._least_closed_cycles(variant), labels, self.run.clock)
        self._report()

    def _gap(self) -> float:
        assert self._best is not None
        best, variant = self._best
        return 1.0 - variant.bound_cycles / max(1, best.chosen.cycles)

    def _least_closed_cycles(self, variant: GraphVariant) -> int:
        """Return the least closed form of the designs of a variant, of those within the limits."""
        own = [tried for tried, its in [*self._tried, *self._quicker] if its is variant]
        within = [tried.predicted_cycles for tried in own if tried.is_within]
        return min(within or [tried.predicted_cycles for tried in own], default=NO_CYCLES)

    def _least_over(self) -> tuple[SimulatedDesign, GraphVariant]:
        """Return the best design, of quick choices where none is within the limits."""
        best = self._best
        if best is not None and best[0].is_within:
            return best
        searched = _best_of(self._tried)
        variant = self._variants[-1] if searched is None else searched[1]
        tried = [*self._quicker, *((found, variant) for found in variant.quickest(self._is_over))]
        least = min(found.chosen.dsps for found, _ in tried)
        if searched is None and least > self.run.problem.space.dsp_limit:
            raise _nothing_fits(self.run.problem)
        found = _best_of([*tried, *([best] if best else [])])
        assert found is not None
        return found

    def _is_over(self) -> bool:
        limit = self.run.options.time_limit_seconds
        return limit is not None and self.run.clock.seconds() > limit

    def _report(self) -> None:
        best = self._best
        if best is None:
            return
        run = self.run
        if run.on_incumbent is not None:
            run.on_incumbent(replace(best[0].solution(run), stop=Stop.INTERRUPTED))
        if run.options.on_progress is not None:
            seconds, cycles = run.clock.seconds(), float(best[0].cycles)
            run.options.on_progress(Progress(seconds, cycles, float(best[1].bound_cycles)))


def _best_of(
    pairs: Sequence[tuple[SimulatedDesign, GraphVariant]],
) -> tuple[SimulatedDesign, GraphVariant] | None:
    return min(pairs, key=lambda pair: pair[0].rank, default=None)


def _nothing_fits(problem: Problem) -> InfeasibleError:
    return InfeasibleError(
        Diagnostic(
            "E401",
            f"{problem.graph.name} needs more than {problem.space.dsp_limit} DSPs with no "
            "unrolling, when all operators are counted",
            hint="give --dsp a larger number, or let adders be LUTs: --binding free",
        )
    )
