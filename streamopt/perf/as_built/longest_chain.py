"""The longest chain of a graph: cycles that no hardware can save, however much there is of it.

A value is there when its operands are and its operator's latency has passed, at the shortest
implementation that the device's table has; memory takes no time. Terms of a sum are added in any
order, the first ones first: after a tree over all that have come, of latency ``l`` each level,

``max(l ceil(log2 sum of 2^(t/l)), last t + l)``

where ``t`` are the times of its terms, which is not above the time of the best tree. Iterations of
one phase don't wait for each other, so that all of a visit are looked at together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.analysis.counting import ONE_POINT, LoopGrid, executions
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.algebra.evaluation import evaluate
from streamopt.ir.expression import Access, Condition, Literal
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Statement
from streamopt.ir.stepping.steps import Phase, StepItem, StepLoop, Steps, iterator_ends, walk_phases
from streamopt.perf.as_built.statement_bodies import StatementBody, statement_body
from streamopt.target.device import Target

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW = 2
"""First and last iterations of a loop that are looked at where all are too many."""


@dataclass(frozen=True, slots=True)
class ChainLimits:
    """Work that finding a chain may take."""

    points: int = 300_000
    """Iterations of a node that are looked at one by one. Of nodes with more, few iterations of
    each loop without order are: the chain is then one of the graph, but maybe not the longest."""
    visits: int = 3_000
    """Of phases of a node, at most; those with more are left out."""


USUAL = ChainLimits()


def longest_chain_cycles(
    graph: Graph,
    steps_of: Callable[[SequentialNode], Steps | None],
    on: Target,
    limits: ChainLimits = USUAL,
) -> int:
    """Return the cycles of the longest chain that is found in a graph.

    Parameters
    ----------
    steps_of
        An order of each sequential node; which one makes no difference to the chain.
    """
    walk = _Walk(graph, on, limits)
    for node in graph.nodes:
        if isinstance(node, SequentialNode):
            walk.run_in_steps(node, steps_of(node))
        else:
            walk.run(node)
    return walk.last_cycles


@dataclass(slots=True)
class _Times:
    """When the elements of an array are there, row-major."""

    shape: tuple[int, ...]
    last: Floats
    """The last of the terms so far; minus infinity for a zero that sums begin with."""
    tree: Floats
    """``log2 sum of 2^(t/latency)`` of the terms."""
    latency: Floats
    """Of the operator that adds terms; 0 for what is no sum."""

    @staticmethod
    def of(array: Array, at: float = 0.0) -> _Times:
        size = array.size_elems
        return _Times(array.shape, np.full(size, at), np.zeros(size), np.zeros(size))

    def copy(self) -> _Times:
        return _Times(self.shape, self.last.copy(), self.tree.copy(), self.latency.copy())

    def ready(self, at: Ints | slice) -> Floats:
        """Return when elements are there."""
        last, latency = self.last[at], self.latency[at]
        if not latency.any():
            return np.maximum(last, 0.0)
        summed = np.maximum(np.ceil(self.tree[at] - 1e-9) * latency, last + latency)
        return np.maximum(np.where(latency > 0, summed, last), 0.0)

    def assign(self, at: Ints, times: Floats | float) -> None:
        self.last[at] = times
        self.latency[at] = 0.0

    def add(self, at: Ints, times: Floats, latency: float) -> None:
        """Add a term to each of some elements, to one element as often as it occurs."""
        if not latency:
            np.maximum.at(self.last, at, times)
            return
        other = self.latency[at] != latency
        if other.any():
            fresh = at[other]
            begun = np.where(self.last[fresh] == -np.inf, -np.inf, self.ready(fresh))
            self.last[fresh], self.tree[fresh] = begun, begun / latency
            self.latency[fresh] = latency
        first = float(times.max(initial=0.0))
        weights = np.exp2(np.maximum((times - first) / latency, -1000.0))
        elements, place = np.unique(at, return_inverse=True)
        if elements.size == at.size:
            self.tree[at] = np.logaddexp2(self.tree[at], times / latency)
            self.last[at] = np.maximum(self.last[at], times)
            return
        joined = np.log2(np.bincount(place.ravel(), weights, elements.size)) + first / latency
        self.tree[elements] = np.logaddexp2(self.tree[elements], joined)
        np.maximum.at(self.last, at, times)


@dataclass(slots=True)
class _Walk:
    """Times of all arrays, node after node."""

    graph: Graph
    on: Target
    limits: ChainLimits
    times: dict[str, _Times] = field(default_factory=dict[str, _Times])
    last_cycles: int = 0

    def run(self, node: Node) -> None:
        """Compute the array of a streaming node."""
        summed = frozenset(node.reduction_loops)
        loops = tuple(map(StepLoop.whole, node.loops))
        begin = () if node.start is None else (Statement(node.write, node.start),)
        statement = Statement(node.write, node.value, node.reduction, guard=node.guard)
        reduces = node.reduction is not None
        array = self.graph.array(node.write.array)
        if node.iterations > self.limits.points:
            self.times[array.name] = self._at_once(node, (*begin, statement), loops, array)
            return
        self.times[array.name] = _Times.of(array, -np.inf if reduces else 0.0)
        parallel = tuple(loop for loop in loops if loop.name not in summed)
        if begin:
            first = Phase("", parallel, frozenset(), begin)
            self._visit(first, self._bodies(begin, parallel), ONE_POINT, 0)
        phase = Phase("", loops, summed, (statement,))
        self._visit(phase, self._bodies((statement,), loops), ONE_POINT, 0)
        self._note(array.name)

    def _at_once(
        self,
        node: Node,
        statements: Sequence[Statement],
        loops: Sequence[StepLoop],
        array: Array,
    ) -> _Times:
        """Return times of a large node: no element is earlier than the first of its operands."""
        last = self._bodies(statements, loops)[-1]
        cycles = sum(price.latency_cycles for _, price in last.operations[-1:])
        known = [self._of(name).ready(slice(None)) for name in node.inputs]
        first = min((float(own.min()) for own in known), default=0.0)
        last = max((float(own.max()) for own in known), default=0.0)
        self.last_cycles = max(self.last_cycles, int(last) + cycles)
        return _Times.of(array, first + cycles)

    def run_in_steps(self, node: SequentialNode, steps: Steps | None) -> None:
        """Run a sequential node in an order, phase by phase."""
        for array, source in node.carries:
            self.times[array] = self._of(source).copy()
        for name in node.outputs:
            self._of(name)
        if steps is None:
            return
        points = visits = 0
        for phase, around in walk_phases(steps.items):
            named = [(loop.name, loop) for loop in (*around, *phase.loops)]
            points += executions(named)
            visits += executions(named[: len(around)])
        if visits > self.limits.visits:
            return
        few = FEW if points > self.limits.points else 0
        bodies = {
            phase.name: self._bodies(phase.statements, (*around, *phase.loops))
            for phase, around in walk_phases(steps.items)
        }
        self._run(steps.items, bodies, ONE_POINT, few)
        for name in node.outputs:
            self._note(name)

    def _run(
        self,
        items: Sequence[StepItem],
        bodies: Mapping[str, Sequence[StatementBody]],
        around: LoopGrid,
        few: int,
    ) -> None:
        for item in items:
            if isinstance(item, Phase):
                self._visit(item, bodies[item.name], around, few)
                continue
            lower, trips = around.extents(item.loop)
            inside = around.inside(item.loop.name, lower, trips)
            for at in range(inside.size):
                self._run(item.items, bodies, inside.part(at, at + 1), few)

    def _visit(
        self, phase: Phase, bodies: Sequence[StatementBody], around: LoopGrid, few: int
    ) -> None:
        points = around
        for loop in phase.loops:
            lower, trips = points.extents(loop)
            most = 0 if loop.name in phase.sums else few
            points = points.inside(loop.name, lower, trips, most)
        for body in bodies:
            own = points.where(body.conditions)
            if own.size:
                self._execute(body, own)

    def _execute(self, body: StatementBody, points: LoopGrid) -> None:
        known: dict[str, Floats | float] = {}
        for name, access, conditions in body.reads:
            known[name] = self._read(access, conditions, points)
        for operation, price in body.operations:
            begin: Any = 0.0
            for operand in operation.operands:
                begin = np.maximum(begin, known.get(operand, 0.0))
            known[operation.result] = begin + price.latency_cycles
        target = body.statement.target
        times = self._of(target.array)
        at = self._place(target, points, times.shape)
        done = np.broadcast_to(known.get(body.result, 0.0), points.size).astype(np.float64)
        if body.sum_price is not None:
            times.add(at, done, float(body.sum_price.latency_cycles))
        elif body.waits_for:
            kept = np.minimum(done, times.ready(at))
            times.assign(at, np.maximum(kept, known.get(body.waits_for, 0.0)))
        elif isinstance(body.statement.value, Literal) and body.statement.value.value == 0:
            times.assign(at, -np.inf)
        else:
            times.assign(at, done)

    def _read(self, access: Access, conditions: Sequence[Condition], points: LoopGrid) -> Floats:
        times = self._of(access.array)
        happens: Any = np.ones(points.size, np.bool_)
        for condition in conditions:
            happens = happens & evaluate(condition, points.values)
        at = np.where(happens, self._place(access, points, times.shape), 0)
        return np.where(happens, times.ready(at), 0.0)

    def _place(self, access: Access, points: LoopGrid, shape: tuple[int, ...]) -> Ints:
        at = np.zeros(points.size, np.int64)
        for subscript, extent in zip(access.subscripts, shape, strict=True):
            at = at * extent + points.at(subscript)
        return at

    def _of(self, name: str) -> _Times:
        if name not in self.times:
            self.times[name] = _Times.of(self.graph.array(name))
        return self.times[name]

    def _note(self, name: str) -> None:
        ready = self._of(name).ready(slice(None))
        self.last_cycles = max(self.last_cycles, int(ready.max(initial=0.0)))

    def _bodies(
        self, statements: Sequence[Statement], loops: Sequence[StepLoop]
    ) -> tuple[StatementBody, ...]:
        among = ValueContext(self.graph.element_of, iterator_ends(loops))
        return tuple(statement_body(each, among, self.on) for each in statements)
