"""README.md and prometheus.svg, from the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels import DEVICE

from streamopt.report.charts import SERIES, chart_bytes, mark_ratios, new_figure
from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.keyed_rows import read_rows
from streamopt.target.device import Target

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.sweeping.keyed_rows import MeasuredRow

__all__ = ["write_page"]

HEAD = """# Kernels of Prometheus, arrays off the chip

`python results/prometheus/run.py` measures and writes this page. PolyBench at MEDIUM size, 32-bit
floats, all arrays in HBM, U55C. `published.csv` has what Vitis HLS 2023.2 reports of every public
design in Prometheus' artifact: its own, and those of Sisyphus, ScaleHLS and Allo; rows
`prometheus_board` are the designs of its bitstreams.

Ours are opt6 at 4.55 ns within the DSPs, LUTs and block RAMs of Prometheus' design, once with one
channel of HBM for each array and once with as many as the search chooses, at most 32 in all
(`ports`). Prometheus' designs on the whole device have no UltraRAM; ours may, where `uram` says so.
Rows `board` are beside Prometheus' bitstreams in one region of a U55C: ours keep to
`--fit board`, and `milliseconds` are cycles at 216 MHz, the clock of its fullest bitstream, with a
host's call of {call_us} us (the median of what its eight designs took on the board beyond their
cycles, 76 to 292 us). Published are latencies as synthesis reports them and times on the board,
ours are simulated with their movers and the latency of HBM; nothing was synthesized here. *Bound*:
a product for each run of a statement with one, in multipliers of one DSP or of 700 LUTs, as many as
there is room for, and all arrays over their channels. {measured} of {rows} rows
have a design, {beaten} are beaten.

![cycles over those of Prometheus](prometheus.svg)
"""
COLUMNS = (
    *("kernel", "channels", "status", "dsp_limit", "published", "ours", "bound", "gap"),
    *("published_milliseconds", "milliseconds"),
    *("ports", "dsps", "lut", "published_lut", "bram18", "published_bram18"),
    *("uram", "verified", "seconds", "reason"),
)
OTHERS = ("prometheus", "sisyphus", "scalehls", "allo")


MARKS = {
    "chosen": ("channels chosen", SERIES[1]),
    "one": ("one channel an array", SERIES[0]),
    "board": ("within a region of the board", SERIES[5]),
}
"""By channels: words for the legend, colour and marker."""


def write_page(folder: Path) -> None:
    """Write README.md and prometheus.svg beside the rows."""
    rows = read_rows(folder / "rows.csv")
    _write_chart(rows, folder / "prometheus.svg")
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


def _write_chart(rows: list[MeasuredRow], path: Path) -> None:
    """Draw a line of points for every kernel."""
    kernels = [*dict.fromkeys(row["kernel"] for row in rows)]
    title = "Cycles over those of Prometheus: further left is better"
    figure, axes = new_figure(8.0, 1.6 + 0.3 * len(kernels), title)
    for channels, (words, (colour, marker)) in MARKS.items():
        own = [row for row in rows if row["channels"] == channels and row["ours"]]
        axes.plot(
            [int(row["ours"]) / int(row["published"]) for row in own],
            [kernels.index(row["kernel"]) for row in own],
            linestyle="",
            marker=marker,
            color=colour.light,
            markersize=7.5,
            label=words,
            zorder=3,
        )
    mark_ratios(axes, kernels)
    figure.legend(ncols=3, fontsize=9, frameon=False, loc="outside lower center")
    path.write_bytes(chart_bytes(figure, "svg"))
