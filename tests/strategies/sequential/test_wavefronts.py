"""Tables in two dimensions whose elements wait for their neighbours get lanes along wavefronts."""

from pathlib import Path

import pytest

import streamopt as so

PREFIX_SUMS = """
void sums(float S[150][150]) {
  for (int i = 1; i < 150; i++)
    for (int j = 1; j < 150; j++) S[i][j] = S[i][j] + S[i - 1][j] + S[i][j - 1] - S[i - 1][j - 1];
}
"""
ALIGNMENT = """
void alignment(float H[150][150], float a[150], float b[150]) {
  for (int i = 1; i < 150; i++)
    for (int j = 1; j < 150; j++) {
      float m = H[i - 1][j - 1] + (a[i] == b[j] ? 2.0f : -1.0f);
      float u = H[i - 1][j] - 1.0f;
      float l = H[i][j - 1] - 1.0f;
      float x = m > u ? m : u;
      float y = x > l ? x : l;
      H[i][j] = y > 0.0f ? y : 0.0f;
    }
}
"""


@pytest.mark.parametrize(("source", "most_cycles"), [(PREFIX_SUMS, 7_000), (ALIGNMENT, 18_000)])
def test_wavefronts_have_lanes(source: str, most_cycles: int, tmp_path: Path) -> None:
    path = tmp_path / "table.c"
    path.write_text(source)
    design = so.solve(so.load(path), level="opt6", dsp=200, budget=so.Budget(fit="raw"))
    assert design.simulated_cycles is not None
    assert design.simulated_cycles < most_cycles
