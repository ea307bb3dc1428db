"""Ways to schedule one graph side by side, as bars of cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.charts import beside, chart_bytes, mark_decades, new_figure
from streamopt.report.palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["comparison_chart"]

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
