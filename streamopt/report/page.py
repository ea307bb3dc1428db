"""A report as one HTML file that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from streamopt.report.charts import INLINE, style_variables, themed

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER = re.compile(r"(< )?-?[\d,]+(\.\d+)?( ?(%|x|bit))?( (to|of) [\d,]+)?|-|none")


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart that can be drawn in any format.

    Attributes
    ----------
    name
        Of its file without the ending, and on the page.
    says
        What it shows, for those who don't see it; the section's tables have the numbers.
    draw
        From one of `streamopt.report.charts.FORMATS`, or ``INLINE``, to the file.
    """

    name: str
    says: str
    draw: Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a header.

    Attributes
    ----------
    is_open
        Whether it is seen before one asks for it.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_open: bool = False

    @property
    def is_numeric(self) -> tuple[bool, ...]:
        """Return of every column whether it holds numbers only."""
        columns = zip(*self.rows, strict=True) if self.rows else (() for _ in self.header)
        return tuple(bool(c) and all(NUMBER.fullmatch(cell) for cell in c) for c in columns)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report; ``anchor`` is its name in links, ``listing`` keeps its lines."""

    anchor: str
    title: str
    words: tuple[str, ...] = ()
    picture: Picture | None = None
    tables: tuple[Table, ...] = ()
    listing: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A report: what it is about, the figures that matter most, and the rest in sections."""

    title: str
    lead: str
    figures: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Return the pictures of all sections."""
        return tuple(s.picture for s in self.sections if s.picture is not None)


def html(page: Page) -> str:
    """Return a report as HTML; the same report gives the same text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("streamopt.report", "data"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        page=page,
        drawings={picture.name: _drawing(picture) for picture in page.pictures},
        light=style_variables(dark=False),
        dark=style_variables(dark=True),
    )


def _drawing(picture: Picture) -> Any:
    from markupsafe import Markup

    return Markup(inline_svg(picture.draw(INLINE), picture.name, picture.says))


def inline_svg(svg: bytes, name: str, title: str) -> str:
    """Return a chart of format ``INLINE`` as an element of a page.

    Parameters
    ----------
    name
        Unique on the page; what is defined in the picture gets it as prefix.
    title
        What the picture shows, read aloud in its place.
    """
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style type=\"text/css\">.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\bid=\"([^\"]+)\"", rf'id="{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    text = re.sub(r"href=\"#([^\"]+)\"", rf'href="#{name}-\1"', text)
    label = f'<svg role="img" aria-labelledby="{name}-title"'
    head, rest = text.split(">", 1)
    title = f'<title id="{name}-title">{escape(title)}</title>'
    return themed(f"{head.replace('<svg', label, 1)}>{title}{rest}")
