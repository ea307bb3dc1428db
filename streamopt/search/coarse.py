"""Few rows for every state of a node, from above or from below: what keeps joins of nodes small.

Rows of equal walks and shared factors that are close in all costs fall into one cell. From above
a cell keeps one row; from below it becomes one row with the least of every cost, as in (E7).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.fewer import Fewer, states, taken
from streamopt.search.labels import codes

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.instance import Choices, Instance

    Integers = npt.NDArray[np.int64]

__all__ = ["coarse"]

FIRST_WIDTH = 1 / 64
"""Width of a cell, relative, that is tried first."""
WIDER = 1.5


def coarse(problem: Instance, most: int, *, from_below: bool) -> Fewer:
    """Return an instance with about ``most`` rows of every state of a node.

    Parameters
    ----------
    from_below
        Whether rows become lower bounds, or stay rows.
    """
    parts = [_thinned(node, most, from_below=from_below) for node in problem.nodes]
    few = replace(problem, nodes=tuple(node for node, _ in parts))
    return Fewer(few, tuple(places for _, places in parts))


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
