"""opt6 on small sequential nodes against all of their plans, each simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.perf.as_built.program_bound import program_bound
from streamopt.transforms.autoschedule import steps_of
from tests.support.every_plan import every_plan
from tests.support.nightly import in_nightly

if TYPE_CHECKING:
    from pathlib import Path

ON = so.device("u280")
LIMITS = (3, 10, 3000)
PROGRAMS = {
    "wave": """
void wave(float A[6][6]) {
  for (int i = 1; i < 6; i++)
    for (int j = 1; j < 6; j++) A[i][j] = 0.5f * (A[i][j - 1] + A[i - 1][j]);
}
""",
    "sweeps": """
void sweeps(float A[8], float B[8]) {
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < 7; i++) B[i] = 0.5f * (A[i - 1] + A[i + 1]);
    for (int i = 1; i < 7; i++) A[i] = 0.5f * (B[i - 1] + B[i + 1]);
  }
}
""",
    "factors": """
void factors(float A[5][5]) {
  for (int k = 0; k < 5; k++) {
    for (int i = k + 1; i < 5; i++) A[i][k] = A[i][k] / A[k][k];
    for (int i = k + 1; i < 5; i++)
      for (int j = k + 1; j < 5; j++) A[i][j] = A[i][j] - A[i][k] * A[k][j];
  }
}
""",
}


@pytest.mark.parametrize("name", in_nightly(PROGRAMS, 1))
def test_the_best_plan_is_found_and_none_beats_the_bound(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.c"
    path.write_text(PROGRAMS[name], encoding="utf-8")
    graph = so.dataflow(so.load(path))
    plans = [*every_plan(graph, ON)]
    assert len(plans) > 20
    found: list[int] = []
    for dsps in LIMITS:
        least = min(own.cycles for own in plans if own.used.dsps <= dsps)
        bound = program_bound(graph, lambda node: steps_of(node)[0], dsps, ON)
        assert max(bound.work_cycles, bound.chain_cycles) <= least
        solution = so.solve(graph, level="opt6", dsp=dsps, budget=so.Budget(fit="raw"))
        assert solution.simulated_cycles == least
        found.append(least)
    assert found == sorted(found, reverse=True)
