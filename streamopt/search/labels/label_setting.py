"""Label setting: best schedules within a horizon, or lower bounds of them."""

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from streamopt.search.instance import SearchInstance
from streamopt.search.labels.bounds import bounds
from streamopt.search.labels.clusters import clustered_labels, most_labels
from streamopt.search.labels.component import Component, Mode, SearchStoppedError, undominated
from streamopt.search.labels.composition import contracted
from streamopt.work import TUNING as WORK
from streamopt.work import spend


@dataclass(frozen=True, slots=True)
class LabelTuning:
    """Limits of label setting; not measured."""

    # labels of a state that only its last write and DSPs tell apart: as many as there are DSP
    # counts, at most
    most_dsp_counts: int = 4096
    # a rough search thins labels that are so many times as many as it keeps, before it looks for
    # dominated ones: of 7mm_tree_balanced at opt6 that was two thirds of the time
    crowd: int = 4
    spare: int = 2  # times as many are left for those


TUNING = LabelTuning()


@dataclass(frozen=True, slots=True)
class LabelEffort:
    """How hard to search."""

    labels: int
    """Of one state, about; of more, close ones are merged or dropped."""
    mode: Mode
    """Which of these: lower bounds if relaxed, schedules if restricted."""
    should_stop: Callable[[], bool]
    """Called at every node; true ends the search."""
    is_rough: bool = False
    """Whether labels may be thinned before dominated ones are dropped, which proves nothing
    exact."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Labels of the whole graph, the fastest first unless another order was asked for.

    If relaxed, every schedule within the horizon and the limits is equalled or beaten by one of
    the labels, in latency and all resources.
    """

    latencies_cycles: tuple[int, ...] = ()
    """Of each label."""
    usage: tuple[tuple[int, ...], ...] = ()
    """Resources of each label, the DSPs first."""
    rows: tuple[dict[str, int], ...] = ()
    """By label and node of the graph: the row that it takes; empty if labels were merged."""
    is_exact: bool = False
    """Whether no label was merged or dropped but dominated ones, so that these are the
    Pareto-minimal schedules within the horizon and the limits, and none means that there is no
    schedule."""

    @property
    def latency_cycles(self) -> int | None:
        """Return the latency of the first label; None without any."""
        return self.latencies_cycles[0] if self.latencies_cycles else None

    @property
    def best_rows(self) -> dict[str, int]:
        """Return the rows of the first label; empty if these are not known."""
        return self.rows[0] if self.rows else {}


class _Trim:
    """Drops labels that can't be of use, and merges or drops close ones."""

    def __init__(self, problem: SearchInstance, horizon_cycles: int, effort: LabelEffort) -> None:
        self._problem = problem
        self._horizon = horizon_cycles
        self._effort = effort
        self._bounds = bounds(problem)
        self.is_exact = True

    def __call__(self, component: Component) -> Component:
        if self._effort.should_stop():
            raise SearchStoppedError
        spend(WORK.labels.trim)
        fits = self._bounds.fitting(component, self._horizon)
        left = component.taken(np.flatnonzero(fits))
        outs = self._problem.outs[component.exit]
        streams = any(self._problem.channels[e].streams for e in outs)
        many = streams or len(component.origins) > 1 or len(self._problem.limits) > 1
        labels = self._effort.labels if many else TUNING.most_dsp_counts
        if self._effort.is_rough and len(left) > TUNING.crowd * most_labels(left, labels):
            left = clustered_labels(left, TUNING.spare * labels, self._effort.mode)
            self.is_exact = False
        left = undominated(left)
        few = clustered_labels(left, labels, self._effort.mode)
        self.is_exact &= few is left
        return few


def search(
    problem: SearchInstance,
    horizon_cycles: int,
    effort: LabelEffort,
    *,
    most: int | None = 1,
    least_of: int | None = None,
) -> SearchResult:
    """Return the best labels within a horizon, as far as the effort goes.

    Parameters
    ----------
    most
        Labels that are returned; None for all.
    least_of
        A resource whose least amounts come first, instead of the fastest labels.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    SearchTooLargeError
        If the graph has too many open states; see `JoinTuning`.
    """
    steps = search_in_steps(problem, horizon_cycles, effort, most=most, least_of=least_of)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def search_in_steps(
    problem: SearchInstance,
    horizon_cycles: int,
    effort: LabelEffort,
    *,
    most: int | None = 1,
    least_of: int | None = None,
) -> Generator[None, None, SearchResult]:
    """Return the labels that `search` returns; stop after each node, so that others have turns."""
    trim = _Trim(problem, horizon_cycles, effort)
    whole = yield from contracted(problem, trim)
    cycles = whole.last[:, 0]
    wanted = cycles if least_of is None else whole.usage[:, least_of]
    ranked = np.lexsort((cycles, wanted))[:most].tolist()
    has_rows = trim.is_exact or effort.mode is Mode.RESTRICTED
    return SearchResult(
        tuple(int(cycles[label]) for label in ranked),
        tuple(tuple(whole.usage[label].tolist()) for label in ranked),
        tuple(problem.named_rows(whole.rows_of(label)) for label in ranked if has_rows),
        trim.is_exact,
    )
