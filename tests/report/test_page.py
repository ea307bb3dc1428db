"""The page of a design and of a comparison: what it tells, and that it needs nothing else."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import ReportError
from streamopt.report.charts import COLOURS
from streamopt.report.page import NUMBER
from tests.support.reported_design import report, small_graph, solved

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"name": "g", "roofline_cycles": 50, "dsp_limit": 10, "dsps": 8, "lut": 5}
ROWS = [
    {**ROW, "level": "opt1", "objective_cycles": 90, "simulated_cycles": 100, "proof": "optimal"},
    {**ROW, "level": "", "strategy": "hida", "estimated_cycles": 70, "simulated_cycles": "80"},
    {**ROW, "strategy": "pom", "simulated_cycles": "", "message": "<b>can't</b>"},
]


class Elements(HTMLParser):
    """Collects elements, and what is open but shouldn't be at the end."""

    EMPTY = ("meta", "link", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@cache
def pages() -> dict[str, str]:
    return {"design": report().html(), "comparison": so.report_rows(ROWS).html()}


@pytest.mark.parametrize("name", ["design", "comparison"])
def test_it_is_well_formed_and_needs_nothing_else(name: str) -> None:
    text = pages()[name]
    page = Elements(text)
    assert page.open == []
    for _, attributes in page.found:
        for key in ("src", "href", "xlink:href", "action"):
            target = attributes.get(key)
            assert target is None or target.startswith(("#", "data:,"))
    assert [a.get("type") for a in page.all("script")] == ["application/json", None]
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


@pytest.mark.parametrize("name", ["design", "comparison"])
def test_people_who_do_not_see_it_can_read_it(name: str) -> None:
    page = Elements(pages()[name])
    ids = [a["id"] for _, a in page.found if "id" in a]
    assert len(set(ids)) == len(ids)
    links = [str(a["href"]) for a in page.all("a")]
    assert links[0] == "#report"
    assert {link.removeprefix("#") for link in links} <= set(ids)
    for attributes in page.all("svg"):
        assert attributes["role"] in ("img", "group")
        assert attributes.get("aria-label") or attributes["aria-labelledby"] in ids
    for attributes in page.all("section"):
        assert attributes["aria-labelledby"] in ids
    assert len(page.all("table")) == len(page.all("caption")) == len(page.all("summary"))
    assert all(a["scope"] in ("col", "row") for a in page.all("th"))
    assert page.all("html")[0]["lang"] == "en"


def test_every_picture_has_a_table() -> None:
    for section in report().page.sections:
        assert section.picture is None or section.tables
        assert section.picture or section.tables or section.listing


def test_it_tells_what_was_found() -> None:
    found = {s.anchor: s for s in report().page.sections}
    evaluation = so.evaluate(small_graph(), solved().schedule)
    facts = {row[0]: row[1] for row in found["proof"].tables[0].rows}
    assert facts["proof"] == "optimal in the opt5 model (proved)"
    assert facts["no schedule of the level has a latency below"] == f"{solved().bound} cycles"
    figures = dict(report().page.figures)
    assert figures["simulated"] == f"{evaluation.trace.cycles} cycles"
    assert [*figures][:4] == ["simulated", "at 300 MHz", "at 216 MHz", "of an SLR"]
    channels = found["dataflow"].tables[0].rows
    depth = solved().schedule.channel("C").depth_elems
    assert channels[0][:4] == ("C", "C", "D", "fifo")
    assert channels[0][5] == str(depth)
    assert channels[1][3:] == ("ping-pong", channels[1][4], "-")
    processes = {row[0]: row for row in found["run"].tables[0].rows}
    last = evaluation.trace.process("Y")
    assert processes["Y"][1] == f"{last.starts[0]} to {last.ends[0]}"
    points = found["front"].tables[0].rows
    assert (str(solved().latency_cycles), str(solved().prediction.dsps), "proved") == points[0]


def test_loops_are_readable() -> None:
    listing = report().page.sections[-1].listing
    plan = solved().schedule.node("C")
    assert "C[i][j] += A[i][k] * B[k][j]" in listing
    loops = re.findall(r"for (\w) in", listing.split("\n\n")[0])
    assert loops == [name for name in plan.order if name in loops]
    assert "hands D (ping-pong buffer" in listing


def test_a_schedule_made_by_hand_has_no_proof() -> None:
    page = so.report_design(small_graph(), solved().schedule).page
    (proof,) = (section for section in page.sections if section.anchor == "proof")
    assert "no proof" in proof.words[0]
    assert proof.tables == ()


def test_a_changed_schedule_is_told() -> None:
    facts = {**so.record(solved()), "simulated_cycles": 7}
    page = so.report_design(small_graph(), solved().schedule, result=facts).page
    (proof,) = (section for section in page.sections if section.anchor == "proof")
    assert "it was simulated at 7 cycles then" in proof.words[1]


def test_what_others_wrote_is_escaped() -> None:
    text = pages()["comparison"]
    assert "<b>can" not in text
    assert "&lt;b&gt;can&#39;t" in text


def test_comparison_tells_every_way() -> None:
    page = so.report_rows(ROWS).page
    cells = {row[0]: row for row in page.sections[0].tables[0].rows}
    assert cells["opt1"][1:5] == ("90", "100", "1.0 x", "2.00 x")
    assert cells["hida"][1:5] == ("70", "80", "1.2 x", "1.60 x")
    assert cells["pom"][-1] == "refused"
    assert ("fewest cycles", "80") in page.figures


@pytest.mark.parametrize("rows", [[], [{"a": 1}]])
def test_other_rows_are_refused(rows: list[dict[str, str | int | float | None]]) -> None:
    with pytest.raises(ReportError, match="E873 these are no rows of a comparison"):
        so.report_rows(rows)


def test_the_same_report_gives_the_same_text() -> None:
    assert so.report_rows(ROWS).html() == pages()["comparison"]


def test_pictures_take_the_colours_of_the_page() -> None:
    text = pages()["design"]
    drawings = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert "var(--fifo" in drawings
    assert not [colour.light for colour in COLOURS.values() if colour.light in drawings]
    assert len({colour.light for colour in COLOURS.values()}) == len(COLOURS)


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_figures_for_papers(form: str, tmp_path: Path) -> None:
    paths = so.report_rows(ROWS).write_figures(tmp_path / "new", form)
    assert [path.name for path in paths] == [f"cycles.{form}", f"roofline.{form}"]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_figures_refuse_other_formats_before_they_write(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="E871"):
        report().write_figures(tmp_path / "new", "gif")
    assert not (tmp_path / "new").exists()


def test_notebooks_show_it_in_a_frame() -> None:
    shown = getattr(so.report_rows(ROWS), "_repr_html_")()  # noqa: B009
    (frame,) = Elements(shown).all("iframe")
    assert frame["srcdoc"] == pages()["comparison"]


def test_notebooks_show_solutions_and_traces() -> None:
    trace = so.simulate(small_graph(), solved().schedule)
    for value, words in ((solved(), "bound"), (trace, f"{trace.cycles} cycles")):
        shown = getattr(value, "_repr_html_")()  # noqa: B009
        assert words in shown
        rows = Elements(shown).all("tr")
        assert len(rows) == 4


@pytest.mark.parametrize("text", ["1,234", "83.3 % of 3,008", "0 to 7", "2.00 x", "-", "< 1 %"])
def test_numbers_stand_to_the_right(text: str) -> None:
    assert NUMBER.fullmatch(text)


@pytest.mark.parametrize("text", ["opt5", "", "II 1, 8 lanes", "1 to"])
def test_words_stand_to_the_left(text: str) -> None:
    assert not NUMBER.fullmatch(text)
