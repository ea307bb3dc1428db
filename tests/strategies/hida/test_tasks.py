"""Functional dataflow: which nodes HIDA makes one task."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.strategies.hida.parallelize import parallel_factors
from streamopt.strategies.hida.tasks import (
    functional_dataflow,
    fuse_least_critical,
    fuse_patterns,
)
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph


def chain(*widths: int) -> Graph:
    """Products of a matrix of 8 rows with one matrix after another."""
    arrays = {"x0": f"input 8 {widths[0]}"}
    nodes: dict[str, str] = {}
    for at, (before, after) in enumerate(pairwise(widths), 1):
        arrays[f"w{at}"] = f"weight {before} {after}"
        arrays[f"x{at}"] = f"{'internal' if at < len(widths) - 1 else 'output'} 8 {after}"
        loops = f"i 8, j {after}, k {before}"
        nodes[f"n{at}"] = f"{loops}: x{at}[i][j] += x{at - 1}[i][k] * w{at}[k][j]"
    return so.dataflow(program(arrays, nodes))


def names(graph: Graph, *, least_critical: bool) -> list[str]:
    tasks = fuse_patterns(graph, functional_dataflow(graph))
    return [t.name for t in (fuse_least_critical(graph, tasks) if least_critical else tasks)]


def test_least_critical_neighbours_become_one_until_that_were_critical() -> None:
    graph = chain(8, 32, 8, 4, 2, 4)  # 2048, 2048, 256, 64, 64 iterations
    assert names(graph, least_critical=True) == ["n1", "n2", "n3 + n4 + n5"]
    balanced = chain(8, 8, 8)
    assert names(balanced, least_critical=True) == ["n1", "n2"]


def test_a_fused_task_shares_the_lanes_of_its_work() -> None:
    graph = chain(8, 32, 8, 4, 2, 4)
    tasks = fuse_least_critical(graph, functional_dataflow(graph))
    assert [task.intensity for task in tasks] == [2048, 2048, 384]
    # 384 of 2048 are 12 of 64 lanes; 64 of 256 are 3 of these 12
    assert parallel_factors(graph, tasks, 64) == {"n1": 64, "n2": 64, "n3": 12, "n4": 3, "n5": 3}


def test_tasks_with_others_between_them_stay_apart() -> None:
    """Fused, the ends of a shortcut would wait for the node that is on the long path."""
    graph = so.dataflow(
        program(
            {"x": "input 4", "W": "input 9 4", "a": "internal 4", "b": "internal 9"}
            | {"y": "output 4"},
            {
                "first": "i 4: a[i] = x[i] * 2",
                "middle": "i 9, j 4: b[i] += W[i][j] * a[j]",
                "last": "i 4, j 4: y[i] += b[j + i] * a[j]",
            },
        )
    )
    assert names(graph, least_critical=True) == ["first", "middle", "last"]


def test_element_wise_tasks_join_the_one_that_they_follow() -> None:
    graph = so.dataflow(
        program(
            {"A": "input 4 4", "b": "input 4", "s": "internal 4", "y": "output 4", "z": "output 4"},
            {
                "sum": "i 4, j 4: s[i] += A[i][j]",
                "shift": "i 4: y[i] = s[i] + b[i]",
                "scale": "i 4: z[i] = s[i] * b[i]",
            },
        )
    )
    assert names(graph, least_critical=False) == ["sum + shift + scale"]


def test_writers_of_one_array_are_one_task() -> None:
    """Figure 7 (c) and (d): an array that several nodes write is made by one, in order."""
    graph = so.dataflow(
        program(
            {"A": "input 4 4", "B": "input 4 4", "y": "output 8"},
            {"low": "i 4: y[i] = A[i][1]", "high": "i 4: y[i + 4] = B[i][2]"},
        )
    )
    assert names(graph, least_critical=False) == ["low + high"]


def test_an_updated_array_has_one_producer(tmp_path: Path) -> None:
    """Figure 7 (a) and (b): the second writer has an array of its own before HIDA sees it."""
    source = tmp_path / "top.c"
    source.write_text(
        "void top(float x[8], float w[8], float y[8]) {\n"
        "  float buf2[8];\n"
        "  for (int i = 0; i < 8; i++) buf2[i] = x[i] * 2.0f;\n"
        "  for (int i = 0; i < 8; i++) buf2[i] = buf2[i] + w[i];\n"
        "  for (int i = 0; i < 8; i++) y[i] = buf2[7 - i] * w[i];\n"
        "}\n",
        encoding="utf-8",
    )
    graph = so.dataflow(so.load(source, options=so.SourceOptions(top="top")))
    first, second, third = graph.nodes
    assert second.inputs == (*first.outputs, "w")
    assert third.inputs == (*second.outputs, "w")
    assert all(len(graph.writers(array.name)) <= 1 for array in graph.arrays)
