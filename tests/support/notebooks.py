"""Notebooks executed, with outputs that are the same every time but for pictures and times.

``python -m tests.support.notebooks`` executes and stores all of them.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TOP = Path(__file__).parents[2]
NOTEBOOKS = sorted((TOP / "notebooks").glob("*.ipynb"))
SECONDS = 300
"""For one cell."""
KEPT = ("text/plain", "text/html", "image/png")
"""Kinds of output that are stored; the last that a value has is what readers see."""


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of a run in its folder."""
    nbformat: Any = import_module("nbformat")
    nbclient: Any = import_module("nbclient")
    notebook: Any = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        paths = os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")])
        own = {"PYTHONPATH": paths, "TMPDIR": folder, "IPYTHONDIR": f"{folder}/ipython"}
        env = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"} | own
        client: Any = nbclient.NotebookClient(
            notebook,
            timeout=SECONDS,
            coalesce_streams=True,
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute(env=env)
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.data = {kind: output.data[kind] for kind in KEPT if kind in output.data}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def texts(notebook: Any) -> list[list[str]]:
    """Return the texts that each code cell prints and shows, without pictures and pages."""
    return [
        [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for outputs in [cell.outputs]
    ]


def store(path: Path) -> None:
    """Execute a notebook and store it with its outputs."""
    nbformat: Any = import_module("nbformat")
    text = nbformat.writes(executed(path)) + "\n"
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in [Path(name) for name in sys.argv[1:]] or NOTEBOOKS:
        sys.stdout.write(f"{each.name}\n")
        store(each)
