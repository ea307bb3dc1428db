"""Splits of rows for branch and bound, along whatever the relaxation of limits doesn't know."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from streamopt.ir.graph import Graph
from streamopt.space.decisions import DecisionSpace
from streamopt.space.horizon import chosen_rows
from streamopt.space.row_values import NodeRows

Integers = npt.NDArray[np.int64]
Rows = dict[str, NodeRows]
Chosen = Mapping[str, int]


def single(rows: Rows, chosen: Chosen) -> Rows:
    """Return one row of every node."""
    flags = {name: np.arange(len(own)) == chosen[name] for name, own in rows.items()}
    return chosen_rows(rows, flags)


def chosen_usage(
    graph: Graph, rows: Mapping[str, NodeRows], chosen: Chosen, fifos: Collection[str]
) -> dict[str, Integers]:
    """Return each node's usage of further resources, with the channels to it, for chosen rows.

    Parameters
    ----------
    fifos
        Channels that are FIFOs.
    """
    found: dict[str, Integers] = {}
    for name, ins in graph.in_edges().items():
        is_fifo = {edge.array: edge.channel in fifos for edge in ins}
        found[name] = rows[name].usage.of_row(chosen[name], is_fifo)[1:]
    return found


def split_around(
    space: DecisionSpace, rows: Rows, chosen: Chosen, looseness: Mapping[str, float]
) -> list[Rows]:
    """Return the rows in two parts, one of which looks at a neighbour like a choice does.

    Parameters
    ----------
    looseness
        By how much each node takes more than its least, in the choice.
    """
    ranked = sorted(looseness, key=lambda name: -looseness[name])
    for name in ranked:
        if looseness[name] <= 0:
            break
        beside = sorted(_beside(space, name), key=lambda other: -len(rows[other]))
        for other in (*beside, name):
            parts = _parted(rows, other, chosen, lambda own, row: _seen(own, row))
            if parts:
                return parts
    for key in (_seen, _whole):
        for name in sorted(rows, key=lambda name: -len(rows[name])):
            parts = _parted(rows, name, chosen, key)
            if parts:
                return parts
    return []


def halves(rows: Rows) -> list[Rows]:
    """Return the rows in two parts of about the same size; nothing for single rows."""
    for key in (_seen, _whole):
        counts = {name: len({key(own, r) for r in range(len(own))}) for name, own in rows.items()}
        name = max(counts, key=counts.__getitem__)
        if counts[name] > 1:
            own = rows[name]
            keys = sorted({key(own, row) for row in range(len(own))}, key=repr)
            first = set(keys[: len(keys) // 2])
            return _by_flags(rows, name, [key(own, row) in first for row in range(len(own))])
    return []


def _parted(
    rows: Rows, name: str, chosen: Chosen, key: Callable[[NodeRows, int], object]
) -> list[Rows]:
    own = rows[name]
    wanted = key(own, chosen[name])
    flags = [key(own, row) == wanted for row in range(len(own))]
    return [] if all(flags) else _by_flags(rows, name, flags)


def _by_flags(rows: Rows, name: str, flags: Sequence[bool]) -> list[Rows]:
    def part(wanted: npt.NDArray[np.bool_]) -> Rows:
        every = {other: np.ones(len(own), dtype=bool) for other, own in rows.items()}
        return {**rows, name: chosen_rows(rows, {**every, name: wanted})[name]}

    own = np.array(flags, dtype=bool)
    return [part(own), part(~own)]


def _beside(space: DecisionSpace, name: str) -> list[str]:
    """Return the other nodes that touch an array that a node touches."""
    node = space.graph.node(name)
    touched = {*node.inputs, *node.outputs}
    return [
        other.name
        for other in space.graph.nodes
        if other.name != name and touched & {*other.inputs, *other.outputs}
    ]


def _seen(rows: NodeRows, row: int) -> object:
    """Return the part of a row that neighbours see."""
    return rows.factors[row], tuple(walks[row] for walks in rows.streams.values())


def _whole(rows: NodeRows, row: int) -> object:
    return rows.factors[row], rows.orders[row]
