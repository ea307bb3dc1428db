"""The command line as a user meets it, and a small graph to try it on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).parents[2]
MATMUL = TOP / "graphs" / "polybench" / "3mm.json"
RUN = [sys.executable, "-c", "from streamopt.cli.main import main; main()"]


def run(cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    command = [*RUN, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def graph(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema_version": 1,
        "name": "two",
        "arrays": {
            "A": {"shape": [8, 6], "role": "input"},
            "B": {"shape": [6, 8], "role": "input"},
            "C": {"shape": [8, 8], "role": "internal"},
            "Y": {"shape": [8, 8], "role": "output"},
        },
        "nodes": [
            {
                "name": "product",
                "loops": {"i": 8, "j": 8, "k": 6},
                "body": ["C[i][j] += A[i][k] * B[k][j]"],
            },
            {"name": "act", "loops": {"i": 8, "j": 8}, "body": ["Y[i][j] = relu(C[i][j])"]},
        ],
    }
    document.update(changes)
    return document


def with_body(text: str) -> dict[str, Any]:
    document = graph()
    document["nodes"][1]["body"] = [text]
    return document
