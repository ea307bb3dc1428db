"""Windows that take their array from a stream, row by row, and keep the rows that they reach.

The graph only notes the window and the iterations that it adds (`streamopt.ir.window`); what the
node computes is written as before. Rows are taken as wholes, so the order of columns, channels and
taps inside of a row is free. Windows that move by several elements take as many rows at once. (W1)
to (W4) and (W9) of ``models/formulations/opt6.md``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

from streamopt.analysis.access_order import access_order
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.window import StreamedPart, Stretch, Window
from streamopt.transforms.rebuilding import with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite


@dataclass(frozen=True, slots=True)
class StreamWindows(GraphRewrite):
    """Windows on streams, noted at the nodes that read through them.

    Before: ``h 32, k 3: y[h] += x[h + k - 1] * f[k]                   # x is a ping-pong buffer``
    After:  ``h 34, k 3: line[h mod 4] = next x; y[h - 2] += line[(h + k - 3) mod 4] * f[k]``

    A window is noted for an array of one streaming writer, of which each dimension is read by a
    plain iterator, or by a multiple of a loop of the result with offsets by constants and by loops
    that don't move elsewhere in the array. All windows of a node advance with one loop. A node that
    reads each element in one iteration of the loops that move along it needs none: it takes the
    array in those of its iterations (`StreamedPart`).
    """

    is_final: ClassVar[bool] = True
    most_stretched: int = 2
    """How many times as long a nest may get: a slice of a long array is better read from memory."""

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with noted windows."""
        nodes = tuple(self.noted(graph, node) for node in graph.nodes)
        return graph if nodes == graph.nodes else with_parts(graph, graph.arrays, nodes)

    def noted(self, graph: Graph, node: Node) -> Node:
        """Return a node with its windows; those that advance with the loop of the first."""
        return _windowed(graph, node, self.most_stretched)


@dataclass(frozen=True, slots=True)
class _WindowReach:
    """How an array is read."""

    taken: Access
    """The place that moves: subscripts without their offsets."""
    shape: tuple[int, ...]
    offsets: Mapping[int, tuple[int, int]]
    """By dimension that is read through a window: least and greatest offset."""
    steps: Mapping[int, int]
    """By dimension that is read through a window: elements from one to the next."""
    shrinks: bool
    """Whether the loop of a dimension beside the rows has fewer iterations than there are
    elements."""

    @property
    def row_dimension(self) -> int:
        """Return the outermost dimension that is read through a window."""
        return min(self.offsets)

    @property
    def row_loop(self) -> str | None:
        """Return the loop that moves over rows."""
        return self.taken.subscripts[self.row_dimension].as_iterator()

    @property
    def row_offsets(self) -> tuple[int, int]:
        """Return the rows before and after its own that an iteration reads, relative to it."""
        return self.offsets[self.row_dimension]

    @property
    def row_step(self) -> int:
        """Return the rows from one window to the next."""
        return self.steps[self.row_dimension]

    @property
    def is_counted(self) -> bool:
        """Return whether elements come faster than the loops of the node go."""
        return self.shrinks or any(step > 1 for step in self.steps.values())

    @property
    def delay(self) -> int:
        """Return the iterations from the first row to the first window that is complete."""
        return max(0, -(-(self.row_offsets[1] + 1) // self.row_step))


def _windowed(graph: Graph, node: Node, most_stretched: int) -> Node:
    """Return a node with its windows; those that advance with the loop of the first."""
    if isinstance(node, SequentialNode) or node.takes:
        return node
    edges = [edge for edge in graph.edges if edge.consumer == node.name]
    parts = _parts(graph, node, edges)
    if parts is not None:
        return replace(node, takes=parts)
    found = [reach for edge in edges if (reach := _reach(graph, edge, node)) is not None]
    found = [reach for reach in found if reach.row_loop == found[0].row_loop]
    if not found:
        return node
    delay = max(reach.delay for reach in found)
    stretches = tuple(_stretches(node, found, delay))
    built = replace(node, stretches=stretches).built_trip_counts
    if prod(built.values()) > most_stretched * node.iterations:
        return node
    windows = tuple(_window(reach, delay) for reach in found)
    return replace(node, takes=windows, stretches=stretches)


def _parts(graph: Graph, node: Node, edges: Sequence[Edge]) -> tuple[StreamedPart, ...] | None:
    """Return the channels that come in a part of the iterations; None if some need windows."""
    order, found = tuple(node.trip_counts), list[StreamedPart]()
    for edge in edges:
        shape, reads = graph.array(edge.array).shape, node.reads_of(edge.array)
        orders = [access_order(read, order, node.trip_counts, shape) for read in reads]
        if not _comes_in_order(graph, edge) or (len(orders) == 1 and orders[0] is not None):
            continue
        part = _part(node, reads[0], shape) if len(reads) == 1 else None
        if part is None:
            return None
        found.append(part)
    return tuple(found) or None


def _part(node: Node, access: Access, shape: tuple[int, ...]) -> StreamedPart | None:
    """Return how an array comes that each element of which one iteration of its loops reads."""
    taken, firsts = list[Affine](), list[int]()
    for subscript, extent in zip(access.subscripts, shape, strict=True):
        first = -subscript.constant
        taken.append(subscript + Affine.of(first))
        name = taken[-1].as_iterator()
        if name is None and (extent > 1 or subscript != Affine()):
            return None
        if name is not None and not 0 <= first <= node.trip_counts[name] - extent:
            return None
        firsts.append(first)
    names = [name for subscript in taken for name in subscript.iterators()]
    if len({*names}) != len(names):
        return None
    return StreamedPart(Access(access.array, tuple(taken)), shape, tuple(firsts))


def _comes_in_order(graph: Graph, edge: Edge) -> bool:
    """Return whether one streaming node writes each element of a channel once."""
    shape, producer = graph.array(edge.array).shape, graph.node(edge.producer)
    if edge.is_whole or len(graph.writers(edge.array)) != 1 or not shape:
        return False
    order = access_order(edge.write, tuple(producer.trip_counts), producer.trip_counts, shape)
    return order is not None


def _reach(graph: Graph, edge: Edge, node: Node) -> _WindowReach | None:
    """Return how a channel's array is read, if a window can take it from a stream."""
    if not _comes_in_order(graph, edge):
        return None
    shape = graph.array(edge.array).shape
    accesses = node.reads_of(edge.array)
    taken: list[Affine] = []
    offsets: dict[int, tuple[int, int]] = {}
    steps: dict[int, int] = {}
    for dimension, extent in enumerate(shape):
        subscripts = [access.subscripts[dimension] for access in accesses]
        moving = _moving_loop(node, subscripts)
        if extent == 1 and all(s.bounds(node.trip_counts) == (0, 0) for s in subscripts):
            taken.append(Affine())
            continue
        if moving is None:
            return None
        loop, step = moving
        if loop in node.reduction_loops and node.trip_counts[loop] != extent:
            return None
        taken.append(Affine.iterator(loop))
        own = taken[-1].scaled(step)
        reached = [(s - own).bounds(node.trip_counts) for s in subscripts]
        if any(s != taken[-1] for s in subscripts):
            offsets[dimension] = min(low for low, _ in reached), max(high for _, high in reached)
            steps[dimension] = step
    if not offsets:
        return None
    beside = [at for at in offsets if at != min(offsets)]
    trips = {at: node.trip_counts[n] for at in beside for n in taken[at].iterators()}
    shrinks = any(trips[at] < shape[at] for at in trips)
    reach = _WindowReach(Access(edge.array, tuple(taken)), shape, offsets, steps, shrinks)
    return reach if _is_separate(reach, accesses) else None


def _moving_loop(node: Node, subscripts: Sequence[Affine]) -> tuple[str, int] | None:
    """Return the loop that all subscripts move with, and by how much for each of its iterations.

    It is their only one, or one of the result; if several of these do, the one that moves by 1.
    """
    alone = {subscript.as_iterator() for subscript in subscripts}
    if len(alone) == 1 and (name := alone.pop()) is not None:
        return name, 1
    if not all(subscript.is_linear for subscript in subscripts):
        return None
    results = {subscript.as_iterator() for subscript in node.write.subscripts}
    first, *others = (subscript.factors for subscript in subscripts)
    shared = {
        name: by
        for name, by in first.items()
        if by > 0 and name in results and all(other.get(name) == by for other in others)
    }
    found = [name for name, by in shared.items() if by == 1] or [*shared]
    return (found[0], shared[found[0]]) if len(found) == 1 else None


def _is_separate(reach: _WindowReach, accesses: Sequence[Access]) -> bool:
    """Return whether loops that move a place move it in one dimension, and no offset."""
    moving = [name for subscript in reach.taken.subscripts for name in subscript.iterators()]
    if len(set(moving)) != len(moving):
        return False
    owns = [s.scaled(reach.steps.get(at, 1)) for at, s in enumerate(reach.taken.subscripts)]
    pairs = [zip(a.subscripts, owns, strict=True) for a in accesses]
    offsets = [subscript - own for pair in pairs for subscript, own in pair]
    return not any(name in moving for offset in offsets for name in offset.iterators())


def _stretches(node: Node, found: Sequence[_WindowReach], delay: int) -> Iterator[Stretch]:
    """Yield the loops that need more iterations, to take all elements and to compute all."""
    delays = {found[0].row_loop: delay}
    for loop in node.loops:
        needed = loop.trip_count + delays.get(loop.name, 0)
        needed = max(needed, *(_taking(reach, loop.name) for reach in found), 0)
        if needed > loop.trip_count:
            yield Stretch(loop.name, needed, delays.get(loop.name, 0))


def _taking(reach: _WindowReach, loop: str) -> int:
    """Return the iterations of a loop that take elements; 0 if others count them."""
    for at, (subscript, extent) in enumerate(zip(reach.taken.subscripts, reach.shape, strict=True)):
        if loop in subscript.iterators():
            if at == reach.row_dimension:
                return -(-extent // reach.row_step)
            return 0 if reach.is_counted and at in reach.offsets else extent
    return 0


def _window(reach: _WindowReach, delay: int) -> Window:
    """Return the window: of rows, those that are read and those that come, to a power of two."""
    row, step = reach.row_dimension, reach.row_step
    kept = max(1, step * (delay + 1) - reach.row_offsets[0])
    rows = 1 << (min(kept, reach.shape[row]) - 1).bit_length()
    plain = [s for at, s in enumerate(reach.taken.subscripts) if at not in reach.offsets]
    loops = frozenset(name for subscript in plain for name in subscript.iterators())
    counted = step if reach.is_counted else 0
    return Window(reach.taken, reach.shape, row, rows, loops, counted)
