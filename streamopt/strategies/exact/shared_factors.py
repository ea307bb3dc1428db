"""Rows of least total cost that agree on shared unroll factors: (I2), (I3) of interval.md."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.search.elimination import FORBIDDEN, CostTable, elimination_order, least_sum
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class SharedFactors:
    """The rows of a space, with the unroll factors that several nodes share."""

    def __init__(self, space: DecisionSpace, rows: Mapping[str, NodeRows]) -> None:
        self._rows = rows
        self._columns: dict[str, dict[int, Integers]] = {name: {} for name in rows}
        self._most: dict[int, int] = {}
        for index, group in enumerate(space.classes):
            nodes = {node for node, _ in group.members}
            if len(group.factors) < 2 or len(nodes) < 2:
                continue
            self._most[index] = max(group.factors)
            for node, loop in group.members:
                place = list(space.graph.node(node).trip_counts).index(loop)
                column = np.array([row[place] for row in rows[node].factors], dtype=np.int64)
                self._columns[node].setdefault(index, column)

    def cheapest(
        self,
        costs: Mapping[str, Integers],
        kept: Mapping[str, Flags],
        check: Callable[[], None],
    ) -> tuple[int, dict[str, int]] | None:
        """Return the least sum of costs, and the place of a row for every node that gives it.

        None if no choice agrees. Of rows of one cost, the one with the shortest run is taken.

        Parameters
        ----------
        costs
            Of every row, by node.
        kept
            Whether a row may be taken, by node.
        check
            Called before each shared factor; may raise to end the search.

        Raises
        ------
        SearchTooLargeError
            If the factors are too entangled.
        """
        places = {name: np.flatnonzero(kept[name]) for name in self._rows}
        allowed = self._allowed(places)
        if not all(flags.any() for flags in allowed.values()):
            return None
        sizes = {index: int(flags.sum()) for index, flags in allowed.items()}
        turns = {index: np.cumsum(flags) - 1 for index, flags in allowed.items()}
        tables: list[CostTable] = []
        cells: dict[str, Integers] = {}
        for name, columns in self._columns.items():
            at = places[name]
            for index, column in columns.items():
                at = at[allowed[index][column[at]]]
            scope = tuple(sorted(columns))
            shape = tuple(sizes[index] for index in scope)
            cell = np.zeros(len(at), dtype=np.int64)
            for index, size in zip(scope, shape, strict=True):
                cell = cell * size + turns[index][columns[index][at]]
            table = np.full(prod(shape), FORBIDDEN, dtype=np.int64)
            np.minimum.at(table, cell, costs[name][at])
            tables.append(CostTable(scope, table.reshape(shape)))
            places[name], cells[name] = at, cell
        order = elimination_order([own.keys() for own in self._columns.values()], sizes)
        found = least_sum(tables, order, check)
        if found is None:
            return None
        total, values = found
        chosen: dict[str, int] = {}
        for name, columns in self._columns.items():
            wanted = 0
            for index in sorted(columns):
                wanted = wanted * sizes[index] + values[index]
            fits = places[name][cells[name] == wanted]
            runs = self._rows[name].times.last_write[fits]
            chosen[name] = int(fits[np.lexsort((runs, costs[name][fits]))[0]])
        return total, chosen

    def agrees(self, name: str, place: int) -> Flags:
        """Return which rows of a node have the shared factors of one of them."""
        found = np.ones(len(self._rows[name]), dtype=np.bool_)
        for column in self._columns[name].values():
            found &= column == column[place]
        return found

    def _allowed(self, places: Mapping[str, Integers]) -> dict[int, Flags]:
        """Return by class the factors that a row of every node has."""
        allowed = {index: np.ones(most + 1, dtype=np.bool_) for index, most in self._most.items()}
        for name, columns in self._columns.items():
            for index, column in columns.items():
                own = np.zeros_like(allowed[index])
                own[column[places[name]]] = True
                allowed[index] &= own
        return allowed
