"""What a problem leaves open, and what it can't fit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import InfeasibleError
from streamopt.formats.graph_json import read_graph_json
from streamopt.space.assemble import assemble, baseline, violations
from streamopt.space.decisions import DecisionSpace, SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph


def graph_of(arrays: dict[str, list[int]], nodes: list[tuple[dict[str, int], str]]) -> Graph:
    """Return the graph of nodes n0, n1, ...: X and W are inputs, Y is the output."""
    roles = {"X": "input", "W": "input", "Y": "output"}
    document = {
        "schema_version": 1,
        "name": "small",
        "arrays": {
            name: {"shape": shape, "role": roles.get(name, "internal")}
            for name, shape in arrays.items()
        },
        "nodes": [
            {"name": f"n{place}", "loops": loops, "body": [body]}
            for place, (loops, body) in enumerate(nodes)
        ],
    }
    return canonicalize(read_graph_json(json.dumps(document), "small.json"))


CHAIN = graph_of(
    {"X": [4, 6], "W": [6, 4], "T": [4, 4], "U": [4, 4], "Y": [4, 4]},
    [
        ({"i": 4, "j": 4, "k": 6}, "T[i][j] += X[i][k] * W[k][j]"),
        ({"i": 4, "j": 4}, "U[i][j] = 1.5 * T[i][j] + 0.5 * T[i][j]"),
        ({"j": 4, "i": 4}, "Y[i][j] = relu(U[i][j])"),
    ],
)


def space_of(graph: Graph, level: LevelName, dsp: int = 99, limit: int = 1) -> DecisionSpace:
    return decision_space(graph, SpaceOptions(LEVELS[level], dsp_limit=dsp, tiling_limit=limit))


def test_too_few_dsps_for_one_lane_each() -> None:
    with pytest.raises(InfeasibleError) as caught:
        space_of(CHAIN, LevelName.OPT5, dsp=12)
    assert str(caught.value) == (
        "E401 small needs at least 13 DSPs with no unrolling (n0 5, n1 8), but the limit is 12\n"
        "  hint: give --dsp 13 or more"
    )
    assert space_of(CHAIN, LevelName.OPT5, dsp=13).dsp_limit == 13


@pytest.mark.parametrize(
    ("dsp", "limit", "message"),
    [
        (0, 1, "E402 --dsp is 0"),
        (-3, 0, "E402 --dsp is -3"),
        (99, 0, "E402 --tiling-limit is 0"),
        (99, -16, "E402 --tiling-limit is -16"),
    ],
)
def test_limits_are_positive(dsp: int, limit: int, message: str) -> None:
    with pytest.raises(InfeasibleError) as caught:
        space_of(CHAIN, LevelName.OPT1, dsp, limit)
    assert str(caught.value) == f"{message}\n  hint: give a whole number of at least 1"


@pytest.mark.parametrize(
    ("level", "orders", "factors", "streamable"),
    [
        (LevelName.OPT1, (1, 1, 1), {(1,)}, {"T"}),
        (LevelName.OPT2, (6, 2, 2), {(1,)}, {"T", "U"}),
        (LevelName.OPT3, (1, 1, 1), {(1, 2, 4), (1, 2, 3, 6)}, {"T"}),
        (LevelName.OPT4, (6, 2, 2), {(1, 2, 4), (1, 2, 3, 6)}, {"T", "U"}),
        (LevelName.OPT5, (6, 2, 2), {(1, 2, 4), (1, 2, 3, 6)}, {"T", "U"}),
    ],
)
def test_levels_open_orders_and_tiles(
    level: LevelName,
    orders: tuple[int, ...],
    factors: set[tuple[int, ...]],
    streamable: set[str],
) -> None:
    space = space_of(CHAIN, level)
    assert tuple(len(space.orders[node.name]) for node in CHAIN.nodes) == orders
    assert {group.factors for group in space.classes} == factors
    assert space.streamable == streamable
    assert space.least_dsps == {"n0": 5, "n1": 8, "n2": 0}


@pytest.mark.parametrize(
    ("loops", "body"),
    [
        ({"h": 1, "k": 1, "j": 6}, "Y[h][j] += T[h + k][j]"),
        ({"h": 2, "j": 6}, "Y[h][j] = T[h / 2][j]"),
    ],
)
def test_subscript_that_is_no_iterator_does_not_stream(loops: dict[str, int], body: str) -> None:
    """Not even one that is always 0: the loop of the other dimension has no partner then."""
    graph = graph_of(
        {"X": [1, 6], "T": [1, 6], "Y": [loops["h"], 6]},
        [({"i": 1, "j": 6}, "T[i][j] = X[i][j]"), (loops, body)],
    )
    space = space_of(graph, LevelName.OPT5)
    assert space.streamable == frozenset()
    unequal = {"n0": (1, 2), "n1": (1,) * (len(loops) - 1) + (6,)}
    schedule = assemble(graph, {n.name: tuple(n.trip_counts) for n in graph.nodes}, unequal)
    assert len(apply(graph, schedule).nodes) == 2


def test_baseline_is_in_every_space() -> None:
    for level in LevelName:
        assert violations(space_of(CHAIN, level), baseline(CHAIN)) == []
