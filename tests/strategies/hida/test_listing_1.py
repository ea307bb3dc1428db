"""Tables 4, 5 and 6 of HIDA's paper: its example of three loop nests and two arrays."""

from __future__ import annotations

import csv
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest

import streamopt as so
from streamopt.strategies.hida.connections import connections
from streamopt.strategies.hida.parallelize import Awareness, Parallelizer, parallel_factors
from streamopt.strategies.hida.partition import partitions
from streamopt.strategies.hida.tasks import (
    functional_dataflow,
    fuse_least_critical,
    fuse_patterns,
)
from tests.support.programs.sketches import program

PUBLISHED = Path(__file__).parents[3] / "results" / "published" / "hida_listing1.csv"
GRAPH = so.dataflow(
    program(
        {
            "a": "input 32 16",
            "b": "input 16 16",
            "A": "internal 32 16",
            "B": "internal 16 16",
            "C": "output 16 16",
        },
        {
            "Node0": "i 32, k 16: A[i][k] = a[i][k]",
            "Node1": "k 16, j 16: B[k][j] = b[k][j]",
            "Node2": "i 16, j 16, k 16: C[i][j] += A[2 * i][k] * B[k][j]",
        },
    )
)
MODES = {
    "IA+CA": Awareness(intensity=True, connections=True),
    "IA": Awareness(intensity=True, connections=False),
    "CA": Awareness(intensity=False, connections=True),
    "naive": Awareness(intensity=False, connections=False),
}
MOST = 32


def published(table: int) -> dict[tuple[str, str], tuple[str, ...]]:
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == str(table)]
    return {(row["subject"], row["mode"]): tuple(row["value"].split()) for row in rows}


def whole(values: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(map(int, values))


def text(values: tuple[object, ...]) -> tuple[str, ...]:
    return tuple("-" if value is None else str(value) for value in values)


def factors(mode: str) -> dict[str, dict[str, int]]:
    parallelizer = Parallelizer(GRAPH, so.device("u280"), MODES[mode])
    most = parallel_factors(GRAPH, functional_dataflow(GRAPH), MOST, MODES[mode])
    found = parallelizer.parallelize(most)
    loops = {node.name: tuple(node.trip_counts) for node in GRAPH.nodes}
    return {
        name: dict(zip(loops[name], choice.factors, strict=True)) for name, choice in found.items()
    }


def test_table_4() -> None:
    found = {
        (f"{each.source} {each.target}", what): text(values)
        for each in connections(GRAPH)
        for what, values in (
            ("permutation to target", each.source_to_target),
            ("permutation to source", each.target_to_source),
            ("scaling of source", each.source_scales),
            ("scaling of target", each.target_scales),
        )
    }
    assert found == published(4)


def test_constraints_of_node_0() -> None:
    """The text's example: factors times scaling map, in the order of the permutation map."""
    to_a, to_b = connections(GRAPH)
    assert to_a.constraints("Node0", (4, 8, 1)) == (8, 1)
    assert to_b.constraints("Node1", (4, 8, 1)) == (1, 8)
    assert to_a.constraints("Node2", (4, 1)) == (2, None, 1)
    assert to_a.constraints("Node2", (1, 1)) == (Fraction(1, 2), None, 1)


def test_nodes_are_sorted_by_connections_then_intensity() -> None:
    order = Parallelizer(GRAPH, so.device("u280")).order
    assert [node.name for node in order] == ["Node2", "Node0", "Node1"]


@pytest.mark.parametrize("mode", MODES)
def test_table_5(mode: str) -> None:
    rows = published(5)
    for name, found in factors(mode).items():
        assert tuple(found.values()) == whole(rows[name, mode]), name


def test_table_5_parallel_factors() -> None:
    rows, tasks = published(5), functional_dataflow(GRAPH)
    assert fuse_least_critical(GRAPH, fuse_patterns(GRAPH, tasks)) == tasks
    assert {t.name: (t.intensity,) for t in tasks} == {
        node: whole(rows[node, "intensity"]) for node in ("Node0", "Node1", "Node2")
    }
    assert parallel_factors(GRAPH, tasks, MOST) == {
        node: whole(rows[node, "parallel factor"])[0] for node in ("Node0", "Node1", "Node2")
    }
    alike = parallel_factors(GRAPH, tasks, MOST, MODES["CA"])
    assert set(alike.values()) == {MOST}


@pytest.mark.parametrize("mode", MODES)
def test_table_6(mode: str) -> None:
    """The paper's B without connections needs factors of Node1 that its table 5 doesn't have."""
    rows, taken = published(6), factors(mode)
    found = partitions(GRAPH, taken)
    if mode in ("IA", "naive"):
        assert prod(found["B"]) < prod(whole(rows["B", mode]))
        swapped = dict(zip("kj", reversed(taken["Node1"].values()), strict=True))
        found = {**found, "B": partitions(GRAPH, {**taken, "Node1": swapped})["B"]}
    for array in "ABC":
        assert found[array] == whole(rows[array, mode]), array
