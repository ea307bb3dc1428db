"""Charts of fronts: the same front gives the same file."""

from __future__ import annotations

import pytest

from streamopt.report.charts import FORMATS
from streamopt.report.log_charts import front_chart

COSTS = [(100, 40), (250, 20), (900, 5)]


@pytest.mark.parametrize("form", FORMATS)
def test_same_bytes_every_time(form: str) -> None:
    first, second = (front_chart("front", COSTS, [(250, 900, 5, 20)], form) for _ in range(2))
    assert first == second
    assert first != front_chart("front", COSTS[:2], [], form)
