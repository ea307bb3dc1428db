"""The exact front of latency against DSPs: every schedule that no other beats in both.

A front is found box by box. What is known of a box, by exact search or by a solver, is schedules
in it and costs that every schedule in it is beaten or equalled by. Between two neighbours of the
front there is a box of schedules that neither beats; it is settled when a box around it is known
whose costs all lie outside. The front is exact when all boxes are settled, and valid at any time.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from streamopt.ir.schedule import Schedule
from streamopt.ir.text import html_table
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.result import Proof, Stop
from streamopt.space.objective import LatencyThenDsps
from streamopt.strategies.dispatch import answer
from streamopt.strategies.exact.boxes import Box, BoxAnswer, Boxes, BoxPoint
from streamopt.strategies.exact.latency import LABELS
from streamopt.strategies.exact.strategy import ExactSearch
from streamopt.strategies.paper_only import check_published
from streamopt.strategies.problem import Problem
from streamopt.strategies.protocol import Strategy
from streamopt.strategies.run import SEARCH, Run

OnFront = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """A schedule of a front."""

    cycles: int
    dsps: int
    bound_cycles: int
    """No schedule with at most as many DSPs has a lower latency."""
    bound_dsps: int
    """No schedule with at most the same latency takes fewer DSPs."""
    schedule: Schedule

    @property
    def is_proved(self) -> bool:
        """Return whether no schedule beats it."""
        return (self.bound_cycles, self.bound_dsps) == (self.cycles, self.dsps)


@dataclass(frozen=True, slots=True)
class Front:
    """Schedules that don't beat each other, latencies rising and DSPs falling.

    Attributes
    ----------
    open_boxes
        (latency, DSPs) within which a further schedule of the front may lie; none if it is exact.
    """

    problem: Problem
    points: tuple[FrontPoint, ...]
    open_boxes: tuple[Box, ...]
    stop: Stop
    solver: str
    solve_seconds: float

    def __repr__(self) -> str:
        """Return the ends of the front and its proof on one line."""
        return f"<Front of {self._title}>"

    def _repr_html_(self) -> str:
        """Show the points in a notebook."""
        header = ("cycles", "DSPs", "proved")
        rows = ((p.cycles, p.dsps, "yes" if p.is_proved else "no") for p in self.points)
        return html_table(f"Front of {self._title}", header, rows)

    @property
    def _title(self) -> str:
        ends = f"{len(self.points)} points"
        if self.points:
            first, last = self.points[0], self.points[-1]
            ends += f" from {first.cycles:,} cycles with {first.dsps:,} DSPs"
            ends += f" to {last.cycles:,} with {last.dsps:,}"
        return f"{self.problem.graph.name} at {self.problem.level.name}: {ends}, {self.proof}"

    @property
    def proof(self) -> Proof:
        """Return whether the front is proved to be all of it."""
        return Proof.FEASIBLE if self.open_boxes else Proof.OPTIMAL


@dataclass(frozen=True, slots=True)
class _KnownBox:
    """A box, and costs that every schedule in it is beaten or equalled by."""

    box: Box
    bounds: tuple[tuple[int, int], ...]

    def left(self, inner: Box) -> list[tuple[int, int]] | None:
        """Return the costs that lie in an inner box; None if it isn't one."""
        if inner.cycles > self.box.cycles or inner.dsps > self.box.dsps:
            return None
        return [(c, d) for c, d in self.bounds if c <= inner.cycles and d <= inner.dsps]


class _Tracing:
    """A front under construction."""

    def __init__(self, whole: Box) -> None:
        self._whole = whole
        self._known: list[_KnownBox] = []
        self.points: tuple[BoxPoint, ...] = ()

    def learn(self, box: Box, answer: BoxAnswer) -> None:
        """Take what was found out about a box."""
        self._known.append(_KnownBox(box, answer.bounds))
        every = sorted((*self.points, *answer.points), key=lambda p: (p.cycles, p.dsps))
        kept: list[BoxPoint] = []
        for point in every:
            if not kept or point.dsps < kept[-1].dsps:
                kept.append(point)
        self.points = tuple(kept)

    def open_boxes(self) -> list[Box]:
        """Return the boxes between neighbours that may still hold a schedule."""
        return [box for box in self._between() if self._costs(box) != []]

    def _between(self) -> Iterator[Box]:
        dsps = self._whole.dsps
        for point in self.points:
            yield Box(point.cycles - 1, dsps)
            dsps = point.dsps - 1
        yield Box(self._whole.cycles, dsps)

    def _costs(self, box: Box) -> list[tuple[int, int]] | None:
        """Return the fewest costs known to lie in a box; None if nothing is known of it."""
        found = [left for known in self._known if (left := known.left(box)) is not None]
        return min(found, key=len, default=None)

    def bounded(self, point: BoxPoint) -> FrontPoint:
        """Return a point of the front with its bounds."""
        faster = Box(point.cycles - 1, point.dsps)
        fewer = Box(point.cycles, point.dsps - 1)
        cycles = [known.left(faster) for known in self._known]
        dsps = [known.left(fewer) for known in self._known]
        return FrontPoint(
            cycles=point.cycles,
            dsps=point.dsps,
            bound_cycles=max(
                (
                    min((c for c, _ in left), default=point.cycles)
                    for left in cycles
                    if left is not None
                ),
                default=0,
            ),
            bound_dsps=max(
                (
                    min((d for _, d in left), default=point.dsps)
                    for left in dsps
                    if left is not None
                ),
                default=0,
            ),
            schedule=point.schedule,
        )


class _FrontSearch:
    """A run with the front so far."""

    def __init__(self, run: Run, strategies: Sequence[Strategy], on_front: OnFront | None) -> None:
        self._run = run
        self._strategies = strategies
        self._on_front = on_front
        start = run.problem.evaluate(run.problem.plainest())
        self._least_dsps = start.dsps
        self.tracing = _Tracing(Box(start.latency_cycles, run.problem.space.dsp_limit))
        self.used = SEARCH

    def work(self) -> None:
        """Settle boxes by exact search where it does, and else by a solver."""
        first = self._strategies[0]
        if isinstance(first, ExactSearch) and first.accepts(self._run.problem) is None:
            with suppress(SearchTooLargeError):
                self._search()
                return
        self.used = self._strategies[-1].name
        self._settle(self._solved)

    def _search(self) -> None:
        """Settle boxes by exact search, with more and more labels a state."""
        boxes = Boxes(self._run.problem, self._run.clock)
        for labels in LABELS:
            if not self._settle(lambda box, n=labels: boxes.ask(box, n)):
                return

    def _settle(self, ask: Callable[[Box], BoxAnswer]) -> bool:
        """Ask about every open box once; return whether any is left."""
        asked: set[Box] = set()
        while waiting := [box for box in self.tracing.open_boxes() if box not in asked]:
            asked.add(waiting[0])
            self.tracing.learn(waiting[0], ask(waiting[0]))
            if self._on_front is not None:
                self._on_front(len(self.tracing.points), len(self.tracing.open_boxes()))
        return bool(self.tracing.open_boxes())

    def _solved(self, box: Box) -> BoxAnswer:
        """Return the fastest schedule of a box, and that all others are slower."""
        self._run.clock.check()
        if box.dsps < self._least_dsps:
            return BoxAnswer((), (), is_exact=True)
        within = replace(self._run.problem, objective=LatencyThenDsps())
        part = self._run.part(within.within(dsp_limit=box.dsps), silent=True)
        found = answer(part, self._strategies)
        point = BoxPoint(found.latency_cycles, found.dsps, found.schedule)
        if found.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        if found.proof is not Proof.OPTIMAL:
            costs = ((found.bound, self._least_dsps),)
            return BoxAnswer((point,), costs, is_exact=False)
        later = (point.cycles + 1, self._least_dsps)
        return BoxAnswer((point,), ((point.cycles, point.dsps), later), is_exact=False)

    def result(self) -> Front:
        """Return the front so far."""
        open_boxes = tuple(self.tracing.open_boxes())
        return Front(
            problem=self._run.problem,
            points=tuple(map(self.tracing.bounded, self.tracing.points)),
            open_boxes=open_boxes,
            stop=self._run.stop if open_boxes else Stop.FINISHED,
            solver=self.used,
            solve_seconds=self._run.clock.seconds(),
        )


def solve_front(run: Run, strategies: Sequence[Strategy], on_front: OnFront | None = None) -> Front:
    """Return the front of latency against DSPs within the problem's DSPs.

    The exact search is taken where it can be, and else a solver, point by point. A time limit or
    Ctrl-C leaves the front so far, with the boxes that are open.

    Parameters
    ----------
    on_front
        Called with the numbers of points and of open boxes.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    SolverError
        If the level is opt6 (E523), or as `streamopt.strategies.dispatch.answer`.
    """
    level = run.problem.level
    check_published(level, "the front", "solve opt6 with one --dsp after another")
    search = _FrontSearch(run, strategies, on_front)
    with run.until_stopped():
        search.work()
    return search.result()
