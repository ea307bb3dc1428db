"""All 17 programs, unscheduled and at opt5: the emitted C++ computes what the program says."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so

TOP = Path(__file__).parents[2]
PROGRAMS = sorted(f"{p.parent.name}/{p.stem}" for p in (TOP / "graphs").glob("*/*.json"))
ATTENTION = "transformers/multi_head_attention"
TILING_LIMITS = {"cnns/dwsconv_block": 8, "cnns/residual_block": 8, ATTENTION: 1}


def is_long(program: str, level: str) -> bool:
    """Return whether a design runs for millions of cycles, which its FIFO depths are found over."""
    return level == "opt1" and program.split("/")[0] in ("cnns", "mlps", "transformers")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "level"),
    [
        pytest.param(program, level, marks=pytest.mark.nightly if is_long(program, level) else ())
        for program in PROGRAMS
        for level in ("opt1", "opt5")
    ],
)
def test_design_computes_its_program(program: str, level: str, tmp_path: Path) -> None:
    source = so.load(TOP / "graphs" / f"{program}.json")
    tiling_limit = TILING_LIMITS.get(program, 16)
    solution = so.solve(so.dataflow(source), level=level, tiling_limit=tiling_limit)
    so.write(source, solution.schedule, tmp_path / "project", result=so.record(solution))
    verdict = so.verify(tmp_path / "project")
    assert verdict.passed, str(verdict)
    assert so.load(tmp_path / "project" / "graph.json").name == source.name
    assert so.load_schedule(tmp_path / "project" / "schedule.json") == solution.schedule


@pytest.mark.parametrize("program", ["polybench/3mm", "polybench/bicg"])
def test_other_inputs_give_the_same_verdict(program: str, tmp_path: Path) -> None:
    source = so.load(TOP / "graphs" / f"{program}.json")
    so.write(source, so.solve(so.dataflow(source)).schedule, tmp_path / "project")
    assert so.verify(tmp_path / "project", seed=7).passed


def test_same_request_same_bytes(tmp_path: Path) -> None:
    source = so.load(TOP / "graphs" / "polybench" / "2mm.json")
    graph = so.dataflow(source)
    texts = [so.emit(graph, so.solve(graph).schedule).files for _ in range(2)]
    assert texts[0] == texts[1]
