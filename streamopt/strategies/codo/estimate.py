"""CODO's model of a nest and of a whole design: FIFOs overlap nests, ping-pong buffers don't.

Operators are taken as they were profiled ([1] section VI), which here is the target's table with
what `streamopt.perf` knows of sums that several terms are added to at once; the latency of a
pipelined nest is that of [2]. DSPs are no part of CODO's search: its user raises the cap as long as
the tool reports few enough, so they are counted as the tool builds operators.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
[2] ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.analysis.operations import OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.network import Operation
from streamopt.perf.as_built.node_operators import NodeOperators, node_operators
from streamopt.perf.pipelines.operation_graph import chain_cycles
from streamopt.perf.pipelines.recurrence import Recurrence
from streamopt.strategies.sequential.unrolled_nests import UnrolledNest, unrolled_as_written
from streamopt.target.device import Target
from streamopt.target.operators import OperatorCost


class DesignEstimate:
    """The latency of a graph's designs of decided loop orders and channels.

    A nest begins when the first element of each FIFO has come and each ping-pong buffer is full,
    and ends no sooner than those that feed it.
    """

    def __init__(
        self, graph: Graph, orders: Mapping[str, tuple[str, ...]], fifos: Collection[str]
    ) -> None:
        ins = graph.in_edges()
        self._nodes, self._orders = graph.nodes, orders
        self._producers = {
            name: [(edge.producer, edge.channel in fifos) for edge in edges]
            for name, edges in ins.items()
        }
        self._fills: dict[tuple[str, UnrollChoice], int] = {}

    def cycles(self, choices: Mapping[str, UnrollChoice]) -> int:
        """Return the cycles until the last nest ends."""
        begins: dict[str, int] = {}
        ends: dict[str, int] = {}
        for node in self._nodes:
            begin = end = 0
            for producer, streams in self._producers[node.name]:
                if streams:
                    begin = max(begin, begins[producer] + self._fills[producer, choices[producer]])
                    end = max(end, ends[producer])
                else:
                    begin = max(begin, ends[producer])
            own = choices[node.name]
            begins[node.name], ends[node.name] = begin, max(end, begin + own.cycles)
            self._note_fill(node, own)
        return max(ends.values(), default=0)

    def _note_fill(self, node: Node, choice: UnrollChoice) -> None:
        if (node.name, choice) not in self._fills:
            fill = _fill_cycles(node, self._orders[node.name], choice)
            self._fills[node.name, choice] = fill


def _fill_cycles(node: Node, order: tuple[str, ...], choice: UnrollChoice) -> int:
    """Return the cycles from a nest's begin to its first result: until all terms have come."""
    factors = dict(zip(node.trip_counts, choice.factors, strict=True))
    trips, delays, reduced = node.built_trip_counts, node.delays, set(node.reduction_loops)
    last, inner = 0, choice.ii
    for name in reversed(order):
        tiles = -(-trips[name] // factors[name])
        last += inner * (tiles - 1 if name in reduced else delays.get(name, 0))
        inner *= tiles
    return last + choice.cycles - inner


PIPELINE_CYCLES = 2
"""By which a pipelined nest is longer than its iterations ([2])."""


@dataclass(frozen=True, slots=True)
class NestModel:
    """One iteration of a nest."""

    operators: NodeOperators | None
    """Of one iteration; None for a sequential node."""
    depth_cycles: int
    """From the first read to the last write."""
    update: Recurrence | None
    """Of a partial result; None where there is none."""
    least_dsps: int
    """Of the operators of one iteration, none of them shared."""
    target: Target
    unrolled: tuple[UnrolledNest, ...] = ()
    """A sequential node with each lanes of its nests as they are written, the fastest first."""

    def ii(self, distance: int) -> int:
        """Return the initiation interval, in cycles.

        Parameters
        ----------
        distance
            Iterations until an element comes again; 0 if none does.
        """
        if self.update is None or not distance:
            return 1
        return replace(self.update, distance=distance).ii(self.target)

    def used_dsps(self, order: Sequence[str], factors: Sequence[int], ii: int) -> int:
        """Return the DSPs of a nest, as the vendor's tool builds and shares its operators.

        Parameters
        ----------
        order
            Its loops, outermost first.
        factors
            Unroll factors in program order of the loops.
        """
        if self.operators is None or not factors:
            return self.least_dsps
        names = self.operators.node.trip_counts
        lanes = dict(zip(names, factors, strict=True))
        distance = int(self.operators.distances(order, lanes))
        return int(self.operators.amounts(lanes, ii, distance, self.target).dsps)


def nest_model(graph: Graph, node: Node, target: Target) -> NestModel:
    """Return the model of a nest on a target."""
    if isinstance(node, SequentialNode):
        nests = unrolled_as_written(graph, node, target)
        return NestModel(None, 0, None, nests[-1].shared_dsps, target, nests)
    operations = OperationList(ValueContext(graph.element_of, node.trip_counts), str)
    add_body(operations, node)
    depth, dsps = _chained(operations.operations, target)
    update = None
    if accumulates(node):
        array, last = node.write.array, operations.operations[-1]
        update = Recurrence(array, (last,), 1, 1, of_products=False)
    own = node_operators(node, graph.element_of)
    return NestModel(own, depth, update, dsps, target)


def _chained(operations: Sequence[Operation], target: Target) -> tuple[int, int]:
    """Return the cycles from the first to the last of some operations, and their DSPs."""

    def cost(operation: Operation) -> OperatorCost:
        return target.operator(operation.operator, operation.element)

    depth = chain_cycles(operations, lambda operation: cost(operation).latency_cycles + 1)
    return depth + PIPELINE_CYCLES, sum(cost(operation).dsps for operation in operations)


Integers = npt.NDArray[np.int64]


MOST_VECTORS = 50_000
"""Of one nest; beyond it, loops keep the largest factor below each power of two."""


@dataclass(frozen=True, slots=True)
class UnrollChoice:
    """Unroll factors of a nest, in program order of its loops, and its cycles by the model."""

    factors: tuple[int, ...]
    lanes: int
    ii: int
    cycles: int
    unrolled: UnrolledNest | None = None
    """A sequential node with lanes of its own loops; factors are 1 then."""


@dataclass(frozen=True, slots=True, eq=False)
class NestChoices:
    """All vectors of a nest, best first."""

    factors: Integers
    """Shape (vectors, loops), in program order of the loops."""
    lanes: Integers
    ii: Integers
    cycles: Integers
    distinct_lanes: tuple[int, ...]
    """Ascending."""
    unrolled: tuple[UnrolledNest, ...] = ()
    """Of a sequential node, one for each vector."""

    def reached(self, degree: int) -> int:
        """Return the most lanes of a vector within a degree: degrees between are no different."""
        return self.distinct_lanes[bisect_right(self.distinct_lanes, degree) - 1]

    def best(self, degree: int, fixed: Mapping[int, int]) -> UnrollChoice:
        """Return the best vector of at most ``degree`` lanes.

        Parameters
        ----------
        fixed
            Factors that are decided, by place of the loop; they may be more than the degree.
        """
        found = self.lanes <= max(degree, prod(fixed.values()))
        for place, factor in fixed.items():
            found &= self.factors[:, place] == factor
        at = int(found.argmax())
        factors = tuple(self.factors[at].tolist())
        nest = self.unrolled[at] if self.unrolled else None
        lanes, ii, cycles = (int(own[at]) for own in (self.lanes, self.ii, self.cycles))
        return UnrollChoice(factors, lanes, ii, cycles, nest)


def nest_choices(
    node: Node,
    order: Sequence[str],
    allowed: Mapping[str, Sequence[int]],
    fifo_loops: Collection[str],
    model: NestModel,
) -> NestChoices:
    """Return the strategies of a nest.

    Parameters
    ----------
    order
        Its loops, outermost first.
    allowed
        Unroll factors by loop, with 1.
    fifo_loops
        Those that move in an array that streams.
    """
    if model.unrolled:
        return _sequential_choices(node, model.unrolled)
    names = list(node.trip_counts)
    axes = [np.array(own, dtype=np.int64) for own in _thinned(allowed, names)]
    grid = np.meshgrid(*axes, indexing="ij") if axes else [np.ones(1, dtype=np.int64)]
    factors = np.stack([axis.ravel() for axis in grid], axis=1)[:, : len(names)]
    by_name = dict(zip(names, factors.T, strict=True))
    built, size = node.built_trip_counts, len(factors)
    ii = _intervals(node, order, by_name, model, size)
    tiles = _product([-(-built[name] // by_name[name]) for name in names], size)
    cycles = tiles * ii + model.depth_cycles
    fifo_lanes = _product([by_name[name] for name in names if name in fifo_loops], size)
    widest = factors.max(axis=1, initial=1)
    lanes = _product(list(by_name.values()), size)
    place = np.lexsort((np.arange(size), widest, fifo_lanes, lanes, cycles))
    return NestChoices(
        factors[place], lanes[place], ii[place], cycles[place], tuple(np.unique(lanes).tolist())
    )


def _sequential_choices(node: Node, nests: tuple[UnrolledNest, ...]) -> NestChoices:
    lanes = np.array([nest.lanes for nest in nests], dtype=np.int64)
    ones = np.ones((len(nests), len(node.loops)), dtype=np.int64)
    cycles = np.array([nest.cycles for nest in nests], dtype=np.int64)
    distinct = tuple(np.unique(lanes).tolist())
    return NestChoices(ones, lanes, np.ones_like(lanes), cycles, distinct, nests)


def _thinned(allowed: Mapping[str, Sequence[int]], names: Sequence[str]) -> list[list[int]]:
    found = [sorted(allowed[name]) for name in names]
    if prod(map(len, found)) <= MOST_VECTORS:
        return found
    return [[*{factor.bit_length(): factor for factor in own}.values()] for own in found]


def _intervals(
    node: Node,
    order: Sequence[str],
    factors: Mapping[str, Integers],
    model: NestModel,
    size: int,
) -> Integers:
    """Return the II: what an update asks for until its element comes again."""
    distance = np.ones(size, dtype=np.int64)
    comes_again = np.zeros(size, dtype=np.bool_)
    for name in reversed(order):
        tiles = -(-node.built_trip_counts[name] // factors[name])
        if name in node.reduction_loops:
            comes_again |= tiles > 1
        else:
            distance = np.where(comes_again, distance, distance * tiles)
    kinds, kind_of = np.unique(np.where(comes_again, distance, 0), return_inverse=True)
    ii = np.array([model.ii(kind) for kind in kinds.tolist()], dtype=np.int64)
    return ii[kind_of.ravel()]


def _product(columns: Sequence[Integers], size: int) -> Integers:
    found = np.ones(size, dtype=np.int64)
    for column in columns:
        found = found * column
    return found
