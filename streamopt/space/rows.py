"""Configuration rows: what one node may be, with all that the rest of the graph sees of it.

A row is a choice of unroll factors and loop order. Only its first write, last write, epilogues,
DSPs, coupled unroll factors and stream orders reach the rest of the problem; all but the last
two are better when smaller. So of the rows that agree in those two, the Pareto-minimal ones hold
an optimum, and the d! loop orders shrink to a few.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.graph import Edge, Node, SequentialNode
from streamopt.ir.schedule import Binding
from streamopt.perf.costs import NodeCost, Setting
from streamopt.space.decisions import (
    DecisionSpace,
    LoopOrder,
    read_stream_order,
    write_stream_order,
)
from streamopt.space.dominance import minimal
from streamopt.space.plan_rows import plan_rows
from streamopt.space.row_values import NodeRows, Times
from streamopt.space.usage import RowUsage
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]

_Known = dict[bytes, list["Integers"]]

LAST_WRITE = 2
"""Column of the costs of a way."""

BATCH = 2**15
"""Candidates of a node that are compared at a time, first."""
MOST_WAITING = 2**19
"""Candidates of a node that wait to be compared: of these, only the least are kept on the way."""

StreamKey = tuple[tuple[int, ...] | None, ...]
"""Stream order of a node on each of its channels, None where it can't be a FIFO."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """All factor vectors of a node, and columns that every order fills for them."""

    node: Node
    setting: Setting
    streamed: frozenset[str]
    channels: tuple[Edge, ...]
    most_dsps: int
    factors: Integers
    group: Integers
    has_luts: bool

    @property
    def lut_column(self) -> int:
        """Return the column of LUTs; behind it are those of channels, as FIFOs and as buffers."""
        return -1 - 2 * len(self.setting.operands)


class _KeptRow(NamedTuple):
    """A row that is kept: its walks, choices and costs."""

    key: StreamKey
    order: LoopOrder
    binding: Binding
    target_ii: int
    vector: int
    costs: Integers


def node_rows(
    space: DecisionSpace, *, prune: bool = True, check: Callable[[], None] = lambda: None
) -> dict[str, NodeRows]:
    """Return the rows of every node.

    Parameters
    ----------
    prune
        Keep only the Pareto-minimal rows; without it every (factors, order) pair within the DSP
        limit is a row.
    check
        Called before each choice of orders; what it raises ends the work.

    Raises
    ------
    InfeasibleError
        If no row of a node leaves the others what they need at least (E401).
    """
    ins, outs = space.graph.in_edges(), space.graph.out_edges()
    class_of = space.class_of()
    known: _Known | None = {} if prune else None
    found: dict[str, NodeRows] = {}
    for node in space.graph.nodes:
        channels = ins[node.name], outs[node.name]
        if isinstance(node, SequentialNode):
            check()
            own = plan_rows(space, node, channels, _most_dsps(space, node), prune=prune)
        else:
            own = _rows_of(space, _candidates(space, class_of, node, channels), known, check)
        if own is None:
            message = f"{node.name} doesn't fit into {space.dsp_limit} DSPs beside the other nodes"
            raise InfeasibleError(Diagnostic("E401", message, hint="give --dsp a larger number"))
        found[node.name] = own
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
    soon = _soon_enough(space, node, factors)
    values, factors = values[soon], factors[soon]
    shared = [
        place
        for place, index in enumerate(distinct)
        if any(member != node.name for member, _ in space.classes[index].members)
    ]
    return _Candidates(
        node=node,
        setting=Setting.of(space.graph, node, ins, outs),
        streamed=frozenset(edge.array for edge in ins if edge.channel in space.streamable),
        channels=tuple(edge for edge in (*ins, *outs) if edge.channel in space.streamable),
        most_dsps=_most_dsps(space, node),
        factors=factors,
        group=np.unique(values[:, shared], axis=0, return_inverse=True)[1].ravel(),
        has_luts=space.lut_limit is not None,
    )


def _most_dsps(space: DecisionSpace, node: Node) -> int:
    """Return the DSPs that the other nodes leave to one."""
    return space.dsp_limit - (sum(space.least_dsps.values()) - space.least_dsps[node.name])


def _soon_enough(space: DecisionSpace, node: Node, factors: Integers) -> npt.NDArray[np.bool_]:
    """Return which factors leave no more iterations than the horizon has cycles."""
    if space.horizon_cycles is None:
        return np.ones(len(factors), dtype=bool)
    trips = np.array(list(node.trip_counts.values()), dtype=np.int64)
    iterations: Integers = (-(-trips // factors)).prod(axis=1)
    soon = iterations <= space.horizon_cycles + 1
    return soon if soon.any() else iterations == iterations.min()


def _rows_of(
    space: DecisionSpace,
    candidates: _Candidates,
    known: _Known | None,
    check: Callable[[], None],
) -> NodeRows | None:
    """Return the rows of a node, all of them if none are known to be minimal; None for none."""
    node = candidates.node
    groups: dict[StreamKey, list[LoopOrder]] = {}
    roles = _roles(candidates)
    seen: set[tuple[StreamKey, tuple[frozenset[str], ...]]] = set()
    for order in space.orders[node.name]:
        key = _stream_key(space, candidates, order)
        runs = tuple(frozenset(run) for _, run in groupby(order, roles.__getitem__))
        if known is None or (key, runs) not in seen:
            seen.add((key, runs))
            groups.setdefault(key, []).append(order)
    kept: list[_KeptRow] = []
    for key, orders in groups.items():
        check()
        target_iis = space.target_iis.get(node.name, (1,))
        ways = list(product(space.bindings.get(node.name, ((),)), target_iis, orders))
        for way, row, costs in _rows_in(space, candidates, ways, known, check):
            binding, target_ii, order = ways[way]
            kept.append(_KeptRow(key, order, binding, target_ii, row, costs))
    return _packed(space, candidates, kept) if kept else None


def _roles(candidates: _Candidates) -> dict[str, tuple[bool, ...]]:
    """Return the role of each loop in a node's times: reduced or not, moving streams or not (O8).

    Loops of one role that stand next to each other may change places: every position in a run
    counts them by the product of their trip counts, and so does the distance of a sum. Not so the
    loops of a sum where elements of a window are counted by the innermost ones (W9).
    """
    node = candidates.node
    moved = [
        {name for access in node.taken_of(array) for name in access.iterators()}
        for array in sorted(candidates.streamed)
    ]
    sets = [set(node.reduction_loops), *moved, *({stretch.loop} for stretch in node.stretches)]
    sets += ({window.row_loop} for window in node.windows if window.prefilled)
    if any(window.counted_rows for window in node.windows):
        sets += ({name} for name in node.reduction_loops)
    return {name: tuple(name in own for own in sets) for name in node.trip_counts}


def _rows_in(
    space: DecisionSpace,
    candidates: _Candidates,
    ways: Sequence[tuple[Binding, int, LoopOrder]],
    known: _Known | None,
    check: Callable[[], None],
) -> Iterator[tuple[int, int, Integers]]:
    """Yield (number of the way, number of the factors, costs) of ways that stream alike.

    Many nodes of a large graph are alike, so what is minimal is kept by the costs that led to it.
    """
    vectors: list[Integers] = [np.empty(0, dtype=np.int64)] * len(ways)
    costs: list[Integers] = [np.empty((0, 0), dtype=np.int64)] * len(ways)
    waiting = 0
    for way in _by_order(ways):
        binding, target_ii, order = ways[way]
        setting = replace(candidates.setting, binding=binding, target_ii=target_ii)
        columns = _columns(space, replace(candidates, setting=setting), order)
        spend(WORK.rows.way + WORK.rows.vector * columns.size)
        is_wanted = columns[:, 0] <= candidates.most_dsps
        if space.horizon_cycles is not None:
            is_wanted &= columns[:, LAST_WRITE] <= space.horizon_cycles
        if space.lut_limit is not None:
            is_wanted &= columns[:, candidates.lut_column] <= space.lut_limit
        fits = np.flatnonzero(is_wanted)
        vectors[way], costs[way] = fits, columns[fits]
        waiting += len(fits)
        if known is not None and waiting > MOST_WAITING:  # the best of some and the rest
            check()
            least = _least(candidates, vectors, costs)
            vectors = [own[places] for own, places in zip(vectors, least, strict=True)]
            costs = [own[places] for own, places in zip(costs, least, strict=True)]
            waiting = 0
    if known is None:
        kept = [np.arange(len(one)) for one in vectors]
    else:
        digest = blake2b(candidates.group.tobytes())
        for places, one in zip(vectors, costs, strict=True):
            digest.update(len(places).to_bytes(8, "little"))  # whose of the ways the bytes are
            digest.update(places.tobytes())
            digest.update(one.tobytes())
        key = digest.digest()
        if key not in known:
            known[key] = _least(candidates, vectors, costs)
        kept = known[key]
    for way, places in enumerate(kept):
        for place in places.tolist():
            yield way, int(vectors[way][place]), costs[way][place]


def _by_order(ways: Sequence[tuple[Binding, int, LoopOrder]]) -> list[int]:
    """Return the places of ways, those of one order together: they have much in common."""
    first: dict[LoopOrder, int] = {}
    for place, (_, _, order) in enumerate(ways):
        first.setdefault(order, place)
    return sorted(range(len(ways)), key=lambda way: first[ways[way][2]])


def _least(
    candidates: _Candidates, vectors: Sequence[Integers], costs: Sequence[Integers]
) -> list[Integers]:
    """Return the places, by way, of costs that none of equal coupled factors dominates."""
    sizes = [len(places) for places in vectors]
    way_of = np.repeat(np.arange(len(sizes)), sizes)
    place_of = np.concatenate([np.arange(size) for size in sizes])
    vector_of = np.concatenate(vectors)
    every = np.concatenate([own for own in costs if len(own)] or costs)
    kept = np.arange(len(every))
    if len(every) > BATCH:
        parts = np.split(kept, range(BATCH, len(every), BATCH))
        kept = np.concatenate([p[_minimal(every[p], candidates, vector_of[p])] for p in parts])
    kept = kept[_minimal(every[kept], candidates, vector_of[kept])]
    return [place_of[kept[way_of[kept] == way]] for way in range(len(sizes))]


def _stream_key(space: DecisionSpace, candidates: _Candidates, order: LoopOrder) -> StreamKey:
    def walked(edge: Edge) -> tuple[int, ...] | None:
        produces = edge.producer == candidates.node.name
        walk = write_stream_order if produces else read_stream_order
        return walk(space.graph, edge, order)

    return tuple(walked(edge) for edge in candidates.channels)


def _columns(space: DecisionSpace, candidates: _Candidates, order: LoopOrder) -> Integers:
    """Return the costs of one way for all factor vectors, shape (vectors, columns)."""
    factors = dict(zip(candidates.node.trip_counts, candidates.factors.T, strict=True))
    cost = space.costs.node_cost(candidates.node, order, factors, candidates.setting)
    columns = _cost_columns(candidates, cost)
    if space.level.untiled_first:
        ones = {name: np.ones_like(own) for name, own in factors.items()}
        untiled = space.costs.node_cost(candidates.node, order, ones, candidates.setting)
        columns += _cost_columns(candidates, untiled)[1:]
    if cost.timing.waits_for_all:
        columns += _waits(candidates, cost)
    if candidates.has_luts:
        names = candidates.setting.operands
        kinds = [kind.get(name, 0) for kind in (cost.as_fifo, cost.as_buffer) for name in names]
        columns += [np.zeros_like(columns[0]) + luts for luts in (cost.luts, *kinds)]
    return np.stack(columns, axis=1)


def _cost_columns(candidates: _Candidates, cost: NodeCost) -> list[Integers]:
    """Return DSPs, FW, LW and the epilogues of all factor vectors."""
    timing = cost.timing
    size = np.zeros(len(candidates.factors), dtype=np.int64)
    epilogues = [
        timing.last_write - timing.last_read[array] if array in candidates.streamed else 0
        for array in candidates.setting.operands
    ]
    return [
        size + column for column in (cost.dsps, timing.first_write, timing.last_write, *epilogues)
    ]


def _waits(candidates: _Candidates, cost: NodeCost) -> list[Integers]:
    """Return by array the cycles from its last write to the first write of a row that waits for it.

    See `waits_for_all` of `NestTiming`; -1 for a row that writes before it has read all.
    """
    timing, none = cost.timing, np.full(len(candidates.factors), -1, dtype=np.int64)
    return [
        np.maximum(none, timing.first_write - timing.last_read[array])
        for array in candidates.setting.operands
        if array in candidates.streamed
    ]


def _minimal(costs: Integers, candidates: _Candidates, vectors: Integers) -> Integers:
    """Return the places that no other of equal coupled factors dominates, by these factors."""
    groups = candidates.group[vectors]
    varies = (costs != costs[:1]).any(axis=0)
    varies[0] = True
    kept = minimal(groups, costs[:, varies])
    return kept[np.lexsort((kept, groups[kept]))]


def _packed(
    space: DecisionSpace,
    candidates: _Candidates,
    kept: Sequence[_KeptRow],
) -> NodeRows:
    costs = np.asfortranarray([entry.costs for entry in kept])
    spend(WORK.rows.row * len(kept))
    width = 2 + len(candidates.setting.operands)
    return NodeRows(
        node=candidates.node.name,
        orders=tuple(entry.order for entry in kept),
        factors=tuple(tuple(candidates.factors[entry.vector].tolist()) for entry in kept),
        bindings=tuple(entry.binding for entry in kept),
        target_iis=tuple(entry.target_ii for entry in kept),
        times=_times(candidates, costs[:, 1:]),
        streams={
            edge.channel: tuple(entry.key[place] for entry in kept)
            for place, edge in enumerate(candidates.channels)
        },
        untiled=_times(candidates, costs[:, 1 + width :]) if space.level.untiled_first else None,
        usage=_usage(candidates, costs),
    )


def _usage(candidates: _Candidates, costs: Integers) -> RowUsage:
    """Return the DSPs of rows and, if these were counted, the LUTs of rows and channels."""
    if not candidates.has_luts:
        return RowUsage(costs[:, :1])
    operands = candidates.setting.operands
    own, fifos, buffers = np.split(costs[:, candidates.lut_column :], [1, 1 + len(operands)], 1)
    none = np.zeros_like(own)
    as_fifo, as_buffer = (
        {
            array: np.concatenate([none, luts[:, [place]]], axis=1)
            for place, array in enumerate(operands)
        }
        for luts in (fifos, buffers)
    )
    return RowUsage(np.concatenate([costs[:, :1], own], axis=1), as_fifo, as_buffer)


def _times(candidates: _Candidates, costs: Integers) -> Times:
    epilogue = {array: costs[:, 2 + at] for at, array in enumerate(candidates.setting.operands)}
    return Times(costs[:, 0], costs[:, 1], epilogue)
