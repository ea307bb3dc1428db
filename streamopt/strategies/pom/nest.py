"""A loop nest as POM's estimator sees it: trip counts, and statements over the same iterations.

Nodes that are fused are statements of one nest; each keeps names of its own for the loops, which
are matched by their places. `transformed_graph` is the first stage on a graph: loop orders by
dependences, and fusion where it is safe ([1] VI-A).

[1] Zhang et al., POM, HPCA 2024.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, reads
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.network import AccessMode, Operation, Pipeline, Port
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.space.fixed import NOTHING_FIXED, Fixed
from streamopt.strategies.pom.dependence_graph import (
    DependenceGraph,
    distance_vectors,
    hinted_order,
)
from streamopt.strategies.rival import DesignStep
from streamopt.strategies.sequential.unrolled_nests import UnrolledNest, unrolled_in_any_order
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class NestStatement:
    """The computation of a node in one iteration.

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
class FusedNest:
    """Statements that share their loops."""

    trip_counts: tuple[int, ...]
    """Outermost first."""
    statements: tuple[NestStatement, ...]
    unrolled: tuple[UnrolledNest, ...] = ()
    """Of a sequential node: its orders and lanes, the fastest first; empty for others."""
    fixed: tuple[int, ...] = ()
    """For each loop the tile size that a user asks for, 0 for none; empty for none at all."""

    @property
    def name(self) -> str:
        """Return the names of its nodes."""
        return " + ".join(statement.node for statement in self.statements)

    @property
    def iterations(self) -> int:
        """Return the size of the iteration domain."""
        return prod(self.trip_counts)


def node_nest(graph: Graph, node: Node, order: tuple[str, ...]) -> FusedNest:
    """Return the nest of a streaming node with a loop order."""
    trips = node.trip_counts
    values = {access: f"v{at}" for at, access in enumerate(_touched(node))}
    found = OperationList(ValueContext(graph.element_of, trips), values.__getitem__)
    add_body(found, node)
    ports = [Port(AccessMode.READ, a.array, a.subscripts, value) for a, value in values.items()]
    ports.append(Port(AccessMode.READ, BEFORE, (), BEFORE))
    built = built_operations(Pipeline("", (), (), tuple(ports), tuple(found.operations)))
    carried = node.reduction_loops if accumulates(node) else ()
    places = {name: Affine.iterator(f"l{at}") for at, name in enumerate(order)}
    accesses = tuple(access.substitute(places) for access in (*values, node.write))
    used = {name: access.iterators() for access, name in values.items()}
    lanes = _lanes(built, used, order)
    statement = NestStatement(node.name, order, accesses, built, lanes, tuple(carried))
    return FusedNest(tuple(trips[name] for name in order), (statement,))


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
    """Return the accesses that are read."""
    return tuple(dict.fromkeys(access for e in node.expressions for access in reads(e)))


def fused(first: FusedNest, second: FusedNest) -> FusedNest:
    """Return the nest that runs the statements of both; their trip counts are the same."""
    return FusedNest(first.trip_counts, (*first.statements, *second.statements))


MOST_FUSED = 10
"""Programs of more nests are not fused, as in the published code."""


@dataclass(frozen=True, slots=True)
class Transformed:
    """Nests after the first stage, by name, and their dependence graph."""

    nests: dict[str, FusedNest]
    dependences: DependenceGraph
    steps: tuple[DesignStep, ...]


def sequential_nest(graph: Graph, node: SequentialNode, target: Target) -> FusedNest:
    """Return a sequential node with the orders and lanes that it may have."""
    loops = tuple(node.trip_counts)
    statement = NestStatement(node.name, loops, (), (), (), ())
    trips = tuple(node.trip_counts.values())
    return FusedNest(trips, (statement,), unrolled_in_any_order(graph, node, target))


def transformed_graph(graph: Graph, target: Target, fixed: Fixed = NOTHING_FIXED) -> Transformed:
    """Return the nests of a graph with their loop orders, neighbours without dependence fused.

    Terms of a reduction may come in any order, so that every order of a streaming nest is legal.
    The nests of a graph are split already, one for each output. What a user has fixed stays, and is
    not fused.
    """
    steps: list[DesignStep] = []
    nests: list[FusedNest] = []
    for node in graph.nodes:
        if isinstance(node, SequentialNode):
            nests.append(sequential_nest(graph, node, target))
            continue
        order = fixed.orders.get(node.name, hinted_order(node))
        steps += _order_steps(node, order)
        sizes = tuple(fixed.factors.get((node.name, loop), 0) for loop in order)
        nest = node_nest(graph, node, order)
        nests.append(replace(nest, fixed=sizes) if any(sizes) else nest)
    joined = _conservatively_fused(graph, nests)
    steps += [
        DesignStep("conservative fusion", f"{nest.name} run in one nest")
        for nest in joined
        if len(nest.statements) > 1
    ]
    of_node = {own.node: nest.name for nest in joined for own in nest.statements}
    pairs = ((of_node[edge.producer], of_node[edge.consumer]) for edge in graph.edges)
    dependences = DependenceGraph(tuple(nest.name for nest in joined), tuple(dict.fromkeys(pairs)))
    return Transformed({nest.name: nest for nest in joined}, dependences, tuple(steps))


def _order_steps(node: Node, order: tuple[str, ...]) -> list[DesignStep]:
    vectors = distance_vectors(node)
    if not vectors:
        return []
    distances = ", ".join(str(vector) for vector in vectors)
    text = f"{node.name}: distance {distances}, loops {', '.join(order)}"
    return [DesignStep("dependence-aware transformation", text)]


def _conservatively_fused(graph: Graph, nests: list[FusedNest]) -> list[FusedNest]:
    """Return the nests with neighbours of equal trip counts that no path joins fused."""
    if len(nests) > MOST_FUSED:
        return nests
    joined: list[FusedNest] = []
    for nest in nests:
        last = joined[-1] if joined else None
        if last is not None and _may_join(graph, last, nest):
            joined[-1] = fused(last, nest)
        else:
            joined.append(nest)
    return joined


def _may_join(graph: Graph, first: FusedNest, second: FusedNest) -> bool:
    """Return whether two neighbours may be fused; nothing lies between them in the program."""
    if any(nest.unrolled or nest.fixed for nest in (first, second)):
        return False
    if first.trip_counts != second.trip_counts:
        return False
    here, there = ({own.node for own in nest.statements} for nest in (first, second))
    return not any(edge.producer in here and edge.consumer in there for edge in graph.edges)
