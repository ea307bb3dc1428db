"""Pipelines ask for the interval that they are expected to have."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import streamopt as so
from streamopt import dsl
from streamopt.codegen.backends.vitis import emit as emit_without_evaluation
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.pipeline.evaluating import expected_intervals

if TYPE_CHECKING:
    from pathlib import Path

p = dsl.program("total")
i, j = p.iterators(i=16, j=8)
A = p.input("A", 16, 8)
p.output("y", (j,), dsl.sum(i, A[i, j]))
PROGRAM = p.build()
GRAPH = so.dataflow(PROGRAM)
PLAN = NodePlan(GRAPH.nodes[0].name, ("j", "i"), (("i", 1), ("j", 1)))
SUM = Schedule(GRAPH.name, (PLAN,), ())
_ASKED = re.compile(r"#pragma HLS pipeline II=(\d+) style=stp")


def test_a_sum_asks_for_the_interval_of_its_recurrence() -> None:
    expected = so.evaluate(GRAPH, SUM).timed[PLAN.node].timing.ii
    assert expected > 1
    assert _ASKED.findall(so.emit(GRAPH, SUM).text("total.cpp")) == [str(expected)]
    assert expected_intervals(GRAPH, SUM) == ((PLAN.node, expected),)


def test_nobody_has_to_evaluate() -> None:
    assert _ASKED.findall(emit_without_evaluation(so.apply(GRAPH, SUM)).text("total.cpp")) == ["1"]
    unknown = so.VitisSettings(clock_ns=0.1)
    assert _ASKED.findall(so.emit(GRAPH, SUM, settings=unknown).text("total.cpp")) == ["1"]


def test_a_project_keeps_its_intervals(tmp_path: Path) -> None:
    settings = so.VitisSettings(intervals=((PLAN.node, 7),))
    so.write(PROGRAM, SUM, tmp_path / "t", settings=settings)
    assert _ASKED.findall((tmp_path / "t" / "total.cpp").read_text()) == ["7"]
    so.verify(tmp_path / "t").raise_if_failed()
    other = replace(settings, intervals=((PLAN.node, 8),))
    assert so.emit(GRAPH, SUM, settings=other) != so.emit(GRAPH, SUM, settings=settings)
