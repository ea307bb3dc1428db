"""Sequential nodes as other systems unroll them: an order, divisors as lanes, and their worth.

A phase is a pipelined nest of its own. One with T tiles in a visit takes ``depth + T - 1 + 2``
cycles each time (the estimator of [1]); a sum over lanes is a tree, and a partial sum is updated
again no sooner than its adder lets it.

[1] Ye et al., ScaleHLS, HPCA 2022, section V-E.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from streamopt.analysis.operations import OperationList
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import NodePlan
from streamopt.ir.stepping.steps import iterator_ends, walk_phases
from streamopt.perf.pipelines.operation_graph import chain_cycles
from streamopt.perf.turns.bubbles import LeastLength
from streamopt.space.tiles import divisors
from streamopt.strategies.sequential.lane_groups import lane_groups
from streamopt.strategies.sequential.phase_counts import PhaseCounts
from streamopt.transforms.autoschedule import steps_of, written_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.element import ElementType
    from streamopt.ir.graph import Graph, SequentialNode
    from streamopt.ir.network import Operation
    from streamopt.ir.stepping.steps import Phase, Steps
    from streamopt.target.device import Target

    Kinds = dict[tuple[Operator, ElementType], int]
    """DSPs of each kind of operator."""

LOAD_CYCLES, STORE_CYCLES, LOOP_CYCLES = 2, 1, 2
"""Of a buffer, and of entering and leaving a nest, in the estimator of [1]."""
MOST_CHOICES = 2_000
"""Lanes of one order; of more, every other divisor of the longest list is left out."""


@dataclass(frozen=True, slots=True)
class UnrolledNest:
    """A sequential node with lanes."""

    plan: NodePlan
    """Over the loops of its order."""
    lanes: int
    """Of the phase that has most."""
    cycles: int
    """By the estimate."""
    dsps: int
    """Of all phases, each with operators of its own."""
    shared_dsps: int
    """If phases use operators one after another."""


def unrolled_as_written(
    graph: Graph, node: SequentialNode, target: Target
) -> tuple[UnrolledNest, ...]:
    """Return a node with each lanes of its loops as they are written, the fastest first.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    return _sorted(_OneOrder(graph, node, target, written_steps(node)).choices())


def unrolled_in_any_order(
    graph: Graph, node: SequentialNode, target: Target
) -> tuple[UnrolledNest, ...]:
    """Return a node with each lanes of its loops, also skewed and interchanged, the fastest first.

    Raises
    ------
    TargetError
        As `unrolled_as_written`.
    """
    orders = (written_steps(node), *steps_of(node))
    return _sorted([c for one in orders for c in _OneOrder(graph, node, target, one).choices()])


def _sorted(choices: Sequence[UnrolledNest]) -> tuple[UnrolledNest, ...]:
    def worth(choice: UnrolledNest) -> tuple[int, int, int, list[int]]:
        even = sorted(choice.plan.factors.values(), reverse=True)
        return choice.cycles, choice.shared_dsps, choice.dsps, even

    return tuple(sorted(choices, key=worth))


class _OneOrder:
    """The phases of one order, timed and counted once for all lanes."""

    def __init__(self, graph: Graph, node: SequentialNode, target: Target, steps: Steps) -> None:
        self._node, self._steps = node, steps
        counts = PhaseCounts(steps)
        self._models = [
            _PhaseModel(phase, counts, _operations(graph, steps, phase), target)
            for phase, _ in walk_phases(steps.items)
        ]

    def choices(self) -> list[UnrolledNest]:
        """Return all lanes that divide trip counts; loops along one dimension have the same."""
        trips = {loop.name: loop.trip_count for loop in self._steps.loops}
        groups = lane_groups(self._steps)
        ladders = [[*divisors(max(1, *(trips[n] for n in own)), 1)] for own in groups]
        while prod(map(len, ladders)) > MOST_CHOICES:
            longest = max(ladders, key=len)
            ladders = [own[::2] if own is longest else own for own in ladders]
        found: list[UnrolledNest] = []
        for factors in product(*ladders):
            pairs = zip(groups, factors, strict=True)
            lanes = {n: min(factor, max(1, trips[n])) for own, factor in pairs for n in own}
            found.append(self._choice(lanes))
        return found

    def _choice(self, lanes: Mapping[str, int]) -> UnrolledNest:
        own = [phase.amounts(lanes) for phase in self._models]
        shared: Kinds = {}
        for _, dsps in own:
            shared = {kind: max(shared.get(kind, 0), dsps.get(kind, 0)) for kind in shared | dsps}
        names = tuple(loop.name for loop in self._steps.loops)
        unroll = tuple((name, lanes.get(name, 1)) for name in names)
        return UnrolledNest(
            NodePlan(self._node.name, names, unroll, steps=self._steps.name),
            max((copies for copies, _ in own), default=1),
            sum(phase.cycles(lanes) for phase in self._models),
            sum(sum(dsps.values()) for _, dsps in own),
            sum(shared.values()),
        )


def _operations(graph: Graph, steps: Steps, phase: Phase) -> Sequence[Operation]:
    found = OperationList(ValueContext(graph.element_of, iterator_ends(steps.loops)), str)
    for statement in phase.statements:
        for expression in statement.expressions:
            found.value(expression)
    return found.operations


class _PhaseModel:
    def __init__(
        self, phase: Phase, counts: PhaseCounts, operations: Sequence[Operation], target: Target
    ) -> None:
        self._phase, self._counts, self._target = phase, counts, target
        self._kinds: Kinds = {}
        for operation in operations:
            kind = operation.operator, operation.element
            self._kinds[kind] = self._kinds.get(kind, 0) + _cost(operation, target)[0]
        chain = chain_cycles(operations, lambda operation: _cost(operation, target)[1])
        self._depth_cycles = LOAD_CYCLES + STORE_CYCLES + chain
        sums = operations and phase.sums
        self._join_cycles = _cost(operations[-1], target)[1] if sums else 0

    def amounts(self, lanes: Mapping[str, int]) -> tuple[int, Kinds]:
        """Return the lanes of the phase, and the DSPs of each kind of its operators."""
        copies = prod(lanes.get(loop.name, 1) for loop in self._phase.loops)
        return copies, {kind: copies * dsps for kind, dsps in self._kinds.items()}

    def cycles(self, lanes: Mapping[str, int]) -> int:
        """Return the cycles of all visits."""
        added = [loop for loop in self._phase.loops if loop.name in self._phase.sums]
        terms = prod(lanes.get(loop.name, 1) for loop in added)
        has_rounds = any(lanes.get(loop.name, 1) < loop.trip_count for loop in added)
        round_cycles = self._join_cycles + STORE_CYCLES if has_rounds else 1
        depth = self._depth_cycles + (terms - 1).bit_length() * self._join_cycles
        busy = self._counts.of_phase(self._phase.name, lanes, LeastLength(round_cycles))
        return busy + self._counts.visits(self._phase.name) * (depth - 1 + LOOP_CYCLES)


def _cost(operation: Operation, target: Target) -> tuple[int, int]:
    """Return DSPs and stages of an operator; copies and choices have none."""
    if operation.operator in (Operator.COPY, Operator.SELECT):
        return 0, 0
    cost = target.operator(operation.operator, operation.element, operation.implementation)
    return cost.dsps, cost.latency_cycles + 1
