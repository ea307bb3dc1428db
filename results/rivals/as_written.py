"""POM on loops as they are written, where it may also skew and fuse them: as_written.csv.

A strategy on a graph has nests that are restructured already; `so.schedule(...).auto_dse()` starts
from the C text.
"""

from __future__ import annotations

import csv
from time import perf_counter

from named_programs import HERE, STENCILS, defines, path_of

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.evaluation.frames import frame_interval_cycles
from streamopt.pipeline.flat_records import design_record

__all__ = ["FILE", "measure"]

FILE = HERE / "as_written.csv"
DSPS = 2560
KEPT = ("simulated_cycles", "dsps", "bram18", "fifo_channels", "channels", "design_seconds")
COLUMNS: tuple[str, ...] = ("program", *KEPT, "interval_cycles", "steps", "seconds", "message")

Row = dict[str, str | int | float]


def measured(name: str) -> Row:
    """Return the row of a program."""
    started = perf_counter()
    try:
        loops = so.schedule(path_of(name), options=so.SourceOptions(define=defines(name)))
        found = loops.auto_dse(dsp=DSPS)
    except StreamoptError as error:
        reason = "; ".join(f"{each.code} {each.message}" for each in error.diagnostics)
        return {"program": name, "message": reason}
    record = design_record(found)
    row: Row = {"program": name, **{column: record[column] for column in KEPT}}
    row["interval_cycles"] = frame_interval_cycles(found.evaluation)
    row["steps"] = "; ".join(str(taken).partition("\n")[0] for taken in loops.steps)
    row["seconds"] = round(perf_counter() - started, 2)
    return row


def measure() -> None:
    """Measure all programs of `STENCILS`."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        for name in STENCILS:
            row = measured(name)
            writer.writerow(row)
            print(row, flush=True)
