"""Kernels with loop-carried dependences at medium size: a design has the lanes that were found."""

import pytest

import streamopt as so
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
