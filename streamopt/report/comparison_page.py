"""The report of a comparison: levels and strategies of other systems side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

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
    bars = [*map(_bar, done)]
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


class WayBar(NamedTuple):
    """Cycles of a way: simulated, by its own model, and measured; 0 for those it doesn't have."""

    name: str
    simulated: int
    model: int = 0
    measured: int = 0


def _bar(row: Facts) -> WayBar:
    measured = _whole(row, "measured_cycles")
    return WayBar(_way(row), _whole(row, "simulated_cycles"), _model(row), measured)


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
    return comparison_chart(name, [*map(_bar, done)], roofline, form)


BAR, MARK, LINE = (COLOURS[name].light for name in ("work", "frame", "stall"))
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.42, 8.0, 1.6


def comparison_chart(title: str, ways: Sequence[WayBar], roofline_cycles: int, form: str) -> bytes:
    """Return the chart as a file; the same ways give the same bytes.

    Parameters
    ----------
    roofline_cycles
        Least cycles that the DSPs allow; 0 for none.
    form
        One of `streamopt.report.charts.FORMATS`, or ``INLINE`` there.
    """
    height = MARGIN_INCHES + ROW_INCHES * len(ways)
    figure, axes = new_figure(WIDTH_INCHES, height, title)
    axes.set_xscale("log")
    cycles = [way.simulated for way in ways]
    axes.barh(range(len(ways)), cycles, 0.6, color=BAR, label="simulated")
    marks = (
        ("|", "by its own model", [way.model for way in ways]),
        ("D", "measured", [way.measured for way in ways]),
    )
    for shape, words, numbers in marks:
        places = [(number, row) for row, number in enumerate(numbers) if number]
        if places:
            size = 14 if shape == "|" else 6
            axes.plot(*zip(*places, strict=True), shape, color=MARK, markersize=size, label=words)
    if roofline_cycles:
        axes.axvline(roofline_cycles, color=LINE, linestyle="--", label="MACs on busy DSPs")
    for row, simulated in enumerate(cycles):
        beside(axes, f"{simulated:,}", simulated, row)
    every = [*cycles, *(number for *_, numbers in marks for number in numbers), roofline_cycles]
    known = [value for value in every if value] or [1]
    axes.set_xlim(min(known) / 2, max(known) * 3)
    axes.set_yticks(range(len(ways)), [way.name for way in ways])
    axes.set_ylim(len(ways) - 0.4, -0.6)
    mark_decades(axes.xaxis)
    axes.set_xlabel("cycles", loc="right")
    figure.legend(loc="outside lower left", ncols=4, frameon=False)
    return chart_bytes(figure, form)
