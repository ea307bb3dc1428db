"""A report as one HTML file that needs nothing else: no library, no font, no network.

Its words and tables are HTML; what can be zoomed and chosen is drawn by the scripts beside the
template, from one JSON document (`streamopt.report.design_document`).
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.resources import files
from typing import Any

from streamopt.report.charts import style_variables
from streamopt.report.design_document import DesignView, designs_json

SCRIPTS = (
    *("store", "series", "cycles", "tip", "theme", "overview", "chart"),
    *("gantt", "fifos", "words", "graph", "scatter", "roofline", "front"),
    *("node", "sort", "address"),
)
"""The modules of a page in their order; each uses those before it."""
STYLES = ("page", "bars", "graph")
NUMBER = re.compile(
    r"(< )?-?[\d,]+(\.\d+)?( ?(%|x|bit))?( (to|of) [\d,]+)?( \((< )?\d+ %\)( ▲)?)?|-|none"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart for papers, which can be drawn in any format."""

    name: str
    """Of its file without the ending."""
    draw: Callable[[str], bytes]
    """From one of `streamopt.report.charts.FORMATS` to the file."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a header."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_open: bool = False
    """Whether it is seen before one asks for it."""
    is_sortable: bool = False
    """Whether readers can sort its rows by a column."""

    @property
    def is_numeric(self) -> tuple[bool, ...]:
        """Return of every column whether it holds numbers only."""
        columns = zip(*self.rows, strict=True) if self.rows else (() for _ in self.header)
        return tuple(bool(c) and all(NUMBER.fullmatch(cell) for cell in c) for c in columns)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report."""

    anchor: str
    """Its name in links, and of its drawing by a script."""
    title: str
    words: tuple[str, ...] = ()
    picture: Picture | None = None
    tables: tuple[Table, ...] = ()
    listing: str = ""
    """Text that keeps its lines."""
    has_view: bool = False
    """Whether the page has a drawing of its own."""
    drawing: str = ""
    """HTML of that drawing; empty where a script makes all of it."""


@dataclass(frozen=True, slots=True)
class Page:
    """A report: what it is about, the figures that matter most, and the rest in sections."""

    title: str
    lead: str
    figures: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    verdict: tuple[str, ...] = ()
    """The first sentences to read."""
    designs: tuple[DesignView, ...] = ()
    """Drawn by its scripts; the words and tables are those of the first."""
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Other values that its scripts draw, by name."""

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
        document=Markup(designs_json(page.designs, page.values)),
        script=Markup(script),
        script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        style=Markup("\n".join(_data(f"{name}.css") for name in STYLES)),
        light=style_variables(dark=False),
        dark=style_variables(dark=True),
    )


def _data(name: str) -> str:
    return files("streamopt.report").joinpath("data", name).read_text(encoding="utf-8").strip()
