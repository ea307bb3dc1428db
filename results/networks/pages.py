"""README.md and networks.svg, from the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.charts import SERIES, chart_bytes, mark_ratios, new_figure
from streamopt.report.text_tables import markdown_section, markdown_table
from streamopt.sweeping.keyed_rows import read_rows

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.sweeping.keyed_rows import MeasuredRow

__all__ = ["write_page"]

HEAD = """# Whole networks against published designs

`python results/networks/run.py` measures and writes this page. Every row is a published figure
(`published.csv`, with its source): HIDA (Ye, Jun and Chen, ASPLOS 2024), ScaleHLS (Ye et al., HPCA
2022), CODO, and POM (Zhang et al., HPCA 2024). Ours is a design for the same network with the same
limit of DSPs, clock and device, simulated; its C++ is compared with PyTorch in every bit.
Integer networks have weights and activations of 8 bits and sums of 32 (`models/modules/layers.py`);
published ones turn every `float` of the text into `int8_t`, sums too.

Every published row of 8 bits has two of ours. Where *packed* is `no`, a product takes a DSP, as
the published designs say of most of theirs; `yes` also has two products in a DSP (AMD WP486) and
products in LUTs, as HIDA's VGG-16 and CODO's GPT-2 have. Both stay within the DSPs of the row and
within the LUTs of the column: those of the published design, or of its part of the device where
they aren't published or the row was measured with them (`--luts part`).

*Bound* is what no design can beat: products in DSPs, three for one of 32-bit floats, and where
packed in LUTs too, as if nothing else took any; and the weights that the part's memories can't
hold, at the rate of its channels (one DDR channel of an SLR; all channels of a whole device).
*Own bound* is that which the search proved, with all operators, and *gap* is ours over it.
Intervals are simulated for 3 to 12 frames. *Status*: `beaten` is at least as fast, within the same
DSPs and LUTs, verified; `impossible` is a figure that the row's products (a DSP each where not
packed) or its traffic rule out. *s* is processor time of the search, *MB* the memory of the process
that reads the network, searches and simulates.

*Weights* are counted in all columns. They are `resident` in memories of the design, which the
first call fills; where they don't fit, some arrays are *streamed* from one DDR channel of the SLR
in each frame, at its rate in the simulation. *Images* and scores are streams, or arguments in no
memory (`not counted`), as weights of such rows are. *Buffers* are the bytes of line buffers, of
buffers between nodes and of FIFOs: all memory but that of weights.

*Form*: `spatial` designs have hardware for every layer; an `engine` is one array of multipliers for
all of them, one layer after the other (`--form engine`, or one of
[results/engines](../engines/README.md)), within the limits of its row.

Rows of `board_ms`, `ttft_ms` and `tokens_s` were published as measured on boards. **Nothing of ours
ran on one**: they are cycles, simulated at the row's clock, at the 216 MHz of the fullest design of
this kind that is known to be routed (or the row's, if slower), and 0.096 ms for a host's call where
they are times. Engines of language models have weights of 4 bits and activations of 8
([results/language_models](../language_models/README.md), there at 300 MHz); what is verified is the
C++ of the engine with one layer and the whole vocabulary.

Schedules are in `designs`: `--kept` simulates and verifies them again without a search. A row
without a search of its own has the quickest design of another row within its limits (*design of*,
by its system and DSPs); bounds that were proved under narrower limits don't hold there.

{measured} of {rows} rows have a design ({shared} of another row), {beaten} are beaten,
{impossible} impossible.

![cycles over the bound](networks.svg)
"""
COLUMNS = (
    ("network", "network"),
    ("system", "system"),
    ("metric", "metric"),
    ("element", "type"),
    ("packed", "packed"),
    ("dsp_limit", "DSPs"),
    ("lut_limit", "LUTs"),
    ("published", "published"),
    ("ours", "ours"),
    ("bound", "bound"),
    ("own_bound", "own bound"),
    ("gap", "gap"),
    ("status", "status"),
    ("dsps", "DSPs as built"),
    ("lut", "LUTs as built"),
    ("bram18", "BRAM18"),
    ("uram", "URAM"),
    ("verified", "verified"),
    ("weights", "weights"),
    ("images", "images"),
    ("buffer_bytes", "buffers"),
    ("line_buffer_bytes", "line buffers"),
    ("form", "form"),
    ("design_of", "design of"),
    ("seconds", "s"),
    ("megabytes", "MB"),
    ("reason", "reason"),
)
WORDS = 4
GAPS = """## How near the search comes to its bound

`python results/networks/gaps.py` measures latencies of spatial designs at opt6 (`gaps.csv`), one
product in a DSP, on a whole U280 at 5 ns. *Gap* is of the simulated cycles over the bound that the
same search proved, of the form of the graph that it chose. *s* is processor time of the search.
Engines are quicker on small networks, so few of these designs are in the tables above.
"""
GAP_COLUMNS = (
    ("network", "network"),
    ("dsps_allowed", "DSPs"),
    ("ours_cycles", "cycles"),
    ("own_bound_cycles", "own bound"),
    ("gap", "gap"),
    ("seconds", "s"),
    ("megabytes", "MB"),
    ("dsps", "DSPs as built"),
    ("lut", "LUTs as built"),
    ("bram18", "BRAM18"),
    ("uram", "URAM"),
    ("over", "over"),
    ("line_buffer_bytes", "line buffers"),
    ("weights", "weights"),
    ("verified", "verified"),
    ("refused", "reason"),
)


def write_page(folder: Path) -> None:
    """Write README.md and networks.svg beside the rows."""
    rows = read_rows(folder / "rows.csv")
    statuses = [row["status"] for row in rows]
    head = HEAD.format(
        measured=sum(bool(row["ours"]) for row in rows),
        rows=len(rows),
        shared=sum(bool(row["design_of"]) for row in rows),
        beaten=statuses.count("beaten"),
        impossible=statuses.count("impossible"),
    )
    tables = dict.fromkeys((row["source"], row["table"]) for row in rows)
    sections = [_section(rows, source, table) for source, table in tables]
    sections += [GAPS, _gaps(read_rows(folder / "gaps.csv"))]
    (folder / "README.md").write_text("\n".join([head, *sections]), encoding="utf-8")
    if measured := [row for row in rows if row["ours"]]:
        _write_chart(measured, folder / "networks.svg")


def _section(rows: list[MeasuredRow], source: str, table: str) -> str:
    own = [row for row in rows if (row["source"], row["table"]) == (source, table)]
    lines = [[row[name] for name, _ in COLUMNS] for row in own]
    where = f"table {table}" if table[0].isupper() or table.isdigit() else table
    titles = [title for _, title in COLUMNS]
    return markdown_section(f"{source}, {where}", titles, lines, words=WORDS)


def _gaps(rows: list[MeasuredRow]) -> str:
    lines = [[row[name] for name, _ in GAP_COLUMNS] for row in rows]
    return markdown_table([title for _, title in GAP_COLUMNS], lines)


def _write_chart(rows: list[MeasuredRow], path: Path) -> None:
    """Draw the published figure and ours over the bound, a line for each row."""
    names = [f"{row['network']}, {row['system']}{_remark(row)}" for row in rows]
    title = "Time over the bound of the same DSPs and LUTs: further left is better"
    figure, axes = new_figure(9.0, 1.6 + 0.2 * len(rows), title)
    for position, column in enumerate(("published", "ours")):
        colour, marker = SERIES[position]
        ratios = [_ratio(row, column) for row in rows]
        style = {"linestyle": "", "marker": marker, "color": colour.light, "markersize": 5.5}
        axes.plot(ratios, range(len(rows)), label=column, **style)
    mark_ratios(axes, names, font_points=7.5)
    figure.legend(ncols=2, fontsize=9, frameon=False, loc="outside lower center")
    path.write_bytes(chart_bytes(figure, "svg"))


def _remark(row: MeasuredRow) -> str:
    return f", {row['metric']}{', packed' * (row['packed'] == 'yes')}"


def _ratio(row: MeasuredRow, column: str) -> float:
    """Return a time over that of the bound; rates are the other way round."""
    if not row[column]:
        return float("nan")
    ratio = float(row[column]) / float(row["bound"])
    return 1 / ratio if row["metric"] == "tokens_s" else ratio
