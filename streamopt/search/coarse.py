"""Few rows for every state of a node, from above or from below: what keeps joins of nodes small.

Rows of equal walks and shared factors that are close in all costs fall into one cell. From above
a cell keeps one row; from below it becomes one row with the least of every cost, as in (E7).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.search.instance import Choices
from streamopt.search.labels import codes

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from streamopt.search.instance import Instance

    Integers = npt.NDArray[np.int64]

__all__ = ["Coarse", "coarse", "costs", "states", "taken"]

FIRST_WIDTH = 1 / 64
"""Width of a cell, relative, that is tried first."""
WIDER = 1.5


@dataclass(frozen=True, slots=True)
class Coarse:
    """An instance of fewer rows.

    Attributes
    ----------
    places
        By node: the rows of the whole instance that are left, or stand for their cells.
    is_whole
        Whether nothing was left out.
    """

    problem: Instance
    places: tuple[Integers, ...]
    is_whole: bool

    def original(self, rows: dict[str, int]) -> dict[str, int]:
        """Return places in the whole instance of chosen rows."""
        number = {name: node for node, name in enumerate(self.problem.names) if name}
        return {name: int(self.places[number[name]][row]) for name, row in rows.items()}


def coarse(problem: Instance, most: int, *, from_below: bool) -> Coarse:
    """Return an instance with about ``most`` rows of every state of a node.

    Parameters
    ----------
    from_below
        Whether rows become lower bounds, or stay rows.
    """
    parts = [_thinned(node, most, from_below=from_below) for node in problem.nodes]
    return Coarse(
        replace(problem, nodes=tuple(node for node, _ in parts)),
        tuple(places for _, places in parts),
        all(
            len(own.dsps) == len(node.dsps)
            for own, (node, _) in zip(problem.nodes, parts, strict=True)
        ),
    )


def _thinned(rows: Choices, most: int, *, from_below: bool) -> tuple[Choices, Integers]:
    state = states(rows)
    if np.bincount(state).max(initial=0) <= most:
        return rows, np.arange(len(rows.dsps))
    logs = np.log(np.maximum(0, costs(rows)) + 1.0)
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


def taken(rows: Choices, places: Integers, cost: Callable[[Integers], Integers]) -> Choices:
    """Return some rows of a node, by their places, with costs that a rule makes of all costs."""

    def each(columns: dict[int, Integers], rule: Callable[[Integers], Integers]) -> Any:
        return {number: rule(column) for number, column in columns.items()}

    def state(column: Integers) -> Integers:
        return column[places]

    return Choices(
        first_write=cost(rows.first_write),
        last_write=cost(rows.last_write),
        dsps=cost(rows.dsps),
        epilogue=each(rows.epilogue, cost),
        factors=each(rows.factors, state),
        walks=each(rows.walks, state),
        amounts=cost(rows.amounts),
        as_fifo=each(rows.as_fifo, cost),
        as_buffer=each(rows.as_buffer, cost),
    )


def states(rows: Choices) -> Integers:
    """Return one number for the rows of equal walks and shared factors."""
    columns = [np.zeros_like(rows.dsps), *rows.factors.values(), *rows.walks.values()]
    return np.unique(codes(np.stack(columns, axis=1)), return_inverse=True)[1].ravel()


def costs(rows: Choices) -> Integers:
    """Return all that is better when smaller, shape (rows, costs)."""
    times = [rows.dsps, rows.first_write, rows.last_write, *rows.epilogue.values()]
    kinds = [*rows.as_fifo.values(), *rows.as_buffer.values()]
    return np.concatenate([np.stack(times, axis=1), rows.amounts, *kinds], axis=1)
