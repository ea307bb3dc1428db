"""Fewer labels, from above or from below: what keeps long streams and large graphs small.

Labels of one state that are close fall into one cell. To bound from above, a cell keeps its best
label; to bound from below, it is replaced by the least of all its times and DSPs (E7). Cells
widen until no state has more than its share.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.labels.component import NEVER, codes, pruned
from streamopt.search.labels.row_subset import RowSubset, states, taken

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.labels.component import Component

    Integers = npt.NDArray[np.int64]

    from streamopt.search.instance import Choices, SearchInstance


__all__ = ["clustered_labels", "clustered_rows"]

FIRST_WIDTH = 1 / 256
"""Width of a cell, relative, that is tried first for few labels too many."""
USUAL_STATES = 24
"""States with more than these share the labels that these would have."""
LEAST_LABELS = 4
"""Labels that every state may have."""


def clustered_labels(component: Component, *, labels: int, from_below: bool) -> Component:
    """Return a component of at most about ``labels`` labels a state.

    Parameters
    ----------
    from_below
        Whether labels become lower bounds, which no schedule may reach, or stay schedules.
    """
    state = codes(component.state)
    _, counts = np.unique(state, return_counts=True)
    labels = max(LEAST_LABELS, min(labels, USUAL_STATES * labels // max(1, len(counts))))
    if counts.max(initial=0) <= labels:
        return component
    width = FIRST_WIDTH * float(counts.max() / labels) ** 0.5
    while True:
        cells = _cells(component, state, width)
        ranked = np.lexsort((_score(component), cells))
        ordered = cells[ranked]
        heads = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        best = ranked[heads]
        if np.unique(state[best], return_counts=True)[1].max() <= labels:
            break
        width *= 1.6
    kept = component.taken(best)
    if not from_below:
        return kept
    return pruned(
        replace(
            kept,
            first=np.minimum.reduceat(component.first[ranked], heads, axis=0),
            last=np.minimum.reduceat(component.last[ranked], heads, axis=0),
            dsps=np.minimum.reduceat(component.dsps[ranked], heads),
            amounts=np.minimum.reduceat(component.amounts[ranked], heads, axis=0),
        )
    )


def _score(component: Component) -> npt.NDArray[np.float64]:
    """Return what the best label of a cell has least of."""
    last = component.last.max(axis=1, initial=1)
    amounts = np.log(component.amounts + 1.0).sum(axis=1)
    return np.log(last + 1.0) + np.log(component.dsps + 1.0) + amounts


def _cells(component: Component, state: Integers, width: float) -> Integers:
    """Return the cell of every label: by ratios of last writes and DSPs, and first writes."""
    scale = max(1.0, width * float(np.median(component.last.max(axis=1))))
    parts = [state, np.floor(np.log(component.dsps + 1.0) / width).astype(np.int64)]
    for column in component.amounts.T:
        parts.append(np.floor(np.log(column + 1.0) / width).astype(np.int64))
    for column in component.last.T:
        ratio = np.log(np.maximum(column, 0) + 1.0) / width
        parts.append(np.where(column == NEVER, -1, np.floor(ratio).astype(np.int64)))
    for column in component.first.T:
        place = np.floor(np.maximum(column, 0) / scale).astype(np.int64)
        parts.append(np.where(column == NEVER, -1, place))
    return codes(np.stack(parts, axis=1))


FIRST_WIDTH = 1 / 64
"""Width of a cell, relative, that is tried first."""
WIDER = 1.5


def clustered_rows(problem: SearchInstance, most: int, *, from_below: bool) -> RowSubset:
    """Return an instance with about ``most`` rows of every state of a node.

    Parameters
    ----------
    from_below
        Whether rows become lower bounds, or stay rows.
    """
    parts = [_thinned(node, most, from_below=from_below) for node in problem.nodes]
    few = replace(problem, nodes=tuple(node for node, _ in parts))
    return RowSubset(few, tuple(places for _, places in parts))


def _thinned(rows: Choices, most: int, *, from_below: bool) -> tuple[Choices, Integers]:
    state = states(rows)
    if np.bincount(state).max(initial=0) <= most:
        return rows, np.arange(len(rows.dsps))
    logs = np.log(np.maximum(0, _main_costs(rows)) + 1.0)
    width = FIRST_WIDTH
    while True:
        cells = codes(np.column_stack([state, np.floor(logs / width).astype(np.int64)]))
        ranked = np.lexsort((logs.sum(axis=1), cells))
        heads = np.flatnonzero(np.r_[True, np.diff(cells[ranked]) != 0])
        best = ranked[heads]
        if np.bincount(state[best]).max() <= most:
            break
        width *= WIDER
    if not from_below:
        return taken(rows, best, lambda column: column[best]), best
    return taken(
        rows, best, lambda column: np.minimum.reduceat(column[ranked], heads, axis=0)
    ), best


def _main_costs(rows: Choices) -> Integers:
    """Return what tells cells apart: times and resources, these with all channels as FIFOs."""
    times = [rows.dsps, rows.first_write, rows.last_write, *rows.epilogue.values()]
    used = rows.amounts
    for fifo in rows.as_fifo.values():
        used = used + fifo
    return np.concatenate([np.stack(times, axis=1), used], axis=1)
