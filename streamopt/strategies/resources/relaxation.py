"""Relaxations of limits on resources: the exact search with least amounts as further costs.

Rows take at least their amounts, whatever surrounds them: ``models/formulations/search.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.instance import instance
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.search.labels.label_setting import Effort, search, search_ranked
from streamopt.space.fronts import minimal
from streamopt.space.horizon import chosen_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from streamopt.search.amounts import Amounts
    from streamopt.search.instance import SearchInstance
    from streamopt.search.labels.label_setting import Ranked
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.rows import NodeRows

    Integers = npt.NDArray[np.int64]
    Rows = Mapping[str, NodeRows]

__all__ = ["Relaxed", "Thriftiest", "relaxed", "thriftiest"]

LABELS = (2048, 256, 32)
"""Labels a state; fewer where the search can't hold them."""
CANDIDATES = 6
"""Labels that are returned."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """What is known of the schedules of some rows.

    Attributes
    ----------
    bound_cycles
        No schedule within the limits is faster; None if there is none within the horizon.
    candidates
        One row of every node, by its place: schedules that may be within the limits, the fastest
        first.
    is_exact
        Whether the bound is the latency of the first candidate.
    """

    bound_cycles: int | None
    candidates: tuple[dict[str, int], ...]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Thriftiest:
    """A choice of one row of every node that takes little of one resource.

    Attributes
    ----------
    amount
        What it takes, or less.
    is_exact
        Whether no schedule takes less than the amount.
    """

    chosen: dict[str, int]
    amount: int
    is_exact: bool


def relaxed(
    space: DecisionSpace,
    rows: Rows,
    amounts: Amounts,
    horizon_cycles: int,
    should_stop: Callable[[], bool],
) -> Relaxed:
    """Return bound and candidates of some rows within a horizon and the limits of amounts.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    SearchTooLargeError
        If the graph is too entangled even for few labels.
    """
    places = _worthwhile(space, rows, amounts)
    if places is None:
        return Relaxed(None, (), is_exact=True)
    problem = _problem(space, rows, amounts, places)
    for labels in LABELS:
        try:
            effort = Effort(labels, from_below=False, should_stop=should_stop)
            found = search_ranked(problem, horizon_cycles, effort, most=CANDIDATES)
            bound = found.latencies_cycles[0] if found.latencies_cycles else None
            if not found.is_exact:
                below = replace(effort, from_below=True)
                bound = search(problem, horizon_cycles, below).latency_cycles
            return _relaxed(found, places, bound)
        except SearchTooLargeError:
            continue
    raise SearchTooLargeError


def thriftiest(
    space: DecisionSpace, rows: Rows, amounts: Amounts, should_stop: Callable[[], bool]
) -> Thriftiest:
    """Return the choice of rows that takes least of the one resource of the amounts.

    Raises
    ------
    SearchStoppedError, SearchTooLargeError
        As `relaxed`.
    """
    places = _worthwhile(space, rows, amounts)
    assert places is not None, "a limit that nothing exceeds leaves a row of every node"
    problem = _problem(space, rows, amounts, places, always=True)
    longest = sum(max(own.times.last_write) for own in rows.values())
    for labels in LABELS:
        effort = Effort(labels, from_below=False, should_stop=should_stop)
        try:
            found = search_ranked(problem, longest, effort, most=1, column=0)
        except SearchTooLargeError:
            continue
        chosen = _relaxed(found, places, None).candidates[0]
        return Thriftiest(chosen, found.amounts[0][0], found.is_exact)
    raise SearchTooLargeError


def _problem(
    space: DecisionSpace,
    rows: Rows,
    amounts: Amounts,
    places: Mapping[str, Integers],
    *,
    always: bool = False,
) -> SearchInstance:
    flags = {name: np.isin(np.arange(len(own)), places[name]) for name, own in rows.items()}
    left = amounts.taken(space, places)
    columns = range(len(left.limits)) if always else left.may_exceed()
    return instance(space, chosen_rows(rows, flags), left.of(columns))


def _relaxed(found: Ranked, places: Mapping[str, Integers], bound: int | None) -> Relaxed:
    return Relaxed(
        bound_cycles=bound,
        candidates=tuple(
            {name: int(places[name][row]) for name, row in rows.items()} for rows in found.rows
        ),
        is_exact=found.is_exact,
    )


def _worthwhile(space: DecisionSpace, rows: Rows, amounts: Amounts) -> dict[str, Integers] | None:
    """Return the rows that fit beside the least of all others and that no other row replaces.

    None if some node has none.
    """
    least = _least(amounts, space)
    limits = np.array(amounts.limits, dtype=np.int64)
    spare = limits - np.sum(list(least.values()), axis=0)
    class_of = space.class_of()
    found: dict[str, Integers] = {}
    for node in space.graph.nodes:
        own = rows[node.name]
        fits = np.flatnonzero((amounts.nodes[node.name] <= least[node.name] + spare).all(axis=1))
        if not len(fits):
            return None
        shared = [
            place
            for place, loop in enumerate(node.trip_counts)
            if len(space.classes[class_of[node.name, loop]].members) > 1
        ]
        groups = _groups(own, shared)[fits]
        found[node.name] = np.sort(fits[minimal(groups, _seen(space, own, amounts)[fits])])
    return found


def _least(amounts: Amounts, space: DecisionSpace) -> dict[str, Integers]:
    """Return what each node takes at least, with the channels to it."""
    least: dict[str, Integers] = {name: own.min(axis=0) for name, own in amounts.nodes.items()}
    for edge in space.graph.edges:
        if edge.channel in amounts.as_fifo:
            both = np.minimum(amounts.as_fifo[edge.channel], amounts.as_buffer[edge.channel])
            least[edge.consumer] = least[edge.consumer] + both.min(axis=0)
    return least


def _groups(rows: NodeRows, shared: list[int]) -> Integers:
    """Return one number for rows of equal walks and shared factors: what must match outside."""
    keys = [
        (tuple(factors[place] for place in shared), *walks)
        for factors, *walks in zip(rows.factors, *rows.streams.values(), strict=True)
    ]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def _seen(space: DecisionSpace, rows: NodeRows, amounts: Amounts) -> Integers:
    """Return all that is better when smaller, shape (rows, costs)."""
    times = [
        rows.dsps,
        rows.times.first_write,
        rows.times.last_write,
        *rows.times.epilogue.values(),
    ]
    parts = [np.array(times, dtype=np.int64).T, amounts.nodes[rows.node]]
    for edge in space.graph.edges:
        if edge.consumer == rows.node and edge.channel in amounts.as_fifo:
            parts += [amounts.as_fifo[edge.channel], amounts.as_buffer[edge.channel]]
    return np.concatenate(parts, axis=1)
