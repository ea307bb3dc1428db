"""What figures 1, 4 to 6, 8, 9 and 10 of POM (HPCA 2024) show of its language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import LegalityError
from streamopt.pipeline import schedule

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.pipeline.by_hand.scheduling import Scheduling


def written(folder: Path, text: str) -> Scheduling:
    path = folder / "kernel.c"
    path.write_text(f"void kernel{text}")
    return schedule(path)


def test_figure_1_distance_and_direction(tmp_path: Path) -> None:
    s = written(
        tmp_path,
        """(float A[5][5]) {
          for (int i = 1; i <= 4; ++i)
            for (int j = 1; j <= 4; ++j)
              S: A[i][j] = A[i - 1][j - 1] * 2 + 3;
        }""",
    )
    (flow,) = (found for found in s.dependences("S") if found.kind == "flow")
    assert flow.distance == (1, 1)
    assert flow.direction == ("<", "<")


def test_figures_4_to_6_tiles_pipelined_and_unrolled(tmp_path: Path) -> None:
    s = written(
        tmp_path,
        """(float A[32][32], float B[32][32], float C[32][32]) {
          for (int k = 0; k < 32; k++)
            for (int i = 0; i < 32; i++)
              for (int j = 0; j < 32; j++)
                s: A[i][j] = A[i][j] + B[i][k] * C[k][j];
        }""",
    )
    s["s"].tile(("i", "j"), (4, 4)).pipeline("j0", ii=1).unroll("i1", 4).unroll("j1", 4)
    s.array("A").partition("cyclic", 4, dim=1).partition("cyclic", 4, dim=2)
    assert str(s) == (
        "// A: cyclic 4 in dimension 1\n"
        "// A: cyclic 4 in dimension 2\n"
        "for (k = 0; k < 32; k++)\n"
        "  for (i0 = 0; i0 < 8; i0++)\n"
        "    for (j0 = 0; j0 < 8; j0++)  // pipeline, ii = 1\n"
        "      for (i1 = 0; i1 < 4; i1++)  // unroll 4\n"
        "        for (j1 = 0; j1 < 4; j1++)  // unroll 4\n"
        "          s: A[4 * i0 + i1][4 * j0 + j1] += B[4*i0 + i1][k] * C[k][4*j0 + j1]"
    )
    plan = s.solve(dsp=2560).schedule.node("s")
    assert plan.order == ("k", "i0", "j0")
    assert (plan.factors["i0"], plan.factors["j0"]) == (4, 4)


def test_figure_8_dependence_graph_and_vector(tmp_path: Path) -> None:
    s = written(
        tmp_path,
        """(float A[4][4], float B[4][4], float C[4][4], float D[4][4]) {
          for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) S1: A[i][j] = A[i][j] * 2;
          for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) S2: B[i][j] = A[i][j] + B[i][j];
          for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) S3: C[i][j] = A[i][j] + C[i][j];
          for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
              for (int k = 0; k < 4; k++)
                S4: D[i][j] = D[i][j] + B[i][k] * C[k][j];
        }""",
    )
    flows = {
        (found.source, found.sink)
        for found in s.dependences()
        if found.kind == "flow" and found.source != found.sink
    }
    assert flows == {("S1", "S2"), ("S1", "S3"), ("S2", "S4"), ("S3", "S4")}
    (carried,) = (f for f in s.dependences("S4") if f.kind == "flow" and f.source == f.sink)
    assert carried.distance == (0, 0, 1)
    s["S4"].interchange("j", "k").interchange("i", "k")
    assert [f.distance for f in s.dependences("S4") if f.source == f.sink == "S4"] == [
        (1, 0, 0)
    ] * 3


def test_figure_9_order_and_tiling(tmp_path: Path) -> None:
    s = written(
        tmp_path,
        """(float A[32], float B[32]) {
          for (int t = 0; t < 32; t++) {
            for (int i = 0; i < 32; i++) S1: A[i] = A[i] * 2;
            for (int i = 0; i < 32; i++) S2: B[i] = B[i] + A[i];
          }
        }""",
    )
    s["S1"].split("i", 8)
    assert s["S2"].after("S1", "t").name == "S2"
    assert "for (i0 = 0; i0 < 4; i0++)\n    for (i1 = 0; i1 < 8; i1++)" in str(s)
    assert s.steps[0].before.count("for") == 3


def test_figure_10_bicg_split_interchange_merge(tmp_path: Path) -> None:
    s = written(
        tmp_path,
        """(float A[8][8], float s[8], float q[8], float p[8], float r[8]) {
          for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
              S1: s[j] = s[j] + r[i] * A[i][j];
              S2: q[i] = q[i] + A[i][j] * p[j];
            }
        }""",
    )
    assert {f.distance for f in s.dependences("S1")} == {(1, 0)}
    assert {f.distance for f in s.dependences("S2")} == {(0, 1)}
    s["S2"].after("S1").interchange("i", "j").fuse("S1", "j")
    assert str(s) == (
        "for (i = 0; i < 8; i++)\n"
        "  for (j = 0; j < 8; j++)\n"
        "    S1: s[j] += r[i] * A[i][j]\n"
        "    S2: q[j] += A[j][i] * p[i]"
    )
    assert {f.distance for f in s.dependences()} == {(1, 0)}


JACOBI = """(float A[34], float B[34]) {
  for (int t = 0; t < 8; t++) {
    for (int i = 0; i < 32; i++) S1: A[i + 1] = (B[i] + B[i + 1] + B[i + 2]) * 0.25f;
    for (int i = 0; i < 32; i++) S2: B[i + 1] = (A[i] + A[i + 1] + A[i + 2]) * 0.25f;
  }
}"""


def test_skew_of_jacobi_as_published_is_illegal(tmp_path: Path) -> None:
    s = written(tmp_path, JACOBI)
    with pytest.raises(LegalityError, match="E233 S2 is in loop t beside loop i of S1"):
        s["S1"].skew("t", "i", 1, 1)
    with pytest.raises(LegalityError, match=r"E237 S2\.fuse\(S1, i\) breaks a flow dependence"):
        s["S2"].fuse("S1", "i")
    s["S2"].shift("i", 1).fuse("S1", "i")
    with pytest.raises(LegalityError, match=r"its distance is \(1, -2\)"):
        s["S1"].skew("t", "i", 1, 1)
    s["S1"].skew("t", "i", 3, 1)
    inner = [found for found in s.dependences() if found.distance[0] == 0]
    assert all(found.distance == (0, 0) for found in inner)
