"""Loop orders of all nests, from the bottleneck nest on.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section IV-B. The
paper aligns the producers and consumers of the bottleneck; here they are in turn the references of
theirs, the heaviest first, until every nest has its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.expression import Binary, Call, walk
from streamopt.ir.graph import SequentialNode
from streamopt.space.decisions import read_stream_order, write_stream_order
from streamopt.strategies.codo.permutation import (
    depth_map,
    dimension_depths,
    mapped_chain,
    permuted,
)
from streamopt.strategies.codo.reduction import fills_windows, reference_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Edge, Graph, Node

__all__ = ["Alignment", "aligned", "streams", "work"]

Order = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The loop orders of all nodes.

    Attributes
    ----------
    references
        By node, in the order in which they were placed: the channels that it follows.
    """

    orders: Mapping[str, Order]
    references: Mapping[str, tuple[str, ...]]


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
