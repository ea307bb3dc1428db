"""Where designs stand above the least cycles that their DSPs allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.report.charts import chart_bytes, mark_decades, new_figure
from streamopt.report.palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Roofline", "roofline_chart"]

LINE, DOT, GRID, LIMIT = (COLOURS[name].light for name in ("work", "frame", "grid", "stall"))


@dataclass(frozen=True, slots=True)
class Roofline:
    """Work that DSPs bound, and designs that do it.

    Attributes
    ----------
    work_dsp_cycles
        Multiply-accumulates times the DSPs of one; 0 where there are none, so that no line is.
    designs
        Name, DSPs as built, and simulated cycles of each.
    limits
        Name and DSPs of what a design may have.
    """

    work_dsp_cycles: int
    designs: tuple[tuple[str, int, int], ...]
    limits: tuple[tuple[str, int], ...]


def roofline_chart(found: Roofline, form: str) -> bytes:
    """Return the chart as a file; the same designs give the same bytes.

    Parameters
    ----------
    form
        One of `streamopt.report.charts.FORMATS`, or ``INLINE`` there.
    """
    figure, axes = new_figure(7.5, 4.6, "cycles against DSPs")
    axes.set_xscale("log")
    axes.set_yscale("log")
    names, dsps, cycles = zip(*found.designs, strict=True) if found.designs else ((), (), ())
    ends = _ends([max(1, d) for d in dsps] + [limit for _, limit in found.limits])
    if found.work_dsp_cycles:
        bound = [found.work_dsp_cycles / end for end in ends]
        axes.plot(ends, bound, color=LINE, linewidth=1.4, label="MACs on busy DSPs")
    for name, limit in found.limits:
        axes.axvline(limit, color=LIMIT, linewidth=1, linestyle="--")
        offset = {"textcoords": "offset points", "xytext": (4, 4)}
        foot = {"xycoords": ("data", "axes fraction"), "fontsize": 8}
        axes.annotate(name, (limit, 0), **foot, **offset)
    axes.plot([max(1, d) for d in dsps], cycles, "o", color=DOT, markersize=5, label="simulated")
    for name, x, y in zip(names, dsps, cycles, strict=True):
        offset = {"textcoords": "offset points", "xytext": (6, 5)}
        axes.annotate(name, (max(1, x), y), fontsize=8, **offset)
    axes.set_xlabel("DSPs as built")
    axes.set_ylabel("cycles")
    mark_decades(axes.xaxis)
    mark_decades(axes.yaxis)
    axes.grid(visible=True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="lower left")
    return chart_bytes(figure, form)


def _ends(dsps: Sequence[int]) -> tuple[float, float]:
    least, most = min(dsps, default=1), max(dsps, default=10)
    return least / 2, most * 2
