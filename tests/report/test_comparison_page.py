"""The page of a comparison: shares of the part, ways told apart, nothing drawn by matplotlib."""

from __future__ import annotations

import re

import pytest

import streamopt as so
from streamopt.report.page import NUMBER

ROW = {"name": "g", "roofline_cycles": 50, "dsp_limit": 2560, "device": "u280", "bram18": 0}
ROWS = [
    {**ROW, "level": "opt1", "objective_cycles": 90, "simulated_cycles": 100, "dsps": 8, "lut": 5},
    {**ROW, "level": "opt6", "simulated_cycles": 40, "dsps": 2407, "lut": 400_000},
    {**ROW, "strategy": "hida", "estimated_cycles": 70, "simulated_cycles": "80", "dsps": 2406},
    {**ROW, "strategy": "mine", "measured_cycles": 75, "simulated_cycles": 80, "dsps": 9},
]


def test_shares_are_of_the_part_and_marked_above_its_guideline() -> None:
    (table,) = so.report_rows(ROWS).page.sections[0].tables
    cells = {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}
    assert cells["opt1"]["DSPs"] == "8 (< 1 %)"
    assert cells["opt6"]["DSPs"] == "2,407 (80 %) ▲"
    assert cells["hida"]["DSPs"] == "2,406 (80 %)"
    assert cells["opt6"]["LUT"] == "400,000 (92 %) ▲"
    assert table.is_sortable
    assert all(NUMBER.fullmatch(row["DSPs"]) for row in cells.values())


def test_a_device_of_ones_own_has_no_shares() -> None:
    (table,) = so.report_rows([{**row, "device": "mine"} for row in ROWS]).page.sections[0].tables
    assert dict(zip(table.header, table.rows[1], strict=True))["DSPs"] == "2,407"


def test_levels_and_rivals_are_told_apart() -> None:
    page = so.report_rows(ROWS).page
    rows = page.sections[0].drawing.split('<div class="row">')[1:]
    kinds = [re.findall(r'class="mark (own|rival|measured)" style', row) for row in rows]
    assert kinds == [["own"], ["own"], ["rival"], ["measured", "rival"]]
    assert "the fewest" in rows[1]
    assert "2.5 x the fewest" in rows[0]
    shares = [float(x) for row in rows for x in re.findall(r"left:([\d.]+)%", row)]
    assert all(0 <= share <= 100 for share in shares)
    assert [way["kind"] for way in page.values["ways"]["rows"]] == ["own"] * 2 + ["rival"] * 2


@pytest.mark.parametrize("cycles", [1, 10, 999])
def test_one_way_has_an_axis(cycles: int) -> None:
    drawing = so.report_rows([{**ROWS[0], "simulated_cycles": cycles}]).page.sections[0].drawing
    assert drawing.count('class="tick"') >= 2


def test_ways_that_all_failed_have_no_drawing() -> None:
    page = so.report_rows([{**ROW, "strategy": "pom", "message": "no"}]).page
    assert page.sections[0].drawing == ""
    assert "refused" in [section.anchor for section in page.sections]
    assert so.report_rows([{**ROW, "strategy": "pom"}]).html()
