"""Reproduce tables 5, 7, 8, 9 and 10 and figure 3 of Stream-HLS, ours beside the published.

Run ``python results/paper/run.py [--programs WORD,WORD] [--jobs N] [--dask ADDRESS] [--pages]``.
The rows of ``experiment.toml`` go to rows.csv and environment.json, those of 3mm's nodes to
nodes.csv; then README.md and figure3.svg are made of these files and of ``../published`` alone.
A run that was killed goes on where it has stopped; ``--pages`` makes the pages only.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TYPE_CHECKING

from nodes import node_rows
from pages import write_pages

import streamopt as so

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent


def main() -> None:
    """Measure what is missing, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--jobs", type=int, default=1, help="rows at the same time")
    parser.add_argument("--dask", help="address of a Dask scheduler")
    parser.add_argument("--pages", action="store_true", help="no measurements")
    options = parser.parse_args()
    words = [word for word in options.programs.split(",") if word]
    if not options.pages:
        so.sweep(
            HERE / "experiment.toml",
            jobs=options.jobs,
            dask=options.dask,
            only=words,
            on_progress=lambda done, total, name: print(f"{done}/{total} {name}", flush=True),
        )
        if not words or any(word in "polybench/3mm" for word in words):
            write_rows(HERE / "nodes.csv", node_rows(HERE.parents[1] / "graphs/polybench/3mm.json"))
    write_pages(HERE)


def write_rows(path: Path, rows: Sequence[dict[str, str | int]]) -> None:
    """Write rows with the same members as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
