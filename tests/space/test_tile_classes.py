"""Which loops share an unroll factor: by dimension, or by position where subscripts mix loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamopt.space.tiles import (
    MOST_CHOICES,
    Coupling,
    coupled_loops,
    divisors,
    least_factors,
    tile_classes,
)

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
from tests.support.programs.small_graphs import graph_of


def couples(graph: Graph) -> set[frozenset[str]]:
    """Return the groups of more than one loop, as ``node.loop``."""
    groups = coupled_loops(graph)
    assert sorted(key for group in groups for key in group) == sorted(
        (node.name, loop.name) for node in graph.nodes for loop in node.loops
    )
    return {frozenset(f"{node}.{loop}" for node, loop in g) for g in groups if len(g) > 1}


@settings(deadline=None)
@given(st.integers(1, 400), st.integers(1, 20))
def test_factors_are_all_that_fit(trip_count: int, limit: int) -> None:
    expected = [
        factor
        for factor in range(1, trip_count + 1)
        if trip_count % factor == 0 and trip_count // factor >= limit
    ]
    assert list(divisors(trip_count, limit)) == (expected if trip_count > limit else [1])


COPY = ({"i": 2, "j": 3}, "T[i][j] = X[i][j]")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Y[i][j] = T[i][j]", {"n0.i n1.i", "n0.j n1.j"}),
        ("Y[i][j] = T[j][i]", {"n0.i n1.j", "n0.j n1.i"}),
        ("Y[i][j] = T[0][j]", {"n0.j n1.j"}),
        ("Y[i][j] = T[1][2]", set[str]()),
        ("Y[i][j] = T[0][i] + T[1][j]", {"n0.j n1.i n1.j"}),
        ("Y[i][j] = T[i / 2][j]", {"n0.i n1.i", "n0.j n1.j"}),
        ("Y[i][j] = T[1][(i + j) % 3]", {"n0.j n1.i"}),
        ("Y[i][j] = T[(i + j) % 2][0]", {"n0.i n1.i"}),
    ],
)
def test_dimensions_couple_their_loops(body: str, expected: set[str]) -> None:
    size = 2 if "[j][i]" not in body else 3
    loops = {"i": size, "j": 3 if size == 2 else 2}
    graph = graph_of({"X": [2, 3]}, {"T": [2, 3], "Y": list(loops.values())}, [COPY, (loops, body)])
    assert couples(graph) == {frozenset(group.split()) for group in expected}


def test_diagonal_couples_both_dimensions() -> None:
    graph = graph_of(
        {"X": [3, 3, 2]},
        {"T": [3, 3, 2], "Y": [3, 2]},
        [
            ({"i": 3, "j": 3, "k": 2}, "T[i][j][k] = X[i][j][k]"),
            ({"i": 3, "k": 2}, "Y[i][k] = T[i][i][k]"),
        ],
    )
    assert couples(graph) == {frozenset({"n0.i", "n0.j", "n1.i"}), frozenset({"n0.k", "n1.k"})}


def test_window_couples_by_position() -> None:
    graph = graph_of(
        {"X": [2, 6, 7], "W": [2, 3, 3]},
        {"P": [2, 6, 7], "Y": [2, 4, 5]},
        [
            ({"c": 2, "h": 6, "w": 7}, "P[c][h][w] = X[c][h][w]"),
            (
                {"c": 2, "h": 4, "w": 5, "kh": 3, "kw": 3},
                "Y[c][h][w] += P[c][h + kh][w + kw] * W[c][kh][kw]",
            ),
        ],
    )
    assert couples(graph) == {
        frozenset({"n0.c", "n1.c"}),
        frozenset({"n0.h", "n1.h"}),
        frozenset({"n0.w", "n1.kh"}),
    }


def test_reshape_couples_by_position_as_far_as_there_are_iterators() -> None:
    graph = graph_of(
        {"X": [2, 3]}, {"T": [2, 3], "Y": [6]}, [COPY, ({"f": 6}, "Y[f] = T[f / 3][f % 3]")]
    )
    assert couples(graph) == {frozenset({"n0.i", "n1.f"})}


def test_classes_reach_over_several_edges() -> None:
    graph = graph_of(
        {"A": [4, 6], "B": [6, 8], "C": [8, 6]},
        {"T": [4, 8], "U": [4, 6], "Y": [4, 6]},
        [
            ({"i": 4, "j": 8, "k": 6}, "T[i][j] += A[i][k] * B[k][j]"),
            ({"i": 4, "l": 6, "j": 8}, "U[i][l] += T[i][j] * C[j][l]"),
            ({"p": 4, "q": 6}, "Y[p][q] = relu(U[p][q])"),
        ],
    )
    classes = {
        frozenset(f"{node}.{loop}" for node, loop in group.members): group.factors
        for group in tile_classes(graph, 2, tiles=True)
    }
    assert classes == {
        frozenset({"n0.i", "n1.i", "n2.p"}): (1, 2),
        frozenset({"n0.j", "n1.j"}): (1, 2, 4),
        frozenset({"n0.k"}): (1, 2, 3),
        frozenset({"n1.l", "n2.q"}): (1, 2, 3),
    }
    assert {group.factors for group in tile_classes(graph, 2, tiles=False)} == {(1,)}


def test_factors_of_a_class_fit_all_of_its_loops() -> None:
    graph = graph_of(
        {"X": [12]},
        {"T": [12], "Y": [8]},
        [({"i": 12}, "T[i] = X[i]"), ({"i": 8}, "Y[i] = T[i]")],
    )
    assert [group.factors for group in tile_classes(graph, 1, tiles=True)] == [(1, 2, 4)]
    assert [group.factors for group in tile_classes(graph, 3, tiles=True)] == [(1, 2)]
    assert [group.factors for group in tile_classes(graph, 8, tiles=True)] == [(1,)]


@settings(deadline=None)
@given(st.integers(1, 300))
def test_least_factors_are_those_of_fewest_lanes_for_each_number_of_tiles(trip_count: int) -> None:
    least: dict[int, int] = {}
    for factor in range(trip_count, 0, -1):
        least[-(-trip_count // factor)] = factor
    found = least_factors(trip_count)
    assert list(found) == sorted(least.values())
    assert set(divisors(trip_count, 1)) <= set(found)


PRODUCTS = graph_of(
    {"A": [24, 10], "B": [10, 16], "C": [16, 9]},
    {"E": [24, 16], "F": [24, 9]},
    [
        ({"i": 24, "j": 16, "k": 10}, "E[i][j] += A[i][k] * B[k][j]"),
        ({"i": 24, "j": 9, "k": 16}, "F[i][j] += E[i][k] * C[k][j]"),
    ],
)


def partial_classes(
    tiling_limit: int = 1, most_choices: int = MOST_CHOICES
) -> dict[int, tuple[int, ...]]:
    found = tile_classes(
        PRODUCTS,
        tiling_limit,
        tiles=True,
        coupling=Coupling.PLAIN,
        partial_tiles=most_choices,
    )
    trips = {
        (node.name, loop.name): loop.trip_count for node in PRODUCTS.nodes for loop in node.loops
    }
    return {trips[group.members[0]]: group.factors for group in found}


def test_partial_tiles_give_coupled_loops_more_factors() -> None:
    assert partial_classes() == {trips: least_factors(trips) for trips in (24, 16, 10, 9)}
    assert partial_classes(4)[24] == (1, 2, 3, 4, 5, 6)
    assert partial_classes(4)[9] == (1, 2)


def test_factors_with_most_idle_lanes_go_first() -> None:
    fewer = partial_classes(most_choices=500)
    for trips, factors in fewer.items():
        assert set(divisors(trips, 1)) <= set(factors) <= set(least_factors(trips))
    assert len(fewer[24]) * len(fewer[16]) * len(fewer[10]) <= 250
    idle = {t: {f: (-(-t // f) * f - t) / t for f in least_factors(t)} for t in fewer}
    kept = max(idle[t][f] for t in (24, 16) for f in fewer[t])
    left = min(idle[t][f] for t in (24, 16) for f in {*least_factors(t)} - {*fewer[t]})
    assert kept < left
    assert partial_classes(most_choices=1) == {
        trips: divisors(trips, 1) for trips in (24, 16, 10, 9)
    }
