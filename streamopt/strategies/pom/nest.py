"""A loop nest as POM's estimator sees it: trip counts, and statements over the same iterations.

Nodes that are fused are statements of one nest; each keeps names of its own for the loops, which
are matched by their places.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import Surroundings
from streamopt.ir.affine import Affine
from streamopt.ir.expression import reads
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import AccessMode, Pipeline, Port
from streamopt.perf.constant_folding import built_operations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.network import Operation

__all__ = ["Nest", "NestStatement", "fused", "node_nest"]


@dataclass(frozen=True, slots=True)
class NestStatement:
    """What a node computes in one iteration.

    Attributes
    ----------
    loops
        Its names of the nest's loops, outermost first.
    accesses
        What it loads and stores, over ``l0``, ``l1`` and so on for the nest's loops.
    operations
        Those that are built, in order.
    lanes
        For each operation the places of loops that its result depends on: lanes along others
        share it.
    result
        Name of the value that is stored.
    reductions
        Loops over which it adds to one element.
    """

    node: str
    loops: tuple[str, ...]
    accesses: tuple[Access, ...]
    operations: tuple[Operation, ...]
    lanes: tuple[tuple[int, ...], ...]
    reductions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """Statements that share their loops.

    Attributes
    ----------
    trip_counts
        Outermost first.
    is_sequential
        Whether its iterations stay in order, one at a time.
    fixed
        For each loop the tile size that a user asks for, 0 for none; empty for none at all.
    """

    trip_counts: tuple[int, ...]
    statements: tuple[NestStatement, ...]
    is_sequential: bool = False
    fixed: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Return the names of its nodes."""
        return " + ".join(statement.node for statement in self.statements)

    @property
    def iterations(self) -> int:
        """Return the size of the iteration domain."""
        return prod(self.trip_counts)


def node_nest(graph: Graph, node: Node, order: tuple[str, ...]) -> Nest:
    """Return the nest of a graph's node with a loop order."""
    trips = node.trip_counts
    is_sequential = isinstance(node, SequentialNode)
    values = {access: f"v{at}" for at, access in enumerate(_touched(node))}
    found = OperationList(Surroundings(graph.element_of, trips), values.__getitem__)
    if isinstance(node, SequentialNode):
        for expression in node.expressions:
            found.value(expression)
    else:
        add_body(found, node, graph.array(node.write.array).element)
    ports = [Port(AccessMode.READ, a.array, a.subscripts, value) for a, value in values.items()]
    ports.append(Port(AccessMode.READ, BEFORE, (), BEFORE))
    built = built_operations(Pipeline("", (), (), tuple(ports), tuple(found.operations)))
    carried = node.reduction_loops if accumulates(node) else ()
    places = {name: Affine.iterator(f"l{at}") for at, name in enumerate(order)}
    accesses = tuple(access.substitute(places) for access in (*values, node.write))
    used = {name: access.iterators() for access, name in values.items()}
    lanes = _lanes(built, used, order)
    statement = NestStatement(node.name, order, accesses, built, lanes, tuple(carried))
    return Nest(tuple(trips[name] for name in order), (statement,), is_sequential)


def _lanes(
    operations: tuple[Operation, ...],
    used: Mapping[str, tuple[str, ...]],
    order: tuple[str, ...],
) -> tuple[tuple[int, ...], ...]:
    """Return the places of loops that each result depends on, from those of loaded values."""
    known = {name: {order.index(loop) for loop in loops} for name, loops in used.items()}
    everything = set(range(len(order)))
    for operation in operations:
        own = [
            set[int]() if _is_number(name) else known.get(name, everything)
            for name in operation.operands
        ]
        known[operation.result] = set[int]().union(*own)
    return tuple(tuple(sorted(known[operation.result])) for operation in operations)


def _is_number(operand: str) -> bool:
    try:
        float(operand)
    except ValueError:
        return False
    return True


def _touched(node: Node) -> tuple[Access, ...]:
    """Return the accesses that are read, also of arrays that a sequential node writes itself."""
    return tuple(dict.fromkeys(access for e in node.expressions for access in reads(e)))


def fused(first: Nest, second: Nest) -> Nest:
    """Return the nest that runs the statements of both; their trip counts are the same."""
    return Nest(first.trip_counts, (*first.statements, *second.statements))
