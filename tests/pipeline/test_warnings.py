"""What a solution warns of: where model and simulation differ, and what is hard to build."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.target.resources import Resources
from streamopt.warnings.amounts import amount_warnings, bank_warnings

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
    warning, _ = found.warnings
    assert warning.code == "W01"
    words = "the opt5 model misses port conflicts here (8207 cycles simulated, 511 modelled)"
    assert warning.words == words
    cause = "y_sum has an II of 16 instead of 1 because of memory ports of x, 32 accesses"
    assert warning.cause == cause
    assert "--level opt6" in warning.remedy
    assert warning.place is not None
    assert (Path(warning.place.file).name, warning.place.line) == ("kernel.c", 5)
    built = so.solve(found.problem.graph, level="opt6", dsp=256)
    assert "W01" not in [each.code for each in built.warnings]


def test_sequential_nodes_are_told_with_their_line(tmp_path: Path) -> None:
    node, _ = solved(tmp_path, JACOBI).warnings
    assert node.code == "W07"  # and no W01: its cycles are those simulated
    assert node.place is not None
    assert (Path(node.place.file).name, node.place.line) == ("kernel.c", 8)


def test_amounts_are_held_against_the_device_the_guideline_and_routed_designs() -> None:
    device = so.device("u280")
    assert [*amount_warnings(Resources(luts=270_000, dsps=1_900), device)] == []
    found = [*amount_warnings(Resources(luts=420_940, ffs=500_000), device)]
    assert [warning.code for warning in found] == ["W05", "W05", "W10"]
    assert found[0].words == "420940 LUT are 97 % of an SLR"
    assert found[0].remedy == "give a limit: --lut 304192"
    assert found[1].words == "500000 FF are 58 % of an SLR"
    assert found[2].cause == "420940 LUT, and not 275000; the fullest ran at 216 MHz"
    assert [w.code for w in amount_warnings(Resources(dsps=10_000), device)] == ["W04"]
    several = [*amount_warnings(Resources(dsps=7_200, luts=600_000), device)]
    assert [(w.code, "of u280" in w.words) for w in several] == [("W05", True), ("W10", False)]


def test_banks_beyond_every_report_are_told() -> None:
    graph = so.dataflow(so.load(GRAPHS / "atax.json"))
    found = so.solve(graph, dsp=100)
    assert [warning.code for warning in found.warnings] == ["W09"]
    assert found.evaluation is not None
    network = found.evaluation.network
    assert [*bank_warnings(network)] == []
    memories = tuple(
        replace(memory, factors=(1, 626)) if memory.name == "A" else memory
        for memory in network.memories
    )
    (warning,) = bank_warnings(replace(network, memories=memories))
    assert warning.code == "W08"
    assert warning.words.startswith("A is split into 626 banks")


def test_a_warning_is_a_value_with_its_parts(tmp_path: Path) -> None:
    (warning, _) = solved(tmp_path, FIR).warnings
    assert str(warning) == (
        f"{warning.place}: {warning.code} {warning.words}: {warning.cause}\n"
        f"  hint: {warning.remedy}"
    )
    assert warning == replace(warning)
    assert hash(warning)


def html_of(found: object) -> str:
    return str(getattr(found, "_repr_html_")())  # noqa: B009


def test_what_the_hardware_does_comes_before_the_proof(tmp_path: Path) -> None:
    found = solved(tmp_path, FIR)
    for text in (repr(found), html_of(found)):
        assert text.index("8,207 cycles") < text.index("511 ") < text.index("optimal")
        assert "511 cycles in the opt5 model" in text or "511 in the opt5 model" in text


def test_frames_follow_as_closely_as_the_model_says() -> None:
    graph = so.dataflow(so.load(GRAPHS / "3mm.json"))
    found = so.solve(graph, objective="interval", dsp=256)
    simulated = so.simulate(graph, found.schedule, frames=3).interval_cycles
    assert simulated == pytest.approx(found.interval_cycles, rel=0.01)
    assert [warning.code for warning in found.warnings] == ["W09"]


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
