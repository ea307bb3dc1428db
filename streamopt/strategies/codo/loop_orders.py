"""Loop orders of all nests, from the bottleneck nest on.

Permutation maps make a nest walk an array as its reference nest does (figure 6); reduction
rewriting moves the loops that don't move in the result inside, where a buffer adds up (figures 5
and 7). The paper aligns the producers and consumers of the bottleneck; here they are in turn the
references of theirs, the heaviest first, until every nest has its place.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section IV-B.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from streamopt.analysis.access_order import completes_rows
from streamopt.ir.expression import Access, Binary, Call, walk
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.operators import Reduction
from streamopt.ir.program import topological_order
from streamopt.space.decisions import read_stream_order, write_stream_order

Order = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The loop orders of all nodes."""

    orders: Mapping[str, Order]
    references: Mapping[str, tuple[str, ...]]
    """By node, in the order in which they were placed: the channels that it follows."""


def work(node: Node) -> int:
    """Return how heavy a nest is: iterations times the operations of one, at least 1."""
    parts = (part for expression in node.expressions for part in walk(expression))
    operations = sum(isinstance(part, (Binary, Call)) for part in parts)
    return node.iterations * max(1, operations + (node.reduction is not None))


def aligned(graph: Graph) -> Alignment:
    """Return orders in which as many channels as possible stream, heavy neighbours first."""
    place = {node.name: at for at, node in enumerate(graph.nodes)}
    rank = {node.name: (-work(node), place[node.name]) for node in graph.nodes}
    ins, outs = graph.in_edges(), graph.out_edges()
    edges = {name: (*ins[name], *outs[name]) for name in rank}
    orders: dict[str, Order] = {}
    references: dict[str, tuple[str, ...]] = {}
    while len(orders) < len(rank):
        left = [name for name in rank if name not in orders]
        near = [n for n in left if any(_other(edge, n) in orders for edge in edges[n])]
        name = min(near or left, key=rank.__getitem__)
        known = [(rank[_other(e, name)], at, e) for at, e in enumerate(edges[name])]
        placed = [edge for _, _, edge in sorted(known) if _other(edge, name) in orders]
        orders[name], references[name] = _target(graph, graph.node(name), placed, orders)
    return Alignment(orders, references)


def streams(graph: Graph, edge: Edge, orders: Mapping[str, Order]) -> bool:
    """Return whether both sides of a channel walk its array in one order, each element once."""
    written = write_stream_order(graph, edge, orders[edge.producer])
    return written is not None and written == read_stream_order(graph, edge, orders[edge.consumer])


def _other(edge: Edge, name: str) -> str:
    return edge.producer if edge.consumer == name else edge.consumer


def _target(
    graph: Graph, node: Node, placed: Sequence[Edge], orders: Mapping[str, Order]
) -> tuple[Order, tuple[str, ...]]:
    """Return a nest's order after its placed neighbours, and the channels that it follows."""
    base = order = reference_order(node)
    if isinstance(node, SequentialNode):
        return order, ()
    chains: list[Order] = []
    followed: list[str] = []
    for edge in placed:
        chain = _chain(graph, edge, node, base, orders)
        tried = None if chain is None else permuted(base, [*chains, chain])
        if chain is not None and tried is not None and fills_windows(node, tried):
            order = tried
            chains.append(chain)
            followed.append(edge.channel)
    return order, tuple(followed)


def _chain(
    graph: Graph, edge: Edge, node: Node, base: Order, orders: Mapping[str, Order]
) -> Order | None:
    """Return a nest's loops of a channel as its neighbour walks them; None if it can't stream."""
    produces = edge.producer == node.name
    theirs = orders[_other(edge, node.name)]
    walked = (read_stream_order if produces else write_stream_order)(graph, edge, theirs)
    if walked is None or len(edge.reads) != 1:
        return None
    access, reference = edge.write, edge.reads[0]
    if not produces:
        access, reference = reference, access
    here, there = _depths(access, base, walked), _depths(reference, theirs, walked)
    return (
        None if None in [here[at] for at in walked] else mapped_chain(base, depth_map(there, here))
    )


def _depths(
    access: Access, order: Sequence[str], dimensions: Sequence[int]
) -> tuple[int | None, ...]:
    """Return depths by dimension; None for those of one element, which are in no order."""
    found = dimension_depths(access, order)
    return tuple(depth if at in dimensions else None for at, depth in enumerate(found))


def dimension_depths(access: Access, order: Sequence[str]) -> tuple[int | None, ...]:
    """Return the depth of the loop that moves in each dimension of an array (figure 6, step 1).

    None for a dimension in which no loop moves alone.

    Examples
    --------
    >>> from streamopt.ir.affine import Affine
    >>> from streamopt.ir.expression import Access
    >>> out = Access("out", tuple(map(Affine.iterator, ("n", "co", "h", "w"))))
    >>> dimension_depths(out, ("n", "h", "w", "co", "ci", "kh", "kw"))
    (0, 3, 1, 2)
    """
    names = (subscript.as_iterator() for subscript in access.subscripts)
    return tuple(None if name is None else order.index(name) for name in names)


def depth_map(
    reference: Sequence[int | None], target: Sequence[int | None]
) -> tuple[tuple[int, int], ...]:
    """Return pairs (depth in the target, depth in the reference) by dimension (figure 6, step 3).

    The loop at the first depth belongs at the second. Step 2 of the figure splits loops so that
    both nests are as deep; here depths of the reference count the loops that move in the array
    alone, which is the same order.

    Examples
    --------
    >>> depth_map((0, 3, 1, 2), (0, 1, 2, 3))
    ((0, 0), (1, 3), (2, 1), (3, 2))
    """
    moving = sorted(depth for depth in reference if depth is not None)
    return tuple(
        (here, moving.index(there))
        for here, there in zip(target, reference, strict=True)
        if here is not None and there is not None
    )


def mapped_chain(order: Order, pairs: Sequence[tuple[int, int]]) -> Order:
    """Return the loops of a target nest that a map moves, in the order of their new depths."""
    return tuple(order[here] for here, _ in sorted(pairs, key=lambda pair: pair[1]))


def permuted(order: Order, chains: Sequence[Order]) -> Order | None:
    """Return the order nearest to a given one with every chain in its order (figure 6, step 4).

    None where chains contradict each other.

    Examples
    --------
    >>> permuted(("n", "c", "h", "w"), [("n", "h", "w", "c")])
    ('n', 'h', 'w', 'c')
    >>> permuted(("i", "j"), [("i", "j"), ("j", "i")]) is None
    True
    """
    place_of = {name: place for place, name in enumerate(order)}
    pairs = [(place_of[a], place_of[b]) for chain in chains for a, b in pairwise(chain)]
    places = topological_order(len(order), pairs)
    return tuple(order[place] for place in places) if len(places) == len(order) else None


def rewritten_order(node: Node) -> Order:
    """Return a nest's loops with its reduction innermost: a result is done at once (figure 5).

    Loops that move in an array that is read through a window come before those that don't, as in
    figures 6 and 7: ``n, h, w, co``. So rows are taken as they come.
    """
    reduced, moving = set(node.reduction_loops), _window_loops(node)
    index = [loop.name for loop in node.loops if loop.name not in reduced]
    if moving:
        index.sort(key=lambda name: name not in moving and node.trip_counts[name] > 1)
    return (*index, *node.reduction_loops)


def reference_order(node: Node) -> Order:
    """Return the order that a nest takes where no other asks for one.

    A sum takes its last index loop inside of its reduction, and so comes back to an element only
    after the adder has finished: ``temp[co]`` of figure 7, and what the code does with kernels.
    """
    if isinstance(node, SequentialNode):
        return tuple(node.trip_counts)
    order, reduced = rewritten_order(node), node.reduction_loops
    index = [n for n in order if n not in reduced and node.trip_counts[n] > 1]
    if node.reduction is not Reduction.ADD or not reduced or not index:
        return order
    swapped = (*(name for name in order if name != index[-1]), index[-1])
    return swapped if fills_windows(node, swapped) else order


def fills_windows(node: Node, order: Sequence[str]) -> bool:
    """Return whether an order takes the rows of every window of a nest one after another."""
    return all(completes_rows(node, window, order) for window in node.windows)


def _window_loops(node: Node) -> set[str]:
    """Return the loops of arrays of which a subscript has several loops."""
    return {
        name
        for access in node.reads
        if any(len(subscript.iterators()) > 1 for subscript in access.subscripts)
        for name in access.iterators()
    }
