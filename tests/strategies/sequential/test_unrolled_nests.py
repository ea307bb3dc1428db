"""Other systems' lanes of sequential nodes: in the order of the program or in any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.ir.graph import SequentialNode
from streamopt.strategies.rival import RivalName
from streamopt.strategies.sequential.unrolled_nests import (
    unrolled_as_written,
    unrolled_in_any_order,
)
from streamopt.transforms.autoschedule import WRITTEN

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program

ON = so.device("u280")
TWO_SWEEPS = """
void sweeps(float A[10][10], float B[10][10]) {
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < 9; i++)
      for (int j = 1; j < 9; j++) B[i][j] = 0.5f * (A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < 9; i++)
      for (int j = 1; j < 9; j++) A[i][j] = 0.5f * (B[i - 1][j] + B[i + 1][j]);
  }
}
"""
ONE_SWEEP = """
void sweep(float A[10][10]) {
  for (int t = 0; t < 3; t++)
    for (int i = 1; i < 9; i++)
      for (int j = 1; j < 9; j++) A[i][j] = 0.5f * (A[i][j - 1] + A[i - 1][j]);
}
"""


def program(tmp_path: Path, text: str) -> Program:
    path = tmp_path / "program.c"
    path.write_text(text, encoding="utf-8")
    return so.load(path)


def test_sweeps_have_divisors_as_lanes_and_share_operators(tmp_path: Path) -> None:
    graph = so.dataflow(program(tmp_path, TWO_SWEEPS))
    (node,) = graph.nodes
    assert isinstance(node, SequentialNode)
    found = unrolled_as_written(graph, node, ON)
    assert {nest.plan.steps for nest in found} == {WRITTEN}
    assert {(own.plan.factors["i"], own.plan.factors["j"]) for own in found} == {
        (i, j) for i in (1, 2, 4, 8) for j in (1, 2, 4, 8)
    }
    assert [nest.cycles for nest in found] == sorted(nest.cycles for nest in found)
    plain = found[-1]
    one = plain.cycles - 3 * 2 * 63  # of the depth and around it, with one iteration
    for nest in found:
        assert nest.dsps == 2 * nest.shared_dsps == nest.lanes * plain.dsps
        assert nest.cycles == one + 3 * 2 * (64 // nest.lanes - 1)


def test_only_another_order_gives_a_sweep_in_place_lanes(tmp_path: Path) -> None:
    graph = so.dataflow(program(tmp_path, ONE_SWEEP))
    (node,) = graph.nodes
    assert isinstance(node, SequentialNode)
    (written,) = unrolled_as_written(graph, node, ON)
    best = unrolled_in_any_order(graph, node, ON)[0]
    assert written.lanes == 1
    assert best.lanes > 1
    assert best.plan.steps != WRITTEN
    assert best.cycles < written.cycles


@pytest.mark.parametrize("strategy", RivalName)
def test_designs_compute_the_right_thing(strategy: RivalName, tmp_path: Path) -> None:
    source = program(tmp_path, TWO_SWEEPS)
    found = so.design(source, strategy, dsp=60)
    (plan,) = found.schedule.nodes
    assert plan.lanes > 1
    assert found.evaluation.resources.total.dsps <= 60
    so.write(source, found.schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()
