"""A sweep from its file to its table: what is missing is measured, what is there is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from streamopt.errors import Diagnostic, SweepError
from streamopt.extras import require
from streamopt.options import checked
from streamopt.sweeping.environment import environment, sources
from streamopt.sweeping.journal import Journal, Kept, restore
from streamopt.sweeping.points import Point, points_of, way_record

if TYPE_CHECKING:
    import pandas as pd

    from streamopt.report.record import Row

JOURNAL, ROWS, ENVIRONMENT = "journal.jsonl", "rows.csv", "environment.json"


class Redo(StrEnum):
    """Rows that aren't ``done``, or rows of other sources of streamopt."""

    FAILED = "failed"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Means:
    """By what rows are measured: processes here, or the Dask scheduler at an address."""

    jobs: int = 1
    dask: str = ""

    def rows(self, points: list[Point]) -> Generator[tuple[Point, Row]]:
        """Yield every point with its row, in the order in which they end."""
        if self.dask:
            from streamopt.sweeping.cluster import cluster_rows

            return cluster_rows(points, self.dask)
        from streamopt.sweeping.rows import local_rows

        return local_rows(points, self.jobs)

    def __str__(self) -> str:
        return f"Dask at {self.dask}" if self.dask else f"{self.jobs} local processes"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which points are measured: those without a row, and rows to do once more."""

    redo: tuple[Redo, ...] = ()
    only: tuple[str, ...] = ()
    """Words of which the program has one in its name; all programs without any."""

    def names(self, program: str) -> bool:
        """Return whether a program is one of those that are asked for."""
        return not self.only or any(word in program for word in self.only)

    def takes(self, point: Point, kept: Kept) -> bool:
        """Return whether a point is measured, after what there is of it."""
        if not self.names(point.program):
            return False
        row = kept.rows.get(point.key)
        if row is None or (Redo.FAILED in self.redo and row["status"] != "done"):
            return True
        return Redo.STALE in self.redo and kept.runs[str(row["run"])]["sources"] != sources()


ALL_MISSING = Wanted()


@checked(redo=Redo)
def sweep(
    experiment: str | PathLike[str],
    *,
    folder: str | PathLike[str] | None = None,
    jobs: int = 1,
    dask: str | None = None,
    redo: Iterable[str] = (),
    only: Iterable[str] = (),
    on_progress: Callable[[int, int, str], None] | None = None,
) -> pd.DataFrame:
    """Return one row for every combination that an experiment asks for.

    Rows that are in the folder's journal or in its ``rows.csv`` are kept; the others are measured,
    each in a process of its own, and are in the journal as soon as they are there. At the end
    ``rows.csv`` and ``environment.json`` are written to the folder. A row has a ``status``:
    ``done``, or with the reason as ``message`` ``refused`` (there is no such design),
    ``timed_out``, ``crashed`` or ``failed``.

    Parameters
    ----------
    experiment
        A TOML file: ``graphs`` (files or patterns; C files too, with ``defines`` for macros and
        ``include`` for folders of headers), ``levels``, ``strategies``, ``solvers``,
        ``dsps``, ``seeds``, ``tiling_limits``, ``time_limit_seconds`` (of a search),
        ``row_limit_seconds``, ``device``, ``clock_ns``, and ``[[more]]`` with others of them.
    folder
        That of the experiment where not given.
    jobs
        Rows at the same time on this machine.
    dask
        Address of a Dask scheduler, for instance ``tcp://127.0.0.1:8786``.
    redo
        ``failed``: rows that aren't ``done``; ``stale``: rows of other sources of streamopt.
    only
        Words: what is missing is measured for programs that have one of them in their name; rows
        of others that are there stay in the table.
    on_progress
        Called with (rows measured, rows to measure, name of the last one).

    Raises
    ------
    SweepError
        E881 to E887, see `streamopt.errors.SweepError`.
    StreamoptError
        What is wrong with a graph or a device; E890 if pandas isn't installed.
    """
    require("pandas", "report", "a DataFrame")
    import pandas as pd

    file = Path(experiment)
    where = file.parent if folder is None else Path(folder)
    wanted = Wanted(tuple(Redo(name) for name in redo), tuple(only))
    return pd.DataFrame(run_sweep(file, where, Means(jobs, dask or ""), wanted, on_progress))


def run_sweep(
    file: Path,
    folder: Path,
    means: Means,
    wanted: Wanted = ALL_MISSING,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> list[Row]:
    """Return the rows of `sweep` in the order of the experiment, all with the same members."""
    from streamopt.sweeping.documents import read_experiment

    if means.jobs < 1:
        raise SweepError(
            Diagnostic("E887", f"{means.jobs} rows at the same time", hint="1 or more")
        )
    points = points_of(read_experiment(file), file)
    with Journal(folder / JOURNAL) as journal:
        restore(journal, folder / ROWS, folder / ENVIRONMENT)
        todo = [point for point in points if wanted.takes(point, journal.kept)]
        try:
            if todo:
                _measure(todo, journal, means, on_progress)
        finally:  # also for an interrupted sweep: the table of what is there
            rows = _write(points, journal.kept, folder, file.name)
    return rows


def _measure(
    points: list[Point],
    journal: Journal,
    means: Means,
    on_progress: Callable[[int, int, str], None] | None,
) -> None:
    total = len(points)
    run, there = uuid4().hex[:8], 0
    journal.add_run(run, environment(str(means)))
    if on_progress is not None:
        on_progress(there, total, "")
    with closing(means.rows(points)) as found:
        for point, row in found:
            asked = {"program": point.program, **way_record(point.way)}
            journal.add_row({"key": point.key, "run": run, **asked, **row})
            there += 1
            if on_progress is not None:
                on_progress(there, total, f"{point.program} {point.way.name} {point.way.dsp}")


def _write(points: list[Point], kept: Kept, folder: Path, experiment: str) -> list[Row]:
    """Write the table of what is there, and where and with what it was measured."""
    from streamopt.files import write_file
    from streamopt.report.record import table
    from streamopt.report.text_tables import csv_text

    found = [kept.rows[point.key] for point in points if point.key in kept.rows]
    rows = table(found)
    used = {str(row["run"]) for row in rows}
    runs = [
        {**about, "rows": sum(row["run"] == name for row in rows)}
        for name, about in kept.runs.items()
        if name in used
    ]
    about = {"experiment": experiment, "rows": len(rows), "of": len(points), "runs": runs}
    write_file(folder / ROWS, csv_text(rows).encode())
    write_file(folder / ENVIRONMENT, f"{json.dumps(about, indent=2)}\n".encode())
    return rows
