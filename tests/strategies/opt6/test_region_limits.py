"""Designs of level opt6 keep the limits of their region, whatever is short."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from streamopt.space.level import BindingChoice

GRAPHS = Path(__file__).parents[3] / "graphs"


@pytest.mark.parametrize("binding", [BindingChoice.DSP, BindingChoice.FREE])
@pytest.mark.parametrize("luts", [30_000])
def test_few_luts_are_kept(binding: BindingChoice, luts: int) -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "gesummv.json"))
    solution = so.solve(
        graph, level="opt6", space=so.Space(binding=binding), budget=so.Budget(lut=luts)
    )
    used = so.evaluate(graph, solution.schedule).resources.total
    assert used.luts <= luts
    assert used.dsps <= 2560
