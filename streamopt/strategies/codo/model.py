"""What CODO's model says of a nest: operators, iteration latency, and how long a sum takes.

It takes operators as they were profiled ([1] section VI); here that is the target's table, and
what `streamopt.perf.recurrence` knows of sums that several terms are added to at once.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
[2] ScaleHLS, HPCA 2022: the latency of a pipelined nest, and operators that iterations share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.analysis.operations import OperationList, accumulates, add_body
from streamopt.ir.graph import SequentialNode
from streamopt.perf.dsp import accumulates_products
from streamopt.perf.recurrence import Recurrence

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.network import Operation
    from streamopt.target.device import Target

__all__ = ["NestModel", "nest_model"]

PIPELINE_CYCLES = 2
"""By which a pipelined nest is longer than its iterations ([2])."""


@dataclass(frozen=True, slots=True)
class NestModel:
    """One iteration of a nest.

    Attributes
    ----------
    dsps
        Of the operators of an iteration, by operation.
    depth_cycles
        From the first read to the last write.
    update
        Of a partial result; None where there is none.
    is_sequential
        Whether an iteration begins when the one before has ended.
    """

    dsps: tuple[int, ...]
    depth_cycles: int
    update: Recurrence | None
    target: Target
    is_sequential: bool = False

    def ii(self, terms: int, distance: int) -> int:
        """Return the initiation interval, in cycles.

        Parameters
        ----------
        terms
            Added to one element in an iteration.
        distance
            Iterations until an element comes again; 0 if none does.
        """
        if self.is_sequential:
            return self.depth_cycles
        if self.update is None or not distance:
            return 1
        return replace(self.update, terms=terms, distance=distance).ii(self.target)

    def used_dsps(self, lanes: int, ii: int) -> int:
        """Return the DSPs of so many lanes that begin an iteration every ``ii`` cycles ([2]).

        Operators of sequential nests are not shared.
        """
        if self.is_sequential:
            return sum(self.dsps)
        counts: dict[int, int] = {}
        for dsps in self.dsps:
            counts[dsps] = counts.get(dsps, 0) + 1
        return sum(dsps * -(-count * lanes // ii) for dsps, count in counts.items())


def nest_model(graph: Graph, node: Node, target: Target) -> NestModel:
    """Return the model of a nest on a target."""
    operations = OperationList(lambda name: graph.array(name).element, str)
    if isinstance(node, SequentialNode):
        for statement in node.statements:
            for expression in statement.expressions:
                operations.value(expression)
        return replace(_model(operations.operations, target, None), is_sequential=True)
    add_body(operations, node, graph.array(node.write.array).element)
    update = None
    if accumulates(node):
        array, last = node.write.array, operations.operations[-1]
        update = Recurrence(array, (last,), 1, 1, accumulates_products(node))
    return _model(operations.operations, target, update)


def _model(operations: list[Operation], target: Target, update: Recurrence | None) -> NestModel:
    ready: dict[str, int] = {}
    dsps: list[int] = []
    for operation in operations:
        cost = target.operator(operation.operator, operation.element)
        start = max((ready.get(operand, 0) for operand in operation.operands), default=0)
        ready[operation.result] = start + cost.latency_cycles + 1
        dsps.append(cost.dsps)
    depth = max(ready.values(), default=0) + PIPELINE_CYCLES
    return NestModel(tuple(dsps), depth, update, target)
