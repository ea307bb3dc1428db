"""Drawings of a page beside its charts: bars, designs of a front, and what they share."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

import streamopt as so
from streamopt.report.design_document import designs_json
from streamopt.report.views.bars import Bar, Mark, bars_html
from streamopt.report.views.resources import percent, resource_limits, resources_html
from streamopt.report.views.sharing import shared
from streamopt.target.device import find_device
from streamopt.target.resources import Fit, Resources
from tests.support.reported_design import report, small_graph, solved


def unshared(value: Any, parts: list[Any]) -> Any:
    """Return what `store.js` makes of a document."""
    if isinstance(value, list):
        return [unshared(each, parts) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        if "=" in found:
            return unshared(parts[found["="]], parts)
        return {name: unshared(each, parts) for name, each in found.items()}
    return value


def test_equal_parts_are_kept_once() -> None:
    text = "for i in 4 tiles of 16 at once, and then a long text"
    same = {"loops": text, "runs": [*range(40)], "flags": [True, 1.0, None]}
    document = {"designs": [{"name": "a", **same}, {"name": "b", **same, "flags": [1, 1, None]}]}
    found = json.loads(json.dumps(shared(document)))
    assert unshared(found["whole"], found["parts"]) == document
    assert json.dumps(found).count(text) == 1
    first, second = unshared(found["whole"], found["parts"])["designs"]
    assert first["flags"][0] is True
    assert second["flags"][0] is not True


def test_a_front_can_be_chosen_from() -> None:
    page = report().page
    front = so.pareto(small_graph(), dsp=40, space=so.Space(tiling_limit=2))
    points = page.designs[0].views["front"]["points"]
    assert [point["dsps"] for point in points] == [point.dsps for point in front.points]
    assert points[0]["design"] == 0, "the fastest is the report's own design"
    assert sorted(point["design"] for point in points) == [*range(len(page.designs))]
    for point, found in zip(points[1:], front.points[1:], strict=True):
        trace = so.simulate(small_graph(), found.schedule)
        assert page.designs[int(point["design"])].cycles == trace.cycles
    last = page.designs[-1].views["page"]
    assert last["title"] == page.title
    drawn = {section["anchor"] for section in last["sections"] if section["drawing"]}
    assert drawn == {"dataflow", "resources"}
    alone = sum(len(designs_json((design,))) for design in page.designs)
    assert len(designs_json(page.designs)) < 0.8 * alone


def test_a_design_off_the_front_stands_beside_it() -> None:
    front = so.pareto(small_graph(), dsp=40, space=so.Space(tiling_limit=2))
    slow = so.solve(small_graph(), dsp=40, level="opt1", space=so.Space(tiling_limit=2))
    page = so.report_solution(slow, front=front).page
    assert len(page.designs) == len(front.points) + 1
    assert 0 not in [point["design"] for point in page.designs[0].views["front"]["points"]]


def test_resources_have_a_share_of_every_part() -> None:
    device = find_device("u280")
    limits = resource_limits(device)
    assert [*limits] == [Fit.SLR, Fit.BOARD, Fit.DEVICE, Fit.RAW, Fit.RAW_DEVICE]
    html = resources_html(Resources(dsps=2506, luts=500_000, ffs=9), device)
    dsps, _, _, luts, ffs = html.split('<div class="row">')[1:]
    assert "fill above" in dsps
    assert "<b>104 % of its guideline</b>" in dsps
    assert "fill over" in luts
    assert "width:100.00%" in luts
    assert "fill within" in ffs
    assert "&lt; 1 % of an SLR" in ffs


def test_a_device_of_one_region_has_fewer_parts() -> None:
    limits = resource_limits(find_device("xc7z020"))
    assert [*limits] == [Fit.SLR, Fit.BOARD, Fit.RAW]
    assert "of the device" in resources_html(Resources(dsps=1), find_device("xc7z020"))


@pytest.mark.parametrize(
    ("amount", "limit", "words"),
    [(1, 200, "< 1 %"), (0, 200, "0 %"), (1, 0, "more than there is"), (3, 2, "150 %")],
)
def test_percent(amount: int, limit: int, words: str) -> None:
    assert percent(amount, limit) == words


def test_bars_escape_words_and_stay_on_their_track() -> None:
    mark = Mark("board", -1.0, 'a "mark"')
    html = bars_html("says <it>", [Bar("<n>", "within", 3.0, ("<w>",), (mark,))], [("i", "<k>")])
    assert 'style="width:100.00%"' in html
    assert 'style="left:0.00%"' in html
    assert "<n>" not in html.replace("&lt;n&gt;", "")
    assert "&lt;w&gt;" in html
    assert "&lt;k&gt;" in html


def test_solved_design_is_the_first_one() -> None:
    assert report().page.designs[0].cycles == so.simulate(small_graph(), solved().schedule).cycles
