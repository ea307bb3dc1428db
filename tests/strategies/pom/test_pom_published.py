"""Designs that POM's paper prints, at its size 4096 and on its XC7Z020 with 220 DSPs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.pipeline import schedule
from streamopt.pipeline.by_hand.scheduled_program import (
    automatic_steps,
    decided,
    scheduled_program,
    with_step,
)
from streamopt.pipeline.sources.readers import SourceOptions, load_written
from streamopt.strategies.pom import design
from streamopt.strategies.pom.bottleneck import tilings
from streamopt.strategies.pom.dependence_graph import DependenceGraph, distance_vectors
from streamopt.strategies.pom.estimate import partition
from streamopt.strategies.rival import RivalRequest

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.strategies.rival import RivalAnswer

KERNELS = {
    "gemm": """(float A[N][N], float B[N][N], float C[N][N]) {
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) C[i][j] *= 1.2f;
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
        S: C[i][j] += 1.5f * A[i][k] * B[k][j]; }""",
    "bicg": """(float A[N][N], float s[N], float q[N], float p[N], float r[N]) {
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        S1: s[j] += r[i] * A[i][j];
        S2: q[i] += A[i][j] * p[j]; } }""",
    "gesummv": """(float A[N][N], float B[N][N], float x[N], float y[N]) {
      float t[N], u[N];
      for (int i = 0; i < N; i++) { t[i] = 0; u[i] = 0; for (int j = 0; j < N; j++) {
        S1: t[i] += A[i][j] * x[j];
        S2: u[i] += B[i][j] * x[j]; } }
      for (int i = 0; i < N; i++) S3: y[i] = 1.5f * t[i] + 1.2f * u[i]; }""",
    "graph": """(float A[N][N], float B[N][N], float C[N][N], float D[N][N]) {
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) S1: A[i][j] = A[i][j] * 2;
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) S2: B[i][j] = A[i][j] + B[i][j];
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) S3: C[i][j] = A[i][j] + C[i][j];
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
        S4: D[i][j] = D[i][j] + B[i][k] * C[k][j]; }""",
}


def answer(folder: Path, name: str) -> RivalAnswer:
    path = folder / f"{name}.c"
    path.write_text("void kernel" + KERNELS[name])
    scheduled = scheduled_program(load_written(path, SourceOptions(define={"N": "4096"})))
    for step in automatic_steps(scheduled):
        scheduled = with_step(scheduled, step)
    found = decided(scheduled)
    return design(RivalRequest(found.graph, 220, so.device("xc7z020")), found.fixed)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gemm", "S on path C, S: tiles [1, 2, 16], II 1, 2147483665 cycles, 166 DSPs"),
        ("bicg", "S1 + S2 on path S1 + S2: tiles [1, 32], II 2, 1048588 cycles, 160 DSPs"),
        ("gesummv", "S1 on path S2 + S1, S3: tiles [1, 16], II 1, 1048589 cycles, 160 DSPs"),
    ],
)
def test_table_3_tiles_intervals_and_dsps(tmp_path: Path, name: str, told: str) -> None:
    """Tiles, II and DSPs of table III; cycles of BICG are those of table IV to the last one."""
    assert any(told in step.what for step in answer(tmp_path, name).steps)


def test_figure_8_paths_vector_and_interchange(tmp_path: Path) -> None:
    path = tmp_path / "graph.c"
    path.write_text("void kernel" + KERNELS["graph"])
    graph = so.dataflow(so.load(path, options=SourceOptions(define={"N": "8"})))
    pairs = tuple((edge.producer, edge.consumer) for edge in graph.edges)
    found = DependenceGraph(tuple(node.name for node in graph.nodes), pairs)
    assert [*found.paths()] == [("S1", "S2", "S4"), ("S1", "S3", "S4")]
    assert distance_vectors(graph.node("S4")) == ((0, 0, 1),)
    weights = {"S1": 1, "S2": 2, "S3": 3, "S4": 4}
    assert found.critical_path(weights, "S1") == ("S1", "S3", "S4")
    assert found.critical_path(weights, "S2") == ("S1", "S2", "S4")
    told = [step.what for step in answer(tmp_path, "graph").steps]
    assert "S4: distance (1, 0, 0), loops k, i, j" in told


def test_figure_10_split_interchange_merge(tmp_path: Path) -> None:
    path = tmp_path / "bicg.c"
    path.write_text("void kernel" + KERNELS["bicg"])
    s = schedule(path, options=SourceOptions(define={"N": "32"}))
    made = s.auto_dse(tmp_path / "schedule.json", dsp=220)
    assert [str(taken).partition("\n")[0] for taken in s.steps] == [
        "S2.after(S1)",
        "S2.interchange(i, j)",
        "S2.fuse(S1, j)",
    ]
    assert str(s) == (
        "for (i = 0; i < 32; i++)\n"
        "  for (j = 0; j < 32; j++)\n"
        "    S1: s[j] += r[i] * A[i][j]\n"
        "    S2: q[j] += A[j][i] * p[i]"
    )
    assert so.load_schedule(tmp_path / "schedule.json") == made.schedule


def test_tiles_by_scale() -> None:
    assert {*tilings((4096, 4096), 32)} == {
        (1, 32), (2, 16), (4, 8), (8, 4), (16, 2), (32, 1),
    }  # fmt: skip
    assert all(own[0] <= 2 and max(own) <= 16 for own in tilings((4096,) * 3, 32))
    assert {*tilings((4094, 4094, 3), 16)} >= {(2, 2, 3)}
    assert [*tilings((4094, 4094, 3), 32)] == []
    assert all(own[0] == 1 and own[1] <= 2 for own in tilings((7, 64, 64, 64), 16))
    assert all(own[1] == 4 for own in tilings((64, 64), 64, (0, 4)))


def test_banks_are_limited() -> None:
    import numpy as np

    row = np.array([[0, at] for at in range(32)])
    assert partition([row]) == (1, 32)
    assert partition([row, row[:, ::-1]]) == (16, 32)
