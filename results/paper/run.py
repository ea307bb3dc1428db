"""Reproduce tables 5, 7, 8, 9 and 10 and figure 3 of Stream-HLS, ours beside the published.

Run ``python results/paper/run.py [--programs WORD,WORD] [--redo failed,stale] [--jobs N]
[--dask ADDRESS] [--pages]``. The rows of ``experiment.toml`` go to rows.csv and environment.json,
those of 3mm's nodes to nodes.csv; then README.md and figure3.svg are made of these files and of
``../published`` alone. A run that was killed goes on where it has stopped; ``--pages`` makes the
pages only.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from nodes import node_rows
from pages import write_pages

from streamopt.sweeping.pages import page_command

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent


def main() -> None:
    """Measure what is missing, and write the pages."""
    asked = page_command(__doc__)
    if asked.is_measuring:
        asked.measure(HERE / "experiment.toml")
        if asked.wanted.names("polybench/3mm"):
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
