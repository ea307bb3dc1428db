"""Operators that a pipeline needs: replicas of its operations over lanes, shared over the II."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Operator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.element import ElementType
    from streamopt.ir.network import Operation, Pipeline, Port

__all__ = ["Replicas", "lanes_of", "operator_replicas", "shared_units"]


@dataclass(frozen=True, slots=True)
class Replicas:
    """How often one operation of the body is made.

    Attributes
    ----------
    operator
        What it is made of: a division by a constant is a multiplication by its inverse, and
        ``1 / x`` a reciprocal, as Vitis HLS has them with unsafe math optimizations.
    lanes
        Unrolled loops over which its operands differ.
    count
        Operations that every iteration of the tile loops does.
    """

    operation: Operation
    operator: Operator
    lanes: frozenset[str]
    count: int

    @property
    def element(self) -> ElementType:
        """Return the type of its arithmetic."""
        return self.operation.element


def operator_replicas(pipeline: Pipeline) -> tuple[Replicas, ...]:
    """Return the operations of a pipeline with their replicas.

    An operation is made once for every combination of the lanes on which its operands depend,
    through the subscripts of reads and through other operations; lanes that it does not see get
    the same value. One whose operands are all constants costs nothing and is left out.
    """
    extents = {lane.name: lane.trip_count for lane in pipeline.lanes}
    seen = {
        port.value: lanes_of(port, pipeline)
        for port in pipeline.ports
        if port.mode is AccessMode.READ
    }
    found: list[Replicas] = []
    for operation in pipeline.operations:
        varying = [seen[name] for name in operation.operands if name in seen]
        if not varying:
            continue
        lanes = frozenset[str]().union(*varying)
        seen[operation.result] = lanes
        count = prod(extents[name] for name in lanes)
        found.append(Replicas(operation, _made_of(operation, seen), lanes, count))
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


def _made_of(operation: Operation, seen: Mapping[str, object]) -> Operator:
    if operation.operator is not Operator.DIV or not operation.element.is_float:
        return operation.operator
    dividend, divisor = operation.operands
    if divisor not in seen:
        return Operator.MUL
    return Operator.RECIPROCAL if dividend not in seen and _is_one(dividend) else Operator.DIV


def _is_one(text: str) -> bool:
    try:
        return float(text) == 1
    except ValueError:
        return False
