"""All 17 programs, unscheduled and at opt5: the emitted C++ computes what the program says."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import streamopt as so
from tests.support.nightly import in_nightly

TOP = Path(__file__).parents[2]
PROGRAMS = sorted(f"{p.parent.name}/{p.stem}" for p in (TOP / "graphs").glob("*/*.json"))
ATTENTION = "transformers/multi_head_attention"
TILING_LIMITS = {"cnns/dwsconv_block": 8, "cnns/residual_block": 8, ATTENTION: 1}


SHORT = {
    ("cnns/dwsconv_block", "opt5"),
    ("mlps/residual_mlp", "opt5"),
    ("polybench/3mm", "opt5"),
    ("polybench/gesummv", "opt1"),
    ("synthetic/7mm_balanced", "opt1"),
    ("synthetic/7mm_tree_balanced", "opt5"),
    ("transformers/multi_head_attention", "opt5"),
}
"""One or two of each suite; the others are for the nightly run."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "level"),
    [
        pytest.param(*case, marks=() if case in SHORT else pytest.mark.nightly)
        for case in product(PROGRAMS, ("opt1", "opt5"))
    ],
)
def test_design_computes_its_program(program: str, level: str, tmp_path: Path) -> None:
    source = so.load(TOP / "graphs" / f"{program}.json")
    tiling_limit = TILING_LIMITS.get(program, 16)
    solution = so.solve(so.dataflow(source), level=level, space=so.Space(tiling_limit=tiling_limit))
    so.write(source, solution.schedule, tmp_path / "project", result=so.record(solution))
    verdict = so.verify(tmp_path / "project")
    assert verdict.passed, str(verdict)
    assert so.load(tmp_path / "project" / "graph.json").name == source.name
    assert so.load_schedule(tmp_path / "project" / "schedule.json") == solution.schedule


@pytest.mark.parametrize("program", in_nightly(["polybench/bicg", "polybench/3mm"], 1))
def test_other_inputs_give_the_same_verdict(program: str, tmp_path: Path) -> None:
    source = so.load(TOP / "graphs" / f"{program}.json")
    so.write(source, so.solve(so.dataflow(source)).schedule, tmp_path / "project")
    assert so.verify(tmp_path / "project", seed=7).passed


def test_same_request_same_bytes(tmp_path: Path) -> None:
    source = so.load(TOP / "graphs" / "polybench" / "2mm.json")
    graph = so.dataflow(source)
    texts = [so.emit(graph, so.solve(graph).schedule).files for _ in range(2)]
    assert texts[0] == texts[1]
