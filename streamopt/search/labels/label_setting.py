"""One search: a best schedule within a horizon, or a lower bound of what any can reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.labels.bounds import bounds
from streamopt.search.labels.clusters import clustered_labels
from streamopt.search.labels.component import NEVER, Component, SearchStoppedError, pruned
from streamopt.search.labels.composition import contracted

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from streamopt.search.instance import SearchInstance
    from streamopt.search.labels.bounds import Bounds
    from streamopt.search.labels.component import Origin

    Integers = npt.NDArray[np.int64]

__all__ = ["Effort", "Found", "Front", "Ranked", "search", "search_front", "search_ranked"]

DSP_LEVELS = 4096
"""Labels of a state that only its last write and DSPs tell apart: never more than DSP counts."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to search.

    Attributes
    ----------
    labels
        Of one state, about; more are clustered_labels.
    from_below
        Whether thinning bounds from below, or keeps schedules.
    should_stop
        Asked at every node; true ends the search.
    """

    labels: int
    from_below: bool
    should_stop: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to.

    Attributes
    ----------
    latency_cycles
        Least latency of the labels that were left; None if none was.
    rows
        By node of the graph: the row of a label of that latency; empty from below.
    is_exact
        Whether nothing was merged, so that the latency is the least within the horizon, and
        none means that there is no schedule.
    """

    latency_cycles: int | None
    rows: dict[str, int]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Front:
    """All labels of the whole graph that a search came to.

    Attributes
    ----------
    costs
        Least latency in cycles and DSPs of every label, latencies rising and DSPs falling.
    rows
        By label and node of the graph: the row that it takes; empty from below.
    is_exact
        Whether nothing was merged, so that these are the Pareto-minimal costs of all schedules
        within the horizon and the DSPs.
    """

    costs: tuple[tuple[int, int], ...]
    rows: tuple[dict[str, int], ...]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """The fastest labels of the whole graph that a search came to, the fastest first.

    Attributes
    ----------
    latencies_cycles, amounts
        Of each label; the amounts are of further resources.
    rows
        By label and node of the graph: the row that it takes.
    is_exact
        Whether nothing was merged: no schedule is faster than the first label, and none means
        that there is no schedule.
    """

    latencies_cycles: tuple[int, ...]
    amounts: tuple[tuple[int, ...], ...]
    rows: tuple[dict[str, int], ...]
    is_exact: bool


class _Trim:
    """Drops the labels that don't matter, and thins the others."""

    def __init__(self, problem: SearchInstance, horizon_cycles: int, effort: Effort) -> None:
        self._problem = problem
        self._horizon = horizon_cycles
        self._effort = effort
        self._bounds = bounds(problem)
        self.has_thinned = False

    def __call__(self, component: Component) -> Component:
        if self._effort.should_stop():
            raise SearchStoppedError
        others = self._bounds.least_dsps - component.least_dsps
        fits = component.dsps <= self._problem.dsp_limit - others
        fits &= self._least_end(component) <= self._horizon
        rest = self._bounds.least_amounts - component.least_amounts
        limits = np.array(self._problem.limits, dtype=np.int64)
        fits &= (component.amounts + rest <= limits).all(axis=1)
        left = pruned(component.taken(np.flatnonzero(fits)))
        outs = self._problem.outs[component.exit]
        streams = any(self._problem.channels[e].streams for e in outs)
        resources = len(self._problem.limits) + (self._problem.dsp_limit > 0)
        many = streams or len(component.origins) > 1 or resources > 1
        labels = self._effort.labels if many else DSP_LEVELS
        thin = clustered_labels(left, labels=labels, from_below=self._effort.from_below)
        self.has_thinned |= thin is not left
        return thin

    def _least_end(self, component: Component) -> Integers:
        earliest = np.array([_least(self._bounds, origin) for origin in component.origins])
        ends: Integers = (component.last + earliest).max(axis=1, initial=NEVER)
        return ends + self._bounds.tail_cycles[component.exit]


def _least(known: Bounds, origin: Origin) -> int:
    node, which = origin
    if node < 0:
        return 0
    return known.first_cycles[node] if which == "first" else known.last_cycles[node]


def search(problem: SearchInstance, horizon_cycles: int, effort: Effort) -> Found:
    """Return the least latency within a horizon, as far as the effort goes.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    SearchTooLargeError
        If the graph has too many open states; see `streamopt.search.labels.component`.
    """
    trim = _Trim(problem, horizon_cycles, effort)
    whole = contracted(problem, trim)
    if not len(whole):
        return Found(None, {}, not trim.has_thinned)
    best = int(np.argmin(whole.last[:, 0]))
    rows: dict[int, int] = {}
    if not (effort.from_below and trim.has_thinned):
        whole.chosen(best, rows)
    return Found(
        int(whole.last[best, 0]),
        {problem.names[node]: row for node, row in rows.items() if problem.names[node]},
        not trim.has_thinned,
    )


def search_front(problem: SearchInstance, horizon_cycles: int, effort: Effort) -> Front:
    """Return the costs (latency, DSPs) that no others beat within a horizon.

    From below, no schedule within the horizon has a latency and DSPs that are not at least those
    of one of the costs.

    Raises
    ------
    SearchStoppedError, SearchTooLargeError
        As `search`.
    """
    trim = _Trim(problem, horizon_cycles, effort)
    whole = contracted(problem, trim)
    pairs = zip(whole.last[:, 0].tolist(), whole.dsps.tolist(), strict=True)
    costs = [(int(cycles), int(dsps)) for cycles, dsps in pairs]
    ranked = sorted(range(len(costs)), key=costs.__getitem__)
    is_exact = not trim.has_thinned
    found: list[dict[str, int]] = []
    if is_exact or not effort.from_below:
        for label in ranked:
            rows: dict[int, int] = {}
            whole.chosen(label, rows)
            names = problem.names
            found.append({names[node]: row for node, row in rows.items() if names[node]})
    return Front(tuple(costs[label] for label in ranked), tuple(found), is_exact)


def search_ranked(
    problem: SearchInstance,
    horizon_cycles: int,
    effort: Effort,
    *,
    most: int,
    column: int | None = None,
) -> Ranked:
    """Return at most so many labels of schedules within a horizon, the fastest ones.

    Parameters
    ----------
    column
        A further resource, to rank by that instead.

    Raises
    ------
    SearchStoppedError, SearchTooLargeError
        As `search`.
    """
    trim = _Trim(problem, horizon_cycles, effort)
    whole = contracted(problem, trim)
    wanted = whole.last[:, 0] if column is None else whole.amounts[:, column]
    ranked = np.lexsort((whole.last[:, 0], wanted))[:most].tolist()
    found: list[dict[str, int]] = []
    for label in ranked:
        rows: dict[int, int] = {}
        whole.chosen(label, rows)
        names = problem.names
        found.append({names[node]: row for node, row in rows.items() if names[node]})
    return Ranked(
        tuple(int(whole.last[label, 0]) for label in ranked),
        tuple(tuple(whole.amounts[label].tolist()) for label in ranked),
        tuple(found),
        not trim.has_thinned,
    )
