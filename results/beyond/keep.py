"""Rows of a measurement in a CSV file, each written as soon as it is known.

A row replaces the one of the same key, so a run of a few programs leaves the others' rows alone.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["HERE", "Row", "add", "commit", "environment", "read"]

HERE = Path(__file__).parent
PACKAGES = ("streamopt", "numpy", "scipy", "ortools")

Row: TypeAlias = dict[str, str]


def read(name: str) -> list[Row]:
    """Return the rows of ``<name>.csv`` beside this file; none if it isn't there."""
    path = HERE / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add(name: str, keys: tuple[str, ...], row: Row) -> None:
    """Put a row into ``<name>.csv``, in the order of the keys' values."""
    kept = {tuple(old[key] for key in keys): old for old in read(name)}
    kept[tuple(row[key] for key in keys)] = row
    columns = list(dict.fromkeys(column for each in kept.values() for column in each))
    with (HERE / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[key] for key in sorted(kept))
    print(name, *(value for value in row.values() if value), flush=True)


def environment(what: str, command: str, seconds: float) -> None:
    """Write what the rows of a part were made with, and how busy the machine was."""
    path = HERE / "environment.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known[what] = {
        "command": command,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "commit": commit(),
        "load_after": [round(load, 2) for load in os.getloadavg()],
        "run_seconds": round(seconds),
        **{name: version(name) for name in PACKAGES},
    }
    path.write_text(f"{json.dumps(known, indent=2, sort_keys=True)}\n", encoding="utf-8")


@cache
def commit() -> str:
    """Return the commit that is measured, ``-dirty`` behind it where the package was changed."""
    git = ["git", "-C", str(HERE.parents[1])]
    head = [*git, "rev-parse", "--short=7", "HEAD"]
    done = subprocess.run(head, capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "streamopt"], check=False)
    return done.stdout.strip() + "-dirty" * bool(changed.returncode)
