"""Cycles that the operations of a graph take at least, in all DSPs and LUTs of a region: (O21).

In T cycles a unit takes at most T operands, so a node whose operation is done k times has units
of at least k / T. Weighted DSPs and LUTs give, for every weight, a bound of T; the greatest of
them is that of the linear program that splits operations between DSPs and LUTs at will.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil

import numpy as np
import numpy.typing as npt

from streamopt.analysis.accumulator import is_hurried
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.network import Implementation
from streamopt.ir.schedule import Binding
from streamopt.perf.as_built.node_operators import NodeOperators, node_operators
from streamopt.perf.costs import CostModel, OpenPlans
from streamopt.perf.resources.operators import Replicas
from streamopt.target.device import Target
from streamopt.target.resources import Resources

Floats = npt.NDArray[np.float64]

WEIGHTS: Floats = np.linspace(0.0, 1.0, 1025)
"""Of the DSPs; the rest is of the LUTs."""
AS_TOOL: tuple[Binding, ...] = ((),)
ROUNDING = 1e-9
"""Relative, that sums of floats may be too large by."""


def work_bound_cycles(
    graph: Graph,
    costs: CostModel,
    bindings: Mapping[str, tuple[Binding, ...]],
    counted: Mapping[str, Binding],
    on: Target,
    limits: Resources,
) -> int:
    """Return cycles below which no schedule of a graph is within the DSPs and LUTs of a region.

    Parameters
    ----------
    costs
        Of sequential nodes: their plans, and how long each runs.
    bindings
        By node, what its operators may be built from; others are as the tool builds them.
    counted
        By node, a binding by which DSPs are counted, whatever it is built from.
    """
    shares = _Shares(graph, counted, on, limits)
    own = shares.of_nodes(bindings)
    alone = {name: float(share.max()) for name, share in own.items()}
    for node in graph.nodes:
        if isinstance(node, SequentialNode):
            ways = bindings.get(node.name, AS_TOOL)
            wanted = OpenPlans(limits.dsps, limits.luts, has_lanes=True, bindings=ways)
            plans = costs.plans(graph, node, wanted)
            runs = (costs.plan_cost(graph, node, plan).timing for plan in plans)
            alone[node.name] = float(min(run.last_write for run in runs))
    least = max(_most(own), _longest_path_cycles(graph, alone))
    return ceil(least * (1.0 - ROUNDING))


def busy_cycles(
    graph: Graph,
    bindings: Mapping[str, tuple[Binding, ...]],
    counted: Mapping[str, Binding],
    on: Target,
    limits: Resources,
) -> int:
    """Return cycles that no schedule's frames are closer together than, as operators are busy.

    Parameters
    ----------
    bindings, counted
        As of `work_bound_cycles`; sequential nodes are left out.
    """
    shares = _Shares(graph, counted, on, limits)
    return ceil(_most(shares.of_nodes(bindings)) * (1.0 - ROUNDING))


def lut_dual_price(
    graph: Graph, bindings: Mapping[str, tuple[Binding, ...]], on: Target, limits: Resources
) -> float:
    """Return the dual price of a LUT in DSPs; all LUTs cost all DSPs where one limit alone binds.

    Else it is the ratio of the two dual prices of the linear program of the work, at which the last
    operations may be in either.

    Parameters
    ----------
    bindings
        As of `work_bound_cycles`; sequential nodes are left out.
    """
    own = _Shares(graph, {}, on, limits).of_nodes(bindings)
    weight = float(WEIGHTS[np.argmax(_total(own))])
    ratio = (1.0 - weight) / weight if 0.0 < weight < 1.0 else 1.0
    return ratio * limits.dsps / max(1, limits.luts)


def _most(shares: Mapping[str, Floats]) -> float:
    """Return the greatest of the bounds that weights give for all nodes together."""
    return float(_total(shares).max())


def _total(shares: Mapping[str, Floats]) -> Floats:
    return sum(shares.values(), np.zeros_like(WEIGHTS))


class _Shares:
    """The cycles that operations take of a whole region, for every weight."""

    def __init__(
        self, graph: Graph, counted: Mapping[str, Binding], on: Target, limits: Resources
    ) -> None:
        self._graph = graph
        self._counted = counted
        self._on = on
        self._per_dsp = WEIGHTS / max(1, limits.dsps)
        self._per_lut = (1.0 - WEIGHTS) / max(1, limits.luts)

    def of_nodes(self, bindings: Mapping[str, Sequence[Binding]]) -> dict[str, Floats]:
        """Return the share of each node in the cheapest of its bindings; not of sequential ones."""
        return {
            node.name: np.min([self._bound(node, way) for way in ways], axis=0)
            for node in self._graph.nodes
            if not isinstance(node, SequentialNode)
            for ways in (bindings.get(node.name, AS_TOOL),)
        }

    def _bound(self, node: Node, binding: Binding) -> Floats:
        built = self._operators(node, binding)
        by = self._counted.get(node.name, binding)
        if by == binding:
            return self._sum(built, self._per_dsp, self._per_lut)
        none = np.zeros_like(WEIGHTS)
        dsps = self._sum(self._operators(node, by), self._per_dsp, none)
        return dsps + self._sum(built, none, self._per_lut)

    def _operators(self, node: Node, binding: Binding) -> NodeOperators:
        return node_operators(node, self._graph.element_of, binding)

    def _sum(self, operators: NodeOperators, per_dsp: Floats, per_lut: Floats) -> Floats:
        trips = operators.node.trip_counts
        found = np.zeros_like(WEIGHTS)
        for replicas in operators.replicas:
            found += replicas.copies(trips) * self._of_one(replicas, per_dsp, per_lut)
        return found

    def _of_one(self, replicas: Replicas, per_dsp: Floats, per_lut: Floats) -> Floats:
        """Return one operation in the cheaper of its units: a hurried sum is added in LUTs."""
        operation = replicas.operation
        cost = partial(self._on.operator, operation.operator, operation.element)
        costs = [cost(operation.implementation)]
        is_sum = operation.over and is_hurried(operation.operator, operation.element, 1)
        if is_sum and operation.implementation is None:
            costs.append(cost(Implementation.FABRIC))
        return np.min([c.dsps * per_dsp + c.luts * per_lut for c in costs], axis=0)


def _longest_path_cycles(graph: Graph, alone: Mapping[str, float]) -> float:
    """Return when the last node ends, if each is as fast as it is alone.

    A node starts no earlier than its producers, and after their end where no order of loops can
    make a stream of what they write.
    """
    starts: dict[str, float] = {}
    ins = graph.in_edges()
    for node in graph.nodes:
        arrivals = [
            starts[e.producer] + (0.0 if _may_stream(graph, e) else alone[e.producer])
            for e in ins[node.name]
        ]
        starts[node.name] = max(arrivals, default=0.0)
    return max((starts[name] + cycles for name, cycles in alone.items()), default=0.0)


def _may_stream(graph: Graph, edge: Edge) -> bool:
    return not edge.is_whole and len(edge.reads) == 1 and len(graph.writers(edge.array)) == 1
