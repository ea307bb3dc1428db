"""A run as a Gantt chart: when every process works, and when it stands still."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.report.charts import chart_bytes, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.sim import ProcessTrace, Trace

__all__ = ["SAMPLES", "gantt"]

SAMPLES = 240
"""Spans of the run that a chart tells apart; see `streamopt.sim.simulate`."""
WORK, STALL, FRAME = "#2f6f9f", "#e0a030", "#1b2a36"
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.34, 9.0, 1.5


def gantt(trace: Trace, predicted: Mapping[str, tuple[int, int]], form: str) -> bytes:
    """Return the chart of a run as a file; the same run gives the same bytes.

    The height of a bar is the share of a span in which the process works; what is missing to the
    full height, in which it waits for input or room, is in amber. A thin line is what the closed
    form predicts.

    Parameters
    ----------
    trace
        Of a simulation with `SAMPLES` samples.
    predicted
        First and last cycle by process; may lack some.
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    height = MARGIN_INCHES + ROW_INCHES * len(trace.processes)
    title = f"{trace.network}: {trace.cycles:,} cycles"
    figure, axes = new_figure(WIDTH_INCHES, height, title)
    for row, process in enumerate(trace.processes):
        for start, end in zip(process.starts, process.ends, strict=False):
            _bar(axes, row, (start, end), trace, process)
        if process.name in predicted:
            first, last = predicted[process.name]
            axes.hlines(row + 0.44, first, last, color=FRAME, linewidth=1.2)
    axes.set_yticks(range(len(trace.processes)), [p.name for p in trace.processes])
    axes.set_ylim(len(trace.processes) - 0.4, -0.6)
    axes.set_xlim(0, trace.total_cycles * 1.005)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("cycles", loc="right")
    _legend(axes, with_line=bool(predicted))
    return chart_bytes(figure, form)


def _bar(axes: Any, row: int, span: tuple[int, int], trace: Trace, process: ProcessTrace) -> None:
    """Draw one frame of a process, amber behind, the working share in front."""
    import numpy as np

    start, end = span
    axes.broken_barh([(start, end - start)], (row - 0.36, 0.72), color=STALL, linewidth=0)
    width = -(-trace.total_cycles // max(1, len(process.standing_cycles)))
    borders = np.arange(len(process.standing_cycles) + 1) * width
    inside = np.clip(borders, start, end)
    cycles = np.diff(inside)
    known = cycles > 0
    waits = np.array(process.standing_cycles)[known]
    working = 1 - np.minimum(1.0, waits / cycles[known])
    if not known.any():
        axes.broken_barh([(start, end - start)], (row - 0.36, 0.72), color=WORK, linewidth=0)
        return
    axes.stairs(
        row + 0.36 - 0.72 * working,
        np.append(inside[:-1][known], inside[1:][known][-1]),
        baseline=row + 0.36,
        fill=True,
        color=WORK,
        linewidth=0,
    )


def _legend(axes: Any, *, with_line: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(color=WORK, label="works"),
        Patch(color=STALL, label="waits for input or room"),
    ]
    if with_line:
        handles.append(Line2D([], [], color=FRAME, linewidth=1.2, label="closed form"))
    axes.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0, -0.09), ncols=3, frameon=False
    )
