"""Make the design of every program of the gallery, and its pages.

Run ``python results/gallery/run.py [--programs WORD,WORD] [--pages]``. Rows of rows.csv are written
as they come, with the pictures beside them; ``--pages`` writes the pages from the rows alone:
README.md here and docs/gallery.md.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from measure import measured
from pages import write_pages
from programs import HERE, listed

from streamopt.sweeping.keyed_rows import add_row, measured_commit, note_run


def main() -> None:
    """Measure what is asked for, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--pages", action="store_true", help="measure nothing")
    options = parser.parse_args()
    words, started = options.programs.split(","), perf_counter()
    wanted = [each for each in listed() if any(word in each.name for word in words)]
    for each in wanted if not options.pages else ():
        row = measured(each, HERE) | {"commit": measured_commit(HERE)}
        add_row(HERE / "rows.csv", ("program",), row)
        print(*row.values(), flush=True)
    if not options.pages:
        command = " ".join(["python results/gallery/run.py", *sys.argv[1:]])
        seconds = perf_counter() - started
        note_run(HERE / "environment.json", "all", seconds, {"command": command})
    write_pages()


if __name__ == "__main__":
    main()
