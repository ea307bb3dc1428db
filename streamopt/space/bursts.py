"""Rows that say how late the last block of a stream comes: (O19) of ``opt6.md``.

First and last element alone don't tell when a stream can be read. Where a reduction lies between
loops over the output, all of the last block comes at its end, and a consumer that takes long for a
block ends later than the last element says. A block is what the walk's outermost loop leaves. The
producer begins to write its last one no sooner than ``lead`` cycles before its end, so

    end of consumer >= end of producer - lead + reads + epilogue,

with ``reads`` the cycles from the consumer's first read of the block to the last. A producer's row
comes in a burst if its lead is no more than a cycle an element. A consumer has a row for streams
that come in bursts, with the epilogue that it has then, and one for the others: whether a stream
does is part of the walk that both sides of a FIFO have in common.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.graph import SequentialNode
from streamopt.space.horizon import rows_at

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Edge, Node
    from streamopt.space.decisions import DecisionSpace, LoopOrder
    from streamopt.space.rows import NodeRows

    Integers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]
    Walk = tuple[int, ...]

__all__ = ["rows_with_bursts"]


def rows_with_bursts(space: DecisionSpace, rows: Mapping[str, NodeRows]) -> dict[str, NodeRows]:
    """Return rows whose walks say what comes in bursts, and consumers with a row for each.

    A schedule of the rows returned ends no sooner than it does in the rows given.
    """
    found = dict(rows)
    rank = {node.name: place for place, node in enumerate(space.graph.nodes)}
    # the last producers first: what one may wait for is told by its epilogues as they were
    for edge in sorted(space.graph.edges, key=lambda edge: -rank[edge.producer]):
        producer, consumer = space.graph.node(edge.producer), space.graph.node(edge.consumer)
        plain = not producer.stretches and not consumer.stretches and not consumer.windows
        if edge.channel not in space.streamable or not plain:
            continue
        if isinstance(producer, SequentialNode) or isinstance(consumer, SequentialNode):
            continue
        comes = _comes_in_burst(space, found[edge.producer], edge)
        late = _late(space, found[edge.consumer], edge)
        if comes.any() and late is not None:
            found[edge.producer] = _marked(found[edge.producer], edge.channel, comes)
            found[edge.consumer] = late
    return found


@dataclass(frozen=True, slots=True)
class _Nest:
    """Tile iterations of rows of one loop order: trip counts, and positions in all of them."""

    tiles: Mapping[str, Integers]
    strides: Mapping[str, Integers]

    @classmethod
    def of(cls, node: Node, order: LoopOrder, rows: NodeRows, places: Integers) -> _Nest:
        """Return the nest of some rows, which have one order."""
        factors = np.array([rows.factors[place] for place in places.tolist()], dtype=np.int64)
        taken = zip(node.trip_counts.items(), factors.T, strict=True)
        tiles = {name: -(-trips // column) for (name, trips), column in taken}
        strides: dict[str, Integers] = {}
        inside = np.ones_like(places)
        for name in reversed(order):
            strides[name] = inside
            inside = inside * tiles[name]
        return cls(tiles, strides)

    def last(self, loops: Collection[str]) -> Integers:
        """Return the position where some loops are at their last iteration, the others at 0."""
        some: Integers = np.zeros_like(next(iter(self.strides.values())))
        for name in loops:
            some = some + (self.tiles[name] - 1) * self.strides[name]
        return some

    def steps(self, loops: Collection[str]) -> Integers:
        """Return the iterations of some loops, less the first."""
        some: Integers = np.ones_like(next(iter(self.strides.values())))
        for name in loops:
            some = some * self.tiles[name]
        return some - 1


def _comes_in_burst(space: DecisionSpace, rows: NodeRows, edge: Edge) -> Flags:
    """Return which rows of a producer write their last block without a pause.

    They may not wait for inputs inside of it: none that can be streamed is read after its first
    element is written, or the end could be late where the block is not.
    """
    node = space.graph.node(edge.producer)
    found = np.zeros(len(rows), dtype=np.bool_)
    ins = space.graph.in_edges()[node.name]
    waits = {own.array for own in ins if own.channel in space.streamable}
    for (order, walk), places in _alike(rows, edge.channel).items():
        block = _last_block(edge.write, walk)
        nest = _Nest.of(node, order, rows, places)
        first, end = _at(rows.times.first_write, places), _at(rows.times.last_write, places)
        last, opened = nest.last(node.trip_counts), nest.last(node.reduction_loops)
        ii = (end - first) // np.maximum(1, last - opened)
        lead, steps = ii * nest.last(block), nest.steps(block)
        comes = (lead <= steps) & (steps > 0)
        for array in waits:
            after_reads = _at(rows.times.epilogue[array], places) - (end - ii * last)
            comes &= lead <= after_reads
        found[places] = comes
    return found


def _late(space: DecisionSpace, rows: NodeRows, edge: Edge) -> NodeRows | None:
    """Return the rows of a consumer for both ways that a stream comes; None if they are alike."""
    node, array = space.graph.node(edge.consumer), edge.array
    epilogue = _at(rows.times.epilogue[array], np.arange(len(rows)))
    late = epilogue.copy()
    for (order, walk), places in _alike(rows, edge.channel).items():
        block = _last_block(edge.reads[0], walk)
        nest = _Nest.of(node, order, rows, places)
        to_last_read = _at(rows.times.last_write, places) - epilogue[places]
        ii = to_last_read // np.maximum(1, nest.last(edge.reads[0].iterators()))
        late[places] += np.maximum(0, ii * nest.last(block) - nest.steps(block))
    if (late == epilogue).all():
        return None
    streams = np.flatnonzero([walk is not None for walk in rows.streams[edge.channel]])
    comes = np.concatenate([np.zeros(len(rows), dtype=np.bool_), np.ones_like(streams, dtype=bool)])
    both = rows_at(rows, np.concatenate([np.arange(len(rows)), streams]))
    epilogues = {**both.times.epilogue, array: (*epilogue.tolist(), *late[streams].tolist())}
    timed = replace(both, times=replace(both.times, epilogue=epilogues))
    return _marked(timed, edge.channel, comes)


def _marked(rows: NodeRows, channel: str, comes: Flags) -> NodeRows:
    """Return rows whose walks of a channel end with whether it comes in bursts."""
    walks = tuple(
        None if walk is None else (*walk, int(burst))
        for walk, burst in zip(rows.streams[channel], comes.tolist(), strict=True)
    )
    return replace(rows, streams={**rows.streams, channel: walks})


def _last_block(access: Access, walk: Walk | None) -> list[str]:
    """Return the loops of a walk but for the outermost one."""
    return [name for at in (walk or ())[1:] for name in access.subscripts[at].iterators()]


def _alike(rows: NodeRows, channel: str) -> dict[tuple[LoopOrder, Walk | None], Integers]:
    """Return the places of rows of one order, with their walk."""
    found: dict[tuple[LoopOrder, Walk | None], list[int]] = {}
    for place, key in enumerate(zip(rows.orders, rows.streams[channel], strict=True)):
        found.setdefault(key, []).append(place)
    return {key: np.array(places, dtype=np.int64) for key, places in found.items()}


def _at(column: Sequence[int], places: Integers) -> Integers:
    return np.array(column, dtype=np.int64)[places]
