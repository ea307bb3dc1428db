"""A scheduled graph as a picture: what runs, and what is handed over how."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from streamopt.ir.schedule import ChannelKind
from streamopt.report.charts import COLOURS, chart_bytes, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.scheduled import Channel, ScheduledGraph

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


SWEEPS = 8
Point: TypeAlias = tuple[float, float]
Spot: TypeAlias = tuple[str, int]
"""A node and 0; or an edge by its name, and how many layers below its producer it bends."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in columns and layers; layers grow downwards.

    Attributes
    ----------
    routes
        Points of every edge, from its producer over its bends to its consumer.
    columns, layers
        Extent of the picture.
    """

    nodes: Mapping[str, Point]
    routes: Mapping[str, tuple[Point, ...]]
    columns: float
    layers: int


def layered(nodes: Sequence[str], edges: Sequence[tuple[str, str, str]]) -> Layout:
    """Return places for nodes, and routes for edges of (name, producer, consumer)."""
    import networkx as nx

    graph = cast("Any", nx).MultiDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((producer, consumer) for _, producer, consumer in edges)
    depth = {
        name: level
        for level, names in enumerate(cast("Any", nx).topological_generations(graph))
        for name in names
    }
    for name in nodes:
        if not graph.in_degree(name) and graph.out_degree(name):  # sources go down to their readers
            depth[name] = min(depth[reader] for reader in graph.successors(name)) - 1
    chains = {
        name: _chain(name, (producer, consumer), depth[consumer] - depth[producer])
        for name, producer, consumer in edges
    }
    level = {(name, 0): depth[name] for name in nodes}
    for name, producer, _ in edges:
        level.update((spot, depth[producer] + spot[1]) for spot in chains[name][1:-1])
    rows: list[list[Spot]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for spot, at in level.items():
        rows[at].append(spot)
    across = _ordered(rows, list(chains.values()))
    places = {spot: (across[spot], float(at)) for spot, at in level.items()}
    return Layout(
        {name: places[name, 0] for name in nodes},
        {name: tuple(places[spot] for spot in chain) for name, chain in chains.items()},
        max((len(row) for row in rows), default=1),
        len(rows),
    )


def _chain(name: str, ends: tuple[str, str], levels: int) -> list[Spot]:
    """Return the spots of an edge; bends are named so that no node has their name."""
    bends = [(f"edge {name}", below) for below in range(1, levels)]
    return [(ends[0], 0), *bends, (ends[1], 0)]


def _ordered(rows: list[list[Spot]], chains: list[list[Spot]]) -> dict[Spot, float]:
    """Return the column of every spot, each row centred."""
    above: dict[Spot, list[Spot]] = {}
    below: dict[Spot, list[Spot]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    widest = max((len(row) for row in rows), default=1)
    across = {spot: float(place) for row in rows for place, spot in enumerate(row)}
    for sweep in range(SWEEPS):
        neighbours, ordered = (below, rows[::-1]) if sweep % 2 else (above, rows)
        for row in ordered:
            means = {spot: _mean(spot, neighbours, across) for spot in row}
            row.sort(key=means.__getitem__)
            margin = (widest - len(row)) / 2
            across.update((spot, margin + place) for place, spot in enumerate(row))
    return across


def _mean(spot: Spot, neighbours: Mapping[Spot, list[Spot]], across: Mapping[Spot, float]) -> float:
    found = neighbours.get(spot, [])
    return sum(across[other] for other in found) / len(found) if found else across[spot]
