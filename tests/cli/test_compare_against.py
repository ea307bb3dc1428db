"""``streamopt compare --against``: a design of others in the table, the CSV, LaTeX and a figure."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import TOP, run
from tests.support.hls_dialects import hida_atax

if TYPE_CHECKING:
    from pathlib import Path

ATAX = TOP / "graphs" / "polybench" / "atax.json"
PUBLISHED = TOP / "results" / "published" / "designs" / "polybench-atax-2560-opt5.json"


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / "their_design"
    folder.mkdir()
    (folder / "atax.cpp").write_text(hida_atax(), encoding="utf-8")
    return folder


def test_designs_stand_beside_levels(theirs: Path, tmp_path: Path) -> None:
    table, figure, latex = (tmp_path / name for name in ("rows.csv", "cycles.svg", "atax.tex"))
    done = run(
        tmp_path,
        *("compare", str(ATAX), "--levels", "opt5", "--against", str(theirs)),
        *("--against", str(PUBLISHED), "--csv", str(table)),
        *("--figure", str(figure), "--latex", str(latex)),
    )
    assert done.returncode == 0
    assert "measured by RTL simulation" in done.stdout
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["simulated_cycles"] for row in rows] == ["2194", "13372", "2180"]
    assert [row["measured_cycles"] for row in rows] == ["", "", "2180"]
    text = latex.read_text(encoding="utf-8")
    assert r"their\_design & 13372 & - & 0.16x" in text
    assert r"\toprule" in text
    assert "u280 at 3.33 ns" in text
    assert "measured" in figure.read_text(encoding="utf-8")
    page = tmp_path / "page.html"
    assert run(tmp_path, "report", str(table), "-o", str(page)).returncode == 0
    assert "their_design" in page.read_text(encoding="utf-8")


def test_argument_of_another_size_is_noted(theirs: Path) -> None:
    gemm = TOP / "graphs" / "polybench" / "gesummv.json"
    words = ("compare", str(gemm), "--levels", "opt1", "--json", "--against", str(theirs))
    _, row = json.loads(run(theirs, *words).stdout)
    assert "no argument of the design has the size of" in row["message"]


def test_design_that_is_not_read_stops_before_anything_is_solved(tmp_path: Path) -> None:
    done = run(tmp_path, "compare", str(ATAX), "--against", str(tmp_path / "nothing"))
    assert done.returncode == 2
    assert "error:" in done.stderr
    assert "Traceback" not in done.stderr
