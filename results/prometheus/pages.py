"""README.md, from the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels import DEVICE

from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.keyed_rows import read_rows
from streamopt.target.device import Target

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_page"]

HEAD = """# Kernels of Prometheus, arrays off the chip

`python results/prometheus/run.py` measures and writes this page. PolyBench at MEDIUM size, 32-bit
floats, all arrays in HBM, U55C. `published.csv` has what Vitis HLS 2023.2 reports of every public
design in Prometheus' artifact: its own, and those of Sisyphus, ScaleHLS and Allo; rows
`prometheus_board` are the designs of its bitstreams.

Ours are opt6 at 4.55 ns within the DSPs, LUTs, block RAMs and UltraRAMs of Prometheus' design, once
with one channel of HBM for each array and once with as many as the search chooses, at most 32 in
all (`ports`). Rows `board` are beside Prometheus' bitstreams in one region of a U55C: ours keep to
`--fit board`, and `milliseconds` are cycles at 216 MHz, the clock of its fullest bitstream, with a
host's call of {call_us} us (the median of what its eight designs took on the board beyond their
cycles, 76 to 292 us). Published are latencies as synthesis reports them and times on the board,
ours are simulated with their movers and the latency of HBM; nothing was synthesized here. *Bound*:
a product for each run of a statement with one, in multipliers of one DSP or of 700 LUTs, as many as
there is room for, and all arrays over their channels. {measured} of {rows} rows
have a design, {beaten} are beaten.
"""
COLUMNS = (
    *("kernel", "channels", "status", "dsp_limit", "published", "ours", "bound", "gap"),
    *("published_milliseconds", "milliseconds"),
    *("ports", "dsps", "lut", "published_lut", "bram18", "published_bram18"),
    *("uram", "verified", "seconds", "reason"),
)
OTHERS = ("prometheus", "sisyphus", "scalehls", "allo")


def write_page(folder: Path) -> None:
    """Write README.md beside the rows."""
    rows = read_rows(folder / "rows.csv")
    head = HEAD.format(
        measured=sum(bool(row["ours"]) for row in rows),
        rows=len(rows),
        beaten=sum(row["status"] == "beaten" for row in rows),
        call_us=round(Target.named(DEVICE).call_ns / 1e3),
    )
    lines = [[row[name] for name in COLUMNS] for row in rows]
    ours = markdown_section("Ours beside Prometheus", COLUMNS, lines, words=3)
    published = {
        (row["framework"], row["kernel"]): row["csynth_latency_cycles"]
        for row in read_rows(folder / "published.csv")
    }
    kernels = dict.fromkeys(row["kernel"] for row in rows)
    lines = [[kernel, *(published.get((f, kernel), "") for f in OTHERS)] for kernel in kernels]
    titles = ["kernel", *OTHERS]
    theirs = markdown_section("Published latencies in cycles", titles, lines, words=1)
    (folder / "README.md").write_text(f"{head}\n{ours}\n{theirs}", encoding="utf-8")
