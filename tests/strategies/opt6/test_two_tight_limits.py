"""Programs whose quickest designs are over two limits at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so

GRAPHS = Path(__file__).parents[3] / "graphs"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("program", "most_cycles"),
    # single changes of rows end at 20,698 and at 4,509
    [("transformers/multi_head_attention", 11_950), ("synthetic/7mm_balanced", 3_750)],
)
def test_descents_go_around_designs_over_two_limits(program: str, most_cycles: int) -> None:
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    solved = so.solve(graph, level="opt6", dsp=2560, budget=so.Budget(fit="slr"))
    assert so.evaluate(graph, solved.schedule).trace.cycles <= most_cycles
