"""The document that scripts draw from: what a run becomes, and that no name breaks a page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.report.charts import COLOURS
from streamopt.report.design_document import DesignView, NodeView, SourceExcerpt, script_json
from streamopt.report.page import Page, html
from streamopt.report.series import heights, shares
from streamopt.report.source_excerpts import source_excerpts
from tests.support.chromium import browser, needs_chromium
from tests.support.reported_design import report, small_graph, solved

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from streamopt.report.series import Series

NASTY = """</script><script>report.broken = 1</script><!--<b title='"'>&amp;\\u2028\u2028{{ 1 }}"""


def spread(series: Series, values: int) -> list[list[int]]:
    """Return each value in every span of a series."""
    runs = [series.runs[at : at + values + 1] for at in range(0, len(series.runs), values + 1)]
    return [[run[1 + value] for run in runs for _ in range(run[0])] for value in range(values)]


def test_shares_add_up_to_the_frames() -> None:
    waits = [([0, 3, 0, 0], True), ([2, 0, 0, 0], False)]
    works, inputs, buffers = spread(shares([(2, 14)], waits, 16, 99), 3)
    assert works == [50, 25, 100, 50]
    assert inputs == [0, 75, 0, 0]
    assert buffers == [50, 0, 0, 0]


def test_frames_alone_are_shares() -> None:
    (works,) = spread(shares([(0, 3), (4, 8)], [], 8, 99), 1)
    assert works == [100, 100, 100, 0, 100, 100, 100, 100]


@pytest.mark.parametrize("most", [7, 40, 1000])
def test_budget_is_kept_and_totals_with_it(most: int) -> None:
    random = np.random.default_rng(3)
    waits: list[tuple[Sequence[int], bool]] = [(random.integers(0, 2, 1001).tolist(), True)]
    found = shares([(0, 1001)], waits, 1001, most)
    assert len(found.runs) <= 3 * most
    works, stands = spread(found, 2)
    lasting = sum(stands) * found.span_cycles / 100
    assert lasting == pytest.approx(sum(waits[0][0]), rel=0.05)
    assert len(works) * found.span_cycles >= 1001


def test_heights_keep_the_greatest() -> None:
    values = [*range(100), *range(100, 0, -1)]
    found = heights(values, 200, 30)
    assert len(found.runs) <= 60
    assert max(found.runs[1::2]) == 100
    assert heights([0, 0, 5, 5, 1], 5, 99).runs == (2, 0, 2, 5, 1, 1)


def test_processes_are_those_of_the_trace() -> None:
    (view, *_) = report().page.designs
    trace = so.evaluate(small_graph(), solved().schedule).trace
    assert [process.name for process in view.processes] == [p.name for p in trace.processes]
    assert view.cycles == trace.cycles
    for process in view.processes:
        works, *waits = spread(process.series, 1 + len(process.waits))
        known = trace.process(process.name)
        stands = known.empty_cycles + known.full_cycles
        total = sum(end - start for start, end in process.frames) - stands
        assert sum(works) * process.series.span_cycles / 100 == pytest.approx(total, abs=1)
        assert sum(wait.cycles for wait in process.waits) == stands + known.buffer_cycles
        assert len(waits) == len(process.waits)
    first, last = view.critical[0], view.critical[-1]
    assert (first.start_cycle, last.end_cycle) == (0, view.total_cycles)


def test_the_same_design_gives_the_same_bytes() -> None:
    first, second = (so.report_design(small_graph(), solved().schedule).html() for _ in range(2))
    assert first == second


def nasty_page() -> Page:
    node = NodeView(NASTY, NASTY, SourceExcerpt(NASTY, 1, 1, (NASTY,)), NASTY, NASTY)
    view = DesignView(NASTY, NASTY, 9, 9, (), (), (), (node,))
    return Page(NASTY, NASTY, ((NASTY, NASTY),), (), (NASTY,), (view,))


def test_names_can_be_anything() -> None:
    text = html(nasty_page())
    (document,) = re.findall(r'id="document">(.*?)</script>', text, re.DOTALL)
    assert json.loads(document)["designs"][0]["name"] == NASTY
    assert json.loads(script_json({"a": NASTY})) == {"a": NASTY}
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)  # type: ignore[method-assign]
    parser.feed(text)
    assert tags.count("script") == 2
    assert "b" not in tags


@needs_chromium
def test_names_can_be_anything_in_a_browser(tmp_path: Path) -> None:
    path = tmp_path / "nasty.html"
    path.write_text(html(nasty_page()), encoding="utf-8")
    with browser(tmp_path / "profile") as tab:
        tab.open(path)
        tab.does("report.set({node: report.design().nodes[0].name})")
        assert tab.does("document.querySelector('#node pre').textContent").strip().endswith(NASTY)
        assert tab.does("document.querySelector('h1').textContent") == NASTY
        assert tab.does("report.broken") is None
        assert tab.complaints == []


def test_lines_of_the_source_are_shown_if_they_can_be_read(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.c"
    lines = [
        "void scale(const float a[8], float b[8]) {",
        "  for (int i = 0; i < 8; i++)",
        "    b[i] = 2.0f * a[i];",
        "}",
    ]
    kernel.write_text("\n".join(lines))
    program = so.load(kernel)
    graph = so.dataflow(program)
    (found,) = source_excerpts(graph.nodes).values()
    assert found.place == "kernel.c:3"
    assert (found.first_line, found.line, found.lines) == (1, 3, tuple(lines))
    kernel.write_text(lines[0])
    (shorter,) = source_excerpts(graph.nodes).values()
    assert shorter.missing == "kernel.c can't be shown: it has no line 3 any more."
    kernel.unlink()
    (gone,) = source_excerpts(graph.nodes).values()
    assert gone.missing.startswith("kernel.c can't be shown: ")


def test_graphs_tell_lines_if_they_keep_them(tmp_path: Path) -> None:
    kernel, kept = tmp_path / "kernel.c", tmp_path / "graph.json"
    kernel.write_text("void f(float a[8]) {\n  for (int i = 0; i < 8; i++) a[i] = 1.0f;\n}\n")
    so.save(so.load(kernel), kept)
    (found,) = source_excerpts(so.dataflow(kept).nodes).values()
    assert (found.place, found.line, len(found.lines)) == ("kernel.c:2", 2, 3)
    program = json.loads(kept.read_text(encoding="utf-8"))
    for node in program["nodes"]:
        del node["place"]
    kept.write_text(json.dumps(program), encoding="utf-8")
    (unknown,) = source_excerpts(so.dataflow(kept).nodes).values()
    assert "doesn't say which lines" in unknown.missing


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_is_enough(theme: str) -> None:
    def contrast(name: str, ground: str) -> float:
        found = sorted(luminance(getattr(COLOURS[each], theme)) for each in (name, ground))
        return (found[1] + 0.05) / (found[0] + 0.05)

    for ground in ("paper", "panel"):
        for words in ("ink", "frame", "quiet", "link"):
            assert contrast(words, ground) >= 4.5
        for drawn in ("work", "stall", "room", "soft", "critical", "fifo", "write"):
            assert contrast(drawn, ground) >= 3
