"""Notebooks run from top to bottom, and show the texts that are stored in them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.notebooks import NOTEBOOKS, executed, texts

if TYPE_CHECKING:
    from pathlib import Path

LONG = {
    "01_3mm_in_ten_minutes": "a compilation, which the README's test has as well",
    "02_opt1_to_opt5": "five levels of three graphs",
    "03_your_pytorch_model": "torch, a level opt6 and a compilation",
    "05_solver_research": "three solvers",
}
LARGEST_BYTES = 300_000


def stored(path: Path) -> Any:
    nbformat: Any = import_module("nbformat")
    return nbformat.read(path, as_version=4)


def case(path: Path) -> Any:
    marks = [pytest.mark.nightly] if path.stem in LONG else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.filterwarnings("default")  # of Jupyter's own libraries
@pytest.mark.parametrize("path", [case(path) for path in NOTEBOOKS])
def test_cells_show_what_is_stored(path: Path) -> None:
    assert texts(executed(path)) == texts(stored(path)), "make notebooks stores them anew"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stored(path: Path) -> None:
    """Every cell was run in order, every notebook has pictures, and none is large."""
    notebook = stored(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2
    assert path.stat().st_size < LARGEST_BYTES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_volatile_is_stored(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "/tmp/" not in text
    assert "iopub" not in text
    assert '"stderr"' not in text


def test_long_ones_are_there() -> None:
    assert {path.stem for path in NOTEBOOKS} > LONG.keys()
