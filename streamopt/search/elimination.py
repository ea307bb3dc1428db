"""Least sum of tables by elimination: what the shared unroll factors cost where no time counts.

A table has a cost for every combination of values of its variables. Variables are eliminated one
after the other: the tables that have one are summed into one, of which the least over the
variable stays (I3). The order takes the variable whose table has the fewest cells [1].

[1] Dechter, Bucket elimination: a unifying framework for reasoning, Artificial Intelligence
    113(1-2), 1999.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.search.labels.component import SearchTooLargeError

Integers = npt.NDArray[np.int64]

FORBIDDEN = 1 << 40
"""Cost of a combination that can't be had; sums of some are still far from an overflow."""
MOST_CELLS = 4_000_000
"""Cells of one table: 32 MB."""


@dataclass(frozen=True, slots=True)
class CostTable:
    """Costs with one axis for each of the variables, which are numbers in rising order."""

    variables: tuple[int, ...]
    costs: Integers


def elimination_order(
    scopes: Iterable[Collection[int]], sizes: Mapping[int, int]
) -> tuple[int, ...]:
    """Return the variables in the order in which to eliminate them.

    Parameters
    ----------
    scopes
        Variables of every table.
    sizes
        By variable: how many values it has.
    """
    near: dict[int, set[int]] = {variable: {variable} for variable in sizes}
    for scope in scopes:
        for variable in scope:
            near[variable] |= set(scope)
    cells = {variable: prod(sizes[v] for v in others) for variable, others in near.items()}
    order: list[int] = []
    while cells:
        best = min(cells, key=lambda variable: (cells[variable], variable))
        order.append(best)
        others = near.pop(best) - {best}
        del cells[best]
        for variable in others:
            near[variable] = (near[variable] | others) - {best}
            cells[variable] = prod(sizes[v] for v in near[variable])
    return tuple(order)


def least_sum(
    tables: Iterable[CostTable], order: Sequence[int], should_go_on: Callable[[], None]
) -> tuple[int, dict[int, int]] | None:
    """Return the least sum of the tables, and a value for every variable that gives it.

    None if every combination is forbidden.

    Parameters
    ----------
    order
        Of elimination; every variable of a table is in it.
    should_go_on
        Called before each variable; may raise to end the search.

    Raises
    ------
    SearchTooLargeError
        If a table would have more than `MOST_CELLS`.
    """
    turn = {variable: place for place, variable in enumerate(order)}
    buckets: list[list[CostTable]] = [[] for _ in order]
    best: list[tuple[tuple[int, ...], npt.NDArray[np.int32]]] = []
    total = 0

    def put(table: CostTable) -> None:
        nonlocal total
        if table.variables:
            buckets[min(turn[variable] for variable in table.variables)].append(table)
        else:
            total += int(table.costs)

    for table in tables:
        put(table)
    for variable, bucket in zip(order, buckets, strict=True):
        should_go_on()
        table = _summed(bucket, variable)
        bucket.clear()  # of large tables, as few as can be are there at once
        axis = table.variables.index(variable)
        others = table.variables[:axis] + table.variables[axis + 1 :]
        best.append((others, np.asarray(table.costs.argmin(axis=axis), dtype=np.int32)))
        put(CostTable(others, table.costs.min(axis=axis)))
    if total >= FORBIDDEN:
        return None
    values: dict[int, int] = {}
    for variable, (others, places) in zip(reversed(order), reversed(best), strict=True):
        values[variable] = int(places[tuple(values[other] for other in others)])
    return total, values


def _summed(tables: Sequence[CostTable], variable: int) -> CostTable:
    """Return the sum of tables as one; of none, a table of the one value of a free variable."""
    scope = tuple(sorted({variable, *(v for table in tables for v in table.variables)}))
    sizes = {v: n for t in tables for v, n in zip(t.variables, t.costs.shape, strict=True)}
    shape = tuple(sizes.get(v, 1) for v in scope)
    if prod(shape) > MOST_CELLS:
        raise SearchTooLargeError
    costs = np.zeros(shape, dtype=np.int64)
    for table in tables:
        axes = tuple(sizes[v] if v in table.variables else 1 for v in scope)
        costs += table.costs.reshape(axes)
    return CostTable(scope, np.minimum(costs, FORBIDDEN, out=costs))
