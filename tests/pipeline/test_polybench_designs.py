"""All of PolyBench from C to verified designs, at the smallest size."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from tests.support.nightly import in_nightly

KERNELS = Path(__file__).parents[1] / "polybench" / "kernels"
NAMES = sorted(path.name for path in KERNELS.iterdir() if path.is_dir())


FEW = {
    "adi",
    "bicg",
    "correlation",
    "doitgen",
    "durbin",
    "fdtd-2d",
    "jacobi-2d",
    "lu",
    "trmm",
}
"""What differs most; the others are for the nightly run."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", in_nightly(sorted(NAMES, key=lambda name: name not in FEW), len(FEW))
)
def test_kernel_becomes_a_verified_design(name: str, tmp_path: Path) -> None:
    defines = {"MINI_DATASET": ""}
    program = so.load(
        KERNELS / name / f"{name}.c", options=so.SourceOptions(define=defines, include=[KERNELS])
    )
    solution = so.solve(
        so.dataflow(program), dsp=500, time_limit=20, space=so.Space(tiling_limit=4)
    )
    so.write(program, solution.schedule, tmp_path / "made")
    verdict = so.verify(tmp_path / "made")
    verdict.raise_if_failed()
    assert verdict.outputs
