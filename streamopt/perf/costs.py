"""Cost of a node as the rest of a graph sees it: times and resources.

A cost model is a rule from loop order and unroll factors to these. The factors may be arrays of
one length, so that one call judges all choices of a node in one loop order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Protocol

import numpy as np

from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.schedule import Binding, NodePlan
from streamopt.perf.paper.algebra import INTEGERS
from streamopt.perf.paper.dsp import dsps_per_lane
from streamopt.perf.paper.timing import NestTiming, nest_timing


@dataclass(frozen=True, slots=True)
class Setting:
    """The part of a graph that a node's cost depends on."""

    operands: tuple[str, ...]
    """Arrays that the node reads from other nodes."""
    stores: int
    """Channels that its output goes down."""
    lane_dsps: int
    """DSPs of one copy of its body in the paper's accounting."""
    binding: Binding = ()
    """Resources of its operators."""
    target_ii: int = 1
    """Cycles between the starts of two iterations at least."""

    @staticmethod
    def of(
        graph: Graph, node: Node, ins: Sequence[Edge], outs: Sequence[Edge], binding: Binding = ()
    ) -> Setting:
        """Return the setting of a node in a graph.

        Parameters
        ----------
        ins, outs
            Its channels.
        """
        operands = tuple(dict.fromkeys(edge.array for edge in ins))
        return Setting(operands, len(outs), dsps_per_lane(node, graph.element_of), binding)


@dataclass(frozen=True, slots=True)
class NodeCost:
    """Times in cycles and resources; integers or integer arrays of the shape of the factors."""

    timing: NestTiming[Any]
    dsps: Any
    luts: Any = 0
    """Of operators and of what is around them at least; 0 where a model doesn't count them."""
    # as_fifo, as_buffer: by operand: LUTs at least of its channel to the node, and of what keeps
    # its elements there, if it is a FIFO and if it is a ping-pong buffer; nothing where a model
    # doesn't count them
    as_fifo: Mapping[str, Any] = field(default_factory=dict[str, Any])
    as_buffer: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class OpenPlans:
    """The plans of a sequential node that are of interest."""

    # most_dsps, most_luts: of the node; None for no limit
    most_dsps: int | None = None
    most_luts: int | None = None
    has_lanes: bool = False
    """Whether loops may be unrolled."""
    bindings: tuple[Binding, ...] = ((),)
    """Resources that the operators may have."""
    only_least_dsps: bool = False
    """Whether the one of all bindings that takes the fewest DSPs is enough."""


MANY_DSPS = 2**32
"""More than any limit."""


class SequentialCosts(Protocol):
    """The plans of sequential nodes, each with what it costs as built."""

    def plans(self, graph: Graph, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return plans worth considering, first the one that begins: without lanes."""
        ...

    def cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan."""
        ...


def plain_plan(node: Node) -> NodePlan:
    """Return the plan of a node as it is: original loop order, no unrolling."""
    return NodePlan(
        node.name, tuple(node.trip_counts), tuple((name, 1) for name in node.trip_counts)
    )


class CostModel(Protocol):
    """From loop order and unroll factors of one node to its cost."""

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node.

        Parameters
        ----------
        order
            Tile loops, outermost first.
        factors
            Unroll factor of every loop: integers, or integer arrays of one shape.
        """
        ...

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return DSPs below which no choice of a streaming node in a setting goes."""
        ...

    def plans(self, graph: Graph, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return the plans of a sequential node; see `SequentialCosts`."""
        ...

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        ...


@dataclass(frozen=True, slots=True)
class PublishedCosts:
    """Tables 2 and 3 and equation 3 of [1]: `nest_timing` and `dsps_per_lane`.

    [1] Basalama and Cong, Stream-HLS, FPGA 2025.
    """

    sequential: SequentialCosts | None = None
    """Of sequential nodes, which [1] doesn't have; None for one plan of each."""
    lane_dsps: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """DSPs of a lane by node, where they aren't those of [1]."""

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `CostModel`."""
        tiles = {name: -(-trips // factors[name]) for name, trips in node.trip_counts.items()}
        algebra: Any = INTEGERS
        timing = nest_timing(node, order, tiles, setting.operands, algebra, stores=setting.stores)
        return NodeCost(timing, prod(factors.values()) * self.least_dsps(node, setting))

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return the DSPs of one lane."""
        return self.lane_dsps.get(node.name, setting.lane_dsps)

    def plans(self, graph: Graph, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return the plans of a sequential node; see `SequentialCosts`."""
        if self.sequential is None:
            return (plain_plan(node),)
        return self.sequential.plans(graph, node, wanted)

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        if self.sequential is None:
            ins, outs = graph.in_edges()[node.name], graph.out_edges()[node.name]
            setting = Setting.of(graph, node, ins, outs)
            return self.node_cost(node, plan.order, plan.factors, setting)
        return self.sequential.cost(graph, node, plan)


PUBLISHED: CostModel = PublishedCosts()


@dataclass(frozen=True, slots=True)
class OtherCosts(ABC):
    """The costs of a model, of which some are others: those of streaming nodes at least."""

    whole: CostModel

    @abstractmethod
    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `CostModel`."""

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return DSPs below which no choice of a node with that binding goes."""
        return self.whole.least_dsps(node, setting)

    def plans(self, graph: Graph, node: SequentialNode, wanted: OpenPlans) -> tuple[NodePlan, ...]:
        """Return the plans of a sequential node; see `SequentialCosts`."""
        return self.whole.plans(graph, node, wanted)

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        return self.whole.plan_cost(graph, node, plan)


@dataclass(frozen=True, slots=True)
class LaterCosts(OtherCosts):
    """The costs of a model, but no earlier than another model says.

    A schedule is as late under it as under either of them, or later.
    """

    times: CostModel

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        cost = self.whole.node_cost(node, order, factors, setting)
        other = self.times.node_cost(node, order, factors, setting).timing
        return _no_earlier(cost, other, setting.operands)

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        cost = self.whole.plan_cost(graph, node, plan)
        other = self.times.plan_cost(graph, node, plan).timing
        known = [name for name in other.last_read if name in cost.timing.last_read]
        return _no_earlier(cost, other, known)


def _no_earlier(cost: NodeCost, other: NestTiming[Any], operands: Sequence[str]) -> NodeCost:
    """Return a cost with the later of two times."""
    own = cost.timing
    last = later(own.last_write, other.last_write)
    epilogues = {
        array: later(
            own.last_write - own.last_read[array], other.last_write - other.last_read[array]
        )
        for array in operands
    }
    timing = replace(
        other,
        first_write=later(own.first_write, other.first_write),
        last_write=last,
        last_read={array: last - epilogue for array, epilogue in epilogues.items()},
    )
    return replace(cost, timing=timing)


def later(first: Any, second: Any) -> Any:
    """Return the later of two times: integers, or arrays of one shape."""
    found = np.maximum(first, second)
    return int(found) if found.ndim == 0 else found


def chosen(condition: Any, one: Any, other: Any) -> Any:
    """Return one value where a condition holds, else the other; integers of integers."""
    if np.ndim(condition) == 0:
        return one if condition else other
    ones, others = (np.asarray(value, dtype=np.int64) for value in (one, other))
    return np.where(condition, ones, others)


@dataclass(frozen=True, slots=True)
class PricedCosts(OtherCosts):
    """The costs of a model, with LUTs as DSPs."""

    price: float
    """In DSPs, for one LUT."""

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        return self._paid(self.whole.node_cost(node, order, factors, setting))

    def _paid(self, cost: NodeCost) -> NodeCost:
        paid = np.floor(np.asarray(cost.luts) * self.price).astype(np.int64)
        dsps = cost.dsps + (int(paid) if paid.ndim == 0 else paid)
        return replace(cost, dsps=dsps, luts=0, as_fifo={}, as_buffer={})

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        return self._paid(self.whole.plan_cost(graph, node, plan))


@dataclass(frozen=True, slots=True)
class CheapRuns(OtherCosts):
    """The costs of a model, where rows beyond a node's limits take more DSPs than there are."""

    most_cycles: int
    """Of a node on its own."""
    most_used: Mapping[str, tuple[int, int]]
    """DSPs and LUTs with the FIFOs to it, by streaming node."""

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        cost = self.whole.node_cost(node, order, factors, setting)
        dsps, luts = self.most_used[node.name]
        is_dear = np.asarray(cost.timing.last_write) > self.most_cycles
        whole = np.asarray(cost.luts + sum(cost.as_fifo.values()))
        is_dear = is_dear | (np.asarray(cost.dsps) > dsps) | (whole > luts)
        found = np.where(is_dear, MANY_DSPS, cost.dsps)
        return replace(cost, dsps=int(found) if found.ndim == 0 else found)


@dataclass(frozen=True, slots=True)
class LoneCosts(OtherCosts):
    """The costs of a model for nodes on their own: streams don't count, but what they take.

    ``as_fifo`` and ``as_buffer`` have one entry, for all operands together: what these take as
    FIFOs, and at the least of both kinds of channels. A window that is noted comes as a stream.
    """

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        return _alone(self.whole.node_cost(node, order, factors, setting))

    def plan_cost(self, graph: Graph, node: SequentialNode, plan: NodePlan) -> NodeCost:
        """Return the cost of a plan of a sequential node."""
        return _alone(self.whole.plan_cost(graph, node, plan))


def _alone(cost: NodeCost) -> NodeCost:
    timing = replace(cost.timing, first_write=0 * cost.timing.last_write)
    if not cost.as_fifo:
        return replace(cost, timing=timing)
    fifos = sum(cost.as_fifo.values())
    kinds = (
        (np.asarray(cost.as_fifo[name]), np.asarray(buffer))
        for name, buffer in cost.as_buffer.items()
    )
    least: Any = sum(np.where(buffer > 0, np.minimum(buffer, fifo), fifo) for fifo, buffer in kinds)
    (first, *_) = cost.as_fifo
    return replace(cost, timing=timing, as_fifo={first: fifos}, as_buffer={first: least})
