"""The report of a comparison: levels and strategies of other systems side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from streamopt.report.charts import COLOURS, beside, chart_bytes, mark_decades, new_figure
from streamopt.report.log_charts import Roofline, roofline_chart
from streamopt.report.page import Page, Picture, Section, Table
from streamopt.report.proof import proof_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.report.proof import Facts

HEADER = (
    *("way", "own model", "simulated", "faster", "of MAC line"),
    *("DSPs", "BRAM18", "URAM", "LUT", "FF", "proof"),
)


def comparison_page(rows: Sequence[Facts]) -> Page:
    """Return the report of the rows of ``compare``, which are all of one graph."""
    done = [row for row in rows if row.get("simulated_cycles")]
    name = str(rows[0].get("name", "")) if rows else ""
    roofline = max((_whole(row, "roofline_cycles") for row in rows), default=0)
    limit = max((_whole(row, "dsp_limit") for row in rows), default=0)
    first = _whole(done[0], "simulated_cycles") if done else 0
    best = min((_whole(row, "simulated_cycles") for row in done), default=0)
    figures = [("ways", str(len(rows)))]
    if done:
        figures.append(("fewest cycles", f"{best:,}"))
        ways = [_way(row) for row in done if _whole(row, "simulated_cycles") == best]
        figures.append(("by", ", ".join(ways)))
    cells = tuple(_cells(row, first) for row in rows)
    bars = [(_way(row), _whole(row, "simulated_cycles"), _model(row) or None) for row in done]
    says = f"Simulated cycles of {len(bars)} ways to schedule {name}"
    draw = partial(comparison_chart, f"{name} at {limit:,} DSPs", bars, roofline)
    table = Table("All ways", HEADER, cells, is_open=True)
    cycles = Section("cycles", "Cycles", (), Picture("cycles", says, draw), (table,))
    lead = f"Ways to schedule {name} with {limit:,} DSPs, simulated alike."
    sections = (cycles, _roofline(done, roofline * limit, limit), *_refused(rows))
    return Page(f"{name}: ways compared", lead, tuple(figures), sections)


def _whole(row: Facts, key: str) -> int:
    return int(float(row.get(key) or 0))


def _way(row: Facts) -> str:
    return str(row.get("level") or row.get("strategy") or "")


def _model(row: Facts) -> int:
    return _whole(row, "objective_cycles") or _whole(row, "estimated_cycles")


def _cells(row: Facts, first: int) -> tuple[str, ...]:
    cycles, roofline = _whole(row, "simulated_cycles"), _whole(row, "roofline_cycles")
    if not cycles:
        return (_way(row), *["-"] * 9, "refused")
    proof = "none"
    if row.get("proof"):
        proof = proof_words(row, names_model=False)
    amounts = (f"{_whole(row, kind):,}" for kind in ("dsps", "bram18", "uram", "lut", "ff"))
    return (
        _way(row),
        f"{_model(row):,}" if _model(row) else "-",
        f"{cycles:,}",
        f"{first / cycles:.1f} x",
        f"{cycles / roofline:.2f} x" if roofline else "-",
        *amounts,
        proof,
    )


def _roofline(done: Sequence[Facts], work: int, limit: int) -> Section:
    designs = tuple((_way(r), _whole(r, "dsps"), _whole(r, "simulated_cycles")) for r in done)
    found = Roofline(work, designs, (("limit", limit),) if limit else ())
    says = f"Simulated cycles against DSPs as built, {len(designs)} designs"
    words = "The table above has the numbers."
    draw = partial(roofline_chart, found)
    return Section("roofline", "MACs on busy DSPs", (words,), Picture("roofline", says, draw))


def _refused(rows: Sequence[Facts]) -> tuple[Section, ...]:
    refused = tuple(
        (_way(row), str(row.get("message", ""))) for row in rows if not row.get("simulated_cycles")
    )
    if not refused:
        return ()
    table = Table("What was refused", ("way", "reason"), refused, is_open=True)
    return (Section("refused", "Refused", tables=(table,)),)


def rows_chart(rows: Sequence[Facts], form: str) -> bytes:
    """Return the chart of a comparison's rows as a file: see `comparison_chart`."""
    done = [row for row in rows if row.get("simulated_cycles")]
    name = str(rows[0].get("name", "")) if rows else ""
    roofline = max((_whole(row, "roofline_cycles") for row in rows), default=0)
    bars = [(_way(row), _whole(row, "simulated_cycles"), _model(row) or None) for row in done]
    return comparison_chart(name, bars, roofline, form)


BAR, MARK, LINE = (COLOURS[name].light for name in ("work", "frame", "stall"))
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.42, 8.0, 1.6


def comparison_chart(
    title: str, ways: Sequence[tuple[str, int, int | None]], roofline_cycles: int, form: str
) -> bytes:
    """Return the chart as a file; the same ways give the same bytes.

    Parameters
    ----------
    ways
        Name, simulated cycles, and the cycles of the way's own model where it has one.
    roofline_cycles
        Least cycles that the DSPs allow; 0 for none.
    form
        One of `streamopt.report.charts.FORMATS`, or ``INLINE`` there.
    """
    height = MARGIN_INCHES + ROW_INCHES * len(ways)
    figure, axes = new_figure(WIDTH_INCHES, height, title)
    axes.set_xscale("log")
    cycles = [simulated for _, simulated, _ in ways]
    axes.barh(range(len(ways)), cycles, 0.6, color=BAR, label="simulated")
    modelled = [(row, model) for row, (_, _, model) in enumerate(ways) if model]
    if modelled:
        rows, models = zip(*modelled, strict=True)
        axes.plot(models, rows, "|", color=MARK, markersize=14, label="by its own model")
    if roofline_cycles:
        axes.axvline(roofline_cycles, color=LINE, linestyle="--", label="MACs on busy DSPs")
    for row, simulated in enumerate(cycles):
        beside(axes, f"{simulated:,}", simulated, row)
    every = [*cycles, *(model for _, model in modelled), roofline_cycles]
    known = [value for value in every if value] or [1]
    axes.set_xlim(min(known) / 2, max(known) * 3)
    axes.set_yticks(range(len(ways)), [name for name, _, _ in ways])
    axes.set_ylim(len(ways) - 0.4, -0.6)
    mark_decades(axes.xaxis)
    axes.set_xlabel("cycles", loc="right")
    figure.legend(loc="outside lower left", ncols=3, frameon=False)
    return chart_bytes(figure, form)
