"""A report as one HTML file that needs nothing else: no library, no font, no network.

Its words and tables are HTML; what can be zoomed and chosen is drawn by the scripts beside the
template, from one JSON document (`streamopt.report.design_document`).
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from streamopt.report.charts import INLINE, style_variables, themed
from streamopt.report.design_document import designs_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.report.design_document import DesignView

SCRIPTS = (
    *("store", "series", "cycles", "tip", "theme", "overview", "chart"),
    *("gantt", "fifos", "graph", "scatter", "roofline", "front"),
    *("node", "words", "address"),
)
"""The modules of a page in their order; each uses those before it."""
STYLES = ("page", "bars", "graph")
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
    """A part of a report.

    Attributes
    ----------
    anchor
        Its name in links, and of its drawing by a script.
    listing
        Text that keeps its lines.
    has_view
        Whether the page has a drawing of its own; ``picture`` is then for papers alone.
    drawing
        HTML of that drawing; empty where a script makes all of it.
    """

    anchor: str
    title: str
    words: tuple[str, ...] = ()
    picture: Picture | None = None
    tables: tuple[Table, ...] = ()
    listing: str = ""
    has_view: bool = False
    drawing: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A report: what it is about, the figures that matter most, and the rest in sections.

    Attributes
    ----------
    verdict
        The first sentences to read.
    designs
        What its scripts draw; the words and tables are those of the first.
    """

    title: str
    lead: str
    figures: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    verdict: tuple[str, ...] = ()
    designs: tuple[DesignView, ...] = ()

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Return the pictures of all sections."""
        return tuple(s.picture for s in self.sections if s.picture is not None)


def content(page: Page) -> dict[str, Any]:
    """Return the words and tables of a page for scripts, which show them in place of others."""
    return {
        "title": page.title,
        "verdict": page.verdict,
        "lead": page.lead,
        "figures": page.figures,
        "sections": [
            {
                "anchor": section.anchor,
                "words": section.words,
                "listing": section.listing,
                "drawing": section.drawing.split("\n") if section.drawing else None,
                "tables": [
                    {**asdict(table), "is_numeric": table.is_numeric} for table in section.tables
                ],
            }
            for section in page.sections
        ],
    }


def html(page: Page) -> str:
    """Return a report as HTML; the same report gives the same text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("streamopt.report", "data"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = "\n".join(_data(f"{name}.js") for name in SCRIPTS)
    return environment.get_template("page.html").render(
        page=page,
        drawings={
            section.picture.name: _drawing(section.picture)
            for section in page.sections
            if section.picture is not None and not section.has_view
        },
        document=Markup(designs_json(page.designs)),
        script=Markup(script),
        script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        style=Markup("\n".join(_data(f"{name}.css") for name in STYLES)),
        light=style_variables(dark=False),
        dark=style_variables(dark=True),
    )


def _data(name: str) -> str:
    return files("streamopt.report").joinpath("data", name).read_text(encoding="utf-8").strip()


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
