"""Rows of designs in rows.csv, each written as soon as it is known, and their surroundings."""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["HERE", "KEYS", "Row", "add", "environment", "read"]

HERE = Path(__file__).parent
KEYS: tuple[str, ...] = ("program", "level", "backend", "ports", "compiler")
COLUMNS: tuple[str, ...] = (
    *KEYS,
    "verdict",
    "warnings",
    "same_bytes",
    "deadlock",
    "nodes",
    "kernel_lines",
    "lines_per_node",
    "longest_node_lines",
    "cycles",
    "solve_seconds",
    "emit_seconds",
    "compile_seconds",
    "run_seconds",
    "commit",
)
Row: TypeAlias = dict[str, str]


def read() -> list[Row]:
    """Return the rows; none before the first run."""
    path = HERE / "rows.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add(row: Row) -> None:
    """Put a row in, in the place of the one of the same keys."""
    kept = {tuple(old[key] for key in KEYS): old for old in read()}
    kept[tuple(row[key] for key in KEYS)] = row | {"commit": _commit()}
    with (HERE / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[key] for key in sorted(kept))


def environment(compiler: str, options: str, seconds: float) -> None:
    """Write what a run was made with, by compiler, and how busy the machine was."""
    path = HERE / "environment.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    known[compiler] = {
        "command": f"python results/backends/run.py {options}".strip(),
        "compiler": said.stdout.splitlines()[0],
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "commit": _commit(),
        "load_after": [round(load, 2) for load in os.getloadavg()],
        "run_seconds": round(seconds),
        "streamopt": version("streamopt"),
    }
    path.write_text(f"{json.dumps(known, indent=2, sort_keys=True)}\n", encoding="utf-8")


def _commit() -> str:
    """Return the commit that is measured, ``-dirty`` behind it where the package was changed."""
    git = ["git", "-C", str(HERE.parents[1])]
    done = subprocess.run(
        [*git, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=False
    )
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "streamopt"], check=False)
    return done.stdout.strip() + "-dirty" * bool(changed.returncode)
