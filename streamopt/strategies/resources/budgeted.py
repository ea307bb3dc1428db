"""Exact searches of one space under changing limits on DSPs and LUTs.

Rows are made once, for the largest limits. LUTs are a further resource of the search, or have a
price in DSPs (a surrogate constraint) where that leaves the search too many labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from streamopt.ir.schedule import Schedule
from streamopt.search.instance import SearchInstance, instance
from streamopt.search.labels.clusters import clustered_rows
from streamopt.search.labels.component import Mode
from streamopt.search.labels.label_setting import LabelEffort, search
from streamopt.search.labels.row_subset import surrogate
from streamopt.space.assemble import assemble_rows, evaluate
from streamopt.space.decisions import DecisionSpace
from streamopt.space.horizon import HorizonFilter
from streamopt.space.row_values import NodeRows
from streamopt.space.rows import node_rows
from streamopt.space.steady import steady_rows
from streamopt.space.usage import RowUsage
from streamopt.strategies.exact.diving import DIVE_STEPS, dive
from streamopt.strategies.run import SEARCH, VERSION

Rows = Mapping[str, NodeRows]
ShouldStop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class BudgetTuning:
    """Sizes of searches under two limits; not measured."""

    # horizons to begin with, as multiples of the least one: low ones leave few rows
    steps: tuple[float, ...] = (1.3, 1.7, 2.4, 4.0)
    # rows up to which LUTs are a resource of their own; with more, they have a price
    few_rows: int = 30_000
    surrogate_labels: int = 4  # where they have a price, labels are fewer by this
    # a state of a node has a row for so many labels of a component, at most
    rows_per_label: int = 8
    least_state_rows: int = 8  # rows that every state may have


TUNING = BudgetTuning()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A space with its rows."""

    space: DecisionSpace
    rows: Rows

    @classmethod
    def of(cls, space: DecisionSpace, check: Callable[[], None] = lambda: None) -> Prepared:
        """Return a space with the rows within its horizon.

        Parameters
        ----------
        check
            Called every now and then; what it raises ends the work.

        Raises
        ------
        InfeasibleError
            If a node has none (E401).
        """
        return cls(space, node_rows(space, check=check))

    def steady(self) -> Prepared:
        """Return the same without the streams that come in bursts."""
        return Prepared(self.space, steady_rows(self.space, self.rows))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A schedule, its latency in cycles, what its rows take, and who chose it."""

    schedule: Schedule
    cycles: int
    dsps: int
    luts: int
    solver: str = SEARCH
    solver_version: str = VERSION


class BudgetedSearch:
    """One search after another in a prepared space, under limits of its own.

    Parameters
    ----------
    dsps, luts
        No more than the limits of the space.
    should_stop
        Called at every node; true ends a search.
    """

    def __init__(self, prepared: Prepared, dsps: int, luts: int, should_stop: ShouldStop) -> None:
        self._rows = prepared.rows
        self._space = replace(prepared.space, dsp_limit=dsps, lut_limit=luts)
        self._horizons = HorizonFilter(self._space, prepared.rows)
        self._should_stop = should_stop

    @property
    def has_many_rows(self) -> bool:
        """Return whether LUTs are paid for, rather than a resource of their own."""
        return sum(map(len, self._rows.values())) > TUNING.few_rows

    def least_cycles(self, horizon_cycles: int) -> int:
        """Return a lower bound of schedules within a horizon; more than it if there is none."""
        return self._horizons.least_horizon(horizon_cycles + 1)

    def best(
        self, horizon_cycles: int, labels: int, price: float, hoped_cycles: int = 0
    ) -> Chosen | None:
        """Return a fast schedule within a horizon; None if none was found.

        Where LUTs have a price, it may exceed one of the limits, but not what both come to.

        Parameters
        ----------
        labels
            Of one state.
        price
            In DSPs, for one LUT, where there are too many rows for two resources.
        hoped_cycles
            Below which nothing is looked for at first.

        Raises
        ------
        SearchStoppedError, SearchTooLargeError
            As `streamopt.search.labels.label_setting.search`.
        """
        least = max(hoped_cycles, self.least_cycles(horizon_cycles))
        for horizon in (*(int(least * step) for step in TUNING.steps), horizon_cycles):
            if least <= horizon <= horizon_cycles:
                found = self._within(horizon, labels, price)
                if found is not None:
                    return found
        return None

    def quick(self, horizon_cycles: int) -> Schedule | None:
        """Return a schedule of quick choices within the limits; None if they fail."""
        least = self.least_cycles(horizon_cycles)
        horizons = [min(horizon_cycles, int(least * step)) for step in DIVE_STEPS]
        found = dive(self._space, self._horizons, horizons, lambda _, cycles: cycles > 0)
        return None if found is None else found[0]

    def bound(self, horizon_cycles: int, labels: int, price: float | None) -> int:
        """Return a lower bound of schedules within a horizon; more than it if there is none.

        Parameters
        ----------
        price
            Of LUTs in DSPs; None for two resources, which needs more labels to tell as much.

        Raises
        ------
        SearchStoppedError, SearchTooLargeError
            As `streamopt.search.labels.label_setting.search`.
        """
        rows = self._horizons.within(horizon_cycles)
        if rows is None:
            return horizon_cycles + 1
        problem = instance(self._space, rows)
        if len(problem.limits) > 1 and price is not None:
            problem = surrogate(problem, price).problem
        few = clustered_rows(problem, _state_rows(labels), Mode.RELAXED).problem
        effort = LabelEffort(labels, Mode.RELAXED, self._should_stop, is_rough=True)
        latency = search(few, horizon_cycles, effort).latency_cycles
        return horizon_cycles + 1 if latency is None else latency

    def _within(self, horizon_cycles: int, labels: int, price: float) -> Chosen | None:
        rows = self._horizons.within(horizon_cycles)
        if rows is None:
            return None
        # channels are left to the allowance: with them, as many labels find slower schedules
        whole = instance(self._space, without_channels(rows))
        paid = surrogate(whole, price) if _has_many_rows(whole) else None
        problem = whole if paid is None else paid.problem
        labels = labels if paid is None or not price else max(1, labels // TUNING.surrogate_labels)
        few = clustered_rows(problem, _state_rows(labels), Mode.RESTRICTED)
        effort = LabelEffort(labels, Mode.RESTRICTED, self._should_stop, is_rough=True)
        found = search(few.problem, horizon_cycles, effort)
        if found.latency_cycles is None:
            return None
        places = few.original(found.best_rows)
        return self._chosen(rows, places if paid is None else paid.original(places))

    def _chosen(self, rows: Rows, places: Mapping[str, int]) -> Chosen:
        graph = self._space.graph
        schedule = assemble_rows(graph, rows, places)
        cycles = evaluate(graph, schedule, self._space.costs).latency_cycles
        used = np.sum([rows[name].usage.own[place] for name, place in places.items()], axis=0)
        return Chosen(schedule, cycles, int(used[0]), int(used[1]))


def without_channels(rows: Rows) -> dict[str, NodeRows]:
    """Return rows whose usage is that of the nodes alone, without the channels that can stream."""
    return {name: replace(own, usage=RowUsage(own.usage.own)) for name, own in rows.items()}


def _has_many_rows(problem: SearchInstance) -> bool:
    """Return whether LUTs are paid for; they must be short at all."""
    return len(problem.limits) > 1 and sum(len(own) for own in problem.nodes) > TUNING.few_rows


def _state_rows(labels: int) -> int:
    return max(TUNING.least_state_rows, labels // TUNING.rows_per_label)
