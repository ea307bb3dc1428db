"""What CODO's model says of a nest: operators, iteration latency, and how long a sum takes.

Operators come from a profiled table ([1] section VI, as [2] has it); here it is the target's own.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
[2] ScaleHLS, HPCA 2022: the latency of a pipelined nest, and of a loop-carried dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.analysis.operations import OperationList, accumulates, add_body
from streamopt.ir.graph import SequentialNode

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
    update_cycles
        After which a partial result can be used again; 0 where there is none.
    """

    dsps: tuple[int, ...]
    depth_cycles: int
    update_cycles: int

    def used_dsps(self, lanes: int, ii: int) -> int:
        """Return the DSPs of so many lanes that begin an iteration every ``ii`` cycles ([2])."""
        counts: dict[int, int] = {}
        for dsps in self.dsps:
            counts[dsps] = counts.get(dsps, 0) + 1
        return sum(dsps * -(-count * lanes // ii) for dsps, count in counts.items())


def nest_model(graph: Graph, node: Node, target: Target) -> NestModel:
    """Return the model of a nest on a target."""
    operations = OperationList(lambda name: graph.array(name).element, str)
    element = graph.array(node.write.array).element
    if isinstance(node, SequentialNode):
        for statement in node.statements:
            for expression in statement.expressions:
                operations.value(expression)
        return _model(operations.operations, target, update_cycles=0)
    add_body(operations, node, element)
    update = 0
    if accumulates(node):
        last = operations.operations[-1]
        update = target.operator(last.operator, last.element).latency_cycles + 1
    return _model(operations.operations, target, update_cycles=update)


def _model(operations: list[Operation], target: Target, *, update_cycles: int) -> NestModel:
    ready: dict[str, int] = {}
    dsps: list[int] = []
    for operation in operations:
        cost = target.operator(operation.operator, operation.element)
        start = max((ready.get(operand, 0) for operand in operation.operands), default=0)
        ready[operation.result] = start + cost.latency_cycles + 1
        dsps.append(cost.dsps)
    depth = max(ready.values(), default=0) + PIPELINE_CYCLES
    return NestModel(tuple(dsps), depth, update_cycles)
