"""Quality of results: what the strategy believes of a node at unroll factors, before all hardware.

The estimator of [2] that [1] names: a pipelined nest of T iterations takes ``depth + II (T - 1)
+ 2`` cycles, and shares its operators over the II. Loops of a reduction are outermost, which
brings two updates of an element as far apart as an order can; II is what the vendor's tool makes
of them (`streamopt.perf.pipelines.recurrence`), which adds the lanes of a sum up in a tree.

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024, section 6.5.1.
[2] Ye et al., ScaleHLS, HPCA 2022, section V-E.
"""

from dataclasses import dataclass, replace
from itertools import product
from math import prod

from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.network import Operation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import NodePlan
from streamopt.perf.as_built.node_operators import NodeOperators, node_operators
from streamopt.perf.pipelines.operation_graph import chain_cycles
from streamopt.space.tiles import divisors
from streamopt.strategies.sequential.unrolled_nests import unrolled_as_written
from streamopt.target.device import Target

LOAD_CYCLES, STORE_CYCLES = 2, 1
"""Of a buffer, in the estimator of [2]."""
OVERHEAD_CYCLES = 2
"""Of entering and leaving a nest."""


@dataclass(frozen=True, slots=True)
class FactorChoice:
    """Unroll factors of a node, in the program order of its loops, and what they are worth."""

    factors: tuple[int, ...]
    lanes: int
    """Copies of the loop body."""
    latency_cycles: int
    dsps: int
    plan: NodePlan | None = None
    """Of a sequential node, whose factors are of the loops of an order; all others are 1."""


def loop_order(node: Node) -> tuple[str, ...]:
    """Return the loops with those of a reduction outermost, each kind in program order."""
    return (*node.reduction_loops, *(n for n in node.trip_counts if n not in node.reduction_loops))


def choices(graph: Graph, node: Node, target: Target) -> tuple[FactorChoice, ...]:
    """Return all unroll factors that divide the trip counts, the fastest first.

    A sequential node has those of its loops that carry nothing, as they are written; its nests run
    one after another and share operators.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    if isinstance(node, SequentialNode):
        return _sequential(graph, node, target)
    model = _NodeModel(graph, node, target)
    factors_of = (divisors(loop.trip_count, 1) for loop in node.loops)
    found = [model.choice(factors) for factors in product(*factors_of)]
    return tuple(sorted(found, key=lambda c: (c.latency_cycles, c.dsps, c.factors)))


class _NodeModel:
    """A streaming node's operators, counted and timed once for all of its choices."""

    def __init__(self, graph: Graph, node: Node, target: Target) -> None:
        operators = node_operators(node, graph.element_of)
        self._trips = tuple(node.trip_counts.values())
        self._reduces = tuple(name in node.reduction_loops for name in node.trip_counts)
        self._units = _dsp_units(node, operators, target)
        self._depth_cycles = LOAD_CYCLES + STORE_CYCLES
        made = [replica.operation for replica in operators.replicas]
        self._depth_cycles += chain_cycles(made, lambda operation: _cost(operation, target)[1])
        self._sum, self._target = operators.sum, target
        self._paces: dict[int, int] = {}
        self._joined_cycles = 0
        if operators.sum is not None:
            self._joined_cycles = _cost(operators.sum.operations[-1], target)[1]

    def choice(self, factors: tuple[int, ...]) -> FactorChoice:
        """Return the latency and DSPs of factors."""
        rounds = apart = terms = 1
        for trips, factor, reduces in zip(self._trips, factors, self._reduces, strict=True):
            if reduces:
                terms *= factor
                rounds *= trips // factor
            else:
                apart *= trips // factor
        ii = self._ii(apart) if rounds > 1 else 1
        depth = self._depth_cycles + (terms - 1).bit_length() * self._joined_cycles
        latency = depth + ii * (rounds * apart - 1) + OVERHEAD_CYCLES
        dsps = 0
        for each, lanes in self._units:
            dsps += each * -(-prod([factors[at] for at in lanes]) // ii)
        return FactorChoice(factors, prod(factors), latency, dsps)

    def _ii(self, distance: int) -> int:
        """Return the cycles between iterations that add to sums so many updates apart."""
        if self._sum is None:
            return 1
        if distance not in self._paces:
            update = replace(self._sum, terms=1, distance=distance)
            self._paces[distance] = update.ii(self._target)
        return self._paces[distance]


def _dsp_units(
    node: Node, operators: NodeOperators, target: Target
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the DSPs of every operator with the places of the loops that replicate it."""
    names = [*node.trip_counts]
    return tuple(
        (dsps, tuple(names.index(name) for name in found.lanes))
        for found in operators.replicas
        if (dsps := _cost(found.operation, target)[0])
    )


def _cost(operation: Operation, target: Target) -> tuple[int, int]:
    """Return DSPs and stages of an operator; copies and choices have none."""
    if operation.operator in (Operator.COPY, Operator.SELECT):
        return 0, 0
    cost = target.operator(operation.operator, operation.element, operation.implementation)
    return cost.dsps, cost.latency_cycles + 1


def _sequential(graph: Graph, node: SequentialNode, target: Target) -> tuple[FactorChoice, ...]:
    """Return the lanes of a sequential node; of equal ones only the first."""
    ones = (1,) * len(node.loops)
    found: dict[tuple[int, int], FactorChoice] = {}
    for own in unrolled_as_written(graph, node, target):
        choice = FactorChoice(ones, own.lanes, own.cycles, own.shared_dsps, own.plan)
        found.setdefault((choice.latency_cycles, choice.dsps), choice)
    return tuple(found.values())
