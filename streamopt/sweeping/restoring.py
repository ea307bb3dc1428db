"""A journal made again of the table that a sweep has left: a clone has the table only."""

from __future__ import annotations

import csv
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, SourceLoc, SweepError

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.pipeline.comparing import Row
    from streamopt.sweeping.journal import Journal

__all__ = ["Redo", "restore"]

WORDS = frozenset(
    {"key", "run", "program", "name", "level", "strategy", "asked_solver", "status", "objective",
     "proof", "stop", "solver", "solver_version", "message", "device", "over"}
)  # fmt: skip
"""Members that are text, whatever they look like."""


def restore(journal: Journal, table: Path, surroundings: Path) -> None:
    """Put the rows of a table into a journal that lacks them, with the runs that measured them.

    Nothing is done where one of both files is missing.

    Raises
    ------
    SweepError
        E885 if the files are not what a sweep has written.
    """
    if not (table.exists() and surroundings.exists()):
        return
    try:
        with table.open(encoding="utf-8", newline="") as file:
            lacking = [row for row in map(_row, csv.DictReader(file))
                       if row["key"] not in journal.kept.rows]  # fmt: skip
        named = {row["run"] for row in lacking} - set(journal.kept.runs)
        runs = {name: run for name, run in _runs(surroundings).items() if name in named}
        if named != set(runs):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        hint = f"take {table.name} away to measure its rows anew, or use another folder"
        message = f"the rows are not those of {surroundings.name}"
        raise SweepError(Diagnostic("E885", message, SourceLoc(str(table)), hint)) from None
    for name, members in runs.items():
        journal.add_run(str(name), members)
    for row in lacking:
        journal.add_row(row)


def _runs(surroundings: Path) -> dict[str | int | float, dict[str, Any]]:
    runs: list[dict[str, Any]] = json.loads(surroundings.read_text(encoding="utf-8"))["runs"]
    names = {"run", "rows"}
    return {run["run"]: {name: run[name] for name in run if name not in names} for run in runs}


def _row(cells: dict[str, str]) -> Row:
    return {member: _value(member, text) for member, text in cells.items()}


def _value(member: str, text: str) -> str | int | float:
    if member in WORDS:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Redo(StrEnum):
    """Rows that aren't ``done``, or rows of other sources of streamopt."""

    FAILED = "failed"
    STALE = "stale"
