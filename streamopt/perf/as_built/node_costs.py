"""As-built cost of a node for any loop order and unroll factors, without lowering each choice.

A node is lowered once without unrolling. Its recurrences, operators and accesses then say what
every other choice costs, (O2) to (O6) of ``models/formulations/opt6.md``, by the same rules that
judge a lowered design: initiation interval by `streamopt.perf.pipelines.recurrence`, depth by
`streamopt.perf.pipelines.depth`, DSPs of all operators by `streamopt.perf.resources.adder_binding`
and `streamopt.perf.resources.operators`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.analysis.accumulator import SLACK_ITERATIONS, is_hurried
from streamopt.analysis.operations import accumulates
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.network import Implementation, Memory, Network, Operation, Pipeline
from streamopt.ir.operators import Operator
from streamopt.ir.program import Array, Loop
from streamopt.ir.schedule import Binding, NodePlan, bound_implementation
from streamopt.perf.as_built.closed_form import built_run
from streamopt.perf.as_built.known_choices import KnownChoices
from streamopt.perf.as_built.least_luts import (
    as_buffer_luts,
    as_fifo_luts,
    handed_luts,
    masked_luts,
    sum_luts,
)
from streamopt.perf.as_built.node_operators import NodeOperators, node_operators
from streamopt.perf.as_built.port_rules import PortRule
from streamopt.perf.costs import NodeCost, OpenPlans, SequentialCosts, Setting
from streamopt.perf.paper.timing import NestTiming
from streamopt.perf.pipelines.depth import depth_cycles, partial_tile_cycles
from streamopt.perf.pipelines.recurrence import (
    ROUND_TRIP_CYCLES,
    accumulation_latency_cycles,
    interval_cycles,
    memory_round_trip_cycles,
    recurrences,
)
from streamopt.perf.resources.fabric import least_pipeline_luts
from streamopt.target.device import Target

Integers = npt.NDArray[np.int64]

FAR = 2**24
"""Beyond all distances."""


@dataclass(frozen=True, slots=True)
class _Pace:
    """How a pipeline runs for one number of terms and one distance."""

    ii: int
    depth_cycles: int


class AsBuiltCosts:
    """Costs of the nodes of one graph on one target.

    Parameters
    ----------
    pipelines
        By node: its pipelines without unrolling.
    network
        What they are part of.
    ports
        By streaming node.
    counted
        By node, a binding by which DSPs are counted, whatever the tool does.
    sequential
        Of sequential nodes.
    """

    def __init__(
        self,
        graph: Graph,
        pipelines: Mapping[str, tuple[Pipeline, ...]],
        network: Network,
        target: Target,
        ports: Mapping[str, PortRule],
        counted: Mapping[str, Binding],
        sequential: SequentialCosts,
    ) -> None:
        self._counted, self._sequential = counted, sequential
        self._graph = graph
        self._network = network
        self._pipelines = pipelines
        self._target = target
        self._ports = ports
        self._nests: dict[tuple[str, Binding], _NodeBody] = {}
        self._known = KnownChoices("", {})
        self._has_surroundings = False

    def node_cost(
        self,
        node: Node,
        order: Sequence[str],
        factors: Mapping[str, Any],
        setting: Setting,
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        vectors = {
            name: np.atleast_1d(np.asarray(factors[name], dtype=np.int64))
            for name in node.trip_counts
        }
        nest = self._nest(node, setting.binding)
        self._known = self._known.of_factors(node.name, vectors)
        cost = nest.cost(order, vectors, setting, self._known)
        is_one = all(isinstance(factor, int) for factor in factors.values())
        return _single(cost) if is_one else cost

    def with_surroundings(self) -> AsBuiltCosts:
        """Return the same with the LUTs of masks, partial sums and channels counted, too.

        Fewer rows are then dominated. Bounds need this precision; the upper-bound searches learn it
        from designs.
        """
        found = copy(self)
        found._nests, found._has_surroundings = {}, True
        return found

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return DSPs below which no choice of a node goes; adders may do without."""
        return self._nest(node, setting.binding).least_dsps()

    def plans(self, graph: Graph, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return the plans of a sequential node; see `streamopt.perf.costs.SequentialCosts`."""
        return self._sequential.plans(graph, node, wanted)

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        return self._sequential.cost(graph, node, plan)

    def _nest(self, node: Node, binding: Binding) -> _NodeBody:
        key = (node.name, binding)
        if key not in self._nests:
            *_, body = self._pipelines[node.name]
            bound = replace(body, operations=tuple(map(partial(_bound, binding), body.operations)))
            memories = {memory.name: memory for memory in self._network.memories}
            operators = self._operators(node, binding)
            by = self._counted.get(node.name, binding)
            counted = operators if by == binding else self._operators(node, by)
            self._nests[key] = _NodeBody(
                operators,
                counted,
                bound,
                memories,
                self._target,
                self._ports[node.name],
                self._graph.array if self._has_surroundings else None,
                self._handed(node),
            )
        return self._nests[key]

    def _handed(self, node: Node) -> tuple[Array, ...]:
        """Return the buffers that a node alone fills for sequential nodes, which take them whole.

        They are counted in all searches: no other choice of a row says what they are split by.
        """
        (name,) = node.outputs
        if len(self._graph.writers(name)) > 1:
            return ()
        own, edges = self._graph.array(name), self._graph.out_edges()[node.name]
        takers = {edge.channel: self._graph.node(edge.consumer) for edge in edges}
        return tuple(own for taker in takers.values() if isinstance(taker, SequentialNode))

    def _operators(self, node: Node, binding: Binding) -> NodeOperators:
        return node_operators(node, self._graph.element_of, binding)


def _bound(binding: Binding, operation: Operation) -> Operation:
    implementation = bound_implementation(binding, operation.operator, operation.element)
    return replace(operation, implementation=implementation)


class _NodeBody:
    """One streaming node, lowered without unrolling: the costs of all its choices."""

    def __init__(
        self,
        operators: NodeOperators,
        counted: NodeOperators,
        body: Pipeline,
        memories: Mapping[str, Memory],
        target: Target,
        ports: PortRule,
        array: Callable[[str], Array] | None,
        handed: Sequence[Array],
    ) -> None:
        self._array, self._handed = array, handed
        self._operators = operators
        self._counted = counted
        self._body = body
        self._memories = memories
        self._target = target
        self._ports = ports
        self._updates = tuple(recurrences(body))
        self._latencies = [accumulation_latency_cycles(u, target) for u in self._updates]
        self._paces: dict[tuple[int, int, int], _Pace] = {}
        self._depths: dict[tuple[int, bool, bool], int] = {}
        # distances from there on make no difference
        elements = [update.operations[-1].element for update in self._updates]
        slack = max((SLACK_ITERATIONS.get(element, 0) for element in elements), default=0)
        self._far = max(slack, *self._latencies, 1) + ROUND_TRIP_CYCLES
        self._sum_bits = [update.operations[-1].element.bits for update in self._updates]

    def cost(
        self,
        order: Sequence[str],
        factors: Mapping[str, Integers],
        setting: Setting,
        known: KnownChoices,
    ) -> NodeCost:
        """Return times, DSPs and LUTs for vectors of unroll factors.

        Parameters
        ----------
        known
            Of the same vectors.
        """
        distances: Any = 0
        operands, target_ii = setting.operands, setting.target_ii
        if self._updates:
            found = known.of(order, lambda: self._operators.distances(order, factors))
            distances = np.minimum(found, self._far)
        ii, depth, dsps, luts = known.of(
            (self, target_ii, np.asarray(distances).tobytes()),
            lambda: self._amounts(factors, distances, target_ii),
        )
        run = known.of(
            (*order, "", *operands, ii.tobytes()), lambda: self._run(order, factors, operands, ii)
        )
        node, blocks = self._operators.node, self._target.memories
        for handed in self._handed:
            luts = luts + handed_luts(node, handed, factors, blocks)
        if self._array is None:
            return NodeCost(run.delayed(depth), dsps, luts)
        beside, as_fifo, as_buffer = known.of(
            (*order, "beside", *operands), lambda: self._beside(order, factors, operands, distances)
        )
        return NodeCost(run.delayed(depth), dsps, luts + beside, as_fifo, as_buffer)

    def _beside(
        self,
        order: Sequence[str],
        factors: Mapping[str, Integers],
        operands: Sequence[str],
        distances: Any,
    ) -> tuple[Any, Mapping[str, Integers], Mapping[str, Integers]]:
        """Return LUTs beside operators, and of operands as either channel: of all bindings."""
        assert self._array is not None
        node, blocks = self._operators.node, self._target.memories
        luts: Any = masked_luts(node, factors, self._sum_bits)
        if accumulates(node) and (carried := self._operators.carried) is not None:
            sums = replace(self._array(node.write.array), element=carried.operation.element)
            luts = luts + sum_luts(node, sums, order, factors, blocks) * (distances > 0)
        arrays = [self._array(name) for name in operands]
        return (
            luts,
            {own.name: as_fifo_luts(node, own, order, factors, blocks) for own in arrays},
            {own.name: as_buffer_luts(node, own, factors, blocks) for own in arrays},
        )

    def _run(
        self,
        order: Sequence[str],
        factors: Mapping[str, Integers],
        operands: Sequence[str],
        ii: Integers,
    ) -> NestTiming[Any]:
        """Return the times of a pipeline without depth, which bindings have in common."""
        node = self._operators.node
        tiles = {name: -(-trips // factors[name]) for name, trips in node.built_trip_counts.items()}
        return built_run(node, order, tiles, operands, ii)

    def _amounts(
        self, factors: Mapping[str, Integers], distances: Any, target_ii: int
    ) -> tuple[Integers, Integers, Any, Any]:
        """Return II and depth in cycles, DSPs and LUTs, which many orders have in common."""
        ii, depth = self._paced(factors, distances, target_ii)
        used = self._operators.amounts(factors, ii, distances, self._target)
        dsps = used.dsps
        if self._counted is not self._operators:
            dsps = self._counted.amounts(factors, ii, distances, self._target).dsps
        luts = used.luts + least_pipeline_luts(used.result_bits, used.unit_bits, ii)
        return ii, depth, dsps, luts

    def _paced(
        self, factors: Mapping[str, Integers], distances: Any, target_ii: int
    ) -> tuple[Integers, Integers]:
        """Return II and depth, in cycles, of every choice."""
        node = self._operators.node
        carried = node.reduction_loops if self._updates else ()
        size = next(iter(factors.values()), np.ones(1, dtype=np.int64)).shape
        terms = prod((factors[name] for name in carried), start=np.ones(size, dtype=np.int64))
        tree = np.frexp(terms - 1)[1]
        port_ii = np.maximum(self._ports.intervals(factors), target_ii)
        codes, places_of = np.unique((port_ii * FAR + tree) * FAR + distances, return_inverse=True)
        paces = [
            self._pace(code // FAR**2, code // FAR % FAR, code % FAR) for code in codes.tolist()
        ]
        ii = np.array([pace.ii for pace in paces], dtype=np.int64)[places_of.ravel()]
        depth = np.array([pace.depth_cycles for pace in paces], dtype=np.int64)[places_of.ravel()]
        partial = np.zeros(size, dtype=np.bool_)
        for name, trips in node.trip_counts.items():
            partial |= trips % factors[name] > 0
        return ii, depth + partial_tile_cycles(self._target) * partial

    def least_dsps(self) -> int:
        """Return the DSPs of one unit of each operator; sums may go without."""
        found = 0
        for replicas in self._counted.replicas:
            operation = replicas.operation
            is_adder = operation.operator in (Operator.ADD, Operator.SUB)
            if not is_adder:
                built = (operation.operator, operation.element, operation.implementation)
                found += self._target.operator(*built).dsps
        return found

    def _pace(self, port_ii: int, tree: int, distance: int) -> _Pace:
        key = (port_ii, tree, distance)
        if key not in self._paces:
            memory = memory_round_trip_cycles(self._target)
            ii = max(
                (interval_cycles(one, distance, memory) for one in self._latencies if distance),
                default=1,
            )
            adds = [u.operations[-1] for u in self._updates]
            hurried = any(is_hurried(one.operator, one.element, distance) for one in adds)
            depth = self._depth(tree, hurried, distance > 0) + port_ii - 1
            self._paces[key] = _Pace(max(ii, port_ii), depth)
        return self._paces[key]

    def _depth(self, tree: int, hurried: bool, carried: bool) -> int:
        """Return the depth where ports ask for no interval, in cycles.

        Parameters
        ----------
        tree
            Operators on the way through the tree that combines the terms of an iteration.
        hurried
            Whether the next is asked to be of LUTs, if nothing else is.
        carried
            Whether it adds to a partial value.
        """
        key = (tree, hurried, carried)
        if key not in self._depths:
            body = self._body
            if self._updates:
                body = _with_tree(body, tree)
                *before, last = body.operations
                if not carried and self._operators.whole is None:
                    last = replace(last, operator=Operator.COPY, operands=last.operands[1:])
                elif hurried and last.implementation is None:
                    last = replace(last, implementation=Implementation.FABRIC)
                body = replace(body, operations=(*before, last))
            # whether there is haste is said by now, so that the distance says nothing more
            updates = tuple(replace(u, distance=None) for u in recurrences(body) if carried)
            self._depths[key] = depth_cycles(body, self._memories, updates, 1, self._target)
        return self._depths[key]


def _with_tree(body: Pipeline, depth: int) -> Pipeline:
    """Return a pipeline whose last operation takes its term from a tree of some depth."""
    if not depth:
        return body
    *before, last = body.operations
    partial_value, term = last.operands
    lanes = (Loop("term", 2**depth),)
    tree = replace(last, operands=(term,), result="terms", over=("term",))
    last = replace(last, operands=(partial_value, "terms"))
    return replace(body, lanes=lanes, operations=(*before, tree, last))


def _single(cost: NodeCost) -> NodeCost:
    """Return the cost of the only choice of an array, in integers."""

    def single(value: Any) -> int:
        return int(np.asarray(value).ravel()[0])

    timing = cost.timing
    reads = {array: single(cycles) for array, cycles in timing.last_read.items()}
    run = NestTiming(
        single(timing.ii), single(timing.first_write), single(timing.last_write), reads
    )
    kinds = (
        {name: single(luts) for name, luts in own.items()} for own in (cost.as_fifo, cost.as_buffer)
    )
    return NodeCost(run, single(cost.dsps), single(cost.luts), *kinds)
