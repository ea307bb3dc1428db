"""A solution has all that is done next as methods, and every value says in a line what it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import streamopt as so
from streamopt.errors import MissingExtraError, ReportError

GESUMMV = Path(__file__).parents[2] / "graphs/polybench/gesummv.json"


@pytest.fixture(scope="module")
def solution() -> so.Solved:
    return so.solve(GESUMMV, dsp=220)


def test_methods_are_the_functions(solution: so.Solved, tmp_path: Path) -> None:
    solution.write(tmp_path / "own")
    so.write(so.load(GESUMMV), solution.schedule, tmp_path / "other")
    (kernel,) = (path.name for path in tmp_path.glob("own/*gesummv.cpp"))
    assert (tmp_path / "own" / kernel).read_text() == (tmp_path / "other" / kernel).read_text()
    written = so.load_result(tmp_path / "own/schedule.json")
    assert written["bound_cycles"] == solution.bound
    assert written["simulated_cycles"] == solution.simulated_cycles
    assert solution.simulate() == so.simulate(GESUMMV, solution.schedule)
    assert solution.simulate(frames=2).frames == 2
    assert solution.report().html() == so.report_solution(solution).html()


@pytest.mark.slow
def test_verify_compares_with_the_source(solution: so.Solved) -> None:
    assert solution.verify().passed


def test_frame_has_a_row_a_node(solution: so.Solved) -> None:
    frame: Any = solution.to_frame()
    assert [*frame.index] == [node.node for node in solution.schedule.nodes]
    assert frame["dsps"].sum() == solution.dsps
    assert frame["last_write_cycles"].max() == solution.latency_cycles
    assert frame["simulated_end"].max() == solution.simulated_cycles


def test_gantt_shows_itself(solution: so.Solved, tmp_path: Path) -> None:
    chart = solution.gantt()
    content, size = chart._repr_png_()  # pyright: ignore[reportPrivateUsage]
    assert content.startswith(b"\x89PNG")
    assert size["width"] > 0
    assert chart.write(tmp_path / "run.svg").read_text().startswith("<?xml")
    with pytest.raises(ReportError, match="E871"):
        chart.write(tmp_path / "run.bmp")


def test_missing_packages_are_told(solution: so.Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pandas", "matplotlib"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match="E890"):
        solution.to_frame()
    with pytest.raises(MissingExtraError, match="E890"):
        solution.gantt()


def test_values_are_shown_in_a_line(solution: so.Solved) -> None:
    front = so.pareto(GESUMMV, dsp=40)
    values = [
        (solution.program, "<Program gesummv: "),
        (solution.graph, "<Graph gesummv: "),
        (solution.schedule, "<Schedule of gesummv: "),
        (solution, "<Solution gesummv at opt5: "),
        (solution.evaluation, "<Evaluation gesummv on "),
        (solution.simulate(), "<Trace of gesummv: "),
        (front, "<Front of gesummv at opt5: "),
        (solution.report(), "<Report: "),
        (solution.gantt(), "<Chart: "),
        (so.emit(solution.graph, solution.schedule), "<Design gesummv for vitis: "),
    ]
    for value, start in values:
        shown = repr(value)
        assert shown.startswith(start), shown
        assert "\n" not in shown
        assert len(shown) < 300, shown
        if not isinstance(value, type(values[-1][0])):
            assert hasattr(value, "_repr_html_") or hasattr(value, "_repr_png_"), shown


def test_graphs_and_solutions_are_drawn(solution: so.Solved) -> None:
    for value in (solution.graph, solution):
        shown = value._repr_html_()  # pyright: ignore[reportPrivateUsage]
        assert "<svg" in shown
        assert all(f'data-node="{node.name}"' in shown for node in solution.graph.nodes)
    assert "<table>" in shown


def test_methods_are_found_by_name(solution: so.Solved) -> None:
    verbs = {
        "explain",
        "report",
        "verify",
        "write",
        "to_frame",
        "gantt",
        "simulate",
        "program",
        "graph",
    }
    assert verbs <= {*dir(solution)}
