"""Schedules by exact search over the graph, with a proof: models/formulations/search.md.

The search is repeated with more and more labels a state. Each round looks for a better schedule
than the known one, and then for a lower bound, both within the horizon that the known schedule
sets. It ends when nothing was thinned, when the bound meets the schedule, or when the time is up.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from streamopt.search.instance import instance
from streamopt.search.labels.component import Mode, SearchStoppedError, SearchTooLargeError
from streamopt.search.labels.label_setting import LabelEffort, SearchResult, search
from streamopt.search.local.local_search import LocalSearch
from streamopt.search.relaxation.beam import Beam, beam_search
from streamopt.search.relaxation.pieces import cut
from streamopt.search.relaxation.target_refutation import SolvedRelaxation, TargetRefutation
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Stop
from streamopt.space.assemble import assemble_rows, violations
from streamopt.space.horizon import HorizonFilter, same_rows
from streamopt.space.rows import node_rows
from streamopt.strategies.clock import SearchClock
from streamopt.strategies.exact.diving import DIVE_STEPS, dive
from streamopt.strategies.searched import searched

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.solvers.base import SolveOptions
    from streamopt.space.rows import NodeRows
    from streamopt.strategies.solution import OnIncumbent, Request, Solution

__all__ = ["LABELS", "SMALL_NODES", "solve_exact"]

LABELS = (16, 64, 256, 1024, 4096, 16384, 65536)
"""Labels a state, round by round."""
SMALL_NODES = 40
"""Graphs up to this size begin with more labels and with horizons near the lower bound."""
SMALL_LABELS = 1024
ROUNDS = (1, 400)
"""Rounds of local search at a time: at most, and times nodes."""
CLIMB = (1.06, 1.6, 2.4, 4.0)
"""Horizons to begin with, as multiples of the lower bound: they leave few rows."""
PIECE_LABELS = 100
"""Labels of a piece that may still grow, in the first relaxation."""
NARROW = Beam(labels=300, piece_labels=100)
WIDE = Beam(labels=1000, piece_labels=300)
"""The narrow beam gives a first schedule soon, the wide one a better one."""
FEW_PIECES = 0.45
"""Pieces of a stage whose prices are used to look for schedules again, at most, of the nodes."""
HEARTBEAT_SECONDS = 1.0
"""Between reports while nothing changes."""
NEAR = 2.0
"""Gap, times nodes, at which the best schedule itself is what is to be ruled out."""
MOST_PARTS = 8
"""A target that could not be ruled out is followed by nearer ones: a half, a quarter, an eighth."""
FIRST_STEP = 4.0
"""Horizon over bound before any schedule is found."""
HORIZON_CLOSENESS = 0.05
"""Of the horizon that large graphs begin with to the least one."""
CLOSENESS = 3e-2
ROUGH_CLOSENESS = 5e-2
"""Of the first relaxation; the latter with very many labels."""


class _Search:
    """One request with its rows and clock, and what is known so far."""

    def __init__(
        self,
        request: Request,
        options: SolveOptions,
        on_incumbent: OnIncumbent,
        most_nodes: int = SMALL_NODES,
        check: Callable[[], None] = lambda: None,
        clock: SearchClock | None = None,
    ) -> None:
        self.clock = clock or SearchClock(options)
        self._options = options
        self._on_incumbent = on_incumbent
        self.request = request
        self.space = request.space()
        self._rows = node_rows(self.space, check=check)
        self._horizons = HorizonFilter(self.space, self._rows)
        self.schedule = request.plainest()
        self.cycles = request.evaluate(self.schedule).latency_cycles
        self.is_small = len(request.graph.nodes) <= most_nodes
        self.bound_cycles = self._horizons.least_horizon(
            self.cycles, closeness=0.0 if self.is_small else HORIZON_CLOSENESS
        )
        self.found_any = False
        self._reported_seconds = 0.0
        self._within: dict[str, NodeRows] = {}
        self._chosen: dict[str, int] | None = None

    @property
    def is_proved(self) -> bool:
        """Return whether no schedule can be better than the known one."""
        return self.bound_cycles >= self.cycles

    def work(self) -> None:
        """Go through all passes and rounds, or until the schedule is proved."""
        steps: list[Callable[[], None]] = [] if self.is_small else [self._narrow]
        for labels in (n for n in LABELS if n >= SMALL_LABELS or not self.is_small):
            steps += [partial(self.improve, labels), partial(self.bound, labels)]
        for step in steps:
            if not self.is_proved:
                step()

    def _climb(self, climber: LocalSearch | None) -> LocalSearch | None:
        """Search around the best schedule, with fewer rounds the longer each takes.

        Without rows to begin with there is none, and schedules are left to the beams.
        """
        if climber is None:
            problem = instance(self.space, self._rows)
            stop, seed = self._should_stop, self._options.seed
            with suppress(SearchTooLargeError):
                climber = LocalSearch(problem, stop, self._keep_climbed, seed)
        if climber is None:
            return None
        if self._chosen is not None:
            climber.adopt(self._chosen, self.cycles)
        elif climber.cycles is None:
            climber.start()
        for _ in range(max(1, min(ROUNDS[0], ROUNDS[1] // len(self.request.graph.nodes)))):
            climber.round()
        return climber

    def _keep_climbed(self, chosen: dict[str, int], cycles: int) -> None:
        if cycles < self.cycles:
            self._keep(self._rows, SearchResult((cycles,), rows=(chosen,)))
            self._report()

    def improve(self, labels: int) -> None:
        """Look for a better schedule, first within horizons that leave few rows."""
        lower = self.bound_cycles
        steps = CLIMB if self.is_small and not self.found_any else ()
        for horizon in (*(int(lower * step) for step in steps), self.cycles - 1):
            if lower <= horizon < self.cycles and self._look(horizon, labels):
                return

    def _look(self, horizon_cycles: int, labels: int) -> bool:
        """Return whether there is a schedule within a horizon, and keep it."""
        rows = self._horizons.within(horizon_cycles)
        found = self._search(rows, horizon_cycles, labels, Mode.RESTRICTED)
        if rows is not None and found.latency_cycles is not None:
            self._keep(rows, found)
            if found.is_exact:
                self.bound_cycles = self.cycles
        elif found.is_exact:
            self.bound_cycles = max(self.bound_cycles, horizon_cycles + 1)
        self._report()
        return found.latency_cycles is not None

    def bound(self, labels: int) -> None:
        """Look for a lower bound of all schedules that are better than the known one."""
        for horizon in sorted({(self.bound_cycles + self.cycles) // 2, self.cycles - 1}):
            rows = self._horizons.within(horizon)
            found = self._search(rows, horizon, labels, Mode.RELAXED)
            if found.latency_cycles is not None:
                self.bound_cycles = max(self.bound_cycles, found.latency_cycles)
                self._report()
                return
            self.bound_cycles = horizon + 1
            self._report()

    def _narrow(self) -> None:
        """Bound by relaxations over pieces, whose prices find schedules too: (E23), (E24)."""
        narrowing = TargetRefutation(self._seconds_left, self._should_stop, self._raise_bound)
        climber = self._climb(None)
        base: SolvedRelaxation | None = None
        parts = 2
        while not self.is_proved and parts <= MOST_PARTS:
            if base is None or base.horizon_cycles < self.bound_cycles:
                base = self._base(narrowing)
                climber = self._climb(climber)
            else:
                target = min(base.horizon_cycles, self._target(parts))
                self._aim(narrowing, base, target)
                if self.bound_cycles <= target < self.cycles:
                    parts *= 2
                elif not self.is_proved:
                    climber = self._climb(climber)

    def _target(self, parts: int) -> int:
        """Return the latency to be ruled out next: that part of the way to the best schedule."""
        spread = self.cycles - self.bound_cycles
        is_near = spread * len(self.request.graph.nodes) <= NEAR * self.cycles
        return self.cycles - 1 if is_near and parts == 2 else self.bound_cycles + spread // parts

    def _aim(self, narrowing: TargetRefutation, base: SolvedRelaxation, target_cycles: int) -> None:
        """Try to rule a target out, unless a schedule within it is found."""
        for stage in narrowing.stages(base, target_cycles):
            if len(stage.program.cut.pieces) <= FEW_PIECES * len(self.request.graph.nodes):
                self._look_along(stage, WIDE)
            if self.cycles <= target_cycles:
                return

    def _base(self, narrowing: TargetRefutation) -> SolvedRelaxation | None:
        """Return a relaxation over small pieces, within a horizon that has schedules."""
        while not self.is_proved:
            horizon = min(self.cycles - 1, int(self.bound_cycles * FIRST_STEP))
            rows = self._horizons.within(horizon)
            self._within = rows or {}
            problem = instance(self.space, rows) if rows is not None else None
            pieces = cut(problem, horizon, PIECE_LABELS, self._should_stop) if problem else None
            if rows is None or pieces is None:
                self._raise_bound(horizon + 1)
                continue
            stage = narrowing.solved(pieces, CLOSENESS if pieces.is_fine else ROUGH_CLOSENESS)
            if self.bound_cycles <= horizon:
                self._look_along(stage, NARROW)
                self._look_along(stage, WIDE)
                return stage
        return None

    def _look_along(self, stage: SolvedRelaxation, beam: Beam) -> None:
        """Look for a better schedule by the prices of a relaxation."""
        found = beam_search(stage.program, stage.priced, beam, self._should_stop)
        if found.latency_cycles is not None and found.latency_cycles < self.cycles:
            self._keep(self._within, found)
            self._report()
            self._chosen = same_rows(self._rows, self._within, found.best_rows)

    def _raise_bound(self, cycles: int) -> None:
        if cycles > self.bound_cycles:
            self.bound_cycles = cycles
            self._report()

    def _seconds_left(self) -> float:
        left = self.clock.seconds_left()
        return inf if left is None else left

    def dive(self) -> None:
        """Take a schedule of quick choices, if there is one better than the known one."""
        horizons = [min(self.cycles, int(self.bound_cycles * step)) for step in DIVE_STEPS]
        found = dive(self.space, self._horizons, horizons, lambda _, cycles: cycles < self.cycles)
        if found is not None:
            self.schedule, self.cycles = found
            self.offer()

    def _search(
        self,
        rows: dict[str, NodeRows] | None,
        horizon_cycles: int,
        labels: int,
        mode: Mode,
    ) -> SearchResult:
        if rows is None:
            return SearchResult(is_exact=True)
        effort = LabelEffort(labels, mode, self.clock.should_stop)
        return search(instance(self.space, rows), horizon_cycles, effort)

    def _keep(self, rows: dict[str, NodeRows], found: SearchResult) -> None:
        """Keep a schedule that was found, with its latency in plain integers.

        A label that waits for a last write may do so where the walks agree (E4). Then the channel
        streams all the same, and the schedule is faster than the label. A bound counts the label
        that streams, too, so it holds; and none that was dropped is faster where none was thinned.
        """
        schedule = assemble_rows(self.request.graph, rows, found.best_rows)
        cycles = self.request.evaluate(schedule).latency_cycles
        broken = violations(self.space, schedule)
        assert not broken, broken
        known = found.latency_cycles
        is_as_found = known is not None and (cycles == known if found.is_exact else cycles <= known)
        assert is_as_found, f"{cycles} cycles, not {known}"
        self.schedule, self.cycles, self.found_any = schedule, cycles, True
        self.offer()

    def offer(self) -> None:
        """Tell whoever keeps incumbents of the best schedule so far."""
        if self._on_incumbent is not None:
            self._on_incumbent(self.solution(Stop.INTERRUPTED, "not final"))

    def _should_stop(self) -> bool:
        """Return whether to stop; every now and then, tell that the search goes on."""
        if self.clock.seconds() - self._reported_seconds > HEARTBEAT_SECONDS:
            self._report()
        return self.clock.should_stop()

    def _report(self) -> None:
        self._reported_seconds = self.clock.seconds()
        if self._options.on_progress is not None:
            progress = Progress(self.clock.seconds(), float(self.cycles), float(self.bound_cycles))
            self._options.on_progress(progress)

    def solution(self, stop: Stop, message: str) -> Solution:
        """Return what is known as a solution."""
        found = searched(
            self.request, self.schedule, stop, self._options, self.clock, is_proved=self.is_proved
        )
        return replace(found, bound_cycles=min(self.bound_cycles, self.cycles), message=message)


def solve_exact(
    request: Request,
    options: SolveOptions,
    on_incumbent: OnIncumbent = None,
    *,
    most_nodes: int = SMALL_NODES,
    check: Callable[[], None] = lambda: None,
    clock: SearchClock | None = None,
) -> Solution:
    """Return a best schedule by exact search; at any time the best so far with its bound.

    Parameters
    ----------
    on_incumbent
        Called with every better schedule as soon as it is found.
    most_nodes
        Up to which a graph is searched by labels alone; larger ones by descent and relaxations.
    check
        Called while rows are made; what it raises is raised, as there is no schedule yet.
    clock
        That has begun under the options; by default one of the time on the wall.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    SearchTooLargeError
        If the graph is too entangled for the first round.
    """
    run = _Search(request, options, on_incumbent, most_nodes, check, clock)
    stop, message = Stop.FINISHED, ""
    run.offer()
    try:
        run.work()
    except SearchStoppedError:
        stop = run.clock.stop
    except KeyboardInterrupt:
        stop = run.clock.interrupt()
    except SearchTooLargeError:
        if not run.found_any:
            raise
        message = "more labels than the search can hold"
    if run.is_small and not run.found_any and not run.is_proved:
        run.dive()
    return run.solution(stop, message)
