"""Chart files are dark on dark pages, those of the measurements among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streamopt.report.charts import COLOURS, SERIES, chart_bytes, new_figure

TOP = Path(__file__).parents[2]
PICTURES = sorted((TOP / "results").glob("*/*.svg"))
DRAWN = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
RULE = re.compile(r"\[style\*='(fill|stroke): (#[0-9a-f]{6})'\] { \1: (#[0-9a-f]{6}) !important }")


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_colour_of_a_picture_has_one_for_dark_pages(path: Path) -> None:
    head, body = path.read_text(encoding="utf-8").split("</style>", maxsplit=1)
    ruled = {(kind, light) for kind, light, _ in RULE.findall(head)}
    assert set(DRAWN.findall(body)) <= ruled
    assert "@media (prefers-color-scheme: dark)" in head


def test_pictures_are_many() -> None:
    assert len(PICTURES) >= 5


def test_points_stand_out_from_paper_of_both_kinds() -> None:
    """Graphical objects need 3:1 by WCAG 2.1; the lightest of eight is a second choice."""
    paper = COLOURS["paper"]
    for colour, _ in SERIES:
        assert contrast(colour.light, paper.light) > (2.2 if colour is SERIES[6][0] else 3)
        assert contrast(colour.dark, paper.dark) > 4.5
    assert len({marker for _, marker in SERIES}) == len(SERIES)


def test_a_picture_stays_light_without_rules() -> None:
    figure, axes = new_figure(2.0, 2.0, "")
    axes.plot([0, 1], [0, 1], color=SERIES[0][0].light)
    text = chart_bytes(figure, "svg").decode()
    head, body = text.split("</style>", maxsplit=1)
    assert SERIES[0][0].dark in head
    assert SERIES[0][0].dark not in body
    assert f"stroke: {SERIES[0][0].light}" in body
