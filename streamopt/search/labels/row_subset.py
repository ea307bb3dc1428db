"""An instance of which some rows are left out, or stand for others.

Rows of one *state* have equal walks and shared factors, which is all that the rest of the graph
sees of them but for their costs. `surrogate` replaces two limits by one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import Choices, SearchInstance
from streamopt.search.labels.component import codes
from streamopt.space.dominance import minimal

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowSubset:
    """An instance of fewer rows than another."""

    problem: SearchInstance
    places: tuple[Integers, ...]
    """By node: the rows of the other instance that are left, or stand for theirs."""

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
        epilogue=each(rows.epilogue, cost),
        factors=each(rows.factors, state),
        walks=each(rows.walks, state),
        usage=cost(rows.usage),
        as_fifo=each(rows.as_fifo, cost),
        as_buffer=each(rows.as_buffer, cost),
    )


def states(rows: Choices) -> Integers:
    """Return one number for the rows of equal walks and shared factors."""
    columns = [np.zeros_like(rows.last_write), *rows.factors.values(), *rows.walks.values()]
    return np.unique(codes(np.stack(columns, axis=1)), return_inverse=True)[1].ravel()


def undominated_rows(problem: SearchInstance) -> RowSubset:
    """Return an instance without rows that another one of the same state dominates."""
    parts: list[tuple[Choices, Integers]] = []
    for rows in problem.nodes:
        times = [rows.first_write, rows.last_write, *rows.epilogue.values()]
        kinds = [rows.usage, *rows.as_fifo.values(), *rows.as_buffer.values()]
        costs = np.concatenate([np.stack(times, axis=1), *kinds], axis=1)
        places = np.sort(minimal(states(rows), costs))
        parts.append((_some(rows, places), places))
    left = replace(problem, nodes=tuple(node for node, _ in parts))
    return RowSubset(left, tuple(places for _, places in parts))


def worthwhile_rows(problem: SearchInstance) -> RowSubset | None:
    """Return an instance of the undominated rows that fit beside the least of all other nodes.

    None if some node has none.
    """
    least = [rows.least_usage for rows in problem.nodes]
    spare = np.array(problem.limits, dtype=np.int64) - np.sum(least, axis=0)
    fitting: list[Integers] = []
    for rows, own in zip(problem.nodes, least, strict=True):
        fitting.append(np.flatnonzero((rows.usage <= own + spare).all(axis=1)))
        if not len(fitting[-1]):
            return None
    nodes = tuple(map(_some, problem.nodes, fitting))
    left = undominated_rows(replace(problem, nodes=nodes))
    places = (fits[few] for fits, few in zip(fitting, left.places, strict=True))
    return RowSubset(left.problem, tuple(places))


def _some(rows: Choices, places: Integers) -> Choices:
    return taken(rows, places, lambda column: column[places])


def surrogate(problem: SearchInstance, price: float) -> RowSubset:
    """Return an instance of one resource that counts two: a surrogate constraint [1] (O12).

    A schedule within both limits keeps ``DSPs + price * other`` within that of the limits, so the
    least latency of the result is no more than that of the instance.

    Parameters
    ----------
    price
        In DSPs, for one of the second resource.

    [1] Glover, Surrogate constraint duality in mathematical programming, Operations Research
        23(3), 1975.
    """
    dsps, limit = problem.limits

    def paid(usage: Integers) -> Integers:
        return usage[:, :1] + np.floor(price * usage[:, 1:]).astype(np.int64)

    nodes = tuple(
        replace(
            node,
            usage=paid(node.usage),
            as_fifo={channel: paid(used) for channel, used in node.as_fifo.items()},
            as_buffer={channel: paid(used) for channel, used in node.as_buffer.items()},
        )
        for node in problem.nodes
    )
    return undominated_rows(replace(problem, nodes=nodes, limits=(int(dsps + price * limit),)))
