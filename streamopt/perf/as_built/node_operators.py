"""Operators of a streaming node before it is tiled: which unrolled loops replicate each.

As `streamopt.perf.resources.operators.operator_replicas` finds them in the pipeline of one
schedule, but once for all schedules: a product that does not depend on a loop is computed once for
its lanes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streamopt.analysis.accumulator import is_hurried
from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.graph import Node
from streamopt.ir.network import AccessMode, Implementation, Pipeline, Port
from streamopt.ir.schedule import Binding
from streamopt.perf.pipelines.access_distance import update_distances
from streamopt.perf.pipelines.recurrence import Recurrence, recurrences
from streamopt.perf.resources.operators import (
    OperatorAmounts,
    Replicas,
    operator_amounts,
    operator_replicas,
)
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class NodeOperators:
    """Computation of a node, for any unroll factors."""

    node: Node
    replicas: tuple[Replicas, ...]
    """Every operation but the last of a reduction, with the loops over which it is replicated, as
    if all were unrolled."""
    sum: Recurrence | None
    """The floating-point sum that it accumulates, if it does."""
    carried: Replicas | None
    """The operation that combines a partial value with the terms of an iteration; None without."""
    whole: Replicas | None
    """The one that stands there where an iteration has all terms: with the start, if there is
    one."""

    def distances(self, order: Sequence[str], factors: Mapping[str, Any]) -> Any:
        """Return the iterations between two updates of an element; 0 where none comes twice.

        Parameters
        ----------
        order
            All loops of the node, outermost tile loop first; the same for all schedules.
        factors
            Unroll factor of every loop: integers, or integer arrays of one entry a schedule.
        """
        node = self.node
        return update_distances(node.write.subscripts, node.built_trip_counts, order, factors)

    def amounts(
        self, factors: Mapping[str, Any], ii: Any, distances: Any, target: Target
    ) -> OperatorAmounts:
        """Return the resources of the operators, DSPs of addresses left out.

        Parameters
        ----------
        factors, ii, distances
            Of every schedule: integers, or integer arrays of one shape.

        Raises
        ------
        TargetError
            E854 or E855 if the target has no cost for an operator.
        """
        counts = [(replicas.operation, replicas.copies(factors)) for replicas in self.replicas]
        if self.carried is not None:
            operation, copies = self.carried.operation, self.carried.copies(factors)
            hurried: Any = 0
            if operation.implementation is None:
                hurried = 1 * is_hurried(operation.operator, operation.element, distances)
                in_fabric = replace(operation, implementation=Implementation.FABRIC)
                counts.append((in_fabric, copies * hurried))
            counts.append((operation, copies * ((distances > 0) - hurried)))
        if self.whole is not None:
            counts.append((self.whole.operation, self.whole.copies(factors) * (distances == 0)))
        return operator_amounts(counts, (), ii, target)


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
    unrolled = _unrolled(node, element_of, binding, carried=True)
    replicas = operator_replicas(unrolled)
    if not accumulates(node):
        return NodeOperators(node, replicas, None, None, None)
    sums = [update for update in recurrences(unrolled) if update.is_sum]
    whole = None
    if node.start is not None:
        *_, whole = operator_replicas(_unrolled(node, element_of, binding, carried=False))
    return NodeOperators(node, replicas[:-1], sums[0] if sums else None, replicas[-1], whole)


def _unrolled(
    node: Node, element_of: Callable[[str], ElementType], binding: Binding, *, carried: bool
) -> Pipeline:
    """Return a node's computation with all loops as lanes; where its arrays lie is left out."""
    values: dict[Access, str] = {access: f"v{n}" for n, access in enumerate(node.reads)}
    among = ValueContext(element_of, node.trip_counts)
    operations = OperationList(among, values.__getitem__, binding)
    over = node.reduction_loops if accumulates(node) else ()
    result = add_body(operations, node, over, carried=carried)
    ports = [
        Port(AccessMode.READ, access.array, access.subscripts or (Affine(),), value)
        for access, value in values.items()
    ]
    if carried and accumulates(node):
        place = node.write.subscripts or (Affine(),)
        ports.append(Port(AccessMode.READ, node.write.array, place, BEFORE))
        ports.append(Port(AccessMode.WRITE, node.write.array, place, result))
    return Pipeline(node.name, (), node.loops, tuple(ports), tuple(operations.operations))
