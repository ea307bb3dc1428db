"""Relaxations of limits on resources: the exact search with least amounts as further costs.

Rows take at least their amounts, whatever surrounds them: ``models/formulations/search.md``.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from streamopt.search.instance import SearchInstance, instance
from streamopt.search.labels.component import Mode, SearchTooLargeError
from streamopt.search.labels.label_setting import LabelEffort, SearchResult, search
from streamopt.search.labels.row_subset import worthwhile_rows
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows

Rows = Mapping[str, NodeRows]

T = TypeVar("T")

ENDLESS = 1 << 39
"""A limit that nothing exceeds."""


@dataclass(frozen=True, slots=True)
class RelaxationTuning:
    """Efforts of the relaxation; not measured."""

    labels: tuple[int, ...] = (2048, 256, 32)  # of a state; fewer where the search can't hold them
    candidates: int = 6  # labels that are returned


TUNING = RelaxationTuning()


@dataclass(frozen=True, slots=True)
class Relaxed:
    """Bound and candidates of the schedules of some rows."""

    bound_cycles: int | None
    """No schedule within the limits is faster; None if there is none within the horizon."""
    candidates: tuple[dict[str, int], ...]
    """One row of every node, by its place: schedules that may be within the limits, the fastest
    first."""


@dataclass(frozen=True, slots=True)
class LeastUsage:
    """A choice of one row of every node that takes little of one resource."""

    chosen: dict[str, int]
    amount: int
    """The resource that the choice takes, or less."""
    is_exact: bool
    """Whether no schedule takes less than the amount."""


def relaxed(
    space: DecisionSpace,
    rows: Rows,
    limits: tuple[int, ...],
    horizon_cycles: int,
    should_stop: Callable[[], bool],
) -> Relaxed:
    """Return bound and candidates of some rows within a horizon and limits on their usage.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    SearchTooLargeError
        If the graph is too entangled even for few labels.
    """
    few = worthwhile_rows(instance(space, rows, limits))
    if few is None:
        return Relaxed(None, ())
    problem = few.problem.without_slack()

    def found_with(labels: int) -> tuple[SearchResult, int | None]:
        effort = LabelEffort(labels, Mode.RESTRICTED, should_stop)
        found = search(problem, horizon_cycles, effort, most=TUNING.candidates)
        if found.is_exact:
            return found, found.latency_cycles
        below = search(problem, horizon_cycles, replace(effort, mode=Mode.RELAXED))
        return found, below.latency_cycles

    found, bound = _with_most_labels(found_with)
    return Relaxed(bound, tuple(map(few.original, found.rows)))


def least_usage(
    space: DecisionSpace, rows: Rows, resource: int, should_stop: Callable[[], bool]
) -> LeastUsage:
    """Return the choice of rows that takes least of one further resource, whatever of others.

    Raises
    ------
    SearchStoppedError, SearchTooLargeError
        As `relaxed`.
    """
    resources = next(iter(rows.values())).usage.own.shape[1]
    whole: SearchInstance = instance(space, rows, (ENDLESS,) * (resources - 1))
    few = worthwhile_rows(whole.of_resources((0, 1 + resource)))
    assert few is not None, "a limit that nothing exceeds leaves a row of every node"
    longest = sum(int(own.times.last_write.max()) for own in rows.values())

    def found_with(labels: int) -> SearchResult:
        effort = LabelEffort(labels, Mode.RESTRICTED, should_stop)
        return search(few.problem, longest, effort, least_of=1)

    found = _with_most_labels(found_with)
    return LeastUsage(few.original(found.best_rows), found.usage[0][1], found.is_exact)


def _with_most_labels(found_with: Callable[[int], T]) -> T:
    """Return the result of a search with as many labels as it can hold."""
    for labels in TUNING.labels[:-1]:
        with suppress(SearchTooLargeError):
            return found_with(labels)
    return found_with(TUNING.labels[-1])
