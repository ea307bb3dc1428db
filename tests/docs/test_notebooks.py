"""Notebooks run from top to bottom, and are kept without outputs."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).parents[2]
NOTEBOOKS = sorted((TOP / "notebooks").glob("*.ipynb"))
LONG = {
    "01_3mm_in_ten_minutes": "a compilation, which the README's test has as well",
    "02_opt1_to_opt5": "five levels of three graphs",
    "03_your_pytorch_model": "torch, a level opt6 and a compilation",
}


def code_cells(path: Path) -> list[dict[str, Any]]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == "code"]


def case(path: Path) -> Any:
    marks = [pytest.mark.nightly] if path.stem in LONG else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.filterwarnings("default")  # of Jupyter's own libraries
@pytest.mark.parametrize("path", [case(path) for path in NOTEBOOKS])
def test_cells_run(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nbformat: Any = import_module("nbformat")
    nbclient: Any = import_module("nbclient")
    paths = os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", paths)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook: Any = nbformat.read(path, as_version=4)
    client: Any = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    for cell in code_cells(path):
        assert not cell["outputs"]
        assert cell["execution_count"] is None


def test_long_ones_are_there() -> None:
    assert {path.stem for path in NOTEBOOKS} > LONG.keys()
