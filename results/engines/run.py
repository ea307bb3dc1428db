"""Find one engine for each published network at the DSPs of the published design; then the page.

Run ``python results/engines/run.py [--programs WORD,WORD] [--packed yes,no,mixed]
[--search-seconds S] [--processor-seconds S] [--again] [--fast] [--bounds]``. Every published
latency has three rows of ours: one product in a DSP, two, and two with a tenth more of LUTs.
``--fast`` leaves out the comparison of the C++ with the interpreter, which takes minutes for large
images; ``--bounds`` measures nothing. Each design has a process of its own, which ends when it has
used its processor time.
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
from streamopt.errors import VerificationError
from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.keyed_rows import read_rows
from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused
from streamopt.verification.vectors.golden import TOO_LARGE

if TYPE_CHECKING:
    from argparse import Namespace

    from streamopt.sweeping.keyed_rows import MeasuredRow

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "networks"))
cases: Any = import_module("cases")
engine_figures: Any = import_module("engine_figures")

KEYS = ("network", "packed")
LUT_PART = 10
"""The products of DSPs over those that may be built from LUTs, where they are mixed."""
MEASURED = (
    *("cycles", "bound", "roofline", "over_roofline", "fill_and_drain", "stalls"),
    *("dsps", "lut", "bram18", "uram", "weight_bytes", "channels", "shape"),
    *("simulated", "shapes", "search_seconds", "verified"),
)
COLUMNS = {
    "network": "network",
    "packed": "packed",
    "dsp_limit": "DSPs",
    "published": "published",
    "cycles": "ours",
    "bound": "bound",
    "roofline": "products alone",
    "over_roofline": "ours over it",
    "dsps": "DSPs as built",
    "lut": "LUTs",
    "published_lut": "published LUTs",
    "bram18": "BRAM18",
    "uram": "URAM",
    "weight_bytes": "bytes of weights",
    "channels": "channels",
    "stalls": "waits",
    "shape": "engine",
    "search_seconds": "s",
    "verified": "verified",
    "refused": "reason",
}
WORDS = 2
HEAD = """# One engine for all layers of a network

`python results/engines/run.py` measures and writes this page. Rows are latencies that CODO
publishes (tables III and IV, a U280 at 5 ns), in cycles of one frame of 8-bit integers; ours is
[the engine](../../docs/guides/engines.md) with the fewest simulated cycles at no more DSPs, within
the whole device. *Packed* has two products in a DSP,
*mixed* up to a tenth more from LUTs. Inputs, weights (each once a frame, over as
many HBM channels as bring a weight for each product), filling and draining of the pipeline at every
layer, and outputs are counted.

*Bound* is the least of all shapes that fit, proved; *products alone* are multiply-accumulates over
products a cycle. *Waits* are cycles in which the engine had no weights. *s* is processor time of
the search. *Verified*: the C++ was compiled and agrees with the interpreter in every bit, at full
size; E727 is the refusal of networks that have too many elements for the reference. LUTs are
estimated from the operator table and the structure ([(S13) to
(S15)](../../models/formulations/engines.md#resources)); no tool has built one of these engines.
"""


def measured(network: str, dsps: int, clock_ns: float, packed: str, options: Namespace) -> Any:
    """Return the figures of the best engine.

    Raises
    ------
    StreamoptError
        If there is none.
    """
    search = partial(
        so.engine,
        cases.program_of(network, "int8"),
        dsp=dsps,
        packed=packed != "no",
        lut_products=2 * dsps // LUT_PART if packed == "mixed" else 0,
        time_limit=options.search_seconds,
        budget=so.Budget(fit="raw-device", device=so.device("u280", clock_ns)),
    )
    found, figures = engine_figures.searched(search)
    evaluation = found.evaluation
    hardware, passes = evaluation.hardware, evaluation.run.passes
    return {
        **figures,
        "over_roofline": f"{found.cycles / found.roofline_cycles:.3f}",
        "fill_and_drain": str(hardware.fill_cycles * len(passes)),
        "uram": str(evaluation.resources.total.uram),
        "channels": str(len(hardware.supply.channels)),
        "verified": "" if options.fast else _verdict(found),
    }


def _verdict(found: so.EngineSolution) -> str:
    """Return whether an engine computes every bit, or the code that says why nobody knows."""
    try:
        verdict = found.verify()
    except VerificationError as error:
        if error.diagnostics[0].code != TOO_LARGE:
            raise
        return f"unknown: {TOO_LARGE}"
    is_exact = all(output.max_error == 0 for output in verdict.outputs)
    return "every bit" if verdict.passed and is_exact else "no"


def row_of(published: MeasuredRow, packed: str, found: MeasuredRow) -> MeasuredRow:
    """Return the row of a published one; ``found`` is empty, says why, or is measured."""
    return {
        "network": published["network"],
        "packed": packed,
        "dsp_limit": published["dsps"],
        "published": published["published"],
        "published_lut": published["luts"],
        **{name: found.get(name, "") for name in MEASURED},
        "refused": found.get("refused", ""),
        "commit": found.get("commit", ""),
    }


def case_of(published: MeasuredRow, packed: str, options: Namespace) -> Case:
    """Return a row, to be measured if it is asked for."""
    network = published["network"]
    is_asked = any(word in network for word in options.programs.split(","))
    asked = (
        network,
        int(published["dsps"]),
        float(published["clock_ns"]),
        packed,
        options,
    )
    return Case(
        (network, packed),
        is_asked and packed in options.packed.split(","),
        partial(measured_or_refused, HERE, options.processor_seconds, measured, *asked),
        partial(row_of, published, packed),
    )


def write_page() -> None:
    """Write README.md from the rows."""
    rows = read_rows(HERE / "rows.csv")
    beaten = sum(bool(row["cycles"]) and int(row["cycles"]) < int(row["published"]) for row in rows)
    lines = [[row.get(name, "") for name in COLUMNS] for row in rows]
    table = markdown_section("Latencies", [*COLUMNS.values()], lines, words=WORDS)
    told = f"{beaten} of {len(rows)} rows are faster than the published design.\n"
    (HERE / "README.md").write_text(f"{HEAD}\n{told}\n{table}\n", encoding="utf-8")


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of names, joined by commas")
    parser.add_argument("--packed", default="no,yes,mixed")
    add_options(parser, processor_seconds=900.0)
    options = parser.parse_args()
    with (HERE / "published.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    listed = [
        case_of(row, packed, options) for row in published for packed in ("no", "yes", "mixed")
    ]
    measure_rows(HERE, KEYS, listed, options, partial(print, flush=True))
    write_page()


if __name__ == "__main__":
    main()
