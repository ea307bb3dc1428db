"""Schedules by walking loops: times, streams and DSPs without the performance model.

It shares no code with the performance model, the decision space or the formulations, so that the
oracle and the certificate, which rest on it, can contradict them: times come from stepping through
the tile loops, FIFOs from comparing the sequences of elements that the two sides touch, tile
classes from its own reading of [1].

Whether a channel is a FIFO is judged before tiling, as in [1]: sides whose sequences agree element
by element also agree tile by tile under equal unroll factors. The reverse doesn't hold: an array
that is handed over whole in some dimension would stream in more orders than [1] lets it.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, sections 3.4 to 3.8.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.ir.expression import Access, Binary, Call, Expression, children
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.strategies.oracle.lane_prices import lane_dsps

Flags = npt.NDArray[np.bool_]
Walk = npt.NDArray[np.int64]

Factors = dict[str, int]
Order = tuple[str, ...]
LoopKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _NodeRun:
    """Events of one node, in cycles after its start."""

    first_write: int
    last_write: int
    last_read: Mapping[str, int]


def unroll_choices(
    graph: Graph, tiling_limit: int
) -> list[tuple[frozenset[LoopKey], Sequence[int]]]:
    """Return the loops that share an unroll factor along the edges, with what it may be."""
    trips = {(n.name, loop.name): loop.trip_count for n in graph.nodes for loop in n.loops}
    group = {key: frozenset({key}) for key in trips}
    fixed = {n.name for n in graph.nodes if isinstance(n, SequentialNode)}
    for edge in graph.edges:
        for read in () if edge.is_whole else edge.reads:
            for left, right in _same_dimension(edge, read):
                merged = group[left] | group[right]
                group.update(dict.fromkeys(merged, merged))
    return [
        (
            keys,
            [
                factor
                for factor in range(1, max(trips[key] for key in keys) + 1)
                if all(_fits(trips[key], factor, tiling_limit) for key in keys)
                and (factor == 1 or not any(node in fixed for node, _ in keys))
            ],
        )
        for keys in dict.fromkeys(group.values())
    ]


def _fits(trip_count: int, factor: int, tiling_limit: int) -> bool:
    if factor == 1:
        return True
    return trip_count % factor == 0 and trip_count // factor >= tiling_limit < trip_count


def _same_dimension(edge: Edge, read: Access) -> list[tuple[LoopKey, LoopKey]]:
    write = _stand_ins(edge.write)
    found = _stand_ins(read)
    shared = [d for d in write if d in found]
    return [((edge.producer, write[d]), (edge.consumer, found[d])) for d in shared]


def _stand_ins(access: Access) -> dict[int, str]:
    """Return by dimension the iterator that couples it to the other side.

    It is the subscript itself where all are plain iterators or constants; else the d-th iterator
    that the access names, for the d-th dimension that varies.
    """
    seen: list[str] = []
    for subscript in access.subscripts:
        seen += [name for name in subscript.iterators() if name not in seen]
    varying = [d for d, subscript in enumerate(access.subscripts) if subscript.iterators()]
    names = [access.subscripts[d].as_iterator() for d in varying]
    if None not in names:
        return {d: str(name) for d, name in zip(varying, names, strict=True)}
    return dict(zip(varying, seen, strict=False))


class Oracle:
    """Evaluates schedules of one graph, remembering what each node does."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._ins = {n.name: [e for e in graph.edges if e.consumer == n.name] for n in graph.nodes}
        self._outs = {n.name: [e for e in graph.edges if e.producer == n.name] for n in graph.nodes}
        self._lane_dsps = {node.name: lane_dsps(graph, node) for node in graph.nodes}
        self._runs: dict[tuple[str, Order, tuple[int, ...]], _NodeRun] = {}
        self._walks: dict[tuple[str, Access, Order], Walk | None] = {}
        self._fifos: dict[tuple[str, Order, Order], bool] = {}

    def dsps(self, factors: Mapping[str, Factors]) -> int:
        """Return the DSPs of all lanes."""
        return sum(d * prod(factors[name].values()) for name, d in self._lane_dsps.items())

    def times(
        self,
        orders: Mapping[str, Order],
        factors: Mapping[str, Factors],
        fifos: Container[str] | None = None,
    ) -> dict[str, tuple[int, int, int]]:
        """Return (st, fw, lw) of every node, in cycles: table 3 of [1], node by node.

        Parameters
        ----------
        fifos
            Channels that stream; all that can, where not given.
        """
        times: dict[str, tuple[int, int, int]] = {}
        for node in self._graph.nodes:
            name = node.name
            run = self._run(node, orders[name], factors[name])
            start = 0
            for edge in self._ins[name]:
                _, first, last = times[edge.producer]
                is_fifo = self.streams(edge, orders) if fifos is None else edge.channel in fifos
                start = max(start, first if is_fifo else last)
            end = start + run.last_write
            for edge in self._ins[name]:
                read = run.last_read[edge.array]
                ready = max(start + read, times[edge.producer][2])
                end = max(end, ready + run.last_write - read)
            times[name] = start, start + run.first_write, end
        return times

    def interval(self, orders: Mapping[str, Order], factors: Mapping[str, Factors]) -> int:
        """Return the distance of frames: the longest run of a node that never waits."""
        nodes = self._graph.nodes
        runs = [self._run(node, orders[node.name], factors[node.name]) for node in nodes]
        return max((run.last_write for run in runs), default=0)

    def latency(self, orders: Mapping[str, Order], factors: Mapping[str, Factors]) -> int:
        """Return the last write of the graph."""
        return max((last for _, _, last in self.times(orders, factors).values()), default=0)

    def schedule(self, orders: Mapping[str, Order], factors: Mapping[str, Factors]) -> Schedule:
        """Return the choices as a schedule; a lane of a FIFO holds all its elements."""
        nodes = tuple(
            NodePlan(n.name, orders[n.name], tuple(factors[n.name].items()))
            for n in self._graph.nodes
        )
        return Schedule(
            self._graph.name,
            nodes,
            tuple(self._channel(edge, orders, factors) for edge in self._graph.edges),
        )

    def _channel(
        self, edge: Edge, orders: Mapping[str, Order], factors: Mapping[str, Factors]
    ) -> ChannelPlan:
        if not self.streams(edge, orders):
            return ChannelPlan(edge.channel, ChannelKind.PING_PONG)
        lanes = prod(factors[edge.producer][name] for name in edge.write.iterators())
        elements = prod(self._graph.array(edge.array).shape)
        return ChannelPlan(edge.channel, ChannelKind.FIFO, elements // lanes)

    def _run(self, node: Node, order: Order, factors: Factors) -> _NodeRun:
        key = (node.name, order, tuple(factors.values()))
        if key not in self._runs:
            arrays = {edge.array for edge in self._ins[node.name]}
            self._runs[key] = _stepped(node, order, factors, arrays, len(self._outs[node.name]))
        return self._runs[key]

    def streams(self, edge: Edge, orders: Mapping[str, Order]) -> bool:
        """Return whether both sides of a channel touch the same elements in the same order."""
        key = (edge.channel, orders[edge.producer], orders[edge.consumer])
        if key not in self._fifos:
            self._fifos[key] = self._same_walks(edge, *key[1:])
        return self._fifos[key]

    def _same_walks(self, edge: Edge, producer: Order, consumer: Order) -> bool:
        if edge.is_whole or len(edge.reads) != 1 or len(self._graph.writers(edge.array)) != 1:
            return False
        written = self._walk(edge.producer, edge.write, producer)
        read = self._walk(edge.consumer, edge.reads[0], consumer)
        whole = prod(self._graph.array(edge.array).shape)
        if written is None or read is None:
            return False
        return np.array_equal(written, read) and written.shape[1] == whole

    def _walk(self, name: str, access: Access, order: Order) -> Walk | None:
        """Return the elements that an access touches, each at its first time, in order.

        The loops that it doesn't use change nothing: an output is final, and handed over, once
        for each value of the others; so is an operand when it is first read.
        """
        used = tuple(loop for loop in order if loop in access.iterators())
        key = (name, access, used)
        if key not in self._walks:
            self._walks[key] = _elements(self._graph.node(name), access, used)
        return self._walks[key]


def _elements(node: Node, access: Access, loops: Order) -> Walk | None:
    """Return the elements in the order of the loops; None if a subscript isn't plain.

    The shape is (dimensions, elements).
    """
    if any(s.iterators() and s.as_iterator() is None for s in access.subscripts):
        return None
    shape = tuple(node.trip_counts[name] for name in loops)
    points = prod(shape)
    grids = np.indices(shape, dtype=np.int64).reshape(len(shape), points)
    values = dict(zip(loops, grids, strict=True))
    plain = [(s, s.as_iterator()) for s in access.subscripts]
    columns = [
        values[name] if name is not None else np.full(points, int(s.evaluate({})))
        for s, name in plain
    ]
    return np.array(columns, dtype=np.int64).reshape(len(columns), points)


def _stepped(node: Node, order: Order, factors: Factors, arrays: set[str], stores: int) -> _NodeRun:
    """Walk the tile loops, noting when the node writes first, writes last and reads last.

    The published models count the run of a node once for each channel that its output goes down.
    """
    tiles = {loop.name: loop.trip_count // factors[loop.name] for loop in node.loops}
    written = node.write.iterators()
    ii = 4 if order and order[-1] not in written else 1
    if isinstance(node, SequentialNode):
        written, stores = order, 1
        ii = max(1, 4 * max(_operations_in_a_row(e) for e in node.expressions))
    sums_done = {loop: tiles[loop] - 1 for loop in order if loop not in written}
    last_read: dict[str, int] = {}
    for array in arrays:
        own = {name for access in node.reads_of(array) for name in access.iterators()}
        again = {loop: 0 for loop in order if loop not in own}
        last_read[array] = ii * _last(_flags(order, tiles, again))
    return _NodeRun(
        ii * _first(_flags(order, tiles, sums_done)),
        ii * _last(_flags(order, tiles, {})) * max(1, stores),
        last_read,
    )


def _operations_in_a_row(expression: Expression) -> int:
    inner = [_operations_in_a_row(operand) for operand in children(expression)]
    return max(inner, default=0) + (1 if isinstance(expression, Binary | Call) else 0)


def _flags(order: Order, tiles: Mapping[str, int], at: Mapping[str, int]) -> Flags:
    """Return for every iteration, in order, whether some iterators have the given values."""
    flags: Flags = np.ones(1, dtype=np.bool_)
    for loop in order:
        own = np.array([at.get(loop, value) == value for value in range(tiles[loop])])
        flags = np.logical_and.outer(flags, own).ravel()
    return flags


def _first(flags: Flags) -> int:
    return int(flags.argmax())


def _last(flags: Flags) -> int:
    return len(flags) - 1 - int(flags[::-1].argmax())
