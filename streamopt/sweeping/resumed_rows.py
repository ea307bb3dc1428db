"""A table of rows that are measured where they aren't known yet, each within processor seconds."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from streamopt.sweeping.keyed_rows import (
    MeasuredRow,
    add_row,
    measured_commit,
    note_run,
    rows_by_key,
)
from streamopt.sweeping.limited import GivenUpError, limited


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the table."""

    key: tuple[str, ...]
    is_asked: bool
    """Whether it may be measured."""
    measured: Callable[[], MeasuredRow]
    """Gives measurements with the commit, or why there are none."""
    row: Callable[[MeasuredRow], MeasuredRow]
    """Gives the row for measurements, which are new, of the row that is there, or empty."""


def add_options(parser: ArgumentParser, processor_seconds: float) -> None:
    """Add the options of `measure_rows` and of its measurements."""
    parser.add_argument("--search-seconds", type=float, default=60.0)
    parser.add_argument(
        "--processor-seconds", type=float, default=processor_seconds, help="of all of a design"
    )
    parser.add_argument("--fast", action="store_true", help="without verification")
    parser.add_argument("--again", action="store_true", help="rows of this commit too")
    parser.add_argument("--bounds", action="store_true", help="no designs")


def measured_or_refused(
    folder: Path, seconds: float, function: Callable[..., MeasuredRow], *arguments: object
) -> MeasuredRow:
    """Return the answer of a call, or the reason for which there is none; with the commit."""
    try:
        found = limited(seconds, function, *arguments)
    except GivenUpError as error:
        found = {"refused": str(error)}
    return found | {"commit": measured_commit(folder)}


def measure_rows(
    folder: Path,
    keys: tuple[str, ...],
    cases: Iterable[Case],
    options: Namespace,
    tell: Callable[..., None],
) -> None:
    """Write rows.csv and environment.json of a folder; a row of this commit is left as it is.

    Parameters
    ----------
    options
        Those of `add_options`.
    tell
        Called with the key of a row that was measured, and with the measurements.
    """
    started = perf_counter()
    path = folder / "rows.csv"
    rows = rows_by_key(path, keys)
    for case in cases:
        known = rows.get(case.key, {})
        found = known if known.get("commit") else {}
        is_fresh = found.get("commit") == measured_commit(folder) and not options.again
        if case.is_asked and not options.bounds and not is_fresh:
            found = case.measured()
            tell(*case.key, found)
        add_row(path, keys, case.row(found))
    if not options.bounds:
        command = " ".join([f"python results/{folder.name}/run.py", *sys.argv[1:]])
        note_run(
            folder / "environment.json", "rows", perf_counter() - started, {"command": command}
        )
