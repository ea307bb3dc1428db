"""Explanations of designs of every kind: solved, by hand, of rivals, of one node, and refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import streamopt as so
from streamopt.cli.main import app
from streamopt.errors import LegalityError, ReportError

if TYPE_CHECKING:
    from pathlib import Path

HEADS = """
void heads(float A[24][18], float B[18], float C[6], float D[24][3][6]) {
  float T[24][18];
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 18; j++)
      T[i][j] = A[i][j] * B[j];
  for (int i = 0; i < 24; i++)
    for (int h = 0; h < 3; h++)
      for (int k = 0; k < 6; k++)
        D[i][h][k] = T[i][6*h+k] * C[k];
}
"""
STEPS = """
void heat(float A[20]) {
  for (int t = 0; t < 4; t++)
    for (int i = 1; i < 19; i++)
      A[i] = 0.5f * (A[i-1] + A[i+1]);
}
"""
ONE = """
void scale(float a[64], float b[64], float c[64]) {
  for (int i = 0; i < 64; i++) c[i] = a[i] * b[i];
}
"""


def test_a_flat_layout_is_found_with_its_line_and_gain(tmp_path: Path) -> None:
    path = tmp_path / "heads.c"
    path.write_text(HEADS)
    solution = so.solve(path, dsp=64)
    found = so.explain(solution, work=1.0)
    assert len(found.sentences) == 5
    lines = {channel.place.line for channel in found.buffering.channels if channel.place}
    assert lines == {10}
    (flat,) = (change for change in found.changes.each if "a dimension" in change.advice)
    assert flat.place is not None
    assert flat.place.line == 6
    assert flat.cycles < 0.9 * solution.simulated_cycles
    assert "heads.c:" in found.words


def test_places_and_reasons_are_kept_by_the_written_graph(tmp_path: Path) -> None:
    path = tmp_path / "heat.c"
    path.write_text(STEPS)
    program = so.load(path)
    so.save(program, tmp_path / "heat.json")
    again = so.load(tmp_path / "heat.json")
    told = [(nest.statements[-1].loc, nest.reason) for nest in program.nests]
    assert [(nest.loc, nest.reason) for nest in again.nests] == told
    assert any(reason for _, reason in told)


def test_sequential_node_says_why_and_where(tmp_path: Path) -> None:
    path = tmp_path / "heat.c"
    path.write_text(STEPS)
    found = so.explain(so.solve(path, dsp=64), quick=True)
    (change,) = found.changes.each
    assert change.place is not None
    assert change.place.line == 5
    assert "is sequential (A[i - 1] is read where an earlier iteration wrote A[i])" in change.words
    assert change.twice_as_fast_cycles < found.standing.cycles
    (node,) = found.bottleneck.nodes
    assert 0 < node.waits < node.iterations <= found.standing.cycles
    assert f"{node.waits:,} of them waits" in found.words
    assert re.search(r"Any design takes at least [\d,]+ cycles for", found.sentences[0])


def test_one_node_has_no_channels(tmp_path: Path) -> None:
    path = tmp_path / "one.c"
    path.write_text(ONE)
    found = so.explain(so.solve(path, dsp=64), work=1.0)
    assert found.buffering.words == "There are no channels between nodes."
    assert found.bottleneck.others == found.bottleneck.idle == ()


@pytest.mark.parametrize("strategy", ["hida", "codo"])
def test_designs_of_other_strategies_have_no_proof(strategy: str) -> None:
    design = so.design("graphs/polybench/atax.json", strategy=strategy, dsp=640)
    found = so.explain("graphs/polybench/atax.json", design.schedule, work=1.0)
    assert found.standing.proof == ""
    assert "nothing is proved" in found.sentences[0]
    assert "isn't known" in found.sentences[2]
    solved = [change for change in found.changes.each if "solve --dsp" in change.advice]
    assert all(change.cycles < found.standing.cycles for change in solved)


def test_other_objectives_tell_their_unit() -> None:
    graph = so.dataflow("graphs/polybench/gesummv.json")
    interval = so.solve(graph, dsp=200, objective="interval")
    found = so.explain(interval, work=1.0)
    assert found.allowances.unit == "cycles between frames"
    fewest = so.solve(graph, dsp=2000, objective=so.FewestDsps(within_cycles=5000))
    found = so.explain(fewest, work=1.0)
    (allowance,) = found.allowances.each
    assert (allowance.option, found.allowances.unit) == ("--latency-target", "DSPs")
    again = so.solve(graph, dsp=2000, objective=so.FewestDsps(within_cycles=allowance.more))
    assert allowance.least_cost <= again.dsps <= allowance.found_cost


def test_limits_as_built_are_asked_one_by_one() -> None:
    graph = so.dataflow("graphs/polybench/gesummv.json")
    solution = so.solve(graph, dsp=400, budget=so.Budget(lut=40000))
    found = so.explain(solution, work=2.0)
    dsps, luts = found.allowances.each
    assert (dsps.option, luts.option) == ("--dsp", "--lut")
    again = so.solve(graph, dsp=400, budget=so.Budget(lut=luts.more))
    assert luts.least_cost <= again.latency_cycles <= luts.found_cost
    assert "LUTs" not in found.allowances.unlimited


def test_quick_at_opt6_tells_the_bound_that_is_known() -> None:
    solution = so.solve("graphs/polybench/gemm.json", level="opt6", effort=so.Effort(work=1.0))
    found = so.explain(solution, quick=True)
    for allowance in found.allowances.each:
        assert not allowance.is_tried
        known = allowance.option not in ("--built-dsp", "--lut")
        assert bool(allowance.least_cost) == known


def test_a_schedule_of_another_graph_is_refused() -> None:
    schedule = so.solve("graphs/polybench/atax.json", dsp=64).schedule
    with pytest.raises(LegalityError, match="E301"):
        so.explain("graphs/polybench/bicg.json", schedule)
    old = replace(schedule, nodes=schedule.nodes[:1])
    with pytest.raises(LegalityError, match="E302"):
        so.explain("graphs/polybench/atax.json", old)
    with pytest.raises(ReportError, match="E874"):
        so.explain("graphs/polybench/atax.json")


def test_an_edited_schedule_has_no_proof_any_more() -> None:
    graph = so.dataflow("graphs/polybench/2mm.json")
    solution = so.solve(graph, dsp=640)
    plans = tuple(replace(plan, depth_elems=1) for plan in solution.schedule.channels)
    edited = replace(solution.schedule, channels=plans)
    result = {**so.record(solution), "simulated_cycles": solution.simulated_cycles}
    on = so.device()
    result |= {"device": on.name, "clock_ns": on.clock_ns}
    assert so.explain(graph, solution.schedule, result=result, quick=True).standing.proof
    found = so.explain(graph, edited, result=result, quick=True)
    assert found.standing.solved_cycles == solution.simulated_cycles != found.standing.cycles
    assert "nothing is proved" in found.sentences[0]


def test_command_tells_five_sentences_or_json(tmp_path: Path) -> None:
    run = CliRunner()
    graph, plan = "graphs/polybench/gesummv.json", str(tmp_path / "plan.json")
    solved = run.invoke(app, ["solve", graph, "--dsp", "200", "--schedule", plan, "-q"])
    assert solved.exit_code == 0, solved.output
    told = run.invoke(app, ["explain", graph, "--schedule", plan, "--quick"])
    assert [line[:2] for line in told.stdout.splitlines() if line[0] != " "] == [
        f"{at}." for at in range(1, 6)
    ]
    told = run.invoke(app, ["explain", graph, "--schedule", plan, "--work", "1", "--json"])
    record = json.loads(told.stdout)
    assert len(record["sentences"]) == 5
    assert record["bottleneck"]["nodes"][0]["cycles"] > 0
    assert run.invoke(app, ["explain", "E401"]).stdout.startswith("E401 (InfeasibleError)")
    assert "E874" in str(run.invoke(app, ["explain", graph]).exception)


SOFTMAX = """
#include <math.h>
void softmax(const float x[8][32], float y[8][32]) {
  float d[8][32], m[8], e[8][32], s[8];
  for (int i = 0; i < 8; i++) for (int j = 0; j < 32; j++) d[i][j] = x[i][j] / 3.0f;
  for (int i = 0; i < 8; i++) {
    m[i] = -100.0f;
    for (int j = 0; j < 32; j++) m[i] = fmaxf(m[i], d[i][j]);
  }
  for (int i = 0; i < 8; i++) for (int j = 0; j < 32; j++) e[i][j] = expf(d[i][j] - m[i]);
  for (int i = 0; i < 8; i++) {
    s[i] = 0;
    for (int j = 0; j < 32; j++) s[i] += e[i][j];
  }
  for (int i = 0; i < 8; i++) for (int j = 0; j < 32; j++) y[i][j] = e[i][j] / s[i];
}
"""


def test_a_faster_node_needs_no_deeper_fifos_to_be_told() -> None:
    """At the least depths of this design, its nodes come to a standstill at another pace."""
    solution = so.solve(SOFTMAX, level="opt1", dsp=512)
    found = so.explain(solution, quick=True).bottleneck
    assert [0 < node.twice_as_fast_cycles <= found.total_cycles for node in found.nodes] == [
        True for _ in found.nodes
    ]
