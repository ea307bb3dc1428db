"""Scripts that make a page of a sweep: their command line, and rows without a design."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.running import Means, Redo, Wanted, run_sweep


@dataclass(frozen=True, slots=True)
class PageCommand:
    """The command line of a script."""

    wanted: Wanted
    means: Means
    is_measuring: bool
    """Whether rows are measured, or the page made of those that are there."""

    def measure(self, experiment: Path) -> None:
        """Measure what is missing of an experiment, with a line for every row."""
        run_sweep(experiment, experiment.parent, self.means, self.wanted, _tell)


def page_command(description: str | None) -> PageCommand:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--redo", default="", help="failed, stale: rows to measure once more")
    parser.add_argument("--jobs", type=int, default=1, help="rows at the same time")
    parser.add_argument("--dask", default="", help="address of a Dask scheduler")
    parser.add_argument("--pages", action="store_true", help="no measurements")
    options = parser.parse_args()
    redo = tuple(Redo(name) for name in _words(options.redo))
    wanted = Wanted(redo, _words(options.programs))
    return PageCommand(wanted, Means(options.jobs, options.dask), not options.pages)


def _tell(done: int, total: int, name: str) -> None:
    sys.stdout.write(f"{done}/{total} {name}\n")
    sys.stdout.flush()


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def rows_without_design(rows: Iterable[Mapping[str, str]]) -> str:
    """Return a Markdown section of the rows that are not done, with the reason; "" if none is."""
    lines = [
        [row["program"], row["level"] or row["strategy"], row["dsp_limit"], row["status"],
         row["message"]]
        for row in rows
        if row["status"] != "done"
    ]  # fmt: skip
    columns = ["program", "way", "DSP limit", "status", "reason"]
    return markdown_section("Rows without a design", columns, lines, words=5) if lines else ""
