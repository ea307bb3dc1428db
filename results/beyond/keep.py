"""Where rows of opt6 are kept: a CSV file for each part of the measurements."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from streamopt.sweeping.keyed_rows import (
    MeasuredRow,
    add_row,
    measured_commit,
    note_run,
    read_rows,
)

__all__ = ["HERE", "Row", "add", "commit", "environment", "read"]

HERE = Path(__file__).parent
PACKAGES = ("numpy", "scipy", "ortools")

Row = MeasuredRow


def read(name: str) -> list[Row]:
    """Return the rows of ``<name>.csv`` beside this file; none if it isn't there."""
    return read_rows(HERE / f"{name}.csv")


def add(name: str, keys: tuple[str, ...], row: Row) -> None:
    """Put a row into ``<name>.csv``, in the order of the keys' values."""
    add_row(HERE / f"{name}.csv", keys, row)
    print(name, *(value for value in row.values() if value), flush=True)


def environment(what: str, command: str, seconds: float) -> None:
    """Write what the rows of a part were made with, and how busy the machine was."""
    packages = {name: version(name) for name in PACKAGES}
    note_run(HERE / "environment.json", what, seconds, {"command": command, **packages})


def commit() -> str:
    """Return the commit that is measured."""
    return measured_commit(HERE)
