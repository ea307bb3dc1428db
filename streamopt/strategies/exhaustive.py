"""The oracle: looks at every schedule of a small space, by walking loops.

It shares no code with the performance model, the decision space or the formulations, so that it
can contradict them: times come from stepping through the tile loops, FIFOs from comparing the
sequences of elements that the two sides touch, tile classes from its own reading of [1].

Whether a channel is a FIFO is judged before tiling, as in [1]: sides whose sequences agree element
by element also agree tile by tile under equal unroll factors. The reverse doesn't hold: an array
that is handed over whole in some dimension would stream in more orders than [1] lets it.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, sections 3.4 to 3.8.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import compress, count, permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError
from streamopt.ir.expression import Binary, BinaryOp, Call, children, walk
from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Reduction
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from streamopt.ir.expression import Access, Expression
    from streamopt.ir.graph import Edge, Graph, Node
    from streamopt.space.level import Level

__all__ = ["Oracle", "OracleResult", "exhaustive"]

MAX_POINTS = 100_000
"""Schedules that are looked at by default: seconds, or minutes where nodes run for 1e7 cycles."""

Factors = dict[str, int]
Order = tuple[str, ...]
Walk = tuple[tuple[int, ...], ...]
LoopKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class OracleResult:
    """The best schedule of a space; of several with its latency, one with the fewest DSPs.

    Attributes
    ----------
    schedule
        None if no schedule fits the DSPs; latency and DSPs are then 0.
    points
        Schedules looked at, with those that don't fit the DSPs.
    """

    schedule: Schedule | None
    latency_cycles: int
    dsps: int
    points: int


@dataclass(frozen=True, slots=True)
class _Run:
    """What one node does, in cycles after its start."""

    first_write: int
    last_write: int
    last_read: Mapping[str, int]


def exhaustive(
    graph: Graph,
    *,
    level: Level,
    dsp_limit: int,
    tiling_limit: int,
    max_points: int = MAX_POINTS,
) -> OracleResult:
    """Return the schedule of least latency; then of fewest DSPs; then the first one met.

    Raises
    ------
    SolverError
        If the space has more points than ``max_points`` (E510).
    """
    oracle = Oracle(graph)
    choices = _unroll_choices(graph, tiling_limit) if level.tiles else []
    tilings = prod(len(factors) for _, factors in choices)
    every = _order_count(graph) if level.permutes else 1
    _check_size(graph, every if level.untiled_first else every * tilings, max_points)
    orders = list(_all_orders(graph)) if level.permutes else [_program_orders(graph)]
    if level.untiled_first:
        orders = _best_untiled(oracle, graph, orders)
        _check_size(graph, len(orders) * tilings, max_points)
    return _best(oracle, orders, _tilings(graph, choices), dsp_limit)


def _best(
    oracle: Oracle,
    orders: Sequence[dict[str, Order]],
    tilings: Iterable[dict[str, Factors]],
    dsp_limit: int,
) -> OracleResult:
    found: tuple[int, int] | None = None
    where: tuple[dict[str, Order], dict[str, Factors]] | None = None
    points = 0
    for factors in tilings:
        points += len(orders)
        dsps = oracle.dsps(factors)
        if dsps > dsp_limit:
            continue
        for choice in orders:
            rank = (oracle.latency(choice, factors), dsps)
            if found is None or rank < found:
                found, where = rank, (choice, factors)
    if found is None or where is None:
        return OracleResult(None, 0, 0, points)
    return OracleResult(oracle.schedule(*where), found[0], found[1], points)


def _best_untiled(
    oracle: Oracle, graph: Graph, orders: Sequence[dict[str, Order]]
) -> list[dict[str, Order]]:
    cycles = [oracle.latency(choice, _ones(graph)) for choice in orders]
    least = min(cycles)
    return [choice for choice, taken in zip(orders, cycles, strict=True) if taken == least]


def _check_size(graph: Graph, points: int, max_points: int) -> None:
    if points > max_points:
        raise SolverError(
            Diagnostic(
                "E510",
                f"the space of {graph.name} has {points} points, more than {max_points}",
                hint="use a solver, or a lower level",
            )
        )


def _ones(graph: Graph) -> dict[str, Factors]:
    return {node.name: dict.fromkeys(node.trip_counts, 1) for node in graph.nodes}


def _program_orders(graph: Graph) -> dict[str, Order]:
    return {node.name: tuple(node.trip_counts) for node in graph.nodes}


def _order_count(graph: Graph) -> int:
    return prod(factorial(len(n.loops)) for n in graph.nodes if not isinstance(n, SequentialNode))


def _all_orders(graph: Graph) -> Iterator[dict[str, Order]]:
    names = [node.name for node in graph.nodes]
    choices = (
        [tuple(node.trip_counts)]
        if isinstance(node, SequentialNode)
        else permutations(node.trip_counts)
        for node in graph.nodes
    )
    for choice in product(*choices):
        yield dict(zip(names, choice, strict=True))


def _tilings(
    graph: Graph, choices: Sequence[tuple[frozenset[LoopKey], Sequence[int]]]
) -> Iterator[dict[str, Factors]]:
    for values in product(*(allowed for _, allowed in choices)):
        factors = _ones(graph)
        for (keys, _), value in zip(choices, values, strict=True):
            for node, loop in keys:
                factors[node][loop] = value
        yield factors


def _unroll_choices(
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
        self._lane_dsps = {node.name: _lane_dsps(node) for node in graph.nodes}
        self._runs: dict[tuple[str, Order, tuple[int, ...]], _Run] = {}
        self._walks: dict[tuple[str, Access, Order], Walk | None] = {}
        self._fifos: dict[tuple[str, Order, Order], bool] = {}

    def dsps(self, factors: Mapping[str, Factors]) -> int:
        """Return the DSPs of all lanes."""
        return sum(d * prod(factors[name].values()) for name, d in self._lane_dsps.items())

    def times(
        self, orders: Mapping[str, Order], factors: Mapping[str, Factors]
    ) -> dict[str, tuple[int, int, int]]:
        """Return (st, fw, lw) of every node, in cycles: table 3 of [1], node by node."""
        times: dict[str, tuple[int, int, int]] = {}
        for node in self._graph.nodes:
            name = node.name
            run = self._run(node, orders[name], factors[name])
            start = 0
            for edge in self._ins[name]:
                _, first, last = times[edge.producer]
                start = max(start, first if self._is_fifo(edge, orders) else last)
            end = start + run.last_write
            for edge in self._ins[name]:
                read = run.last_read[edge.array]
                ready = max(start + read, times[edge.producer][2])
                end = max(end, ready + run.last_write - read)
            times[name] = start, start + run.first_write, end
        return times

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
        if not self._is_fifo(edge, orders):
            return ChannelPlan(edge.channel, ChannelKind.PING_PONG)
        lanes = prod(factors[edge.producer][name] for name in edge.write.iterators())
        elements = prod(self._graph.array(edge.array).shape)
        return ChannelPlan(edge.channel, ChannelKind.FIFO, elements // lanes)

    def _run(self, node: Node, order: Order, factors: Factors) -> _Run:
        key = (node.name, order, tuple(factors.values()))
        if key not in self._runs:
            arrays = {edge.array for edge in self._ins[node.name]}
            self._runs[key] = _stepped(node, order, factors, arrays, len(self._outs[node.name]))
        return self._runs[key]

    def _is_fifo(self, edge: Edge, orders: Mapping[str, Order]) -> bool:
        key = (edge.channel, orders[edge.producer], orders[edge.consumer])
        if key not in self._fifos:
            self._fifos[key] = self._streams(edge, *key[1:])
        return self._fifos[key]

    def _streams(self, edge: Edge, producer: Order, consumer: Order) -> bool:
        if edge.is_whole or len(edge.reads) != 1 or len(self._graph.writers(edge.array)) != 1:
            return False
        written = self._walk(edge.producer, edge.write, producer)
        read = self._walk(edge.consumer, edge.reads[0], consumer)
        whole = prod(self._graph.array(edge.array).shape)
        return written is not None and written == read and len(written) == whole

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
    """Return the elements in the order of the loops; None if a subscript isn't plain."""
    if any(s.iterators() and s.as_iterator() is None for s in access.subscripts):
        return None
    points = product(*(range(node.trip_counts[name]) for name in loops))
    values = (dict(zip(loops, point, strict=True)) for point in points)
    return tuple(tuple(int(s.evaluate(at)) for s in access.subscripts) for at in values)


def _stepped(node: Node, order: Order, factors: Factors, arrays: set[str], stores: int) -> _Run:
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
        last_read[array] = ii * _last(_steps(order, tiles, again))
    return _Run(
        ii * next(_steps(order, tiles, sums_done)),
        ii * _last(_steps(order, tiles, {})) * max(1, stores),
        last_read,
    )


def _operations_in_a_row(expression: Expression) -> int:
    inner = [_operations_in_a_row(operand) for operand in children(expression)]
    return max(inner, default=0) + (1 if isinstance(expression, Binary | Call) else 0)


def _steps(order: Order, tiles: Mapping[str, int], at: Mapping[str, int]) -> Iterator[int]:
    """Yield, in order, the iterations in which some iterators have the given values."""
    flags = [[at.get(loop, value) == value for value in range(tiles[loop])] for loop in order]
    return compress(count(), map(all, product(*flags)))


def _last(steps: Iterator[int]) -> int:
    return deque(steps, maxlen=1).pop()


def _lane_dsps(node: Node) -> int:
    """Return 3 DSPs a product and 2 a sum, for nodes that add products up; else 0."""
    parts = [part for e in node.expressions for part in walk(e) if isinstance(part, Binary)]
    products = [part for part in parts if part.op is BinaryOp.MUL]
    sums = [part for part in parts if part.op in (BinaryOp.ADD, BinaryOp.SUB)]
    accumulates = node.reduction is Reduction.ADD and _multiplies(node.value)
    adds = any(_multiplies(part.left) and _multiplies(part.right) for part in sums)
    if not (accumulates or adds):
        return 0
    return 3 * len(products) + 2 * (len(sums) + (node.reduction is Reduction.ADD))


def _multiplies(expression: Expression) -> bool:
    return isinstance(expression, Binary) and expression.op is BinaryOp.MUL
