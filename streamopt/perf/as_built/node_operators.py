"""Operators of a streaming node before it is tiled: which unrolled loops replicate each.

What `streamopt.perf.resources.operators.operator_replicas` finds in the pipeline of one schedule,
once for all of them: a product that does not depend on a loop is computed once for its lanes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Implementation, Pipeline, Port
from streamopt.perf.pipelines.access_distance import update_distances
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.resources.adder_binding import leaves_one_addition, needed_cycles, short_adders
from streamopt.perf.resources.operators import operator_replicas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.binding import Binding
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Node
    from streamopt.perf.pipelines.recurrence import Recurrence
    from streamopt.perf.resources.operators import Replicas
    from streamopt.target.device import Target

    Integers = npt.NDArray[np.int64]

__all__ = [
    "NodeOperators",
    "OperatorAmounts",
    "node_operators",
    "node_resources",
]


@dataclass(frozen=True, slots=True)
class NodeOperators:
    """What a node computes, for any unroll factors.

    Attributes
    ----------
    replicas
        Every operation with the loops over which it is replicated, as if all were unrolled.
    sum
        The floating-point sum that it accumulates, if it does.
    """

    node: Node
    replicas: tuple[Replicas, ...]
    sum: Recurrence | None


def node_operators(
    node: Node, element_of: Callable[[str], ElementType], binding: Binding = ()
) -> NodeOperators:
    """Return the operators of a node that is not sequential.

    Parameters
    ----------
    element_of
        Element type of an array by name.
    binding
        What its floating-point operators are built from.
    """
    unrolled = _unrolled(node, element_of, binding)
    sums = [update for update in recurrences(unrolled) if update.is_sum]
    return NodeOperators(node, operator_replicas(unrolled), sums[0] if sums else None)


def _unrolled(node: Node, element_of: Callable[[str], ElementType], binding: Binding) -> Pipeline:
    """Return a node's computation with all loops as lanes; where its arrays lie is left out."""
    values: dict[Access, str] = {access: f"v{n}" for n, access in enumerate(node.reads)}
    among = ValueContext(element_of, node.trip_counts)
    operations = OperationList(among, values.__getitem__, binding)
    result = add_body(operations, node, element_of(node.write.array))
    ports = [
        Port(AccessMode.READ, access.array, access.subscripts or (Affine(),), value)
        for access, value in values.items()
    ]
    if accumulates(node):
        place = node.write.subscripts or (Affine(),)
        ports.append(Port(AccessMode.READ, node.write.array, place, BEFORE))
        ports.append(Port(AccessMode.WRITE, node.write.array, place, result))
    return Pipeline(node.name, (), node.loops, tuple(ports), tuple(operations.operations))


@dataclass(frozen=True, slots=True)
class OperatorAmounts:
    """What the operators of a node take, one entry a schedule.

    Attributes
    ----------
    unit_bits
        Bits of the results of all units, after sharing.
    result_bits
        Bits of the results of all operations.
    """

    dsps: Integers
    luts: Integers
    ffs: Integers
    unit_bits: Integers
    result_bits: Integers


def node_resources(
    operators: NodeOperators,
    order: Sequence[str],
    factors: Mapping[str, Integers],
    ii: Integers,
    target: Target,
) -> OperatorAmounts:
    """Return what a node's operators take, DSPs of addresses left out.

    Parameters
    ----------
    order
        All loops of the node, outermost tile loop first; the same for all schedules.
    factors
        Unroll factors of every loop, shape (schedules,).
    ii
        Cycles between two iterations, shape (schedules,).

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    lanes = _Lanes(operators, order, factors, np.ones_like(ii))
    cycles = _sharing_cycles(lanes, ii)
    totals = np.zeros((4, ii.size), dtype=np.int64)
    result_bits = np.zeros(ii.size, dtype=np.int64)
    for found in operators.replicas:
        operation, count = found.operation, lanes.copies(found.lanes)
        result_bits += count * operation.element.bits
        short = _fabric_adders(lanes, found, ii, target)
        for built, implementation in (
            (count - short, operation.implementation),
            (short, Implementation.FABRIC),
        ):
            if built.any():
                cost = target.operator(operation.operator, operation.element, implementation)
                each = (cost.dsps, cost.luts, cost.ffs, operation.element.bits)
                totals += np.outer(each, -(-built // cycles))
    return OperatorAmounts(totals[0], totals[1], totals[2], totals[3], result_bits)


class _Lanes:
    """Lanes of a node and the sum that it accumulates, for many schedules."""

    def __init__(
        self,
        operators: NodeOperators,
        order: Sequence[str],
        factors: Mapping[str, Integers],
        ones: Integers,
    ) -> None:
        node = operators.node
        self.sum = operators.sum
        self.factors = factors
        self._ones = ones
        self.terms = self.copies(node.reduction_loops)
        self.distance = np.zeros_like(ones)
        if self.sum is not None:
            places, trips = node.write.subscripts, node.built_trip_counts
            self.distance = update_distances(places, trips, order, factors)

    def copies(self, loops: Iterable[str]) -> Integers:
        """Return the copies of what all lanes of some loops have for themselves."""
        found = self._ones
        for name in loops:
            found = found * self.factors[name]
        return found

    def of_sum(self, rule: Callable[[Recurrence], int]) -> Integers:
        """Return what a rule says of the sum; there must be one."""
        assert self.sum is not None
        terms, places = np.unique(self.terms, return_inverse=True)
        by_terms = [rule(replace(self.sum, terms=int(count))) for count in terms]
        return np.array(by_terms, dtype=np.int64)[places]


def _sharing_cycles(lanes: _Lanes, ii: Integers) -> Integers:
    """Return over how many cycles operations are spread: see `adder_binding`."""
    if lanes.sum is None:
        return ii
    halved = (ii > 1) & (lanes.distance == 1) & (lanes.of_sum(leaves_one_addition) == 1)
    return np.where(halved, ii // 2, ii)


def _fabric_adders(lanes: _Lanes, found: Replicas, ii: Integers, target: Target) -> Integers:
    """Return the replicas that are adders without DSPs unasked: see `adder_binding`."""
    none, operation = np.zeros_like(ii), found.operation
    if lanes.sum is None or operation.implementation is not None:
        return none
    usual = target.operator(operation.operator, operation.element)
    if operation not in lanes.sum.operations or usual.dsps == 0:
        return none
    needed = lanes.of_sum(partial(needed_cycles, latency_cycles=usual.latency_cycles))
    tight = (lanes.distance > 0) & (needed > ii * lanes.distance)
    elements = lanes.copies(found.lanes) // lanes.terms
    return np.where(tight, elements * lanes.of_sum(short_adders), 0)
