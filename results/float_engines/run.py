"""Find one engine of `float` for each published network at the DSPs of POM's design; then the page.

Run ``python results/float_engines/run.py [--programs WORD,WORD] [--lut-products no,yes]
[--search-seconds S] [--processor-seconds S] [--again] [--fast] [--bounds]``. Every design of POM
has two rows of ours: without and with products from LUTs. ``--fast`` leaves out the comparison of
the C++ with the interpreter, ``--bounds`` measures nothing. Each design has a process of its own,
which ends when it has used its processor time.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamopt as so
from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.keyed_rows import read_rows
from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused

if TYPE_CHECKING:
    from argparse import Namespace

    from streamopt.sweeping.keyed_rows import MeasuredRow

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "networks"), str(HERE.parent / "engines")]
cases: Any = import_module("cases")
engine_figures: Any = import_module("engine_figures")

KEYS = ("network", "lut_products")
BEATEN = "POM"
"""The system at whose DSPs ours are built; another's figures stand beside."""
MEASURED = (
    *("cycles", "bound", "roofline", "stalls", "dsps", "lut", "bram18", "weight_bytes", "shape"),
    *("simulated", "shapes", "search_seconds", "verified"),
)
COLUMNS = {
    "network": "network",
    "lut_products": "LUT products",
    "dsp_limit": "DSPs",
    "published": "POM",
    "other": "ScaleHLS",
    "other_dsps": "ScaleHLS' DSPs",
    "cycles": "ours",
    "bound": "bound",
    "roofline": "products alone",
    "stalls": "waits",
    "dsps": "DSPs as built",
    "lut": "LUTs",
    "published_lut": "POM's LUTs",
    "bram18": "BRAM18",
    "weight_bytes": "bytes of weights",
    "shape": "engine",
    "search_seconds": "s",
    "verified": "verified",
    "refused": "reason",
}
WORDS = 2
HEAD = """# One engine of `float` for all layers of a network

`python results/float_engines/run.py` measures and writes this page. Rows are latencies that POM
publishes (table V, an XC7Z020 at 10 ns), in cycles of one frame; ours is
[the engine](../../docs/guides/engines.md#floating-point-numbers) with the fewest simulated cycles
at no more DSPs than POM's, within all LUTs and block RAMs of the device. With *LUT products* it may
have a multiplier from LUTs for each DSP. Inputs, weights (each once a frame over the one memory
channel), filling and draining of the pipeline at every layer, and outputs are counted; the device's
file doesn't say how long its memory takes to answer, so that is counted as 0.

*Bound* is the least of all shapes that fit, proved; *products alone* are multiply-accumulates over
products a cycle, whether or not LUTs suffice for them. *Waits* are cycles in which the engine had
no weights. *s* is processor time of the search. *Verified*: the C++ was compiled and agrees with
the interpreter within the rounding of sums in any order, at full size. LUTs are estimated from the
operator table and the structure ([(S13) to (S15)](../../models/formulations/engines.md#resources));
no tool has built one of these engines. ScaleHLS' designs take more LUTs than the device has.
"""


def measured(published: MeasuredRow, lut_products: str, options: Namespace) -> Any:
    """Return the figures of the best engine.

    Raises
    ------
    StreamoptError
        If there is none.
    """
    dsps = int(published["dsps"])
    device = so.device(published["device"], float(published["clock_ns"]))
    search = partial(
        so.engine,
        cases.program_of(published["network"], "float"),
        dsp=dsps,
        lut_products=dsps if lut_products == "yes" else 0,
        time_limit=options.search_seconds,
        budget=so.Budget(fit="raw-device", device=device),
    )
    found, figures = engine_figures.searched(search)
    verified = "" if options.fast else "yes" if found.verify().passed else "no"
    return {**figures, "verified": verified}


def row_of(
    published: MeasuredRow, other: MeasuredRow, lut_products: str, found: MeasuredRow
) -> MeasuredRow:
    """Return the row of a published one; ``found`` is empty, says why, or is measured."""
    return {
        "network": published["network"],
        "lut_products": lut_products,
        "dsp_limit": published["dsps"],
        "published": published["published"],
        "published_lut": published["luts"],
        "other": other["published"],
        "other_dsps": other["dsps"],
        **{name: found.get(name, "") for name in MEASURED},
        "refused": found.get("refused", ""),
        "commit": found.get("commit", ""),
    }


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of names, joined by commas")
    parser.add_argument("--lut-products", default="no,yes")
    add_options(parser, processor_seconds=900.0)
    options = parser.parse_args()
    with (HERE / "published.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    others = {row["network"]: row for row in published if row["system"] != BEATEN}
    listed: list[Case] = []
    for row in published:
        network = row["network"]
        is_asked = any(word in network for word in options.programs.split(","))
        for way in ("no", "yes") if row["system"] == BEATEN else ():
            found = partial(
                measured_or_refused, HERE, options.processor_seconds, measured, row, way, options
            )
            told = partial(row_of, row, others[network], way)
            is_wanted = is_asked and way in options.lut_products.split(",")
            listed.append(Case((network, way), is_wanted, found, told))
    measure_rows(HERE, KEYS, listed, options, partial(print, flush=True))
    lines = [[row.get(name, "") for name in COLUMNS] for row in read_rows(HERE / "rows.csv")]
    table = markdown_section("Latencies", [*COLUMNS.values()], lines, words=WORDS)
    (HERE / "README.md").write_text(f"{HEAD}\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
