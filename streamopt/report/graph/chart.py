"""A scheduled graph as a picture for papers: what runs, and what is handed over how."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from streamopt.ir.scheduled import ScheduledGraph
from streamopt.report.charts import COLOURS, chart_bytes, new_figure
from streamopt.report.graph.layout import Point, Rectangle
from streamopt.report.graph.picture import (
    HEAD_PIXELS,
    LINE_PIXELS,
    WORDS_PIXELS,
    BoxKind,
    GraphBox,
    Line,
    WireKind,
    scheduled_picture,
)

INCHES, POINTS = 1 / 96, 72 / 96
"""Of a pixel."""
LEGEND_PIXELS, ARROW_PIXELS = 34.0, 10.0
PAPER, PANEL, FRAME, SOFT, FIFO, PING_PONG = (
    COLOURS[name].light for name in ("paper", "panel", "frame", "soft", "fifo", "ping-pong")
)
STYLES: Mapping[WireKind, tuple[str, Any, float]] = {
    WireKind.FIFO: (FIFO, "-", 1.6),
    WireKind.PING_PONG: (PING_PONG, (0, (4, 2)), 1.6),
    WireKind.ARGUMENT: (SOFT, "-", 0.9),
}
DASHES: Mapping[BoxKind, Any] = {BoxKind.SEQUENTIAL: "--", BoxKind.WEIGHT: ":"}


def dataflow_chart(scheduled: ScheduledGraph, facts: Mapping[str, str], form: str) -> bytes:
    """Return the picture as a file; the same schedule gives the same bytes.

    It is the drawing of `streamopt.report.graph.drawing`.

    Parameters
    ----------
    facts
        Words below a node's name, by node.
    form
        One of `streamopt.report.charts.FORMATS`.
    """
    picture = scheduled_picture(scheduled, facts)
    place = picture.layout
    width, height = max(place.width, 320.0), place.height + LEGEND_PIXELS
    figure, axes = new_figure(width * INCHES, height * INCHES, "")
    figure.set_layout_engine("none")
    axes.set_position((0, 0, 1, 1))
    axes.axis("off")
    aside = (width - place.width) / 2
    axes.set_xlim(-aside, width - aside)
    axes.set_ylim(height, 0)
    for line in picture.lines:
        _draw_line(axes, line, place.routes[line.key])
        if line.key in place.labels:
            _write(axes, line.words, place.labels[line.key])
    for box in picture.boxes:
        _draw_box(axes, box, place.boxes[box.key])
    _legend(figure, picture.legend)
    return chart_bytes(figure, form)


def _draw_line(axes: Any, line: Line, runs: Sequence[Sequence[Point]]) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    colour, dashes, width = STYLES[line.kind]
    for run in runs:
        corners = [*_corners(run)]
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(corners) - 1)]
        look = {"edgecolor": colour, "linestyle": dashes, "linewidth": width}
        axes.add_patch(PathPatch(Path(corners, codes), facecolor="none", **look))
    x, y = runs[-1][-1]
    head = [(x, y), (x - 4.5, y - ARROW_PIXELS), (x + 4.5, y - ARROW_PIXELS)]
    axes.add_patch(Polygon(head, facecolor=colour, edgecolor="none"))


def _corners(run: Sequence[Point]) -> Iterator[Point]:
    """Yield the corners of cubic curves through the points of a run, all upright there."""
    yield run[0]
    for (x0, y0), (x1, y1) in pairwise(run):
        middle = (y0 + y1) / 2
        yield from ((x0, middle), (x1, middle), (x1, y1))


def _draw_box(axes: Any, box: GraphBox, place: Rectangle) -> None:
    from matplotlib.patches import FancyBboxPatch

    left, top, *_ = place.sides
    rounding = place.height / 2 if box.kind.is_argument else 5
    colours = (PAPER, SOFT) if box.kind.is_argument else (PANEL, FRAME)
    axes.add_patch(
        FancyBboxPatch(
            (left, top),
            place.width,
            place.height,
            f"round,pad=0,rounding_size={rounding}",
            facecolor=colours[0],
            edgecolor=colours[1],
            linewidth=1.6 if box.kind is BoxKind.OUTPUT else 0.9,
            linestyle=DASHES.get(box.kind, "-"),
        )
    )
    _write(axes, box.lines, place)


def _write(axes: Any, lines: Sequence[str], place: Rectangle) -> None:
    first = place.y - LINE_PIXELS * (len(lines) - 1) / 2 + 4
    for at, line in enumerate(lines):
        axes.text(
            place.x,
            first + LINE_PIXELS * at,
            line,
            ha="center",
            family="monospace",
            fontsize=(WORDS_PIXELS if at else HEAD_PIXELS) * POINTS,
            weight="normal" if at else "bold",
        )


def _legend(figure: Any, kinds: Sequence[tuple[WireKind, str]]) -> None:
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    for kind, words in kinds:
        colour, dashes, width = STYLES[kind]
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=width, label=words))
    if handles:
        figure.legend(handles=handles, loc="lower left", ncols=2, frameon=False, fontsize=8.5)
