"""Charts of runs: what is drawn, and that files are what their names say."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from streamopt.errors import ReportError
from streamopt.pipeline import Evaluation, evaluate_network, load_design
from streamopt.report.charts import FORMATS, chart_format
from streamopt.report.gantt import SAMPLES, STALL, WORK, gantt

DESIGNS = Path(__file__).parents[2] / "results" / "published" / "designs"
DESIGN = DESIGNS / "polybench-gesummv-2560-opt4.json"
STARTS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@cache
def run(frames: int = 1) -> Evaluation:
    return evaluate_network(load_design(DESIGN).network, frames=frames, samples=SAMPLES)


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form: str) -> None:
    content = gantt(run().trace, {}, form)
    assert content.startswith(STARTS[form])
    assert chart_format(Path(f"a.b.{form.upper()}")) == form


@pytest.mark.parametrize("name", ["chart.gif", "chart", "png"])
def test_other_endings_are_refused(name: str) -> None:
    with pytest.raises(ReportError, match=f"E871 a chart can't be written as '{name}'") as caught:
        chart_format(Path(name))
    assert caught.value.diagnostics[0].hint == "end the name in .png, .svg or .pdf"


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_run_gives_the_same_bytes(form: str) -> None:
    assert gantt(run().trace, {"node3": (0, 20, 500)}, form) == gantt(
        run().trace, {"node3": (0, 20, 500)}, form
    )


def texts(svg: bytes) -> list[str]:
    return re.findall(r"<!-- (.*?) -->", svg.decode())


def test_processes_cycles_and_legend() -> None:
    found = run()
    shown = texts(gantt(found.trace, {}, "svg"))
    assert {process.name for process in found.trace.processes} <= set(shown)
    assert f"gesummv: {found.trace.cycles:,} cycles" in shown
    assert "closed form, to the last" not in shown
    assert "closed form, to the last" in texts(gantt(found.trace, {"node3": (0, 20, 500)}, "svg"))


def test_a_bar_for_every_frame() -> None:
    def bars(frames: int) -> int:
        trace = run(frames).trace
        return gantt(trace, {}, "svg").decode().count(STALL)

    # One amber bar behind each frame of each process; the legend has the colour too.
    assert bars(3) - bars(1) == 2 * len(run().trace.processes)
    assert WORK in gantt(run().trace, {}, "svg").decode()
