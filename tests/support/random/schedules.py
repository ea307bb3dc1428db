"""Random loop orders and unroll factors of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.space.assemble import assemble
from streamopt.space.tiles import Coupling, coupled_loops
from tests.support.programs.sketches import plans

if TYPE_CHECKING:
    from random import Random

    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import NodePlan, Schedule


def any_factors(graph: Graph, rng: Random, least: int = 1) -> Schedule:
    """Return any loop orders, with any factor for each class of loops, of at least ``least``."""
    trips = {(node.name, loop.name): loop.trip_count for node in graph.nodes for loop in node.loops}
    fixed = {node.name for node in graph.nodes if isinstance(node, SequentialNode)}
    taken: dict[tuple[str, str], int] = {}
    for group in coupled_loops(graph, Coupling.PLAIN):
        most = 1 if fixed & {name for name, _ in group} else min(trips[key] for key in group)
        taken |= dict.fromkeys(group, rng.randint(min(least, most), most))
    orders = {
        node.name: tuple(node.trip_counts)
        if node.name in fixed
        else tuple(rng.sample([*node.trip_counts], len(node.loops)))
        for node in graph.nodes
    }
    factors = {
        node.name: [taken.get((node.name, loop), 1) for loop in node.trip_counts]
        for node in graph.nodes
    }
    return assemble(graph, orders, factors)


def random_plans(graph: Graph, choose: Random) -> tuple[NodePlan, ...]:
    orders = {n.name: " ".join(choose.sample([*n.trip_counts], len(n.loops))) for n in graph.nodes}
    unroll = {
        node.name: ",".join(
            f"{loop.name} {choose.choice([1, 1, loop.trip_count])}" for loop in node.loops
        )
        for node in graph.nodes
    }
    return plans(graph, orders, unroll)
