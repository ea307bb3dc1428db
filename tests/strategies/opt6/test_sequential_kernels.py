"""Kernels with loop-carried dependences at medium size: a design has the lanes that were found."""

from pathlib import Path

import pytest

import streamopt as so
from streamopt.solvers.base import Progress
from streamopt.solvers.result import Proof
from tests.support.nightly import in_nightly
from tests.support.runners.polybench import KERNELS, source

MOST_CYCLES = {
    ("lu", "raw"): 40_000,
    ("cholesky", "slr"): 40_000,
    ("ludcmp", "slr"): 75_000,
    ("durbin", "raw"): 32_000,
    ("gramschmidt", "raw"): 49_000,
    ("nussinov", "raw"): 57_500,
    ("floyd-warshall", "raw"): 170_000,
    ("fdtd-2d", "raw"): 45_000,
    ("jacobi-2d", "slr"): 55_000,
    ("deriche", "raw"): 30_000,
}
"""By kernel and the limits that the design has to keep."""


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "fit"), MOST_CYCLES)
def test_design_has_the_lanes_that_were_found(name: str, fit: str) -> None:
    macros = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    program = so.load(source(name), options=so.SourceOptions(define=macros, include=[KERNELS]))
    found = so.solve(program, level="opt6", dsp=2560, budget=so.Budget(fit=fit))
    assert found.simulated_cycles <= MOST_CYCLES[name, fit]


SHORT = {
    "handed": (
        "float L[48][48], float X[48][48]",
        """for (int j = 0; j < 48; j++) {
             for (int i = 0; i < 48; i++) X[i][j] = 0;
             X[j][j] = 1 / L[j][j];
             for (int i = j + 1; i < 48; i++) {
               float s = 0;
               for (int k = j; k < i; k++) s += L[i][k] * X[k][j];
               X[i][j] = -s / L[i][i];
             }
           }""",
        1_500,
    ),
    "drafted": (
        "float a[128], float b[128], float D[129][129]",
        """for (int i = 0; i < 129; i++) { D[i][0] = 1e30f; D[0][i] = 1e30f; }
           D[0][0] = 0;
           for (int i = 1; i < 129; i++)
             for (int j = 1; j < 129; j++) {
               float d = a[i-1] - b[j-1];
               float m = D[i-1][j] < D[i][j-1] ? D[i-1][j] : D[i][j-1];
               m = m < D[i-1][j-1] ? m : D[i-1][j-1];
               D[i][j] = d * d + m;
             }""",
        3_000,
    ),
}
"""Other programs, by what their search found nothing for: buffers that fill all LUTs, which only
an array that is handed over has; and many drafts that are no better than hoped for."""


@pytest.mark.slow
@pytest.mark.parametrize("name", in_nightly(SHORT, 1))
def test_other_programs_have_lanes(name: str, tmp_path: Path) -> None:
    arrays, body, most_cycles = SHORT[name]
    path = tmp_path / f"{name}.c"
    path.write_text(f"void {name}({arrays}) {{ {body} }}")
    found = so.solve(so.load(path), level="opt6", dsp=2560)
    assert found.simulated_cycles <= most_cycles


def test_no_bound_is_above_what_is_found(tmp_path: Path) -> None:
    """The update is costed with the registers that it has beside its neighbors."""
    path = tmp_path / "nearest.c"
    path.write_text(
        """static void update(int far, int near[3]) {
             int most = 0, at = 4;
             for (int k = 0; k < 3; k++) if (near[k] > most) { most = near[k]; at = k; }
             for (int k = 0; k < 3; k++) if (at == k && far < most) near[k] = far;
           }
           void nearest(int far[2][6], int found[2][3]) {
             int near[3];
             for (int t = 0; t < 2; t++) {
               for (int k = 0; k < 3; k++) near[k] = 256;
               for (int i = 0; i < 6; i++) update(far[t][i], near);
               for (int k = 0; k < 3; k++) found[t][k] = near[k];
             }
           }"""
    )
    told: list[Progress] = []
    found = so.solve(
        so.load(path), level="opt6", dsp=200, effort=so.Effort(on_progress=told.append)
    )
    assert found.bound == found.latency_cycles
    assert found.proof is Proof.OPTIMAL
    assert all(p.bound is None or p.incumbent is None or p.bound <= p.incumbent for p in told)


def test_few_elements_are_read_where_they_are(tmp_path: Path) -> None:
    """An element a cycle, where copies in and out would take as long again each."""
    path = tmp_path / "scan.c"
    path.write_text(
        "void scan(int x[256], int y[256]) { int s = 0;"
        " for (int i = 0; i < 256; i++) { s += x[i]; y[i] = s; } }"
    )
    found = so.solve(so.load(path), level="opt6", dsp=100)
    assert found.simulated_cycles < 300
    assert found.verify().passed


def test_other_arrays_may_have_the_names_of_loops(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        """void f(int x[8], int y[8], int w[8]) {
             for (int t = 0; t < 4; t++)
               for (int i = 1; i < 8; i++) { x[i] += x[i - 1]; y[i] += y[i - 1]; }
             for (int t = 0; t < 4; t++)
               for (int i = 1; i < 8; i++) w[i] += w[i - 1] * x[i];
           }"""
    )
    assert so.solve(so.load(path), level="opt6", dsp=8).verify().passed
