"""Charts as files: their formats, and how a figure becomes the same bytes every time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from streamopt.errors import Diagnostic, ReportError
from streamopt.extras import require

FORMATS = ("png", "svg", "pdf")


def require_charts() -> None:
    """Check that charts can be drawn; raises MissingExtraError (E890) where they can't."""
    require("matplotlib", "report", "drawing charts")


def chart_format(path: Path) -> str:
    """Return the format of a chart by the ending of its file.

    Raises
    ------
    ReportError
        E871 if it is none of `FORMATS`.
    MissingExtraError
        E890 if charts can't be drawn here.
    """
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        message = f"a chart can't be written as '{path.name}'"
        raise ReportError(Diagnostic("E871", message, hint="end the name in .png, .svg or .pdf"))
    require_charts()
    return ending


def new_figure(width_inches: float, height_inches: float, title: str) -> tuple[Any, Any]:
    """Return an empty figure, which no window shows, and its axes."""
    require_charts()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(width_inches, height_inches), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, loc="left")
    return figure, axes


def at_right(axes: Any, words: str, row: float) -> None:
    """Write words to the right of the axes, where no mark is, at the height of a row."""
    axes.text(1.015, row, words, va="center", fontsize=8.5, transform=axes.get_yaxis_transform())


def label_points(
    figure: Any, axes: Any, points: Sequence[tuple[str, float, float]], avoided: Sequence[Any] = ()
) -> None:
    """Write words beside points, so that they lie neither on each other nor on another point.

    Words for which there is no room are left out, so the figure must have its limits before.

    Parameters
    ----------
    points
        Words, x and y of each.
    avoided
        Texts that are there already.
    """
    from matplotlib.transforms import Bbox

    figure.canvas.draw()
    renderer, inside = figure.canvas.get_renderer(), axes.get_window_extent()
    pixels = [axes.transData.transform((x, y)) for _, x, y in points]
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in pixels]
    taken += [text.get_window_extent(renderer) for text in avoided]
    for words, x, y in points:
        how = {"textcoords": "offset points", "xytext": (0, 0), "fontsize": 8.5}
        text = axes.annotate(words, (x, y), **how)
        for across, down in _BESIDE:
            side = "left" if across > 0 else "right" if across < 0 else "center"
            text.set(ha=side, va="center", position=(across, down))
            box = text.get_window_extent(renderer)
            if box.x0 > inside.x0 and box.x1 < inside.x1 and not box.count_overlaps(taken):
                taken.append(box)
                break
        else:
            text.remove()


_BESIDE = (
    *((7, 6), (7, -7), (-7, 6), (-7, -7), (0, 12), (0, -12)),
    *((12, 17), (12, -17), (-12, 17), (-12, -17), (0, 24), (0, -24)),
)
"""Where words may stand beside a point, in points of the figure."""


def mark_decades(axis: Any) -> None:
    """Mark a logarithmic axis at 1, 2 and 5 times powers of ten, as whole numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter

    least, most = axis.get_view_interval()
    subs = (1, 2, 5) if most < 500 * least else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter("{x:,.0f}")
    axis.set_minor_formatter(NullFormatter())


def mark_ratios(axes: Any, names: Sequence[str], *, font_points: float = 10.0) -> None:
    """Make axes with marks drawn a chart of ratios: named rows from the top, a line at 1.

    The ratios are on a logarithmic axis.
    """
    axes.axvline(1.0, color=COLOURS["ink"].light, linewidth=0.9, zorder=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names, fontsize=font_points)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(color=COLOURS["grid"].light, linewidth=0.7)
    axes.set_axisbelow(True)
    mark_decades(axes.xaxis)
    axes.xaxis.set_major_formatter("{x:g}x")


def chart_bytes(figure: Any, form: str) -> bytes:
    """Return a figure as a file of one of `FORMATS`; the same figure gives the same bytes."""
    import matplotlib

    content = BytesIO()
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    settings = {"svg.hashsalt": "streamopt"}  # the ids inside would be random without
    with cast("Any", matplotlib).rc_context(settings):
        figure.savefig(content, format=form, dpi=150, metadata=undated.get(form, {}))
    made = content.getvalue()
    return following_theme(made.decode()).encode() if form == "svg" else made


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour as pictures are drawn, which is that for light paper, and its dark counterpart."""

    light: str
    dark: str


COLOURS: Mapping[str, Colour] = {
    "ink": Colour("#000000", "#e8edf2"),
    "paper": Colour("#ffffff", "#14191f"),
    "frame": Colour("#1b2a36", "#c9d6e2"),
    "soft": Colour("#6b7780", "#9aa7b2"),
    "grid": Colour("#d8dde2", "#36414b"),
    "panel": Colour("#eef2f6", "#222b34"),
    "work": Colour("#2f6f9f", "#5b9fd4"),
    "stall": Colour("#b57800", "#e5ab45"),
    "room": Colour("#b83a0e", "#f08050"),
    "critical": Colour("#c2185b", "#ff7ab0"),
    "link": Colour("#1f5f8f", "#7ab4e6"),
    "quiet": Colour("#55606a", "#a9b5bf"),
    "fifo": Colour("#1f7a4d", "#4cc38a"),
    "ping-pong": Colour("#b26a00", "#f0b155"),
    "write": Colour("#7d4fa0", "#bd93dd"),
    "over": Colour("#b3261e", "#f2867e"),
}
"""Each is drawn with a light colour of its own, by which it is found again in a picture."""


SERIES: tuple[tuple[Colour, str], ...] = (
    (Colour("#0072b2", "#4ba6e0"), "o"),
    (Colour("#d55e00", "#f58a3d"), "s"),
    (Colour("#009e73", "#35c79b"), "^"),
    (Colour("#b65fa3", "#e39acf"), "D"),
    (Colour("#a87900", "#e8bb3f"), "v"),
    (Colour("#5a52b8", "#a8a0f5"), "P"),
    (Colour("#56b4e9", "#93d4fa"), "X"),
    (Colour("#7f8a94", "#aab4bd"), "h"),
)
"""Colours and markers of lines or points of a kind, told apart without seeing red or green."""


def following_theme(svg: str) -> str:
    """Return an SVG file that is dark where the reader's pages are.

    The colours stay as drawn. One rule per colour, for dark pages only, stands before them, so
    that a program that ignores such rules shows the light picture.
    """
    every = (*COLOURS.values(), *(colour for colour, _ in SERIES))
    rules = [f"svg {{ fill: {COLOURS['ink'].dark} }}"]  # text is black unless another is said
    for colour in every:
        for kind in ("fill", "stroke"):
            if (drawn := f"{kind}: {colour.light}") in svg:
                rules.append(f"[style*='{drawn}'] {{ {kind}: {colour.dark} !important }}")
    dark = "\n".join(rules)
    at = svg.index(">", svg.index("<svg")) + 1
    style = f"<style>@media (prefers-color-scheme: dark) {{\n{dark}\n}}</style>"
    return f"{svg[:at]}\n{style}{svg[at:]}"


def style_variables(*, dark: bool) -> str:
    """Return the colours as CSS declarations."""
    pairs = ((name, c.dark if dark else c.light) for name, c in COLOURS.items())
    return " ".join(f"--{name}: {value};" for name, value in pairs)
