"""Hold designs of Prometheus' kernels, arrays in HBM, against the published ones; then the page.

Run ``python results/prometheus/run.py [--programs WORD,WORD] [--channels one,chosen] [--again]
[--search-seconds S] [--processor-seconds S] [--fast] [--bounds]``. Every kernel has a row with one
channel of HBM for each array and one with those that the search chooses; a row of this commit is
left alone unless ``--again``. ``--bounds`` measures nothing. Each design has a process of its own,
which ends when it has used its processor time.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from kernels import CHANNELS, bound_of
from measure import measured
from pages import write_page

from streamopt.sweeping.keyed_rows import add_row, measured_commit, note_run, read_rows
from streamopt.sweeping.limited import GivenUpError, limited

if TYPE_CHECKING:
    from argparse import Namespace

    from measure import Row

HERE = Path(__file__).parent
KEYS = ("kernel", "channels")
MEASURED = ("ports", "dsps", "lut", "bram18", "uram", "verified", "seconds", "proved_gap", "over")


def row_of(published: Row, channels: str, found: Row) -> Row:
    """Return the row of a kernel; ``found`` is empty, says why, or is measured."""
    kernel, dsps = published["kernel"], int(published["dsp"])
    theirs = int(published["csynth_latency_cycles"])
    bound = bound_of(kernel, dsps, channels)
    ours = int(found["ours"]) if found.get("ours") else None
    fits = bool(ours) and not found["over"] and int(found["dsps"]) <= dsps
    beaten = ours is not None and ours <= theirs and fits and found["verified"] == "pass"
    reason = found.get("refused", "" if found else "not run")
    if ours is not None and not fits:
        reason = f"{found['dsps']} DSPs; over: {found['over'] or 'none'}"
    return {
        "kernel": kernel,
        "channels": channels,
        "dsp_limit": str(dsps),
        "published": str(theirs),
        "ours": "" if ours is None else str(ours),
        "bound": str(bound.cycles),
        "gap": "" if ours is None else f"{ours / bound.cycles - 1:.4f}",
        "status": "beaten" if beaten else "short",
        "reason": reason,
        **{name: found.get(name, "") for name in MEASURED},
        "published_lut": published["lut"],
        "compute_bound": str(bound.compute_cycles),
        "traffic_bound": str(bound.traffic_cycles),
        "refused": found.get("refused", ""),
        "commit": found.get("commit", ""),
    }


def design(published: Row, channels: str, options: Namespace) -> Row:
    """Return a measured design of ours, or why there is none."""
    commit = {"commit": measured_commit(HERE)}
    asked = (published["kernel"], int(published["dsp"]), channels)
    try:
        found = limited(
            options.processor_seconds, measured, *asked, options.search_seconds, not options.fast
        )
    except GivenUpError as error:
        return {"refused": str(error), **commit}
    return found | commit


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a kernel has one in it")
    parser.add_argument("--channels", default=",".join(CHANNELS))
    parser.add_argument("--search-seconds", type=float, default=60.0)
    parser.add_argument("--processor-seconds", type=float, default=300.0, help="of all of a design")
    parser.add_argument("--fast", action="store_true", help="without verification")
    parser.add_argument("--again", action="store_true", help="rows of this commit too")
    parser.add_argument("--bounds", action="store_true", help="no designs")
    options = parser.parse_args()
    started = perf_counter()
    path = HERE / "rows.csv"
    rows = {tuple(row[key] for key in KEYS): row for row in read_rows(path)}
    every = [row for row in read_rows(HERE / "published.csv") if row["framework"] == "prometheus"]
    for published, channels in product(every, CHANNELS):
        kernel = published["kernel"]
        found = rows.get((kernel, channels), {})
        found = found if found.get("commit") else {}
        words = options.programs.split(",")
        asked = channels in options.channels.split(",") and any(w in kernel for w in words)
        fresh = found.get("commit") == measured_commit(HERE) and not options.again
        if asked and not options.bounds and not fresh:
            found = design(published, channels, options)
            print(kernel, channels, found, flush=True)
        add_row(path, KEYS, row_of(published, channels, found))
    if not options.bounds:
        command = " ".join(["python results/prometheus/run.py", *sys.argv[1:]])
        note_run(HERE / "environment.json", "rows", perf_counter() - started, {"command": command})
    write_page(HERE)


if __name__ == "__main__":
    main()
