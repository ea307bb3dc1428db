"""A scheduled graph as a picture: what runs, and what is handed over how."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.ir.schedule import ChannelKind
from streamopt.report.charts import chart_bytes, new_figure
from streamopt.report.layers import layered
from streamopt.report.palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.scheduled import Channel, ScheduledGraph
    from streamopt.report.layers import Layout, Point

__all__ = ["channel_bits", "dataflow_chart"]

COLUMN_INCHES, LAYER_INCHES, LEAST_INCHES = 2.7, 1.3, 5.0
BOX = (0.78, 0.36)
"""Width in columns and height in layers of a node."""
PAPER, PANEL, FRAME, FIFO, PING_PONG = (
    COLOURS[name].light for name in ("paper", "panel", "frame", "fifo", "ping-pong")
)


def channel_bits(scheduled: ScheduledGraph, channel: Channel) -> int:
    """Return the bits that a channel hands over at once: those of an element in every lane."""
    return scheduled.graph.array(channel.edge.array).element.bits * prod(channel.lanes)


def dataflow_chart(scheduled: ScheduledGraph, facts: Mapping[str, str], form: str) -> bytes:
    """Return the picture as a file; the same schedule gives the same bytes.

    FIFOs are green and solid, ping-pong buffers amber and dashed; each has its width in bits and
    a FIFO the depth of its streams.

    Parameters
    ----------
    facts
        What to say below a node's name, by node.
    form
        One of `streamopt.report.charts.FORMATS`, or ``INLINE`` there.
    """
    channels = {channel.edge.channel: channel for channel in scheduled.channels}
    layout = layered(
        [node.node.name for node in scheduled.nodes],
        [(name, c.edge.producer, c.edge.consumer) for name, c in channels.items()],
    )
    width, height = layout.columns * COLUMN_INCHES, layout.layers * LAYER_INCHES
    width = max(LEAST_INCHES, width)
    figure, axes = new_figure(width, height + 0.6, scheduled.graph.name)
    axes.axis("off")
    middle, half = (layout.columns - 1) / 2, width / COLUMN_INCHES / 2 + 0.05
    axes.set_xlim(middle - half, middle + half)
    axes.set_ylim(layout.layers - 0.6, -0.4)
    aside = _asides(channels)
    places = _label_places(channels, layout, aside)
    for name, channel in channels.items():
        _draw_channel(axes, layout.routes[name], channel, aside[name])
    for name, channel in channels.items():
        bits = channel_bits(scheduled, channel)
        _label(axes, places[name], channel, bits)
    for node in scheduled.nodes:
        _draw_node(axes, layout.nodes[node.node.name], node.node.name, facts)
    _legend(figure, channels)
    return chart_bytes(figure, form)


def _asides(channels: Mapping[str, Channel]) -> dict[str, float]:
    """Return how far channels bend aside, so that those between the same nodes don't hide."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, channel in channels.items():
        groups.setdefault((channel.edge.producer, channel.edge.consumer), []).append(name)
    return {
        name: place - (len(names) - 1) / 2
        for names in groups.values()
        for place, name in enumerate(names)
    }


def _draw_channel(axes: Any, route: tuple[Point, ...], channel: Channel, aside: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    streams = channel.kind is ChannelKind.FIFO
    ends = [(route[0][0], route[0][1] + BOX[1] / 2), *route[1:-1]]
    ends.append((route[-1][0], route[-1][1] - BOX[1] / 2))
    colour, dashes = (FIFO, "-") if streams else (PING_PONG, (0, (4, 2)))
    for place, (start, end) in enumerate(pairwise(ends)):
        last = place == len(ends) - 2
        arrow = FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>" if last else "-",
            mutation_scale=12,
            linewidth=1.8,
            shrinkA=0,
            shrinkB=0,
            connectionstyle=f"arc3,rad={0.35 * aside}",
            color=colour,
            linestyle=dashes,
        )
        axes.add_patch(arrow)


def _label(axes: Any, place: Point, channel: Channel, bits: int) -> None:
    words = f"{_short(channel.edge.channel, 20)}\n{bits:,} bit"
    if channel.kind is ChannelKind.FIFO:
        words += f", {channel.depth_elems:,} deep"
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8}
    axes.text(*place, words, ha="center", va="center", fontsize=8, bbox=box)


def _label_places(
    channels: Mapping[str, Channel], layout: Layout, aside: Mapping[str, float]
) -> dict[str, Point]:
    """Return where labels are: away from the end at which more channels meet."""
    leaving = Counter(channel.edge.producer for channel in channels.values())
    coming = Counter(channel.edge.consumer for channel in channels.values())
    places: dict[str, Point] = {}
    for name, channel in channels.items():
        (x0, y0), (x1, y1) = layout.routes[name][:2]
        spread = leaving[channel.edge.producer] - coming[channel.edge.consumer]
        share = 0.5 if not spread else 0.62 if spread > 0 else 0.38
        x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        places[name] = (x - 0.55 * aside[name], y)
    return places


def _draw_node(axes: Any, place: Point, name: str, facts: Mapping[str, str]) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = (place[0] - BOX[0] / 2, place[1] - BOX[1] / 2)
    shape = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch(corner, *BOX, shape, facecolor=PANEL, edgecolor=FRAME, zorder=3))
    line = {"ha": "center", "va": "center", "zorder": 4}
    axes.text(place[0], place[1] - 0.07, _short(name, 26), fontsize=9, **line)
    axes.text(place[0], place[1] + 0.08, facts.get(name, ""), fontsize=7.5, **line)


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _legend(figure: Any, channels: Mapping[str, Channel]) -> None:
    from matplotlib.lines import Line2D

    counts = Counter(channel.kind for channel in channels.values())
    lines = {
        ChannelKind.FIFO: Line2D([], [], color=FIFO, linewidth=1.8, label="FIFO"),
        ChannelKind.PING_PONG: Line2D(
            [], [], color=PING_PONG, linewidth=1.8, linestyle="--", label="ping-pong buffer"
        ),
    }
    handles = [line for kind, line in lines.items() if counts[kind]]
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=2, frameon=False)
