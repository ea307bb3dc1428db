"""The colours of all pictures by what they stand for, on light and on dark paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COLOURS", "Colour", "style_variables", "themed"]


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
    "stall": Colour("#e0a030", "#e5ab45"),
    "fifo": Colour("#1f7a4d", "#4cc38a"),
    "ping-pong": Colour("#b26a00", "#f0b155"),
    "write": Colour("#7d4fa0", "#bd93dd"),
    "over": Colour("#b3261e", "#f2867e"),
}
"""Each is drawn with a light colour of its own, by which it is found again in a picture."""


def themed(svg: str) -> str:
    """Return an SVG whose colours are the page's, which change with the reader's theme."""
    for name, colour in COLOURS.items():
        svg = svg.replace(colour.light, f"var(--{name})")
    return svg


def style_variables(*, dark: bool) -> str:
    """Return the colours as CSS declarations."""
    pairs = ((name, c.dark if dark else c.light) for name, c in COLOURS.items())
    return " ".join(f"--{name}: {value};" for name, value in pairs)
