"""A dataflow graph as an SVG: text in its reader's colours, without any package.

It takes its ink from the text around it and its colours from the page's variables, with colours
that both light and dark paper bear where there are none, as in notebooks. Scripts find elements by
``data-node``, ``data-channel`` and ``data-array``.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from streamopt.ir.graph import Graph
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.report.graph.layout import Point, Rectangle
from streamopt.report.graph.picture import (
    HEAD_PIXELS,
    LETTER,
    LINE_PIXELS,
    WORDS_PIXELS,
    BoxKind,
    GraphBox,
    GraphPicture,
    Line,
    WireKind,
    graph_picture,
    scheduled_picture,
)

FIFO, PING_PONG, SOFT = "var(--fifo, #2a9061)", "var(--ping-pong, #c07a10)", "var(--soft, #808b94)"
STROKES: Mapping[WireKind, str] = {
    WireKind.FIFO: f'stroke="{FIFO}" stroke-width="2"',
    WireKind.PING_PONG: f'stroke="{PING_PONG}" stroke-width="2" stroke-dasharray="7 4"',
    WireKind.STREAM: 'stroke="currentColor" stroke-width="1.5" stroke-opacity="0.75"',
    WireKind.WHOLE: f'stroke="{PING_PONG}" stroke-width="1.5" stroke-dasharray="7 4"',
    WireKind.ARGUMENT: f'stroke="{SOFT}" stroke-width="1.2"',
}
HEADS = {
    WireKind.FIFO: FIFO,
    WireKind.STREAM: "currentColor",
    WireKind.ARGUMENT: SOFT,
}
FRAMES: Mapping[BoxKind, str] = {
    BoxKind.NODE: 'fill="currentColor" fill-opacity="0.07" stroke="currentColor"',
    BoxKind.SEQUENTIAL: 'fill="currentColor" fill-opacity="0.07" stroke="currentColor" '
    'stroke-dasharray="2 2"',
    BoxKind.INPUT: f'fill="none" stroke="{SOFT}"',
    BoxKind.WEIGHT: f'fill="none" stroke="{SOFT}" stroke-dasharray="2 3"',
    BoxKind.OUTPUT: f'fill="none" stroke="{SOFT}" stroke-width="2"',
}
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
ARROW = (4.5, 9.0)
"""Half the width and the length of an arrow's head."""
LEGEND_PIXELS = 26.0
ALONE = "@media (prefers-color-scheme: dark) { svg:root { color: #e8edf2 } }"
"""For the picture as a file: on a page, no rule of it applies."""


def graph_svg(graph: Graph) -> str:
    """Return the drawing of a graph for which nothing is decided.

    Nodes have their trip counts, channels and arguments their shapes and element types; a channel
    that no schedule makes a FIFO is dashed.
    """
    return picture_svg(graph_picture(graph))


def scheduled_svg(scheduled: ScheduledGraph, facts: Mapping[str, str]) -> str:
    """Return the drawing of a scheduled graph.

    FIFOs are green and solid, ping-pong buffers amber and dashed; each has the bits that it hands
    over at once, and a FIFO the depth of its streams.

    Parameters
    ----------
    facts
        Words about a node, by node: ``II 1, 64 lanes, 320 DSPs``.
    """
    return picture_svg(scheduled_picture(scheduled, facts))


def picture_svg(picture: GraphPicture) -> str:
    """Return a picture as an SVG; the same picture gives the same text."""
    return "\n".join(_parts(picture))


def _parts(picture: GraphPicture) -> Iterator[str]:
    place, legend = picture.layout, [*_legend(picture)]
    least = max((end for end, _ in legend), default=0.0)
    width = max(place.width, least)
    height = place.height + (LEGEND_PIXELS if legend else 0)
    says = escape(picture.says)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="group" aria-label="{says}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="{FONT}" font-size="{WORDS_PIXELS:g}">'
    )
    yield f"<desc>{says}</desc><style>{ALONE}</style>"
    aside = (width - place.width) / 2
    yield f'<g transform="translate({aside:.1f} 0)" stroke-linejoin="round">'
    for line in picture.lines:
        yield _line(picture, line)
    for box in picture.boxes:
        yield _box(box, place.boxes[box.key])
    yield "</g>"
    if legend:
        yield f'<g class="legend" transform="translate(0 {place.height:.1f})">'
        yield from (text for _, text in legend)
        yield "</g>"
    yield "</svg>"


def _line(picture: GraphPicture, line: Line) -> str:
    runs = picture.layout.routes[line.key]
    ends = "".join(
        f' data-{side}="{escape(key)}"'
        for side, key in (("from", line.start), ("to", line.end))
        if " " not in key
    )
    kind = "array" if line.kind is WireKind.ARGUMENT else "channel"
    path = " ".join(map(_path, runs))
    x, y = runs[-1][-1]
    across, down = ARROW
    head = f"M{x:.1f} {y:.1f}l{-across:g} {-down:g}h{2 * across:g}z"
    texts = ""
    if line.key in picture.layout.labels:
        texts = _texts(line.words, picture.layout.labels[line.key])
    title = f"<title>{escape(line.says)}</title>" if line.says else ""
    return (
        f'<g class="wire {line.kind}" data-{kind}="{escape(line.name)}"{ends}>{title}'
        f'<path d="{path}" fill="none" {STROKES[line.kind]}/>'
        f'<path d="{head}" class="head" fill="{HEADS.get(line.kind, PING_PONG)}"/>{texts}</g>'
    )


def _path(run: Sequence[Point]) -> str:
    """Return a run: straight down inside of layers, a bend between them."""
    found = [f"M{run[0][0]:.1f} {run[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(run):
        if y1 - y0 > 0.05:
            middle = (y0 + y1) / 2
            bend = f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} "
            found.append(f"{'L' if abs(x1 - x0) < 0.05 else bend}{x1:.1f} {y1:.1f}")
    return "".join(found)


def _box(box: GraphBox, place: Rectangle) -> str:
    left, top, *_ = place.sides
    rounding = place.height / 2 if box.kind.is_argument else 5
    key = "array" if box.kind.is_argument else "node"
    return (
        f'<g class="box {box.kind}" data-{key}="{escape(box.name)}" role="img" '
        f'aria-label="{escape(box.says)}"><title>{escape(box.says)}</title>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{place.width:.1f}" '
        f'height="{place.height:.1f}" rx="{rounding:g}" {FRAMES[box.kind]}/>'
        f"{_texts(box.lines, place)}</g>"
    )


def _texts(lines: Sequence[str], place: Rectangle) -> str:
    """Return lines in the middle of a place, the first of which has the larger letters."""
    first = place.y - LINE_PIXELS * (len(lines) - 1) / 2 + 4
    texts = (
        f'<text x="{place.x:.1f}" y="{first + LINE_PIXELS * at:.1f}" text-anchor="middle" '
        f'fill="currentColor" '
        + (f'font-size="{HEAD_PIXELS:g}" font-weight="600"' if not at else 'fill-opacity="0.85"')
        + f">{escape(line)}</text>"
        for at, line in enumerate(lines)
    )
    return "".join(texts)


def _legend(picture: GraphPicture) -> Iterator[tuple[float, str]]:
    """Yield where an entry ends, and its text."""
    x = 8.0
    for kind, words in picture.legend:
        end = x + 36 + LETTER * WORDS_PIXELS * len(words)
        yield (
            end + 8,
            (
                f'<path d="M{x:.0f} 12h28" fill="none" {STROKES[kind]}/>'
                f'<text x="{x + 36:.0f}" y="16" fill="currentColor">{words}</text>'
            ),
        )
        x = end + 20
