"""Stream the weights of a decode step of GPT-2 from HBM, and count the bandwidth; then the page.

Run ``python results/decode/run.py [--features N,N] [--again] [--fast] [--processor-seconds S]
[--bounds]``. A row is a layer in integers, with weights of 4 bits
(`models/modules/gpt2_integers.py`), for one token with so many before it. ``--bounds`` measures
nothing. Each design has a process of its own, which ends when it has used its processor time.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measure import SHAPES, Shape, bound_cycles, measured
from pages import write_page

from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused

if TYPE_CHECKING:
    from argparse import Namespace

    from measure import Row

HERE = Path(__file__).parent
KEYS = ("features", "before")
MEASURED = (
    *("interval", "latency", "moved_bytes", "channels", "share", "share_of_used"),
    *("dsps", "lut", "bram18", "uram", "over", "verified"),
)


def row_of(shape: Shape, found: Row) -> Row:
    """Return the row of a layer; ``found`` is empty, says why, or is measured."""
    return {
        **dict(zip(KEYS, map(str, (shape.features, shape.before)), strict=True)),
        "bound": str(bound_cycles(shape)),
        **{name: found.get(name, "") for name in MEASURED},
        "refused": found.get("refused", ""),
        "commit": found.get("commit", ""),
    }


def case_of(shape: Shape, options: Namespace) -> Case:
    """Return the row of a layer, to be measured if it is asked for."""
    asked = (shape, not options.fast)
    return Case(
        (str(shape.features), str(shape.before)),
        str(shape.features) in options.features.split(","),
        partial(measured_or_refused, HERE, options.processor_seconds, measured, *asked),
        partial(row_of, shape),
    )


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", default=",".join(str(shape.features) for shape in SHAPES))
    add_options(parser, processor_seconds=900.0)
    options = parser.parse_args()
    cases = (case_of(shape, options) for shape in SHAPES)
    measure_rows(HERE, KEYS, cases, options, partial(print, flush=True))
    write_page(HERE)


if __name__ == "__main__":
    main()
