"""The journal of a sweep: rows are appended as they are found, and no kill takes one away.

A line is a JSON object of kind ``run`` (where and with what rows are measured) or ``row``. A line
counts once its line break is on the disk; what a kill has left of one is cut off at the next start.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from streamopt.errors import Diagnostic, SourceLoc, SweepError, reason
from streamopt.report.record import MEMBERS, Row


@dataclass(frozen=True, slots=True)
class Kept:
    """The contents of a journal: the last row of every key, and all runs by name."""

    rows: dict[str, Row] = field(default_factory=dict[str, "Row"])
    runs: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])
    complete_bytes: int = 0
    """Up to where the file is whole lines."""


def read_journal(path: Path) -> Kept:
    """Return the contents of a journal; nothing where there is none.

    Raises
    ------
    SweepError
        E885 if a whole line is not what a sweep has written, or the file can't be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        message = f"the journal can't be read: {reason(error)}"
        raise SweepError(Diagnostic("E885", message, SourceLoc(str(path)))) from None
    kept = Kept(complete_bytes=content.rfind(b"\n") + 1)
    for number, line in enumerate(content[: kept.complete_bytes].splitlines(), 1):
        try:
            entry = json.loads(line)
            match entry.pop("kind"):
                case "row":
                    kept.rows[entry["key"]] = entry
                case "run":
                    kept.runs[entry["run"]] = entry
                case other:
                    raise ValueError(other)
        except (ValueError, KeyError, TypeError, AttributeError):
            hint = "take that line out, or use another folder"
            place = SourceLoc(str(path), line=number)
            raise SweepError(Diagnostic("E885", "no line of a sweep", place, hint)) from None
    return kept


class Journal:
    """A journal that is open for writing, by one process at a time.

    Raises
    ------
    SweepError
        E884 if another process has it open; E885 if it can't be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            message = f"the journal can't be written: {reason(error)}"
            raise SweepError(Diagnostic("E885", message, SourceLoc(str(path)))) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.kept = read_journal(path)
        except BlockingIOError:
            os.close(self._file)
            hint = "wait for it, or use another folder"
            message = "another sweep is writing here"
            raise SweepError(Diagnostic("E884", message, SourceLoc(str(path)), hint)) from None
        except SweepError:
            os.close(self._file)
            raise
        os.ftruncate(self._file, self.kept.complete_bytes)
        _sync_folder(path.parent)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._file)

    def add_run(self, name: str, environment: dict[str, Any]) -> None:
        """Append a run, of which rows say the name."""
        self._append({"kind": "run", "run": name, **environment})
        self.kept.runs[name] = {"run": name, **environment}

    def add_row(self, row: Row) -> None:
        """Append a row with its key; it is on the disk when this returns."""
        self._append({"kind": "row", **row})
        self.kept.rows[str(row["key"])] = row

    def _append(self, entry: dict[str, Any]) -> None:
        line = memoryview(json.dumps(entry).encode() + b"\n")
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)


def _sync_folder(folder: Path) -> None:
    """Put the file's name on the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    if MEMBERS.get(member):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
