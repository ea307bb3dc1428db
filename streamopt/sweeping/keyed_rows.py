"""Tables of measurements without an experiment file: CSV rows by key, and how they were made.

A row replaces the one of the same key as soon as it is known, so a run of a few programs leaves the
others' rows alone.
"""

import csv
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

MeasuredRow: TypeAlias = dict[str, str]


def read_rows(path: Path) -> list[MeasuredRow]:
    """Return the rows of a CSV file; none if it isn't there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rows_by_key(path: Path, keys: tuple[str, ...]) -> dict[tuple[str, ...], MeasuredRow]:
    """Return the rows of a CSV file by the values of their keys; none if it isn't there."""
    return {tuple(row[key] for key in keys): row for row in read_rows(path)}


def add_row(path: Path, keys: tuple[str, ...], row: MeasuredRow) -> None:
    """Put a row into a CSV file, in the order of the keys' values.

    A column that is new is the last one; what a row lacks is empty.
    """
    kept = rows_by_key(path, keys)
    kept[tuple(row[key] for key in keys)] = row
    columns = list(dict.fromkeys(column for each in kept.values() for column in each))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[key] for key in sorted(kept))


def note_run(path: Path, part: str, seconds: float, more: Mapping[str, Any]) -> None:
    """Write to a JSON file what a part's rows were made with, and how busy the machine was."""
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known[part] = {
        **more,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "commit": measured_commit(path.parent),
        "load_after": [round(load, 2) for load in os.getloadavg()],
        "run_seconds": round(seconds),
        "streamopt": version("streamopt"),
    }
    path.write_text(f"{json.dumps(known, indent=2, sort_keys=True)}\n", encoding="utf-8")


@cache
def measured_commit(folder: Path) -> str:
    """Return the commit that is measured, ``-dirty`` behind it where the package was changed."""
    git = ["git", "-C", str(folder)]
    head = [*git, "rev-parse", "--short=7", "HEAD"]
    done = subprocess.run(head, capture_output=True, text=True, check=False)
    package = str(Path(__file__).parents[1])
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", package], check=False)
    return done.stdout.strip() + "-dirty" * bool(changed.returncode)
