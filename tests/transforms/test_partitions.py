"""Which arrays are split into how many banks, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.program import Array, Role
from streamopt.transforms.argument_banks import argument_load, boundary_partitions
from streamopt.transforms.buffer_banks import buffer_factors, buffer_load
from streamopt.transforms.canonicalize import canonicalize
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.graph import Graph

TURNED = {
    "turn": "i 8, j 12: t[j][i] = x[i][j]",
    "use": "a 12, b 8: y[a][b] = t[a][b] * 2",
}


def graph_of(arrays: Mapping[str, str], nodes: Mapping[str, str]) -> Graph:
    return canonicalize(program(arrays, nodes))


def turned() -> Graph:
    arrays = {"x": "input 8 12", "t": "internal 12 8", "y": "output 12 8"}
    return graph_of(arrays, TURNED)


def factors(graph: Graph, **given: Mapping[str, int]) -> dict[str, dict[str, int]]:
    ones = {node.name: dict.fromkeys(node.trip_counts, 1) for node in graph.nodes}
    return {name: {**loops, **given.get(name, {})} for name, loops in ones.items()}


@pytest.mark.parametrize(
    ("turn", "use", "banks"),
    [
        ({}, {}, (1, 1)),
        ({"i": 4, "j": 3}, {}, (3, 4)),
        ({"i": 2}, {"a": 6}, (6, 2)),
        # 4 lanes that move by 4 in 8 banks don't know theirs: no pragma at all.
        ({"i": 4}, {"b": 8}, (1, 1)),
        # 2 lanes fit the ports of whatever bank they meet in.
        ({"i": 2}, {"b": 8}, (1, 8)),
    ],
)
def test_a_buffer_has_a_bank_for_every_lane_of_the_wider_side(
    turn: Mapping[str, int], use: Mapping[str, int], banks: tuple[int, ...]
) -> None:
    graph = turned()
    (edge,) = graph.edges
    assert buffer_factors(graph, edge, factors(graph, turn=turn, use=use)) == banks


@pytest.mark.parametrize(
    ("turn", "use", "banks"),
    [
        ({"i": 4, "j": 3}, {"a": 3, "b": 4}, (3, 4)),
        # 4 lanes that move by 4 in 8 banks don't know theirs, but they do in 4.
        ({"i": 4}, {"b": 8}, (1, 4)),
        ({"i": 2}, {"b": 8}, (1, 2)),
        # nor does a lane that moves by 1
        ({"i": 4}, {}, (1, 1)),
    ],
)
def test_where_all_banks_are_known_lanes_share_some(
    turn: Mapping[str, int], use: Mapping[str, int], banks: tuple[int, ...]
) -> None:
    graph = turned()
    (edge,) = graph.edges
    given = factors(graph, turn=turn, use=use)
    assert buffer_factors(graph, edge, given, all_known=True) == banks


@pytest.mark.parametrize("channels", [1, 2, 8])
def test_lanes_of_padding_touch_no_bank(channels: int) -> None:
    """Of three taps around the only element of a row, two are padding whatever the channel."""
    graph = graph_of(
        {"t": "input 8 3", "w": "weight 3", "y": "output 8"},
        {"taps": "c 8, k 3: y[c] += t[c][k] * w[k]"},
    )
    around = Access("t", (Affine.iterator("c"), Affine.iterator("k") + Affine.of(-1)))
    (node,) = graph.nodes
    array = Array("t", (8, 1), Role.INTERNAL)
    assert buffer_load(array, node, [around], {"c": channels, "k": 3}) == 1


@pytest.mark.parametrize(("lanes", "banks"), [(1, (1,)), (2, (2,)), (4, (1,))])
def test_windows_leave_their_buffer_to_the_tool(lanes: int, banks: tuple[int, ...]) -> None:
    graph = graph_of(
        {"x": "input 18", "t": "internal 18", "w": "weight 3", "y": "output 16"},
        {
            "scale": "i 18: t[i] = x[i] * 2",
            "slide": "i 16, k 3: y[i] += t[i + k] * w[k]",
        },
    )
    (edge,) = graph.edges
    assert buffer_factors(graph, edge, factors(graph, slide={"i": lanes})) == banks


def test_subscripts_with_divisions_find_no_bank() -> None:
    graph = graph_of(
        {"x": "input 4 6", "t": "internal 4 6", "y": "output 24"},
        {
            "scale": "i 4, j 6: t[i][j] = x[i][j] * 2",
            "flat": "n 24: y[n] = t[n // 6][n % 6]",
        },
    )
    (edge,) = graph.edges
    assert buffer_factors(graph, edge, factors(graph, flat={"n": 6})) == (1, 1)
    assert buffer_factors(graph, edge, factors(graph, flat={"n": 2})) == (2, 2)


def test_arrays_at_the_boundary_are_always_split() -> None:
    graph = turned()
    found = boundary_partitions(graph, factors(graph, turn={"i": 4}, use={"a": 3, "b": 8}))
    assert {p.array: p.factors for p in found} == {"x": (4, 1), "y": (3, 8)}


def test_banks_are_no_more_than_elements() -> None:
    graph = graph_of(
        {"x": "input 4", "y": "output 4 6"},
        {"spread": "i 4, j 6: y[i][j] = x[i]"},
    )
    found = boundary_partitions(graph, factors(graph, spread={"i": 4, "j": 6}))
    assert {p.array: p.factors for p in found} == {"x": (4,), "y": (4, 6)}


@pytest.mark.parametrize(
    ("lanes", "banks"),
    [
        # 12 products of lanes, 6 elements, moved by 4: two in each of 4 banks.
        ({"i": 4, "k": 3}, 4),
        # k moves them by 1 as well: no number of banks suits.
        ({"i": 4}, 4),
        ({"k": 3}, 3),
        ({"i": 16, "k": 3}, 18),
    ],
)
def test_windows_into_an_argument_find_banks_where_they_move_in_steps(
    lanes: Mapping[str, int], banks: int
) -> None:
    graph = graph_of(
        {"x": "input 18", "w": "weight 3", "y": "output 16"},
        {"slide": "i 16, k 3: y[i] += x[i + k] * w[k]"},
    )
    found = boundary_partitions(graph, factors(graph, slide=lanes))
    assert {p.array: p.factors for p in found}["x"] == (banks,)


def test_an_argument_keeps_the_banks_that_suit_one_of_its_readers() -> None:
    graph = graph_of(
        {"x": "input 12", "y": "output 12", "z": "output 12"},
        {"one": "i 12: y[i] = x[i] + 1", "two": "i 12: z[i] = x[i] * 2"},
    )
    found = boundary_partitions(graph, factors(graph, one={"i": 6}, two={"i": 4}))
    assert {p.array: p.factors for p in found}["x"] == (6,)


@pytest.mark.parametrize(
    ("lanes", "most", "banks"),
    [
        ({"i": 10, "j": 6}, 60, (10, 6)),
        # Two elements of a bank: of the halves, that with more banks is no better.
        ({"i": 10, "j": 6}, 59, (5, 6)),
        ({"i": 10, "j": 6}, 29, (10, 2)),
        ({"i": 10, "j": 6}, 1, (1, 1)),
        # Tile loops move by 7: no number between suits, but along the whole of j any does.
        ({"i": 7}, 6, (1, 1)),
        ({"i": 2, "j": 12}, 9, (2, 4)),
    ],
)
def test_lanes_beyond_the_limit_share_banks_that_they_know(
    lanes: Mapping[str, int], most: int, banks: tuple[int, int]
) -> None:
    graph = graph_of(
        {"x": "input 70 12", "y": "output 70"},
        {"reduce": "i 70, j 12: y[i] += x[i][j]"},
    )
    found = boundary_partitions(graph, factors(graph, reduce=lanes), most)
    assert {p.array: p.factors for p in found}["x"] == banks


def test_a_limit_leaves_no_bank_that_an_index_chooses() -> None:
    graph = graph_of(
        {"x": "input 12", "y": "output 12", "z": "output 12"},
        {"one": "i 12: y[i] = x[i] + 1", "two": "i 12: z[i] = x[i] * 2"},
    )
    found = boundary_partitions(graph, factors(graph, one={"i": 6}, two={"i": 4}), 256)
    assert {p.array: p.factors for p in found}["x"] == (2,)
    table = boundary_partitions(graph, factors(graph, one={"i": 6}, two={"i": 6}), 3, ["x"])
    assert {p.array: p.factors for p in table} == {"x": (6,), "y": (3,), "z": (3,)}


@pytest.mark.parametrize(
    ("lanes", "load"),
    [
        ({}, 3),  # three columns of one bank
        ({"j": 6}, 2),  # 8 columns in 6 banks, not 3 times 6
        ({"j": 4}, 2),
        ({"i": 2}, 3),
        ({"i": 2, "j": 12}, 2),
    ],
)
def test_neighbours_have_elements_of_an_argument_in_common(
    lanes: Mapping[str, int], load: int
) -> None:
    arrays = {"x": "input 8 14", "y": "output 8 12"}
    graph = graph_of(arrays, {"n": "i 8, j 12: y[i][j] = x[i][j] + x[i][j + 1] + x[i][j + 2]"})
    (node,) = graph.nodes
    chosen = {**dict.fromkeys(node.trip_counts, 1), **lanes}
    assert argument_load(graph.array("x"), node, chosen) == load
