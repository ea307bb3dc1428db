"""Charts of fronts: the same front gives the same file."""

from __future__ import annotations

import pytest

from streamopt.report.charts import FORMATS, label_points, new_figure
from streamopt.report.log_charts import Roofline, front_chart, roofline_chart

COSTS = [(100, 40), (250, 20), (900, 5)]


@pytest.mark.parametrize("form", FORMATS)
def test_same_bytes_every_time(form: str) -> None:
    first, second = (front_chart("front", COSTS, [(250, 900, 5, 20)], form) for _ in range(2))
    assert first == second
    assert first != front_chart("front", COSTS[:2], [], form)


def test_a_roofline_has_other_systems_in_another_colour() -> None:
    designs = (("opt5", 40, 100), ("hida", 40, 100), ("pom", 20, 300))
    plain = roofline_chart(Roofline(900, designs, (("limit", 50),)), "svg")
    told = roofline_chart(Roofline(900, designs, (("limit", 50),), frozenset({"hida"})), "svg")
    assert plain != told


@pytest.mark.parametrize("crowd", [2, 5, 30])
def test_labels_lie_neither_on_each_other_nor_on_points(crowd: int) -> None:
    figure, axes = new_figure(5.0, 3.0, "labels")
    points = [(f"design {at}", 1.0 + at % 3 / 50, 1.0 + at // 3 / 90) for at in range(crowd)]
    axes.set_xlim(0.5, 1.5)
    axes.set_ylim(0.5, 1.5)
    label_points(figure, axes, points)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == crowd or crowd == 30
    assert boxes
    for at, box in enumerate(boxes):
        assert not box.count_overlaps(boxes[:at])
        assert not any(box.contains(*axes.transData.transform((x, y))) for _, x, y in points)
