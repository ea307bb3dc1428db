"""A front of latency against DSPs as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.charts import chart_bytes, mark_decades, new_figure
from streamopt.report.palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["front_chart", "open_spans"]

LINE, DOT, OPEN = (COLOURS[name].light for name in ("work", "frame", "stall"))
GRID = COLOURS["grid"].light


def front_chart(
    title: str,
    costs: Sequence[tuple[int, int]],
    open_boxes: Sequence[tuple[int, int, int, int]],
    form: str,
) -> bytes:
    """Return the chart of a front as a file; the same front gives the same bytes.

    Parameters
    ----------
    costs
        Latency in cycles and DSPs of every point, latencies rising.
    open_boxes
        Least and greatest latency, least and greatest DSPs of where more points may lie.
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    figure, axes = new_figure(7.5, 4.6, title)
    from matplotlib.patches import Rectangle  # not before the figure, which tells if it is missing

    cycles, dsps = [c for c, _ in costs], [d for _, d in costs]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.step(dsps, cycles, where="pre", color=LINE, linewidth=1.2, label="least latency")
    axes.plot(dsps, cycles, "o", color=DOT, markersize=3.5, label="schedule")
    for place, (first, last, fewest, most) in enumerate(open_boxes):
        corner, width, height = (fewest, first), most - fewest + 1, last - first + 1
        label = "" if place else "may hold more"
        axes.add_patch(Rectangle(corner, width, height, color=OPEN, alpha=0.4, label=label))
    axes.set_xlabel("DSPs")
    axes.set_ylabel("latency in cycles")
    mark_decades(axes.xaxis)
    mark_decades(axes.yaxis)
    axes.grid(visible=True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    return chart_bytes(figure, form)


def open_spans(
    costs: Sequence[tuple[int, int]], boxes: Sequence[tuple[int, int]]
) -> list[tuple[int, int, int, int]]:
    """Return where more points may lie: boxes without what the points of the front beat.

    Parameters
    ----------
    boxes
        Latency in cycles and DSPs at most.
    """
    spans: list[tuple[int, int, int, int]] = []
    for cycles, dsps in boxes:
        first = max((c for c, d in costs if d > dsps), default=1)
        fewest = max((d for c, d in costs if c > cycles), default=1)
        spans.append((first, cycles, fewest, dsps))
    return spans
