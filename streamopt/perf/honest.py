"""The honest cost of a node for any loop order and unroll factors, without lowering each choice.

A node is lowered once without unrolling. Its recurrences, operators and accesses then say what
every other choice costs, by the same rules that judge a lowered design: initiation interval by
`streamopt.perf.recurrence`, depth by `streamopt.perf.depth`, DSPs of all operators by
`streamopt.perf.binding` and `streamopt.perf.operators`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.ir.graph import SequentialNode
from streamopt.perf.algebra import INTEGERS
from streamopt.perf.costs import NodeCost
from streamopt.perf.depth import depth_cycles
from streamopt.perf.operators import shared_units
from streamopt.perf.recurrence import recurrences
from streamopt.perf.pipeline import pipeline_timings
from streamopt.perf.resources import resources
from streamopt.perf.closed_form import sequential_run
from streamopt.perf.timing import NestTiming, nest_run
from streamopt.ir.network import AccessMode, Operator
from streamopt.perf.constant_folding import built_operations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.graph import Node
    from streamopt.ir.network import Memory, Network, Operation, Pipeline
    from streamopt.perf.costs import Setting
    from streamopt.perf.recurrence import Recurrence
    from streamopt.target.device import Target

    Integers = npt.NDArray[np.int64]

__all__ = ["HonestCosts", "PortRule"]

FAR = 2**24
"""Beyond all distances."""
NO_DISTANCE = 0
"""Stands for a recurrence of which no element comes twice."""


@dataclass(frozen=True, slots=True)
class _Pace:
    """How a pipeline runs for one number of terms and one distance.

    Attributes
    ----------
    sharing
        Cycles over which operations share units.
    hurried
        Additions of each sum that are built without DSPs.
    """

    ii: int
    depth_cycles: int
    sharing: int
    hurried: int


@dataclass(frozen=True, slots=True)
class _Built:
    """An operation that takes DSPs, and the loops whose lanes each need one of their own."""

    loops: tuple[str, ...]
    dsps: int
    sums: bool


class PortRule:
    """The II that a node's array arguments ask for, by the unroll factors of some loops.

    Parameters
    ----------
    loops
        Those whose factors decide.
    judge
        From their factors to the II; asked once for each choice.
    """

    def __init__(self, loops: Sequence[str], judge: Callable[[Mapping[str, int]], int]) -> None:
        self._loops = tuple(loops)
        self._judge = judge
        self._known: dict[tuple[int, ...], int] = {}

    def intervals(self, factors: Mapping[str, Integers]) -> Integers:
        """Return the II of every choice."""
        if not self._loops:
            return np.ones(1, dtype=np.int64)
        columns = np.stack([factors[name] for name in self._loops], axis=1)
        code = np.zeros(len(columns), dtype=np.int64)
        for column in columns.T:
            code = code * (int(column.max()) + 1) + column
        _, first, places = np.unique(code, return_index=True, return_inverse=True)
        found = [self._ii(tuple(columns[place].tolist())) for place in first]
        return np.array(found, dtype=np.int64)[places.ravel()]

    def _ii(self, point: tuple[int, ...]) -> int:
        if point not in self._known:
            self._known[point] = self._judge(dict(zip(self._loops, point, strict=True)))
        return self._known[point]


NO_PORTS = PortRule((), lambda _: 1)


class HonestCosts:
    """Costs of the nodes of one graph on one target.

    Parameters
    ----------
    pipelines
        By node: its pipelines without unrolling.
    network
        What they are part of.
    """

    def __init__(
        self,
        pipelines: Mapping[str, tuple[Pipeline, ...]],
        network: Network,
        target: Target,
        ports: Mapping[str, PortRule],
    ) -> None:
        memories = {memory.name: memory for memory in network.memories}
        self._fixed = {
            name: tuple(own) for name, own in pipelines.items() if len(own) > 1
        }
        self._timings = pipeline_timings(network, target)
        self._dsps = {n: r.dsps for n, r in resources(network, self._timings, target).pipelines.items()}
        self._nodes = {
            name: _Template(own[0], memories, target, ports.get(name, NO_PORTS))
            for name, own in pipelines.items()
            if len(own) == 1
        }

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        if isinstance(node, SequentialNode):
            own = self._fixed[node.name]
            run = sequential_run(node, own, self._timings)
            return NodeCost(run, sum(self._dsps[pipeline.name] for pipeline in own))
        template = self._nodes[node.name]
        vectors = {
            name: np.atleast_1d(np.asarray(factors[name], dtype=np.int64))
            for name in node.trip_counts
        }
        cost = template.cost(node, order, vectors, setting.operands)
        is_one = all(isinstance(factor, int) for factor in factors.values())
        return _single(cost) if is_one else cost

    def least_dsps(self, node: Node) -> int:
        """Return DSPs below which no choice of a node goes: one unit of each operator."""
        if isinstance(node, SequentialNode):
            return sum(self._dsps[pipeline.name] for pipeline in self._fixed[node.name])
        return self._nodes[node.name].least_dsps()


class _Template:
    """What one node's pipelines say of all its choices."""

    def __init__(
        self, body: Pipeline, memories: Mapping[str, Memory], target: Target, ports: PortRule
    ) -> None:
        self._ports = ports
        self._memories = memories
        self._target = target
        self._body = body
        self._updates = tuple(recurrences(self._body))
        self._paces: dict[tuple[int, int], _Pace] = {}
        summed = {o for update in self._updates if update.is_sum for o in update.operations}
        self._built = tuple(
            _Built(tuple(loops), cost.dsps, operation in summed)
            for operation, loops in _loops_of(self._body)
            if (cost := target.operator(operation.operator, operation.element)).dsps
        )

    def cost(
        self,
        node: Node,
        order: Sequence[str],
        factors: Mapping[str, Integers],
        operands: Sequence[str],
    ) -> NodeCost:
        """Return times and DSPs of a streaming node."""
        tiles = {name: trips // factors[name] for name, trips in node.trip_counts.items()}
        carried = node.reduction_loops if self._updates else ()
        terms = prod((factors[name] for name in carried), start=np.ones(1, dtype=np.int64))
        port_ii = self._ports.intervals(factors)
        codes, places = np.unique(
            (port_ii * FAR + terms) * FAR + _distance(order, tiles, carried), return_inverse=True
        )
        paces = [
            self._pace(code // FAR**2, code // FAR % FAR, code % FAR) for code in codes.tolist()
        ]
        ii, depth, sharing, hurried = (
            np.array(column, dtype=np.int64)[places.ravel()]
            for column in zip(*((p.ii, p.depth_cycles, p.sharing, p.hurried) for p in paces))
        )
        algebra: Any = INTEGERS
        run = nest_run(node, order, tiles, operands, algebra, ii)
        dsps = np.zeros_like(ii)
        for built in self._built:
            count = prod((factors[name] for name in built.loops), start=np.ones_like(ii))
            if built.sums:
                count = count - count // terms * hurried
            dsps = dsps + built.dsps * shared_units(count, sharing)
        return NodeCost(run.delayed(depth), dsps)

    def least_dsps(self) -> int:
        """Return the DSPs of one unit of each operator; sums may go without."""
        return sum(built.dsps for built in self._built if not built.sums)

    def _pace(self, port_ii: int, terms: int, distance: int) -> _Pace:
        key = (port_ii, terms, distance)
        if key not in self._paces:
            self._paces[key] = self._judged(*key)
        return self._paces[key]

    def _judged(self, port_ii: int, terms: int, distance: int) -> _Pace:
        updates = tuple(
            replace(update, terms=terms, distance=distance or None) for update in self._updates
        )
        ii = max((update.ii(self._target) for update in updates), default=1)
        ii = max(ii, port_ii)
        depth = depth_cycles(self._body, self._memories, updates, port_ii, self._target)
        return _Pace(
            ii,
            depth,
            min((_sharing(update, ii) for update in updates), default=ii),
            max((_hurried(update, ii, self._target) for update in updates), default=0),
        )


def _sharing(update: Recurrence, ii: int) -> int:
    chained = update.chained_additions
    halved = update.is_sum and update.distance == 1 and 1 < chained == update.terms - 1
    return ii // 2 if halved and ii > 1 else ii


def _hurried(update: Recurrence, ii: int, target: Target) -> int:
    if not update.is_sum or update.distance is None:
        return 0
    usual = target.operator(Operator.ADD, update.operations[0].element)
    if update.chained_additions * usual.latency_cycles + 2 <= ii * update.distance:
        return 0
    short = 4 if 4 < update.terms < 8 else update.chained_additions
    return min(short, update.terms)


def _loops_of(pipeline: Pipeline) -> list[tuple[Operation, frozenset[str]]]:
    seen = {
        port.value: frozenset(n for s in port.subscripts for n in s.iterators())
        for port in pipeline.ports
        if port.mode is AccessMode.READ
    }
    found: list[tuple[Operation, frozenset[str]]] = []
    for operation in built_operations(pipeline):
        loops = frozenset[str]().union(*(seen.get(name, ()) for name in operation.operands))
        seen[operation.result] = loops
        if operation.operator is not Operator.COPY:
            found.append((operation, loops))
    return found


def _single(cost: NodeCost) -> NodeCost:
    """Return the cost of the only choice of an array, in integers."""
    timing = cost.timing
    return NodeCost(
        NestTiming(
            int(timing.ii[0]),
            int(timing.first_write[0]),
            int(timing.last_write[0]),
            {array: int(np.asarray(cycles).ravel()[0]) for array, cycles in timing.last_read.items()},
        ),
        int(cost.dsps[0]),
    )


def _distance(
    order: Sequence[str], tiles: Mapping[str, Integers], carried: Sequence[str]
) -> Integers:
    """Return the iterations between two updates of an element; `NO_DISTANCE` for none.

    It is the product of the trip counts inside the innermost tile loop that carries the sum and
    has more than one iteration (`streamopt.perf.access_distance.collision_distance`).
    """
    inside = np.ones(1, dtype=np.int64)
    distance = np.full(1, NO_DISTANCE, dtype=np.int64)
    for name in reversed(order):
        if name in carried:
            distance = np.where((distance == NO_DISTANCE) & (tiles[name] > 1), inside, distance)
        inside = inside * tiles[name]
    return distance
