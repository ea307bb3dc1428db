"""Operators that a pipeline needs: replicas of its operations over lanes, shared over the II."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Operator
from streamopt.perf.pipelines.operation_graph import built_operations

if TYPE_CHECKING:
    from streamopt.ir.network import Operation, Pipeline, Port

__all__ = ["Replicas", "lanes_of", "operator_replicas", "shared_units"]


@dataclass(frozen=True, slots=True)
class Replicas:
    """How often one operation of the body is made.

    Attributes
    ----------
    operation
        As it is built: see `streamopt.perf.pipelines.operation_graph.built_operations`.
    lanes
        Unrolled loops over which its operands differ.
    count
        Operations that every iteration of the tile loops does.
    """

    operation: Operation
    lanes: frozenset[str]
    count: int


def operator_replicas(pipeline: Pipeline) -> tuple[Replicas, ...]:
    """Return the operations of a pipeline with their replicas, copies of values left out.

    An operation is made once for every combination of the lanes on which its operands depend,
    through the subscripts of reads and through other operations; lanes that it does not see get
    the same value.
    """
    extents = {lane.name: lane.trip_count for lane in pipeline.lanes}
    seen = {
        port.value: lanes_of(port, pipeline)
        for port in pipeline.ports
        if port.mode is AccessMode.READ
    }
    found: list[Replicas] = []
    for operation in built_operations(pipeline):
        lanes = frozenset[str]().union(*(seen.get(name, ()) for name in operation.operands))
        seen[operation.result] = lanes
        if operation.operator is not Operator.COPY:
            found.append(Replicas(operation, lanes, prod(extents[name] for name in lanes)))
    return tuple(found)


def lanes_of(port: Port, pipeline: Pipeline) -> frozenset[str]:
    """Return the unrolled loops over which an access goes to different elements or streams."""
    names = {name for subscript in port.subscripts for name in subscript.iterators()}
    return frozenset(lane.name for lane in pipeline.lanes if lane.name in names)


def shared_units(count: int, ii: int) -> int:
    """Return the pipelined units that do ``count`` operations every ``ii`` cycles.

    ``ceil(count / ii)``: a unit takes new operands every cycle.

    Examples
    --------
    >>> shared_units(256, 2)
    128
    """
    return -(-count // ii)
