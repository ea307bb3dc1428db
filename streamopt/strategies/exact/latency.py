"""Schedules by exact search over the graph, with a proof: models/formulations/search.md.

The search is repeated with more and more labels a state. Each round looks for a better schedule
than the known one, and then for a lower bound, both within the horizon that the known schedule
sets. It ends when nothing was thinned, when the bound meets the schedule, or when the time is up.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress

from streamopt.search.instance import instance
from streamopt.search.labels.component import Mode, SearchTooLargeError
from streamopt.search.labels.label_setting import LabelEffort, SearchResult, search_in_steps
from streamopt.search.local.local_search import LocalSearch
from streamopt.search.relaxation.beam import Beam, beam_search
from streamopt.search.relaxation.pieces import cut
from streamopt.search.relaxation.target_refutation import SolvedRelaxation, TargetRefutation
from streamopt.space.assemble import assemble_rows, violations
from streamopt.space.horizon import HorizonFilter, same_rows
from streamopt.space.row_values import NodeRows
from streamopt.space.rows import node_rows
from streamopt.strategies.exact.deadlines import DeadlineAim, DeadlineSearch
from streamopt.strategies.exact.diving import DIVE_STEPS, dive
from streamopt.strategies.exact.turns import take_turns
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution

LABELS = (256, 1024, 4096, 16384, 65536)
"""Labels a state, round by round."""
LATENCY_LABELS = LABELS[1:]
"""Likewise, for the latency alone."""
SMALL_NODES = 40
"""Graphs up to this size begin with labels, and with horizons near the lower bound."""
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
FEWER_PIECES = 0.5
"""Likewise, of those of the stage of the same target whose prices were of no use."""
NEAR = 2.0
"""Gap, times nodes, at which the target to refute is one cycle below the best schedule."""
MOST_PARTS = 8
"""A target that could not be refuted is followed by nearer ones: a half, a quarter, an eighth."""
TURNS = (1.0, 4.0)
"""First weights of the work of targets and of labels, which rarely help where targets still do."""
ALMOST = 0.99
"""Share of a round that is done, at most, before it ends."""
FIRST_STEP = 4.0
"""Horizon over bound before any schedule is found."""
HORIZON_CLOSENESS = 0.05
"""Of the horizon that large graphs begin with to the least one."""
CLOSENESS = 3e-2
ROUGH_CLOSENESS = 5e-2
"""Of the first relaxation; the latter with very many labels."""


class _LatencySearch:
    """A run with its rows."""

    def __init__(
        self,
        run: Run,
        most_nodes: int,
        check: Callable[[], None],
        rows: Mapping[str, NodeRows] | None,
        *,
        aim: DeadlineAim | None,
    ) -> None:
        self.run, self._aim = run, aim
        self.graph = run.problem.graph
        self.space = run.problem.decision_space()
        self._rows = node_rows(self.space, check=check) if rows is None else dict(rows)
        self._horizons = HorizonFilter(self.space, self._rows)
        plainest = run.problem.plainest()
        cycles = run.problem.evaluate(plainest).latency_cycles
        run.begin(plainest, cycles)
        self.is_small = len(self.graph.nodes) <= most_nodes
        run.bound = self._horizons.least_horizon(
            cycles, closeness=0.0 if self.is_small else HORIZON_CLOSENESS
        )
        self._is_too_large = False
        self._within: dict[str, NodeRows] = {}
        self._chosen: dict[str, int] | None = None

    @property
    def cycles(self) -> int:
        """Return the latency of the best schedule."""
        assert self.run.cost is not None
        return self.run.cost

    def work(self) -> None:
        """Go through all passes and rounds, or until the schedule is proved."""
        searches = [self._labelled()]
        if self._aim is not None:
            self._pass_trees()
            return
        if not self.is_small:
            self._pass_trees()
            searches.insert(0, self._narrowed())
        weights = TURNS[-len(searches) :]
        take_turns(searches, lambda: (self.cycles, self.run.bound), weights)
        if self._is_too_large:
            raise SearchTooLargeError

    def _labelled(self) -> Iterator[float]:
        """Search and bound by labels, round by round; yield the share that is done of a round.

        Bounds of large graphs come first, as local search and beams find good schedules of these.
        """
        improve, bound = self._improving, self._bounding
        for labels in LATENCY_LABELS:
            for way in (improve, bound) if self.is_small else (bound, improve):
                steps, done = way(labels), 0
                try:
                    while not self.run.is_proved and next(steps, steps) is not steps:
                        done += 1
                        yield min(ALMOST, done / len(self.graph.nodes))
                except SearchTooLargeError:
                    self._is_too_large = True
                    return
                if self.run.is_proved:
                    return
                yield 1.0

    def _pass_trees(self) -> None:
        """Narrow the gap of a tree by deadlines: (E26) to (E28)."""

        def keep(rows: dict[str, NodeRows], chosen: dict[str, int]) -> None:
            schedule = assemble_rows(self.graph, rows, chosen)
            cycles = self.run.problem.evaluate(schedule).latency_cycles
            if cycles < self.cycles and not violations(self.space, schedule):
                self.run.offer(schedule, cycles)
                self._chosen = same_rows(self._rows, rows, chosen)

        DeadlineSearch(self.run, self.space, self._horizons, keep, aim=self._aim).work()

    def _climb(self, climber: LocalSearch | None) -> LocalSearch | None:
        """Search around the best schedule, with fewer rounds the longer each takes.

        Without rows to begin with there is none, and schedules are left to the beams.
        """
        if climber is None:
            problem = instance(self.space, self._rows)
            stop, seed = self.run.should_stop, self.run.options.seed
            with suppress(SearchTooLargeError):
                climber = LocalSearch(problem, stop, self._keep_climbed, seed)
        if climber is None:
            return None
        if self._chosen is not None:
            climber.adopt(self._chosen, self.cycles)
        elif climber.cycles is None:
            climber.start()
        for _ in range(max(1, min(ROUNDS[0], ROUNDS[1] // len(self.graph.nodes)))):
            climber.round()
        return climber

    def _keep_climbed(self, chosen: dict[str, int], cycles: int) -> None:
        if cycles < self.cycles:
            self._keep(self._rows, SearchResult((cycles,), rows=(chosen,)))
            self.run.report()

    def _improving(self, labels: int) -> Iterator[None]:
        """Look for a better schedule, first within horizons that leave few rows."""
        lower = self.run.bound
        steps = CLIMB if self.is_small and not self.run.has_found else ()
        for horizon in (*(int(lower * step) for step in steps), self.cycles - 1):
            if lower <= horizon < self.cycles and (yield from self._looked(horizon, labels)):
                return

    def _looked(self, horizon_cycles: int, labels: int) -> Generator[None, None, bool]:
        """Return whether there is a schedule within a horizon, and keep the best."""
        rows = self._horizons.within(horizon_cycles)
        found = yield from self._searched(rows, horizon_cycles, labels, Mode.RESTRICTED)
        if rows is not None and found.latency_cycles is not None:
            if found.latency_cycles < self.cycles:
                self._keep(rows, found)
            if found.is_exact:
                self.run.bound = self.cycles
        elif found.is_exact:
            self.run.bound = max(self.run.bound, horizon_cycles + 1)
        self.run.report()
        return found.latency_cycles is not None

    def _bounding(self, labels: int) -> Iterator[None]:
        """Look for a lower bound of all schedules that are better than the known one.

        Lower targets of large graphs are left to the relaxations, which have turns meanwhile.
        """
        lowest = (self.run.bound + self.cycles) // 2 if self.is_small else self.cycles - 1
        for horizon in sorted({lowest, self.cycles - 1}):
            rows = self._horizons.within(horizon)
            found = yield from self._searched(rows, horizon, labels, Mode.RELAXED)
            least = horizon + 1 if found.latency_cycles is None else found.latency_cycles
            self.run.bound = max(self.run.bound, least)
            self.run.report()
            if found.latency_cycles is not None:
                return

    def _narrowed(self) -> Iterator[float]:
        """Bound by relaxations over pieces, whose prices find schedules too: (E23), (E24)."""
        narrowing = TargetRefutation(self.run.should_stop, self.run.raise_bound)
        climber = self._climb(None)
        bases: list[SolvedRelaxation] = []
        parts = 2
        while not self.run.is_proved and parts <= MOST_PARTS:
            bases = [base for base in bases if base.horizon_cycles >= self.run.bound]
            if not bases:
                base = self._base(narrowing)
                bases += [base] if base is not None else []
                climber = self._climb(climber)
            else:
                most = max(base.horizon_cycles for base in bases)
                target = min(most, self._target(parts))
                wide = (base for base in bases if base.horizon_cycles >= target)
                base = min(wide, key=lambda base: base.horizon_cycles)
                last = yield from self._aimed(narrowing, base, target)
                if self.run.bound <= target < self.cycles:
                    parts *= 2
                    bases.append(last)
                elif not self.run.is_proved:
                    climber = self._climb(climber)
            yield True

    def _target(self, parts: int) -> int:
        """Return the latency to be ruled out next: that part of the way to the best schedule."""
        spread = self.cycles - self.run.bound
        is_near = spread * len(self.graph.nodes) <= NEAR * self.cycles
        return self.cycles - 1 if is_near and parts == 2 else self.run.bound + spread // parts

    def _aimed(
        self, narrowing: TargetRefutation, base: SolvedRelaxation, target_cycles: int
    ) -> Generator[bool, None, SolvedRelaxation]:
        """Try to rule a target out, unless a schedule within it is found; return the last stage.

        Where it isn't ruled out, nearer targets begin with that: its bound is higher.
        """
        stage, pieces = base, FEW_PIECES * len(self.graph.nodes)
        for stage in narrowing.stages(base, target_cycles):
            if len(stage.program.cut.pieces) <= pieces:
                known = self.cycles
                self._look_along(stage, WIDE)
                if self.cycles == known:
                    pieces = FEWER_PIECES * len(stage.program.cut.pieces)
            yield False
            if self.cycles <= target_cycles or target_cycles < self.run.bound:
                break
        return stage

    def _base(self, narrowing: TargetRefutation) -> SolvedRelaxation | None:
        """Return a relaxation over small pieces, within a horizon that has schedules."""
        while not self.run.is_proved:
            horizon = min(self.cycles - 1, int(self.run.bound * FIRST_STEP))
            rows = self._horizons.within(horizon)
            self._within = rows or {}
            problem = instance(self.space, rows) if rows is not None else None
            pieces = cut(problem, horizon, PIECE_LABELS, self.run.should_stop) if problem else None
            if rows is None or pieces is None:
                self.run.raise_bound(horizon + 1)
                continue
            stage = narrowing.solved(pieces, CLOSENESS if pieces.is_fine else ROUGH_CLOSENESS)
            if self.run.bound <= horizon:
                self._look_along(stage, NARROW)
                self._look_along(stage, WIDE)
                return stage
        return None

    def _look_along(self, stage: SolvedRelaxation, beam: Beam) -> None:
        """Look for a better schedule by the prices of a relaxation."""
        found = beam_search(stage.program, stage.priced, beam, self.run.should_stop)
        if found.latency_cycles is not None and found.latency_cycles < self.cycles:
            self._keep(self._within, found)
            self.run.report()
            self._chosen = same_rows(self._rows, self._within, found.best_rows)

    def dive(self) -> None:
        """Take a schedule of quick choices, if there is one better than the known one."""
        horizons = [min(self.cycles, int(self.run.bound * step)) for step in DIVE_STEPS]
        found = dive(self.space, self._horizons, horizons, lambda _, cycles: cycles < self.cycles)
        if found is not None:
            self.run.offer(*found)

    def _searched(
        self,
        rows: dict[str, NodeRows] | None,
        horizon_cycles: int,
        labels: int,
        mode: Mode,
    ) -> Generator[None, None, SearchResult]:
        if rows is None:
            return SearchResult(is_exact=True)
        effort = LabelEffort(labels, mode, self.run.clock.should_stop)
        return (yield from search_in_steps(instance(self.space, rows), horizon_cycles, effort))

    def _keep(self, rows: dict[str, NodeRows], found: SearchResult) -> None:
        """Keep a schedule that was found, with its latency in plain integers.

        A label that waits for a last write may do so where the walks agree (E4). Then the channel
        streams all the same, and the schedule is faster than the label. A bound counts the label
        that streams, too, so it holds; and none that was dropped is faster where none was thinned.
        """
        schedule = assemble_rows(self.graph, rows, found.best_rows)
        cycles = self.run.problem.evaluate(schedule).latency_cycles
        broken = violations(self.space, schedule)
        assert not broken, broken
        known = found.latency_cycles
        is_as_found = known is not None and (cycles == known if found.is_exact else cycles <= known)
        assert is_as_found, f"{cycles} cycles, not {known}"
        self.run.offer(schedule, cycles)


def solve_latency(
    run: Run,
    *,
    most_nodes: int = SMALL_NODES,
    check: Callable[[], None] = lambda: None,
    rows: Mapping[str, NodeRows] | None = None,
    aim: DeadlineAim | None = None,
) -> Solution:
    """Return a best schedule by exact search; at any time the best so far with its bound.

    Parameters
    ----------
    most_nodes
        Up to which a graph is searched by labels alone; larger ones by descent and relaxations.
    check
        Called while rows are made; what it raises is raised, as there is no schedule yet.
    rows
        Of the space or a wider one, with other limits and a longer horizon; None to make them.
    aim
        Of passes by deadlines alone, where costs are such that nodes wait for all operands
        (`NestTiming`), which only these know; the graph is a tree. None for all searches.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    SearchTooLargeError
        If the graph is too entangled for the first round.
    """
    search = _LatencySearch(run, most_nodes, check, rows, aim=aim)
    run.tell()
    with run.until_stopped("more labels than the search can hold"):
        search.work()
    if search.is_small and not run.has_found and not run.is_proved:
        search.dive()
    return run.solution()
