"""Windows whose first rows a nest of their own takes, in RTL: one nest takes all rows."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import streamopt as so
from streamopt.rtl.emission.design import make_design
from streamopt.transforms.rewrites import rewritten
from tests.support.random.windows import window_chain
from tests.support.window_schedules import PREFILLED, WINDOWS, window_schedule


def test_designs_are_those_of_rows_in_one_nest() -> None:
    graph = so.dataflow(window_chain(Random(0)))
    schedule = window_schedule(rewritten(graph, PREFILLED), 0, PREFILLED)
    scheduled = so.apply(graph, schedule)
    assert any(window.prefilled for node in scheduled.nodes for window in node.node.windows)
    plain = so.apply(graph, replace(schedule, rewrites=WINDOWS))
    names = [node.node.name for node in scheduled.nodes]
    assert make_design(scheduled, "top", names) == make_design(plain, "top", names)
