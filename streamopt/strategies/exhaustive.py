"""The oracle: looks at every schedule of a small space, by walking loops.

It shares no code with the performance model, the decision space or the formulations, so that it
can contradict them: times come from stepping through the tile loops, FIFOs from comparing the
sequences of elements that the two sides touch, tile classes from its own reading of [1].

[1] Basalama and Cong, Stream-HLS, FPGA 2025, sections 3.4 to 3.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError
from streamopt.ir.expression import Binary, BinaryOp, walk
from streamopt.ir.program import Reduction
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.expression import Access, Expression
    from streamopt.ir.graph import Edge, Graph, Node
    from streamopt.space.level import Level

__all__ = ["OracleResult", "exhaustive"]

Factors = dict[str, int]
Order = tuple[str, ...]
Walk = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class OracleResult:
    """The best schedule of a space, None if no schedule fits the DSPs.

    Attributes
    ----------
    points
        Schedules looked at.
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
    graph: Graph, *, level: Level, dsp_limit: int, tiling_limit: int, max_points: int = 100_000
) -> OracleResult:
    """Return the schedule of least latency; of several, the one with the fewest DSPs.

    Raises
    ------
    SolverError
        If the space has more points than ``max_points`` (E510).
    """
    oracle = _Oracle(graph)
    if level.untiled_first:
        untiled = [_ones(graph)]
        _check_size(graph, len(untiled) * _order_count(graph), max_points)
        ranked = [(oracle.latency(o, untiled[0]), o) for o in _all_orders(graph)]
        best = min(cycles for cycles, _ in ranked)
        orders = [o for cycles, o in ranked if cycles == best]
    else:
        orders = []
    tilings = _tilings(graph, tiling_limit) if level.tiles else [_ones(graph)]
    count = len(orders) or (_order_count(graph) if level.permutes else 1)
    _check_size(graph, count * len(tilings), max_points)
    if not orders:
        orders = list(_all_orders(graph)) if level.permutes else [_program_orders(graph)]
    return _best(oracle, orders, tilings, dsp_limit)


def _best(
    oracle: _Oracle,
    orders: list[dict[str, Order]],
    tilings: list[dict[str, Factors]],
    dsp_limit: int,
) -> OracleResult:
    found: tuple[int, int] | None = None
    where: tuple[dict[str, Order], dict[str, Factors]] | None = None
    for factors in tilings:
        dsps = oracle.dsps(factors)
        if dsps > dsp_limit:
            continue
        for choice in orders:
            rank = (oracle.latency(choice, factors), dsps)
            if found is None or rank < found:
                found, where = rank, (choice, factors)
    points = len(orders) * len(tilings)
    if found is None or where is None:
        return OracleResult(None, 0, 0, points)
    return OracleResult(oracle.schedule(*where), found[0], found[1], points)


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
    return prod(factorial(len(node.loops)) for node in graph.nodes)


def _all_orders(graph: Graph) -> Iterator[dict[str, Order]]:
    names = [node.name for node in graph.nodes]
    for choice in product(*(permutations(node.trip_counts) for node in graph.nodes)):
        yield dict(zip(names, choice, strict=True))


def _tilings(graph: Graph, tiling_limit: int) -> list[dict[str, Factors]]:
    """Return the unroll factors that agree along all edges, for every loop of every node."""
    loops = [(node.name, loop.name) for node in graph.nodes for loop in node.loops]
    group = {key: {key} for key in loops}
    for edge in graph.edges:
        for read in edge.reads:
            for left, right in _same_dimension(edge, read):
                merged = group[left] | group[right]
                for key in merged:
                    group[key] = merged
    distinct: list[frozenset[tuple[str, str]]] = list(
        dict.fromkeys(frozenset(group[key]) for key in loops)
    )
    trips = {(n.name, loop.name): loop.trip_count for n in graph.nodes for loop in n.loops}
    choices = [
        [
            u
            for u in range(1, max(trips[key] for key in keys) + 1)
            if all(_fits(trips[key], u, tiling_limit) for key in keys)
        ]
        for keys in distinct
    ]
    tilings: list[dict[str, Factors]] = []
    for values in product(*choices):
        factors = _ones(graph)
        for keys, value in zip(distinct, values, strict=True):
            for node, loop in keys:
                factors[node][loop] = value
        tilings.append(factors)
    return tilings


def _fits(trip_count: int, factor: int, tiling_limit: int) -> bool:
    if factor == 1:
        return True
    return trip_count % factor == 0 and trip_count // factor >= tiling_limit < trip_count


def _same_dimension(edge: Edge, read: Access) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    write = _stand_ins(edge.write)
    found = _stand_ins(read)
    shared = [d for d in write if d in found]
    return [((edge.producer, write[d]), (edge.consumer, found[d])) for d in shared]


def _stand_ins(access: Access) -> dict[int, str]:
    """Return by dimension the iterator that couples: the d-th one seen for the d-th dimension."""
    seen: list[str] = []
    for subscript in access.subscripts:
        seen += [name for name in subscript.iterators() if name not in seen]
    varying = [d for d, subscript in enumerate(access.subscripts) if subscript.iterators()]
    names = [access.subscripts[d].as_iterator() for d in varying]
    if None not in names:
        return {d: str(name) for d, name in zip(varying, names, strict=True)}
    return dict(zip(varying, seen, strict=False))


class _Oracle:
    """Evaluates schedules of one graph, remembering what each node does."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._ins = {n.name: [e for e in graph.edges if e.consumer == n.name] for n in graph.nodes}
        self._outs = {n.name: [e for e in graph.edges if e.producer == n.name] for n in graph.nodes}
        self._lane_dsps = {node.name: _lane_dsps(node) for node in graph.nodes}
        self._runs: dict[tuple[str, Order, tuple[int, ...]], _Run] = {}
        self._walks: dict[tuple[str, str, Order], Walk | None] = {}

    def dsps(self, factors: Mapping[str, Factors]) -> int:
        """Return the DSPs of all lanes."""
        return sum(d * prod(factors[name].values()) for name, d in self._lane_dsps.items())

    def latency(self, orders: Mapping[str, Order], factors: Mapping[str, Factors]) -> int:
        """Return the last write of the graph: table 3 of [1], node by node."""
        start: dict[str, int] = {}
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        for node in self._graph.nodes:
            name = node.name
            run = self._run(node, orders[name], factors[name])
            start[name] = 0
            for edge in self._ins[name]:
                streams = self._is_fifo(edge, orders)
                arrival = first[edge.producer] if streams else last[edge.producer]
                start[name] = max(start[name], arrival)
            first[name] = start[name] + run.first_write
            last[name] = start[name] + run.last_write
            for edge in self._ins[name]:
                read = run.last_read[edge.array]
                ready = max(start[name] + read, last[edge.producer])
                last[name] = max(last[name], ready + run.last_write - read)
        return max(last.values(), default=0)

    def schedule(self, orders: Mapping[str, Order], factors: Mapping[str, Factors]) -> Schedule:
        """Return the choices as a schedule."""
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
        if len(edge.reads) != 1 or len(self._graph.writers(edge.array)) != 1:
            return False
        written = self._walk(edge.producer, edge.write, orders[edge.producer])
        read = self._walk(edge.consumer, edge.reads[0], orders[edge.consumer])
        shape = self._graph.array(edge.array).shape
        return written is not None and written == read and len(written) == prod(shape)

    def _walk(self, name: str, access: Access, order: Order) -> Walk | None:
        """Return the elements that an access touches, each at its first time, in order."""
        key = (name, str(access), order)
        if key not in self._walks:
            self._walks[key] = _elements(self._graph.node(name), access, order)
        return self._walks[key]


def _elements(node: Node, access: Access, order: Order) -> Walk | None:
    trips = node.trip_counts
    plain = [s.as_iterator() for s in access.subscripts if s.iterators()]
    if None in plain or len(set(plain)) < len(plain):
        return None
    used = [name for name in order if name in plain]
    ranges = [range(trips[name]) for name in used]
    env = [dict(zip(used, point, strict=True)) for point in product(*ranges)]
    return tuple(tuple(int(s.evaluate(e)) for s in access.subscripts) for e in env)


def _stepped(node: Node, order: Order, factors: Factors, arrays: set[str], stores: int) -> _Run:
    """Walk the tile loops once, noting when the node writes first, writes last and reads last."""
    tiles = {loop.name: loop.trip_count // factors[loop.name] for loop in node.loops}
    written = set(node.write.iterators())
    own = {a: {i for r in node.reads_of(a) for i in r.iterators()} for a in arrays}
    ii = 4 if order[-1] not in written else 1
    first: int | None = None
    last_read = dict.fromkeys(arrays, 0)
    ranges = [range(tiles[name]) for name in order]
    step = 0
    for step, point in enumerate(product(*ranges)):
        at = dict(zip(order, point, strict=True))
        done = all(at[name] == tiles[name] - 1 for name in order if name not in written)
        if first is None and done:
            first = step
        for array, names in own.items():
            if all(at[name] == 0 for name in order if name not in names):
                last_read[array] = step
    assert first is not None
    return _Run(
        ii * first,
        ii * step * max(1, stores),
        {array: ii * at_step for array, at_step in last_read.items()},
    )


def _lane_dsps(node: Node) -> int:
    """Return 3 DSPs a product and 2 a sum, for nodes that add products up; else 0."""
    parts = [part for part in walk(node.value) if isinstance(part, Binary)]
    products = [part for part in parts if part.op is BinaryOp.MUL]
    sums = [part for part in parts if part.op in (BinaryOp.ADD, BinaryOp.SUB)]
    accumulates = node.reduction is Reduction.ADD and _multiplies(node.value)
    adds = any(_multiplies(part.left) and _multiplies(part.right) for part in sums)
    if not (accumulates or adds):
        return 0
    return 3 * len(products) + 2 * (len(sums) + (node.reduction is Reduction.ADD))


def _multiplies(expression: Expression) -> bool:
    return isinstance(expression, Binary) and expression.op is BinaryOp.MUL
