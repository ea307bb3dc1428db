"""Drawings of a report and a comparison in headless Chromium: chosen, sorted, readable, apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.report.graph.drawing import graph_svg
from tests.support.chromium import needs_chromium
from tests.support.report_pages import OVERFLOWING, OVERPRINTED
from tests.support.reported_design import report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.chromium import Tab

pytestmark = needs_chromium
GRAPHS = Path(__file__).parents[2] / "graphs"
WIDTHS = (400, 1100, 1900)
ROW = {"name": "g", "roofline_cycles": 600, "dsp_limit": 2560, "device": "u280"}
ROWS = [
    {**ROW, "level": f"opt{at}", "simulated_cycles": cycles, "dsps": dsps, "lut": 90_000 * at}
    for at, cycles, dsps in ((3, 8505, 367), (4, 2194, 1501), (5, 2194, 1501), (6, 617, 2172))
] + [
    {**ROW, "strategy": name, "simulated_cycles": cycles, "dsps": dsps, "lut": 5}
    for name, cycles, dsps in (("hida", 1394, 2460), ("codo", 1575, 2050), ("pom", 12867, 251))
]
CONTRAST = """(() => {
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const paper = parts(getComputedStyle(document.body).backgroundColor);
  const poor = [];
  for (const each of document.querySelectorAll('.view text, .view .said, .view .name, .slider *')) {
    if (!each.textContent.trim() || !each.getClientRects().length) continue;
    const style = getComputedStyle(each), opacity = Number(style.fillOpacity || 1);
    const ink = parts(each.tagName === 'text' ? style.fill : style.color)
      .map((v, at) => v * opacity + paper[at] * (1 - opacity));
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5 && each.tagName !== 'BUTTON') poor.push(each.outerHTML);
  }
  return poor;
})()"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a design and its front, a comparison, and a large graph alone."""
    found = tmp_path_factory.mktemp("pages")
    report().write(found / "design.html")
    so.report_rows(ROWS).write(found / "comparison.html")
    graph = so.dataflow(so.load(GRAPHS / "transformers" / "multi_head_attention.json"))
    page = f'<!DOCTYPE html><meta charset="utf-8"><title>g</title>{graph_svg(graph)}'
    (found / "graph.html").write_text(page, encoding="utf-8")
    return found


@pytest.fixture
def page(tab: Tab, folder: Path) -> Iterator[Path]:
    """Yield a report that is open; it must not have complained at the end."""
    tab.sees(1100, 900)
    tab.open(folder / "design.html")
    yield folder / "design.html"
    assert tab.complaints == []


def click(tab: Tab, selector: str) -> None:
    left, top, width, height = tab.box(selector)
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        tab.points(kind, left + width / 2, top + height / 2)
    tab.settle()


def test_a_click_on_a_node_fills_the_panel(page: Path, tab: Tab) -> None:
    click(tab, "[data-node=D] rect")
    assert tab.does("report.state.node") == "D"
    assert "D" in tab.does("document.querySelector('#node select').value")
    assert (
        tab.does("document.querySelector('[data-node=D]').getAttribute('aria-pressed')") == "true"
    )


def test_keys_choose_a_node_and_show_its_channels(page: Path, tab: Tab) -> None:
    tab.does("document.querySelector('[data-node=C]').focus()")
    near = "[...document.querySelectorAll('.near.wire')].map(w => w.dataset)"
    near += ".map(d => d.channel || d.array)"
    assert sorted(tab.does(near)) == ["A", "B", "C"]
    tab.presses("Enter")
    assert tab.does("report.state.node") == "C"
    tab.does("document.querySelector('[data-node=C]').blur()")
    assert tab.does(near) == []


def test_the_slider_changes_everything_by_keys(page: Path, tab: Tab) -> None:
    seen = (
        "['#figures', '[data-view=dataflow]', '[data-view=resources]', '[data-view=run] .plot',"
        "'[data-view=roofline]', '[data-view=front]', '#schedule pre']"
        ".map(s => document.querySelector(s).innerHTML)"
    )
    first = tab.does(seen)
    tab.does("document.querySelector('.slider input').focus()")
    tab.presses("ArrowLeft")
    assert tab.does("report.state.design") != 0
    assert all(a != b for a, b in zip(first, tab.does(seen), strict=True))
    said = tab.does("document.querySelector('.slider input').getAttribute('aria-valuetext')")
    assert said == tab.does("document.querySelector('.slider .label').textContent")
    assert "proved" in said
    assert f"{tab.does('report.design().cycles')} cycles simulated" in said
    tab.presses("End")
    assert tab.does("report.state.design") == 0
    assert tab.does(seen) == first


def test_a_point_of_the_front_can_be_chosen(page: Path, tab: Tab) -> None:
    tab.does("document.querySelector('[data-view=front]').scrollIntoView({block: 'center'})")
    click(tab, "[data-view=front] .point:not(.chosen)")
    assert tab.does("report.state.design") != 0
    assert tab.does("document.querySelectorAll('[data-view=front] .point.chosen').length") == 1


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["design", "comparison", "graph"])
def test_no_label_lies_on_another(tab: Tab, folder: Path, name: str, width: int) -> None:
    tab.sees(width, 900)
    tab.open(folder / f"{name}.html")
    assert tab.does(OVERPRINTED) == []
    assert tab.does(OVERFLOWING) == []
    if name != "graph":
        assert tab.does("document.documentElement.scrollWidth") <= width
    assert tab.complaints == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["design", "comparison"])
def test_words_stand_out(tab: Tab, folder: Path, name: str, dark: bool) -> None:
    tab.sees(1100, 900, dark=dark)
    tab.open(folder / f"{name}.html")
    assert tab.does(CONTRAST) == []


def test_rows_are_sorted_by_a_column_and_back(tab: Tab, folder: Path) -> None:
    tab.sees(1100, 900)
    tab.open(folder / "comparison.html")
    ways = "[...document.querySelectorAll('.sortable tbody th')].map(h => h.textContent)"
    head = ".sortable th:nth-child(3)"
    click(tab, f"{head} button")
    assert tab.does(ways) == ["opt6", "hida", "codo", "opt4", "opt5", "opt3", "pom"]
    assert tab.does(f"document.querySelector('{head}').getAttribute('aria-sort')") == "ascending"
    tab.does(f"document.querySelector('{head} button').focus()")
    tab.presses("Enter")
    assert tab.does(ways)[0] == "pom"
    assert tab.complaints == []
