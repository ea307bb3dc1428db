"""Questions to the exact search about boxes: schedules within a latency and a number of DSPs.

All that is chosen for DSPs as well as latency comes down to such questions, as a search ends with
every Pareto-minimal (latency, DSPs) of its box: ``models/formulations/search.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.search.instance import instance
from streamopt.search.labels.label_setting import Effort, search_front
from streamopt.space.assemble import assemble_rows, violations
from streamopt.space.horizon import HorizonFilter
from streamopt.space.rows import node_rows

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule
    from streamopt.search.labels.label_setting import Front
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.rows import NodeRows
    from streamopt.strategies.clock import SearchClock
    from streamopt.strategies.solution import Request

__all__ = ["Answer", "Box", "Boxes", "Point"]


@dataclass(frozen=True, slots=True)
class Box:
    """All schedules with at most a latency and at most so many DSPs."""

    cycles: int
    dsps: int


@dataclass(frozen=True, slots=True)
class Point:
    """A schedule with its costs in plain integers."""

    cycles: int
    dsps: int
    schedule: Schedule


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a box after a search.

    Attributes
    ----------
    points
        Schedules in the box that don't beat each other, latencies rising.
    bounds
        Costs (latency, DSPs); every schedule in the box is beaten or equalled by one of them.
    is_exact
        Whether the points are all the Pareto-minimal ones of the box.
    """

    points: tuple[Point, ...]
    bounds: tuple[tuple[int, int], ...]
    is_exact: bool


class Boxes:
    """One graph with its rows, ready for questions."""

    def __init__(self, request: Request, clock: SearchClock) -> None:
        self._clock = clock
        self.request = request
        self._space = request.space()
        self._rows = node_rows(self._space)

    def ask(self, box: Box, labels: int) -> Answer:
        """Return what is known of a box after searches from above and, if needed, from below.

        Raises
        ------
        SearchStoppedError, SearchTooLargeError
            As `search_front`.
        """
        space = replace(self._space, dsp_limit=min(box.dsps, self.request.dsp_limit))
        least = sum(space.least_dsps.values())
        rows = None
        if space.dsp_limit >= least:
            rows = HorizonFilter(space, self._rows).within(box.cycles)
        if rows is None:
            return Answer((), (), is_exact=True)
        problem = instance(space, rows)
        above = search_front(problem, box.cycles, Effort(labels, False, self._clock.should_stop))
        points = tuple(self._point(space, rows, above, label) for label in range(len(above.costs)))
        if above.is_exact:
            return Answer(points, above.costs, is_exact=True)
        below = search_front(problem, box.cycles, Effort(labels, True, self._clock.should_stop))
        costs = tuple((point.cycles, point.dsps) for point in points)
        return Answer(points, below.costs, below.costs == costs)

    def _point(
        self, space: DecisionSpace, rows: dict[str, NodeRows], front: Front, label: int
    ) -> Point:
        """Return a label as a schedule, with its costs in plain integers."""
        schedule = assemble_rows(self.request.graph, rows, front.rows[label])
        found = self.request.evaluate(schedule)
        broken = violations(space, schedule)
        assert not broken, broken
        costs = (found.latency_cycles, found.dsps)
        assert costs == front.costs[label], f"{costs}, not {front.costs[label]}"
        return Point(*costs, schedule)
