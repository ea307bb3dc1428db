"""The first stage on a graph: loop orders by dependences, and fusion where it is safe ([1] VI-A).

[1] Zhang et al., POM, HPCA 2024.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.space.fixed import NOTHING_FIXED
from streamopt.strategies.pom.dependence_graph import (
    DependenceGraph,
    distance_vectors,
    hinted_order,
)
from streamopt.strategies.pom.nest import Nest, fused, node_nest
from streamopt.strategies.rival import Step

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph, Node
    from streamopt.space.fixed import Fixed

__all__ = ["MOST_FUSED", "Transformed", "transformed_graph"]

MOST_FUSED = 10
"""Programs of more nests are not fused, as in the published code."""


@dataclass(frozen=True, slots=True)
class Transformed:
    """Nests after the first stage, by name, and their dependence graph."""

    nests: dict[str, Nest]
    dependences: DependenceGraph
    steps: tuple[Step, ...]


def transformed_graph(graph: Graph, fixed: Fixed = NOTHING_FIXED) -> Transformed:
    """Return the nests of a graph with their loop orders, neighbours without dependence fused.

    Terms of a reduction may come in any order, so that every order of a streaming nest is legal.
    The nests of a graph are split already, one for each output. What a user has fixed stays, and is
    not fused.
    """
    steps: list[Step] = []
    nests: list[Nest] = []
    for node in graph.nodes:
        is_sequential = isinstance(node, SequentialNode)
        order = tuple(node.trip_counts) if is_sequential else hinted_order(node)
        order = fixed.orders.get(node.name, order)
        steps += _order_steps(node, order)
        sizes = tuple(fixed.factors.get((node.name, loop), 0) for loop in order)
        nest = node_nest(graph, node, order)
        nests.append(replace(nest, fixed=sizes) if any(sizes) else nest)
    joined = _conservatively_fused(graph, nests)
    steps += [
        Step("conservative fusion", f"{nest.name} run in one nest")
        for nest in joined
        if len(nest.statements) > 1
    ]
    of_node = {own.node: nest.name for nest in joined for own in nest.statements}
    pairs = ((of_node[edge.producer], of_node[edge.consumer]) for edge in graph.edges)
    dependences = DependenceGraph(tuple(nest.name for nest in joined), tuple(dict.fromkeys(pairs)))
    return Transformed({nest.name: nest for nest in joined}, dependences, tuple(steps))


def _order_steps(node: Node, order: tuple[str, ...]) -> list[Step]:
    if isinstance(node, SequentialNode):
        text = f"{node.name}: loops {', '.join(order)} stay, its iterations depend on each other"
        return [Step("dependence-aware transformation", text)]
    vectors = distance_vectors(node)
    if not vectors:
        return []
    distances = ", ".join(str(vector) for vector in vectors)
    text = f"{node.name}: distance {distances}, loops {', '.join(order)}"
    return [Step("dependence-aware transformation", text)]


def _conservatively_fused(graph: Graph, nests: list[Nest]) -> list[Nest]:
    """Return the nests with neighbours of equal trip counts that no path joins fused."""
    if len(nests) > MOST_FUSED:
        return nests
    joined: list[Nest] = []
    for nest in nests:
        last = joined[-1] if joined else None
        if last is not None and _may_join(graph, last, nest):
            joined[-1] = fused(last, nest)
        else:
            joined.append(nest)
    return joined


def _may_join(graph: Graph, first: Nest, second: Nest) -> bool:
    """Return whether two neighbours may be fused; nothing lies between them in the program."""
    if any(nest.is_sequential or nest.fixed for nest in (first, second)):
        return False
    if first.trip_counts != second.trip_counts:
        return False
    here, there = ({own.node for own in nest.statements} for nest in (first, second))
    return not any(edge.producer in here and edge.consumer in there for edge in graph.edges)
