"""jacobi-2d with as many DSPs as HIDA's published design of 388,697 cycles."""

from __future__ import annotations

import pytest

import streamopt as so
from tests.support.runners.polybench import KERNELS, source


@pytest.mark.nightly
@pytest.mark.parametrize(("binding", "most_cycles"), [("dsp", 386_498), ("free", 120_000)])
def test_no_more_cycles_than_published(binding: str, most_cycles: int) -> None:
    """Adders may be LUTs where no products are added up; free may mix them with DSPs."""
    macros = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    program = so.load(
        source("jacobi-2d"), options=so.SourceOptions(define=macros, include=[KERNELS])
    )
    budget = so.Budget(fit="raw")
    space = so.Space(binding=so.BindingChoice(binding))
    found = so.solve(program, level="opt6", dsp=352, budget=budget, space=space)
    assert found.dsps <= 352
    assert found.simulated_cycles <= most_cycles
