"""A front of latency against DSPs as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.charts import chart_bytes, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["front_chart"]

LINE, DOT, OPEN = "#2f6f9f", "#1b2a36", "#e0a030"


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
    from matplotlib.patches import Rectangle

    figure, axes = new_figure(7.5, 4.6, title)
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
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(visible=True, which="major", color="#d8dde2", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    return chart_bytes(figure, form)
