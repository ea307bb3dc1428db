"""Places of nodes: edges go down, nothing lies on anything, and long edges bend."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from streamopt.report.dataflow import layered


@pytest.mark.parametrize("seed", range(20))
def test_layout_of_any_dag(seed: int) -> None:
    random = Random(seed)
    pairs = [(random.randrange(12), random.randrange(12)) for _ in range(random.randrange(25))]
    nodes = [f"n{place}" for place in range(12)]
    edges = [
        (f"e{at}", nodes[min(pair)], nodes[max(pair)])
        for at, pair in enumerate(pairs)
        if pair[0] != pair[1]
    ]
    layout = layered(nodes, edges)
    assert set(layout.nodes) == set(nodes)
    for name, producer, consumer in edges:
        route = layout.routes[name]
        assert (route[0], route[-1]) == (layout.nodes[producer], layout.nodes[consumer])
        assert all(lower[1] - upper[1] == 1 for upper, lower in pairwise(route))
    bends = [point for route in layout.routes.values() for point in route[1:-1]]
    taken = [*layout.nodes.values(), *bends]
    assert len(set(taken)) == len(taken)
    assert all(0 <= x < layout.columns and 0 <= y < layout.layers for x, y in taken)


def test_a_diamond_has_no_crossing() -> None:
    edges = [("a", "top", "left"), ("b", "top", "right"), ("c", "left", "end")]
    layout = layered(["top", "left", "right", "end"], [*edges, ("d", "right", "end")])
    left, right = layout.nodes["left"], layout.nodes["right"]
    assert left[1] == right[1] == 1
    assert layout.nodes["top"][0] == layout.nodes["end"][0] == (left[0] + right[0]) / 2


def test_nothing_is_placed_for_an_empty_graph() -> None:
    assert layered([], []).layers == 0
