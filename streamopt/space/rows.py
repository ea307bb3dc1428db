"""Configuration rows: what one node may be, with all that the rest of the graph sees of it.

A row is a choice of unroll factors and loop order. Only its first write, last write, epilogues,
DSPs, coupled unroll factors and stream orders reach the rest of the problem; all but the last
two are better when smaller. So of the rows that agree in those two, the Pareto-minimal ones hold
an optimum, and the d! loop orders shrink to a few.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.perf.algebra import INTEGERS
from streamopt.perf.timing import NestTiming, nest_timing
from streamopt.space.decisions import read_stream_order, write_stream_order
from streamopt.space.fronts import minimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.graph import Edge, Node
    from streamopt.space.decisions import DecisionSpace, LoopOrder

    Integers = npt.NDArray[np.int64]

__all__ = ["NodeRows", "Times", "node_rows"]

_Known = dict[tuple[tuple[int, ...], bytes, tuple[int, ...], bytes], list[tuple[int, int]]]

StreamKey = tuple[tuple[int, ...] | None, ...]
"""Stream order of a node on each of its channels, None where it can't be a FIFO."""


@dataclass(frozen=True, slots=True)
class Times:
    """Relative times of every row, in cycles; ``epilogue`` is LW - LR by array."""

    first_write: tuple[int, ...]
    last_write: tuple[int, ...]
    epilogue: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class NodeRows:
    """The rows of one node; all sequences have one entry a row.

    Attributes
    ----------
    factors
        Unroll factors in the node's loop order.
    streams
        By channel: the order in which the row walks the channel's array, None if it can't stream.
    untiled
        The times of the row's loop order with all factors 1; only where the level asks for it.
    """

    node: str
    orders: tuple[LoopOrder, ...]
    factors: tuple[tuple[int, ...], ...]
    dsps: tuple[int, ...]
    times: Times
    streams: Mapping[str, tuple[tuple[int, ...] | None, ...]]
    untiled: Times | None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.orders)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """All factor vectors of a node, and columns that every order fills for them."""

    node: Node
    operands: tuple[str, ...]
    channels: tuple[Edge, ...]
    stores: int
    factors: Integers
    dsps: Integers
    coupled: Integers


def node_rows(space: DecisionSpace, *, prune: bool = True) -> dict[str, NodeRows]:
    """Return the rows of every node.

    Parameters
    ----------
    prune
        Keep only the Pareto-minimal rows; without it every (factors, order) pair within the DSP
        limit is a row.
    """
    ins, outs = space.graph.in_edges(), space.graph.out_edges()
    class_of = space.class_of()
    known: _Known | None = {} if prune else None
    found: dict[str, NodeRows] = {}
    for node in space.graph.nodes:
        channels = ins[node.name], outs[node.name]
        found[node.name] = _rows_of(space, _candidates(space, class_of, node, channels), known)
    return found


def _candidates(
    space: DecisionSpace,
    class_of: Mapping[tuple[str, str], int],
    node: Node,
    channels: tuple[Sequence[Edge], Sequence[Edge]],
) -> _Candidates:
    ins, outs = channels
    classes = [class_of[node.name, loop.name] for loop in node.loops]
    distinct = list(dict.fromkeys(classes))
    choices = list(product(*(space.classes[index].factors for index in distinct)))
    values = np.array(choices, dtype=np.int64).reshape(len(choices), len(distinct))
    factors = values[:, [distinct.index(index) for index in classes]]
    lanes = np.prod(factors, axis=1, dtype=np.int64)
    dsps = lanes * space.lane_dsps[node.name]
    others = sum(space.lane_dsps.values()) - space.lane_dsps[node.name]
    fits = dsps <= space.dsp_limit - others
    shared = [
        place
        for place, index in enumerate(distinct)
        if any(member != node.name for member, _ in space.classes[index].members)
    ]
    return _Candidates(
        node=node,
        operands=tuple(dict.fromkeys(edge.array for edge in ins)),
        channels=tuple(edge for edge in (*ins, *outs) if edge.channel in space.streamable),
        stores=len(outs),
        factors=factors[fits],
        dsps=dsps[fits],
        coupled=values[fits][:, shared],
    )


def _rows_of(space: DecisionSpace, candidates: _Candidates, known: _Known | None) -> NodeRows:
    """Return the rows of a node; all of them if none are known to be minimal."""
    node = candidates.node
    groups: dict[StreamKey, list[LoopOrder]] = {}
    for order in space.orders[node.name]:
        groups.setdefault(_stream_key(space, candidates, order), []).append(order)
    kept: list[tuple[StreamKey, LoopOrder, int, tuple[int, ...]]] = []
    for key, orders in groups.items():
        columns = np.stack([_columns(space, candidates, order) for order in orders])
        pairs = _all(columns) if known is None else _minimal(columns, candidates, known)
        for order, row in pairs:
            kept.append((key, orders[order], row, tuple(columns[order, row].tolist())))
    return _packed(space, candidates, kept)


def _stream_key(space: DecisionSpace, candidates: _Candidates, order: LoopOrder) -> StreamKey:
    def walked(edge: Edge) -> tuple[int, ...] | None:
        produces = edge.producer == candidates.node.name
        walk = write_stream_order if produces else read_stream_order
        return walk(space.graph, edge, order)

    return tuple(walked(edge) for edge in candidates.channels)


def _columns(space: DecisionSpace, candidates: _Candidates, order: LoopOrder) -> Integers:
    """Return the costs of one order for all factor vectors, shape (vectors, columns)."""
    node = candidates.node
    tiles = {
        loop.name: loop.trip_count // candidates.factors[:, place]
        for place, loop in enumerate(node.loops)
    }
    columns = _time_columns(candidates, order, tiles)
    if space.level.untiled_first:
        ones = {loop.name: np.full_like(candidates.dsps, loop.trip_count) for loop in node.loops}
        columns += _time_columns(candidates, order, ones)
    return np.stack([candidates.dsps, *columns], axis=1)


def _time_columns(
    candidates: _Candidates, order: LoopOrder, tiles: Mapping[str, Integers]
) -> list[Integers]:
    algebra: Any = INTEGERS
    timing: NestTiming[Any] = nest_timing(
        candidates.node, order, tiles, candidates.operands, algebra, stores=candidates.stores
    )
    size = np.zeros_like(candidates.dsps)
    epilogues = [timing.last_write - timing.last_read[array] for array in candidates.operands]
    return [size + timing.first_write, size + timing.last_write, *(size + e for e in epilogues)]


def _all(columns: Integers) -> list[tuple[int, int]]:
    return list(product(range(columns.shape[0]), range(columns.shape[1])))


def _minimal(columns: Integers, candidates: _Candidates, known: _Known) -> list[tuple[int, int]]:
    """Return the (order, vector) pairs that no other pair of equal coupled factors dominates.

    Many nodes of a large graph are alike, so results are kept by the columns that led to them.
    """
    key = columns.shape, columns.tobytes(), candidates.coupled.shape, candidates.coupled.tobytes()
    if key not in known:
        known[key] = _least(columns, candidates)
    return known[key]


def _least(columns: Integers, candidates: _Candidates) -> list[tuple[int, int]]:
    _, group = np.unique(candidates.coupled, axis=0, return_inverse=True)
    groups = np.tile(group.ravel(), columns.shape[0])
    kept = minimal(groups, columns.reshape(-1, columns.shape[2]))
    ranked = kept[np.lexsort((kept, groups[kept]))]
    return [divmod(place, columns.shape[1]) for place in ranked.tolist()]


def _packed(
    space: DecisionSpace,
    candidates: _Candidates,
    kept: Sequence[tuple[StreamKey, LoopOrder, int, tuple[int, ...]]],
) -> NodeRows:
    width = 2 + len(candidates.operands)
    columns = [entry[3] for entry in kept]
    return NodeRows(
        node=candidates.node.name,
        orders=tuple(entry[1] for entry in kept),
        factors=tuple(tuple(candidates.factors[entry[2]].tolist()) for entry in kept),
        dsps=tuple(row[0] for row in columns),
        times=_times(candidates, [row[1 : 1 + width] for row in columns]),
        streams={
            edge.channel: tuple(entry[0][place] for entry in kept)
            for place, edge in enumerate(candidates.channels)
        },
        untiled=_times(candidates, [row[1 + width :] for row in columns])
        if space.level.untiled_first
        else None,
    )


def _times(candidates: _Candidates, rows: Sequence[tuple[int, ...]]) -> Times:
    return Times(
        first_write=tuple(row[0] for row in rows),
        last_write=tuple(row[1] for row in rows),
        epilogue={
            array: tuple(row[2 + place] for row in rows)
            for place, array in enumerate(candidates.operands)
        },
    )
