"""Charts of cycles against DSPs on logarithmic axes: a front, and designs above a roofline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamopt.report.charts import (
    COLOURS,
    chart_bytes,
    label_points,
    mark_decades,
    new_figure,
)

LINE, DOT, GRID, AMBER, RIVAL = (
    COLOURS[name].light for name in ("work", "frame", "grid", "stall", "room")
)


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
    figure, axes = _logarithmic(title, "DSPs", "latency in cycles")
    from matplotlib.patches import Rectangle  # not before the figure, which tells if it is missing

    cycles, dsps = [c for c, _ in costs], [d for _, d in costs]
    axes.step(dsps, cycles, where="pre", color=LINE, linewidth=1.2, label="least latency")
    axes.plot(dsps, cycles, "o", color=DOT, markersize=3.5, label="schedule")
    for place, (first, last, fewest, most) in enumerate(open_boxes):
        corner, width, height = (fewest, first), most - fewest + 1, last - first + 1
        label = "" if place else "may hold more"
        axes.add_patch(Rectangle(corner, width, height, color=AMBER, alpha=0.4, label=label))
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


@dataclass(frozen=True, slots=True)
class Roofline:
    """Work that DSPs bound, and designs that do it."""

    work_dsp_cycles: int
    """Multiply-accumulates times the DSPs of one; 0 where there are none, so that no line is."""
    designs: tuple[tuple[str, int, int], ...]
    """Name, DSPs as built, and simulated cycles of each."""
    limits: tuple[tuple[str, int], ...]
    """Name and DSPs of what a design may have."""
    rivals: frozenset[str] = frozenset()
    """Names of designs of other systems."""


def roofline_chart(found: Roofline, form: str) -> bytes:
    """Return the chart as a file; the same designs give the same bytes.

    Parameters
    ----------
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    figure, axes = _logarithmic("cycles against DSPs", "DSPs as built", "cycles")
    points = [(name, max(1, dsps), cycles) for name, dsps, cycles in found.designs]
    ends = _ends([x for _, x, _ in points] + [limit for _, limit in found.limits])
    if found.work_dsp_cycles:
        bound = [found.work_dsp_cycles / end for end in ends]
        axes.plot(ends, bound, color=LINE, linewidth=1.4, label="MACs on busy DSPs")
    feet: list[Any] = []
    for name, limit in found.limits:
        axes.axvline(limit, color=AMBER, linewidth=1, linestyle="--")
        offset = {"textcoords": "offset points", "xytext": (4, 4)}
        foot = {"xycoords": ("data", "axes fraction"), "fontsize": 8.5}
        feet.append(axes.annotate(name, (limit, 0), **foot, **offset))
    own = [point for point in points if point[0] not in found.rivals]
    others = [point for point in points if point[0] in found.rivals]
    words = "a level of this project" if others else "simulated"
    for group, marker, colour, label in (
        (own, "o", LINE if others else DOT, words),
        (others, "s", RIVAL, "another system's"),
    ):
        if group:
            _, x, y = zip(*group, strict=True)
            axes.plot(x, y, marker, color=colour, markersize=5.5, label=label)
    figure.legend(loc="outside lower left", ncols=3, frameon=False)
    mark_decades(axes.xaxis)
    mark_decades(axes.yaxis)
    label_points(figure, axes, points, feet)
    return chart_bytes(figure, form)


def _ends(dsps: Sequence[int]) -> tuple[float, float]:
    least, most = min(dsps, default=1), max(dsps, default=10)
    return least / 2, most * 2


def _logarithmic(title: str, across: str, up: str) -> tuple[Any, Any]:
    """Return a figure with named axes."""
    figure, axes = new_figure(7.5, 4.6, title)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    mark_decades(axes.xaxis)
    mark_decades(axes.yaxis)
    axes.grid(visible=True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes
