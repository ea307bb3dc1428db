"""Other systems' strategies beside opt5 and opt6, on the same programs at the same DSPs.

Run ``python results/rivals/run.py [--programs WORD,WORD] [--jobs N] [--dask ADDRESS] [--pages]``.
The rows of ``experiment.toml`` go to rows.csv and environment.json, POM's designs of loops as
written to as_written.csv; then README.md and rivals.svg are made of these files, of verified.csv
(``python results/rivals/verify.py``) and of ``../published``. A run that was killed goes on where
it has stopped; ``--pages`` makes the pages only.
"""

from __future__ import annotations

import argparse

import as_written
from named_programs import HERE
from pages import write_pages

import streamopt as so


def main() -> None:
    """Measure what is missing, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--jobs", type=int, default=1, help="rows at the same time")
    parser.add_argument("--dask", help="address of a Dask scheduler")
    parser.add_argument("--redo", default="", help="failed, stale: rows to measure once more")
    parser.add_argument("--pages", action="store_true", help="no measurements")
    options = parser.parse_args()
    if not options.pages:
        so.sweep(
            HERE / "experiment.toml",
            jobs=options.jobs,
            dask=options.dask,
            redo=[word for word in options.redo.split(",") if word],
            only=[word for word in options.programs.split(",") if word],
            on_progress=lambda done, total, name: print(f"{done}/{total} {name}", flush=True),
        )
        as_written.measure()
    write_pages(HERE)


if __name__ == "__main__":
    main()
