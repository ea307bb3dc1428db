"""A report in headless Chromium: light and dark, on paper, zoomed by mouse and keys, its panel."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from tests.support.chromium import needs_chromium
from tests.support.reported_design import report, small_graph, solved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.chromium import Tab

pytestmark = needs_chromium
TOTAL = "report.design().total_cycles"
SEEN = "[report.state.from_cycle, report.state.to_cycle]"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report().write(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def page(tab: Tab, path: Path) -> Iterator[Path]:
    """Yield a report that is open; it must not have complained at the end."""
    tab.sees(1100, 900)
    tab.open(path)
    yield path
    assert tab.complaints == []


def mean(path: Path) -> float:
    """Return the mean of all pixels, from 0 for black to 1 for white."""
    from matplotlib.image import imread

    pixels: Any = imread(path)
    return float(pixels[..., :3].mean())


def test_light_and_dark(page: Path, tab: Tab) -> None:
    found: list[float] = []
    for dark in (False, True):
        tab.sees(1250, 3000, dark=dark)
        tab.open(page)
        found.append(mean(tab.picture(page.with_name("seen.png"))))
    light, dimmed = found
    assert light > 0.8
    assert dimmed < 0.3


def test_drag_zooms_both_charts(page: Path, tab: Tab) -> None:
    left, top, width, _ = tab.box("[data-view=run] .plot")
    tab.drags((left + width / 4, top + 45), (left + width / 2, top + 45))
    start, end = tab.does(SEEN)
    total = tab.does(TOTAL)
    assert start == pytest.approx(total / 4, abs=2)
    assert end == pytest.approx(total / 2, abs=2)
    found = "[...document.querySelectorAll('[data-view={}] .tick')].map(t => t.textContent)"
    ticks = [tab.does(found.format(name)) for name in ("run", "fifos")]
    assert ticks[0] == ticks[1] != []
    tab.drags((left + width / 2, top + 45), (left + width / 4, top + 45), modifiers=8)
    assert tab.does(SEEN)[0] > start  # Shift moves what is seen
    tab.does("document.querySelector('.bar button:nth-of-type(5)').click()")
    assert tab.does(SEEN) == [0, total]


def test_wheel_zooms_with_control_alone(page: Path, tab: Tab) -> None:
    left, top, _, _ = tab.box("[data-view=run] .plot")
    wheel: dict[str, Any] = {"deltaX": 0, "deltaY": -120, "button": "none"}
    tab.points("mouseWheel", left + 90, top + 45, **wheel)
    tab.settle()
    assert tab.does(SEEN) == [0, tab.does(TOTAL)]
    left, top, _, _ = tab.box("[data-view=run] .plot")
    tab.points("mouseWheel", left + 90, top + 45, modifiers=2, **wheel)
    tab.settle()
    start, end = tab.does(SEEN)
    assert end - start < tab.does(TOTAL)


def test_keys_reach_everything(page: Path, tab: Tab) -> None:
    tab.does("document.querySelector('[data-view=run] .labels button').focus()")
    tab.presses("+")
    start, end = tab.does(SEEN)
    assert end - start == pytest.approx(tab.does(TOTAL) / 2, abs=2)
    tab.presses("ArrowRight")
    assert tab.does(SEEN)[0] > start
    tab.presses("ArrowDown")
    assert tab.does("document.activeElement.textContent") == "D"
    assert "D: in cycles" in tab.does("document.getElementById('said').textContent")
    tab.presses("ArrowRight", shift=True)
    assert "D: at cycle" in tab.does("document.getElementById('said').textContent")
    tab.presses("Enter")
    assert tab.does("report.state.node") == "D"
    tab.presses("Escape")
    assert tab.does("[report.state.node, document.activeElement.textContent]") == [None, "D"]
    tab.presses("0")
    assert tab.does(SEEN) == [0, tab.does(TOTAL)]


def test_pointer_tells_what_a_process_waits_for(page: Path, tab: Tab) -> None:
    left, top, _, _ = tab.box("[data-view=run] .plot")
    tab.points("mouseMoved", left + 3, top + 26 + 42 + 20)  # the second process waits for the first
    tab.settle()
    told = tab.does("document.getElementById('tip').textContent")
    assert told.startswith("Dat") or told.startswith("Din")
    assert "for input C from C" in told
    assert tab.does("report.state.cursor_cycle") is not None


def test_panel_has_loops_and_the_function_of_the_project(page: Path, tab: Tab) -> None:
    tab.does("report.set({node: 'C'})")
    panes = tab.does("[...document.querySelectorAll('#node .panes section')].map(s => s.innerText)")
    titles = [pane.split("\n")[0] for pane in panes]
    assert titles == ["Source: reported_design.py:23", "Loops as scheduled", "Emitted C++"]
    assert "23  " in panes[0]
    assert "p.compute" in tab.does("document.querySelector('#node .own').textContent")
    assert "C[i][j] += A[i][k] * B[k][j]" in panes[1]
    design = so.emit(small_graph(), solved().schedule)
    shown = tab.does("document.querySelector('#node section:last-child pre').textContent")
    assert shown.startswith("// Node 'C'")
    assert shown in design.text(f"{design.top}.cpp")
    assert tab.does("[...document.querySelectorAll('.labels [aria-pressed=true]')].length") >= 1


def test_another_design_changes_everything_and_back(page: Path, tab: Tab) -> None:
    words = "document.querySelector('main').innerText + document.querySelector('header').innerText"
    first, drawn = tab.does(words), tab.does("document.querySelector('.plot svg').innerHTML")
    last = tab.does("report.designs.length") - 1
    assert last >= 1
    tab.does(f"report.set({{design: {last}, node: 'C'}})")
    tab.settle()
    design = tab.does("report.design().views.page")
    shown = tab.does(words)
    assert dict(design["figures"])["simulated"] in shown
    assert all(sentence in shown for sentence in design["verdict"])
    assert tab.does("document.querySelector('.plot svg').innerHTML") != drawn
    assert f"0 to {tab.does(TOTAL):,}" in tab.does("document.querySelector('.range').textContent")
    tab.does("report.set({design: 0, node: null})")
    tab.settle()
    assert tab.does(words) == first
    assert tab.does("document.querySelector('.plot svg').innerHTML") == drawn


def test_address_opens_what_was_seen(page: Path, tab: Tab) -> None:
    tab.open(page, "node=D&from=4&to=30")
    assert tab.does(f"[report.state.node, ...{SEEN}]") == ["D", 4, 30]
    tab.open(page, "node=there+is+none&from=x&to=1e99&design=77")
    assert tab.does(SEEN) == [0, tab.does(TOTAL)]
    assert tab.does("document.getElementById('node').hidden")


@pytest.mark.parametrize("width", [360, 1100, 2560])
def test_words_are_readable_at_any_width(page: Path, tab: Tab, width: int) -> None:
    tab.sees(width, 900)
    tab.does("report.set({node: 'D'})")
    tab.settle()
    assert tab.does("document.documentElement.scrollWidth") <= width
    small = tab.does(
        "[...document.querySelectorAll('.view *, #node *, header *')]"
        ".filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))"
        ".filter(e => e.getClientRects().length && parseFloat(getComputedStyle(e).fontSize) < 12)"
        ".map(e => e.outerHTML)"
    )
    assert small == []
    cut = tab.does(
        "[...document.querySelectorAll('.labels button')].every(b => b.title === b.textContent)"
    )
    assert cut


def test_paper_has_the_whole_run_and_all_tables(page: Path, tab: Tab) -> None:
    tab.does("report.axis.show(3, 20); report.set({node: 'D'})")
    tab.does("dispatchEvent(new Event('beforeprint'))")
    assert tab.does(SEEN) == [0, tab.does(TOTAL)]
    tab.does("dispatchEvent(new Event('afterprint'))")
    assert tab.does(SEEN) == [3, 20]
    content = tab.prints()
    assert content.startswith(b"%PDF-")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 12


def test_without_scripts_it_tells_verdict_and_tables(page: Path, tab: Tab) -> None:
    tab.scripts(run=False)
    try:
        tab.open(page)
        shown = tab.does("document.body.innerText")
        assert tab.does("document.querySelectorAll('.plot').length") == 0
    finally:
        tab.scripts(run=True)
    (first, *_) = report().page.designs
    assert "Without scripts this page has no charts to zoom" in shown
    assert report().page.verdict[0] in shown
    assert first.nodes[0].loops in shown
    assert tab.does("document.querySelectorAll('details table').length") >= 8


@pytest.mark.nightly
def test_a_large_report_opens_at_once(tab: Tab, tmp_path: Path) -> None:
    graph = Path(__file__).parents[2] / "graphs" / "transformers" / "multi_head_attention.json"
    path = so.report_solution(so.solve(graph, level="opt6")).write(tmp_path / "attention.html")
    assert path.stat().st_size < 3_000_000
    for width, dark in product([400, 1100, 1900], [False, True]):
        tab.sees(width, 1000, dark=dark)
        tab.open(path)
        assert tab.does("performance.now()") < 2000
        assert tab.does("document.querySelectorAll('.plot .works').length") == 11
        assert tab.does("document.documentElement.scrollWidth") <= width
        assert len(tab.picture(tmp_path / f"{width}{dark}.png").read_bytes()) > 20_000
    assert tab.complaints == []
