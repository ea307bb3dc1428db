"""An instance of which some rows were left out, or stand for others.

Rows of one *state* have equal walks and shared factors: what the rest of the graph sees of them
but for their costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.search.instance import Choices
from streamopt.search.labels.component import codes

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from streamopt.search.instance import SearchInstance

    Integers = npt.NDArray[np.int64]

__all__ = ["RowSubset", "costs", "states", "taken"]


@dataclass(frozen=True, slots=True)
class RowSubset:
    """An instance of fewer rows than another.

    Attributes
    ----------
    places
        By node: the rows of the other instance that are left, or stand for theirs.
    """

    problem: SearchInstance
    places: tuple[Integers, ...]

    def original(self, rows: dict[str, int]) -> dict[str, int]:
        """Return places in the other instance of chosen rows."""
        number = {name: node for node, name in enumerate(self.problem.names) if name}
        return {name: int(self.places[number[name]][row]) for name, row in rows.items()}


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
