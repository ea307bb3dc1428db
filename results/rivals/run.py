"""Other systems' strategies beside opt5 and opt6, on the same programs at the same DSPs.

Run ``python results/rivals/run.py [--programs WORD,WORD] [--redo failed,stale] [--jobs N]
[--dask ADDRESS] [--pages]``. The rows of ``experiment.toml`` go to rows.csv and environment.json,
POM's designs of loops as written to as_written.csv; then README.md and rivals.svg are made of these
files, of verified.csv (``python results/rivals/verify.py``) and of ``../published``. A run that was
killed goes on where it has stopped; ``--pages`` makes the pages only.
"""

from __future__ import annotations

import as_written
from named_programs import HERE
from pages import write_pages

from streamopt.sweeping.pages import page_command


def main() -> None:
    """Measure what is missing, and write the pages."""
    asked = page_command(__doc__)
    if asked.is_measuring:
        asked.measure(HERE / "experiment.toml")
        as_written.measure()
    write_pages(HERE)


if __name__ == "__main__":
    main()
