"""A loop band: the nest of one node as loads, operations and stores, before it is unrolled.

Nests of a graph are perfect and their bounds constant: what the passes *loop perfectization* and
*remove variable bound* of [1] V-B do is done by `streamopt.transforms.restructure`.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from streamopt.analysis.operations import BEFORE, OperationList, accumulates, add_body
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node
from streamopt.ir.network import AccessMode, Operation, Pipeline, Port
from streamopt.ir.program import Loop
from streamopt.perf.pipelines.operation_graph import built_operations


@dataclass(frozen=True, slots=True)
class BandStatement:
    """One statement of a band."""

    target: Access
    reads: tuple[tuple[str, Access], ...]
    """Pairs (value, access): what is loaded."""
    operations: tuple[Operation, ...]
    """In order; the last one makes the result of a reduction from its partial value, which is named
    `streamopt.analysis.operations.BEFORE`."""
    result: str
    accumulates: bool = False
    start: str | None = None
    """Value that the partial value is in the first iteration, if it isn't the identity."""


@dataclass(frozen=True, slots=True)
class Band:
    """A perfect loop nest; loops outermost first, as they are to be run."""

    name: str
    loops: tuple[Loop, ...]
    body: tuple[BandStatement, ...]

    @property
    def iterations(self) -> int:
        """Return the size of the iteration domain."""
        return prod(loop.trip_count for loop in self.loops)

    @property
    def order(self) -> tuple[str, ...]:
        """Return the names of the loops, outermost first."""
        return tuple(loop.name for loop in self.loops)

    def anonymous(self) -> Band:
        """Return the band under names that equal nests have in common."""
        touched = [a for s in self.body for a in (s.target, *(access for _, access in s.reads))]
        names = {array: f"a{n}" for n, array in enumerate(dict.fromkeys(t.array for t in touched))}

        def renamed(access: Access) -> Access:
            return replace(access, array=names[access.array])

        body = tuple(
            replace(
                statement,
                target=renamed(statement.target),
                reads=tuple((value, renamed(access)) for value, access in statement.reads),
            )
            for statement in self.body
        )
        return replace(self, name="", body=body)

    def carrying_loops(self) -> tuple[str, ...]:
        """Return the loops that carry a dependence, outermost first.

        A loop carries one where some statement adds to the same element in all its iterations.
        """
        free = [s.target.iterators() for s in self.body if s.accumulates]
        return tuple(n for n in self.order if any(n not in used for used in free))


class _Reads:
    """Names the loads of one statement."""

    def __init__(self) -> None:
        self.values: dict[Access, str] = {}

    def __call__(self, access: Access) -> str:
        return self.values.setdefault(access, f"v{len(self.values)}")

    def pairs(self) -> tuple[tuple[str, Access], ...]:
        return tuple((name, access) for access, name in self.values.items())


def graph_band(graph: Graph, node: Node) -> Band:
    """Return the band of a graph's streaming node."""
    return node_band((node,), graph.element_of)


def node_band(nodes: Iterable[Node], element_of: Callable[[str], ElementType]) -> Band:
    """Return the band of nodes that one nest of the source had: same loops, one body.

    Parameters
    ----------
    nodes
        At least one, all with the loops of the first.
    element_of
        Element type of an array by name.
    """
    nodes = tuple(nodes)
    body = tuple(_assigned(node, element_of) for node in nodes)
    return Band(nodes[0].name, nodes[0].loops, body)


def _assigned(node: Node, element_of: Callable[[str], ElementType]) -> BandStatement:
    reads = _Reads()
    operations = OperationList(ValueContext(element_of, node.trip_counts), reads)
    result = add_body(operations, node)
    carried = accumulates(node)
    start = operations.value(node.start) if carried and node.start is not None else None
    made = _built(reads, operations)
    return BandStatement(node.write, reads.pairs(), made, result, carried, start)


def _built(reads: _Reads, operations: OperationList) -> tuple[Operation, ...]:
    """Return the operators that are built where some operands are constants."""
    ports = tuple(
        Port(AccessMode.READ, access.array, access.subscripts, value)
        for value, access in reads.pairs()
    )
    before = Port(AccessMode.READ, BEFORE, (), BEFORE)
    made = tuple(operations.operations)
    return built_operations(Pipeline("", (), (), (*ports, before), made))


def optimized_order(band: Band) -> Band:
    """Return the band with each loop that carries a dependence moved to the outermost place.

    They are moved one after another, the outermost first, so that the last is outermost then. All
    orders of a nest are legal, as only its reductions carry dependences.
    """
    order = list(band.order)
    for name in band.carrying_loops():
        order.remove(name)
        order.insert(0, name)
    return permuted(band, permutation_map(band.order, order))


def permutation_map(before: Sequence[str], after: Sequence[str]) -> tuple[int, ...]:
    """Return the new position of each loop.

    Examples
    --------
    >>> permutation_map("ijk", "kij")
    (1, 2, 0)
    """
    return tuple(after.index(name) for name in before)


def permuted(band: Band, places: Sequence[int]) -> Band:
    """Return the band whose i-th loop is at the i-th of the places, counted from outside."""
    loops = sorted(zip(places, band.loops, strict=True), key=lambda pair: pair[0])
    return replace(band, loops=tuple(loop for _, loop in loops))
