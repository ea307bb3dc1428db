"""An experiment whose rows take hundredths of a second."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
RUN = [sys.executable, "-c", "from streamopt.cli.main import main; main()"]
ENVIRONMENT = {
    **os.environ,
    "NO_COLOR": "1",
    "PYTHONPATH": os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")]),
}

GRAPH = {
    "schema_version": 1,
    "name": "product",
    "arrays": {
        "A": {"shape": [2, 2], "role": "input"},
        "C": {"shape": [2, 2], "role": "output"},
    },
    "nodes": [{"name": "act", "loops": {"i": 2, "j": 2}, "body": ["C[i][j] = relu(A[i][j])"]}],
}


def small_experiment(folder: Path, rows: int, more: str = "") -> Path:
    """Write an experiment of that many rows, and its graph, to a folder."""
    (folder / "small").mkdir()
    (folder / "small" / "act.json").write_text(json.dumps(GRAPH))
    file = folder / "experiment.toml"
    seeds = list(range(rows))
    file.write_text(f'graphs = ["small/*.json"]\nlevels = ["opt1"]\nseeds = {seeds}\n{more}')
    return file
