"""A run as a Gantt chart: when every process reads, works, writes, and stands still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from streamopt.report.charts import COLOURS, chart_bytes, new_figure

if TYPE_CHECKING:
    from streamopt.sim import ProcessTrace, Trace

SAMPLES = 240
"""Spans of the run that a chart tells apart; see `streamopt.sim.simulate`."""
WORK, STALL, FRAME, READ, WRITE, SOFT = (
    COLOURS[name].light for name in ("work", "stall", "frame", "fifo", "write", "soft")
)
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.42, 9.0, 1.6
TOP, BOTTOM, READS_AT, WRITES_AT, FORM_AT = -0.24, 0.18, -0.32, 0.26, 0.38
"""Of a row: the frame between top and bottom, and where the lines around it are."""


def gantt(trace: Trace, predicted: Mapping[str, tuple[int, int, int]], form: str) -> bytes:
    """Return the chart of a run as a file; the same run gives the same bytes.

    The height of a bar is the share of a span in which the process works; what is missing to the
    full height, in which it waits for input or room, is in amber. The line above it is from its
    first to its last read of FIFOs, the line below its writes. The lowest line is what the closed
    form predicts: dotted up to the first write, solid up to the last.

    Parameters
    ----------
    trace
        Of a simulation with `SAMPLES` samples.
    predicted
        Start, first write and last write by process, in cycles; may lack some.
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    height = MARGIN_INCHES + ROW_INCHES * len(trace.processes)
    title = f"{trace.network}: {trace.cycles:,} cycles"
    figure, axes = new_figure(WIDTH_INCHES, height, title)
    for row, process in enumerate(trace.processes):
        for start, end in zip(process.starts, process.ends, strict=False):
            _bar(axes, row, (start, end), trace, process)
        for at, span, colour in (
            (READS_AT, process.fifo_reads, READ),
            (WRITES_AT, process.fifo_writes, WRITE),
        ):
            if span is not None:
                axes.hlines(row + at, *span, color=colour, linewidth=2)
        if process.name in predicted:
            start, first, last = predicted[process.name]
            axes.hlines(row + FORM_AT, start, first, color=FRAME, linewidth=1.2, linestyle=":")
            axes.hlines(row + FORM_AT, first, last, color=FRAME, linewidth=1.2)
    axes.set_yticks(range(len(trace.processes)), [p.name for p in trace.processes])
    axes.set_ylim(len(trace.processes) - 0.4, -0.6)
    axes.set_xlim(0, trace.total_cycles * 1.005)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("cycles", loc="right")
    _legend(figure, with_form=bool(predicted), with_fifos=bool(trace.fifos))
    return chart_bytes(figure, form)


def _bar(axes: Any, row: int, span: tuple[int, int], trace: Trace, process: ProcessTrace) -> None:
    """Draw one frame of a process, amber behind, the working share in front."""
    import numpy as np

    start, end = span
    place = (row + TOP, BOTTOM - TOP)
    axes.broken_barh([(start, end - start)], place, color=STALL, linewidth=0)
    width = -(-trace.total_cycles // max(1, len(process.standing_cycles)))
    borders = np.arange(len(process.standing_cycles) + 1) * width
    inside = np.clip(borders, start, end)
    cycles = np.diff(inside)
    known = cycles > 0
    waits = np.array(process.standing_cycles)[known]
    working = 1 - np.minimum(1.0, waits / cycles[known])
    if not known.any():
        axes.broken_barh([(start, end - start)], place, color=WORK, linewidth=0)
        return
    axes.stairs(
        row + BOTTOM - (BOTTOM - TOP) * working,
        np.append(inside[:-1][known], inside[1:][known][-1]),
        baseline=row + BOTTOM,
        fill=True,
        color=WORK,
        linewidth=0,
    )


def _legend(figure: Any, *, with_form: bool, with_fifos: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(color=WORK, label="works"),
        Patch(color=STALL, label="waits for input or room"),
    ]
    if with_fifos:
        handles += [
            Line2D([], [], color=READ, linewidth=2, label="reads FIFOs"),
            Line2D([], [], color=WRITE, linewidth=2, label="writes FIFOs"),
        ]
    if with_form:
        line: dict[str, Any] = {"color": FRAME, "linewidth": 1.2}
        handles += [
            Line2D([], [], linestyle=":", label="closed form, to the first write", **line),
            Line2D([], [], label="closed form, to the last", **line),
        ]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False)


FILL, LIMIT = COLOURS["fifo"].light, COLOURS["soft"].light
FIFO_ROW_INCHES, FIFO_MARGIN_INCHES = 0.46, 1.0
FULL_HEIGHT = 0.8


def occupancy_chart(trace: Trace, form: str) -> bytes:
    """Return the chart of a run with samples as a file; the same run gives the same bytes.

    A row shows the most slots in use in any stream of a FIFO within a span of the run; its upper
    border is the depth of the FIFO.

    Parameters
    ----------
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    import numpy as np

    height = FIFO_MARGIN_INCHES + FIFO_ROW_INCHES * len(trace.fifos)
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
