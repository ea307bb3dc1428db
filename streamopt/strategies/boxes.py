"""Questions to the exact search about boxes: schedules within a latency and a number of DSPs.

All that is chosen for DSPs as well as latency comes down to such questions, as a search ends with
every Pareto-minimal (latency, DSPs) of its box: ``models/formulations/search.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from streamopt.search.dynamic import Effort, search_front
from streamopt.search.instance import instance
from streamopt.solvers.result import Stop
from streamopt.space.assemble import assemble, evaluate, violations
from streamopt.space.decisions import decision_space
from streamopt.space.horizon import HorizonFilter
from streamopt.space.level import LEVELS
from streamopt.space.rows import node_rows

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule
    from streamopt.search.dynamic import Front
    from streamopt.solvers.base import SolveOptions
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.rows import NodeRows
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
    """One graph with its rows and clock, ready for questions."""

    def __init__(self, request: Request, options: SolveOptions) -> None:
        self._started = perf_counter()
        self._options = options
        self._is_interrupted = False
        self.request = request
        self._space = decision_space(
            request.graph,
            LEVELS[request.level],
            dsp_limit=request.dsp_limit,
            tiling_limit=request.tiling_limit,
        )
        self._rows = node_rows(self._space)

    @property
    def stop(self) -> Stop:
        """Return why a search was stopped, if it was."""
        return Stop.INTERRUPTED if self._is_interrupted else Stop.TIME_LIMIT

    @property
    def seed(self) -> int:
        """Return the seed that was asked for; nothing here is random."""
        return self._options.seed

    def seconds(self) -> float:
        """Return the time since the request."""
        return perf_counter() - self._started

    def interrupt(self) -> None:
        """Note that the user pressed Ctrl-C."""
        self._is_interrupted = True

    def ask(self, box: Box, labels: int) -> Answer:
        """Return what is known of a box after searches from above and, if needed, from below.

        Raises
        ------
        SearchStoppedError, SearchTooLargeError
            As `search_front`.
        """
        space = replace(self._space, dsp_limit=min(box.dsps, self.request.dsp_limit))
        least = sum(space.lane_dsps.values())
        rows = None
        if space.dsp_limit >= least:
            rows = HorizonFilter(space, self._rows).within(box.cycles)
        if rows is None:
            return Answer((), (), is_exact=True)
        problem = instance(space, rows)
        above = search_front(problem, box.cycles, Effort(labels, False, self._should_stop))
        points = tuple(self._point(space, rows, above, label) for label in range(len(above.costs)))
        if above.is_exact:
            return Answer(points, above.costs, is_exact=True)
        below = search_front(problem, box.cycles, Effort(labels, True, self._should_stop))
        costs = tuple((point.cycles, point.dsps) for point in points)
        return Answer(points, below.costs, below.costs == costs)

    def _point(
        self, space: DecisionSpace, rows: dict[str, NodeRows], front: Front, label: int
    ) -> Point:
        """Return a label as a schedule, with its costs in plain integers."""
        chosen = front.rows[label]
        schedule = assemble(
            self.request.graph,
            {name: rows[name].orders[row] for name, row in chosen.items()},
            {name: rows[name].factors[row] for name, row in chosen.items()},
        )
        found = evaluate(self.request.graph, schedule)
        broken = violations(space, schedule)
        assert not broken, broken
        costs = (found.latency_cycles, found.dsps)
        assert costs == front.costs[label], f"{costs}, not {front.costs[label]}"
        return Point(*costs, schedule)

    def _should_stop(self) -> bool:
        asked = self._options.should_stop
        if asked is not None and asked():
            self._is_interrupted = True
        limit = self._options.time_limit_seconds
        return self._is_interrupted or (limit is not None and self.seconds() > limit)
