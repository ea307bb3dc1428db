"""Rows of designs in rows.csv, each written as soon as it is known, and their surroundings."""

from __future__ import annotations

import subprocess
from pathlib import Path

from streamopt.sweeping.keyed_rows import (
    MeasuredRow,
    add_row,
    measured_commit,
    note_run,
    read_rows,
)

__all__ = ["HERE", "KEYS", "Row", "add", "environment", "read"]

HERE = Path(__file__).parent
KEYS: tuple[str, ...] = ("program", "level", "backend", "ports", "compiler")

Row = MeasuredRow


def read() -> list[Row]:
    """Return the rows; none before the first run."""
    return read_rows(HERE / "rows.csv")


def add(row: Row) -> None:
    """Put a row in, in the place of the one of the same keys."""
    add_row(HERE / "rows.csv", KEYS, row | {"commit": measured_commit(HERE)})


def environment(compiler: str, options: str, seconds: float) -> None:
    """Write what a run was made with, by compiler, and how busy the machine was."""
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    command = f"python results/backends/run.py {options}".strip()
    more = {"command": command, "compiler": said.stdout.splitlines()[0]}
    note_run(HERE / "environment.json", compiler, seconds, more)
