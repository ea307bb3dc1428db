"""Fewer labels, from above or from below: what keeps long streams and large graphs small.

Labels of one state that are close fall into one cell. To bound from above, a cell keeps its best
label; to bound from below, it is replaced by the least of all its times and DSPs (E7). Cells
widen until no state has more than its share.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.component import NEVER, pruned
from streamopt.search.labels import codes

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.component import Component

    Integers = npt.NDArray[np.int64]

__all__ = ["thinned"]

FIRST_WIDTH = 1 / 256
"""Width of a cell, relative, that is tried first for few labels too many."""
USUAL_STATES = 24
"""States with more than these share the labels that these would have."""
LEAST_LABELS = 4
"""Labels that every state may have."""


def thinned(component: Component, *, labels: int, from_below: bool) -> Component:
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
