"""How full every FIFO is over a run, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.report.charts import chart_bytes, new_figure
from streamopt.report.palette import COLOURS

if TYPE_CHECKING:
    from streamopt.sim import Trace

__all__ = ["occupancy_chart"]

FILL, LIMIT = COLOURS["fifo"].light, COLOURS["soft"].light
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.46, 9.0, 1.0
FULL_HEIGHT = 0.8


def occupancy_chart(trace: Trace, form: str) -> bytes:
    """Return the chart of a run with samples as a file; the same run gives the same bytes.

    A row shows the most slots in use in any stream of a FIFO within a span of the run; its upper
    border is the depth of the FIFO.

    Parameters
    ----------
    form
        One of `streamopt.report.charts.FORMATS`, or ``INLINE`` there.
    """
    import numpy as np

    height = MARGIN_INCHES + ROW_INCHES * len(trace.fifos)
    figure, axes = new_figure(WIDTH_INCHES, height, "slots in use")
    for row, fifo in enumerate(trace.fifos):
        floor = row + FULL_HEIGHT / 2
        spans = np.array(fifo.occupancy_elems)
        width = -(-trace.total_cycles // max(1, spans.size))
        axes.hlines(floor - FULL_HEIGHT, 0, trace.total_cycles, color=LIMIT, linewidth=0.6)
        if spans.size:
            heights = floor - FULL_HEIGHT * spans / max(1, fifo.depth_elems)
            borders = np.arange(spans.size + 1) * width
            axes.stairs(heights, borders, baseline=floor, fill=True, color=FILL, linewidth=0)
    names = [f"{fifo.name}, {fifo.depth_elems:,} deep" for fifo in trace.fifos]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, trace.total_cycles * 1.005)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("cycles", loc="right")
    return chart_bytes(figure, form)
