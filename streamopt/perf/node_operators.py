"""Operators of a streaming node before it is tiled: which unrolled loops replicate each.

What `streamopt.perf.operators.operator_replicas` finds in the pipeline of one schedule, once for
all of them: a product that does not depend on a loop is computed once for its lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import Surroundings
from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Pipeline, Port
from streamopt.perf.operators import operator_replicas
from streamopt.perf.recurrence import recurrences

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.binding import Binding
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Node
    from streamopt.perf.operators import Replicas
    from streamopt.perf.recurrence import Recurrence

__all__ = ["NodeOperators", "node_operators"]


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
    among = Surroundings(element_of, node.trip_counts)
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
