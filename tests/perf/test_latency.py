"""Table 3 against the oracle's walk, and as formulas."""

from __future__ import annotations

import random
from math import prod
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.schedule import ChannelKind
from streamopt.perf.paper.algebra import INTEGERS
from streamopt.perf.paper.timing import graph_times, latency, node_timings, symbolic_model
from streamopt.space.assemble import assemble, evaluate
from streamopt.space.tiles import tile_classes
from streamopt.strategies.oracle.loop_walk_evaluator import Oracle
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule

Orders = dict[str, tuple[str, ...]]
Factors = dict[str, dict[str, int]]


def drawn(seed: int, nodes: int, max_extent: int = 6) -> tuple[Graph, Orders, Factors]:
    """Return a random graph with a random legal schedule."""
    rng = random.Random(seed)
    graph = random_graph(rng, nodes=nodes, max_extent=max_extent)
    orders: Orders = {}
    for node in graph.nodes:
        order = list(node.trip_counts)
        rng.shuffle(order)
        orders[node.name] = tuple(order)
    factors: Factors = {node.name: dict.fromkeys(node.trip_counts, 1) for node in graph.nodes}
    for group in tile_classes(graph, rng.choice((1, 2)), tiles=True):
        factor = rng.choice(group.factors)
        for node, loop in group.members:
            factors[node][loop] = factor
    return graph, orders, factors


def scheduled(graph: Graph, orders: Orders, factors: Factors) -> Schedule:
    return assemble(graph, orders, {name: tuple(f.values()) for name, f in factors.items()})


@pytest.mark.parametrize("nodes", [2, 3, 4, 5])
def test_times_are_those_of_the_oracle(nodes: int) -> None:
    for seed in range(250):
        graph, orders, factors = drawn(1000 * nodes + seed, nodes)
        oracle = Oracle(graph)
        schedule = scheduled(graph, orders, factors)
        assert schedule == oracle.schedule(orders, factors), seed
        found = evaluate(graph, schedule)
        times = {
            p.node: (p.start_cycles, p.first_write_cycles, p.last_write_cycles) for p in found.nodes
        }
        assert times == oracle.times(orders, factors), seed
        assert found.latency_cycles == oracle.latency(orders, factors), seed
        assert found.dsps == oracle.dsps(factors), seed
        assert all(p.lanes == prod(factors[p.node].values()) for p in found.nodes)


def test_random_graphs_have_all_kinds_of_paths() -> None:
    graphs = [drawn(seed, 5)[0] for seed in range(100)]
    assert any(len(edges) > 1 for g in graphs for edges in g.out_edges().values())
    assert any(len(edges) > 1 for g in graphs for edges in g.in_edges().values())
    assert any(len(g.writers(a.name)) > 1 for g in graphs for a in g.arrays)
    assert any(len(e.reads) > 1 for g in graphs for e in g.edges)
    kinds = {c.kind for s in range(100) for c in scheduled(*drawn(s, 5)).channels}
    assert kinds == set(ChannelKind)


@pytest.mark.parametrize("seed", range(8))
def test_formulas_give_the_same_as_integers(seed: int) -> None:
    graph, orders, factors = drawn(seed, 3)
    schedule = scheduled(graph, orders, factors)
    fifos = {c.channel for c in schedule.channels if c.kind is ChannelKind.FIFO}
    model = symbolic_model(graph, orders, fifos)
    tiles = {
        node.name: {
            loop.name: loop.trip_count // factors[node.name][loop.name] for loop in node.loops
        }
        for node in graph.nodes
    }
    values = {
        symbol: tiles[node][loop]
        for node, symbols in model.tiles.items()
        for loop, symbol in symbols.items()
    }
    timings = node_timings(graph, orders, tiles, INTEGERS)
    times = graph_times(graph, timings, fifos, INTEGERS)
    for name, expected in times.items():
        formula = model.times[name]
        assert formula.start.subs(values) == expected.start
        assert formula.first_write.subs(values) == expected.first_write
        assert formula.last_write.subs(values) == expected.last_write
        assert model.timings[name].first_write.subs(values) == timings[name].first_write
    assert model.latency.subs(values) == latency(times, INTEGERS)
