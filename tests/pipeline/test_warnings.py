"""What a solution warns of: where model and simulation differ, and what is hard to build."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.pipeline.warning import judged, solution_warnings
from streamopt.target.resources import Resources

if TYPE_CHECKING:
    from streamopt.strategies.solution import Solution

GRAPHS = Path(__file__).parents[2] / "graphs" / "polybench"
FIR = """
void fir(const float x[1040], const float h[16], float y[1024]) {
  for (int n = 0; n < 1024; n++) {
    y[n] = 0.0f;
    for (int t = 0; t < 16; t++) y[n] += x[n + 15 - t] * h[t];
  }
}
"""
JACOBI = """
void jacobi(float A[32][32], float B[32][32]) {
  for (int t = 0; t < 8; t++) {
    for (int i = 1; i < 31; i++)
      for (int j = 1; j < 31; j++)
        B[i][j] = 0.2f * (A[i][j] + A[i][j-1] + A[i][j+1] + A[i+1][j] + A[i-1][j]);
    for (int i = 1; i < 31; i++)
      for (int j = 1; j < 31; j++) A[i][j] = B[i][j];
  }
}
"""


def solved(folder: Path, source: str) -> Solution:
    path = folder / "kernel.c"
    path.write_text(source)
    return so.solve(so.dataflow(so.load(path)), dsp=256)


def test_port_conflicts_are_told_with_the_node_and_the_array(tmp_path: Path) -> None:
    found = solved(tmp_path, FIR)
    assert found.simulated_cycles == so.simulate(found.problem.graph, found.schedule).cycles
    (warning,) = found.warnings
    assert warning.code == "W01"
    assert warning.message == (
        "the opt5 model misses port conflicts here (8207 cycles simulated, 511 modelled): y_sum "
        "has an II of 16 instead of 1 because of memory ports of x, 32 accesses"
    )
    assert "--level opt6" in warning.hint
    built = so.solve(found.problem.graph, level="opt6", dsp=256)
    assert "W01" not in [each.code for each in built.warnings]


def test_sequential_nodes_are_told_with_their_line(tmp_path: Path) -> None:
    pace, node = solved(tmp_path, JACOBI).warnings
    assert (pace.code, node.code) == ("W01", "W07")
    assert "the pace of a sequential node here (18542 cycles simulated" in pace.message
    assert node.loc is not None
    assert (Path(node.loc.file).name, node.loc.line) == ("kernel.c", 8)


def test_what_will_hardly_be_routed_is_told() -> None:
    graph = so.dataflow(so.load(GRAPHS / "atax.json"))
    found = so.solve(graph, dsp=100)
    assert [warning.code for warning in found.warnings] == []
    design = judged(graph, found.schedule, None, cycles=found.simulated_cycles)
    crowded = replace(design, used=Resources(luts=420940))
    (warning,) = solution_warnings(found, crowded)
    assert warning.message.startswith("420940 LUTs are 97 % of an SLR")
    assert warning.hint == "give a limit that can be routed: --lut 304192"
    wide = replace(design, banks={"A": 625, "x": 626})
    (warning,) = solution_warnings(found, wide)
    assert (warning.code, warning.message.split(",")[0]) == (
        "W08",
        "argument x is split into 626 banks",
    )
    over = replace(design, used=Resources(dsps=10000))
    assert [w.code for w in solution_warnings(found, over)] == ["W04"]


def test_frames_follow_as_closely_as_the_model_says() -> None:
    graph = so.dataflow(so.load(GRAPHS / "3mm.json"))
    found = so.solve(graph, objective="interval", dsp=256)
    simulated = so.simulate(graph, found.schedule, frames=3).interval_cycles
    assert simulated == pytest.approx(found.interval_cycles, rel=0.01)
    assert found.warnings == ()


def residual(folder: Path) -> Path:
    """Write five products in a row, the last of which takes what the first gave, too."""
    shape, loops = [32, 32], {"i": 32, "j": 32, "k": 32}
    roles = dict.fromkeys(["A", *(f"W{n}" for n in range(4))], "input")
    roles |= dict.fromkeys("BCDF", "internal") | {"E": "output"}
    last = [("C", "B", "W1"), ("D", "C", "W2"), ("F", "D", "W3"), ("E", "F", "B")]
    bodies = ["B[i][j] += A[i][k] * W0[k][j]"]
    bodies += [f"{to}[i][j] += {of}[k][i] * {by}[k][j]" for to, of, by in last]
    document = {
        "schema_version": 1,
        "name": "residual",
        "arrays": {name: {"shape": shape, "role": role} for name, role in roles.items()},
        "nodes": [
            {"name": f"n{n}", "loops": loops, "body": [body]} for n, body in enumerate(bodies)
        ],
    }
    path = folder / "residual.json"
    path.write_text(json.dumps(document))
    return path


def test_copies_on_the_shorter_path_let_frames_follow(tmp_path: Path) -> None:
    graph = so.dataflow(so.load(residual(tmp_path)))
    found = so.solve(graph, objective="interval", dsp=256)
    assert found.schedule.rewrites == ("balance_paths",)
    times = so.simulate(graph, found.schedule, frames=8)
    assert times.total_cycles - times.cycles <= 7 * 1.01 * found.interval_cycles
    assert found.bound == found.interval_cycles
