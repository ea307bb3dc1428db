"""Questions to the exact search about boxes: schedules within a latency and a number of DSPs.

All that is chosen for DSPs as well as latency comes down to such questions, as a search ends with
every Pareto-minimal (latency, DSPs) of its box: ``models/formulations/search.md``.
"""

from dataclasses import dataclass, replace

from streamopt.ir.schedule import Schedule
from streamopt.search.instance import SearchInstance, instance
from streamopt.search.labels.component import Mode
from streamopt.search.labels.label_setting import LabelEffort, SearchResult, search
from streamopt.space.assemble import assemble_rows, violations
from streamopt.space.decisions import DecisionSpace
from streamopt.space.horizon import HorizonFilter
from streamopt.space.row_values import NodeRows
from streamopt.space.rows import node_rows
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.problem import Problem


@dataclass(frozen=True, slots=True)
class Box:
    """All schedules with at most a latency and at most so many DSPs."""

    cycles: int
    dsps: int


@dataclass(frozen=True, slots=True)
class BoxPoint:
    """A schedule with its costs in plain integers."""

    cycles: int
    dsps: int
    schedule: Schedule


@dataclass(frozen=True, slots=True)
class BoxAnswer:
    """The schedules and bounds that a search found in a box."""

    points: tuple[BoxPoint, ...]
    """Schedules in the box that don't beat each other, latencies rising."""
    bounds: tuple[tuple[int, int], ...]
    """Costs (latency, DSPs); every schedule in the box is beaten or equalled by one of them."""
    is_exact: bool
    """Whether the points are all the Pareto-minimal ones of the box."""


class Boxes:
    """One graph with its rows, ready for questions."""

    def __init__(self, problem: Problem, clock: SearchClock) -> None:
        self._clock = clock
        self.problem = problem
        self._space = problem.decision_space()
        self._rows = node_rows(self._space)

    def ask(self, box: Box, labels: int) -> BoxAnswer:
        """Return the state of a box after restricted searches and, if needed, relaxed ones.

        Raises
        ------
        SearchStoppedError, SearchTooLargeError
            As `streamopt.search.labels.label_setting.search`.
        """
        space = replace(self._space, dsp_limit=min(box.dsps, self.problem.space.dsp_limit))
        least = sum(space.least_dsps.values())
        rows = None
        if space.dsp_limit >= least:
            rows = HorizonFilter(space, self._rows).within(box.cycles)
        if rows is None:
            return BoxAnswer((), (), is_exact=True)
        problem = instance(space, rows)
        above, costs = self._search(problem, box.cycles, labels, Mode.RESTRICTED)
        points = tuple(
            self._point(space, rows, chosen, own)
            for chosen, own in zip(above.rows, costs, strict=True)
        )
        if above.is_exact:
            return BoxAnswer(points, costs, is_exact=True)
        _, bounds = self._search(problem, box.cycles, labels, Mode.RELAXED)
        return BoxAnswer(points, bounds, bounds == costs)

    def _search(
        self, problem: SearchInstance, horizon_cycles: int, labels: int, mode: Mode
    ) -> tuple[SearchResult, tuple[tuple[int, int], ...]]:
        """Return all labels of a search, and their costs (latency, DSPs)."""
        effort = LabelEffort(labels, mode, self._clock.should_stop)
        found = search(problem, horizon_cycles, effort, most=None)
        pairs = zip(found.latencies_cycles, found.usage, strict=True)
        return found, tuple((cycles, used[0]) for cycles, used in pairs)

    def _point(
        self,
        space: DecisionSpace,
        rows: dict[str, NodeRows],
        chosen: dict[str, int],
        costs: tuple[int, int],
    ) -> BoxPoint:
        """Return a label as a schedule, with its costs in plain integers."""
        schedule = assemble_rows(self.problem.graph, rows, chosen)
        found = self.problem.evaluate(schedule)
        broken = violations(space, schedule)
        assert not broken, broken
        own = (found.latency_cycles, found.dsps)
        assert own == costs, f"{own}, not {costs}"
        return BoxPoint(*own, schedule)
