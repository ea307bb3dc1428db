"""Phases that have little to do leave operators to those that have much."""

from pathlib import Path

import pytest

import streamopt as so
from streamopt.ir.graph import SequentialNode
from streamopt.ir.stepping.steps import Steps
from streamopt.strategies.sequential.lane_choices import UnitCost, lane_choices
from streamopt.strategies.sequential.lane_groups import lane_groups
from streamopt.strategies.sequential.light_phases import MANY_LANES, PARTS, LightPhases
from streamopt.strategies.sequential.phase_counts import PhaseCounts
from streamopt.transforms.autoschedule import steps_of
from tests.support.step_shapes import medium

ROWS, COLUMNS = 40, 60
NORMALIZED = f"""
void normalized(float A[{ROWS}][{COLUMNS}], float s[{COLUMNS}]) {{
  for (int k = 0; k < {COLUMNS}; k++) {{
    for (int i = 0; i < {ROWS}; i++) s[k] = s[k] + A[i][k] * A[i][k];
    for (int j = k + 1; j < {COLUMNS}; j++)
      for (int i = 0; i < {ROWS}; i++) A[i][j] = A[i][j] - A[i][k] * s[k];
  }}
}}
"""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Steps:
    path: Path = tmp_path_factory.mktemp("normalized") / "normalized.c"
    path.write_text(NORMALIZED)
    graph = so.dataflow(so.load(path))
    (node,) = graph.nodes
    assert isinstance(node, SequentialNode)
    return steps_of(node)[0]


def test_only_light_phases_with_many_lanes_have_fewer(steps: Steps) -> None:
    light, heavy = sorted(steps.phases, key=lambda phase: len(phase.loops))
    (own,) = (loop.name for loop in light.loops)
    lanes = {loop.name: loop.trip_count for loop in light.loops}
    lanes |= {loop.name: min(20, loop.trip_count) for loop in heavy.loops}
    found = list(LightPhases(steps).lightened(lanes))
    assert found == [{**lanes, own: -(-ROWS // part)} for part in reversed(PARTS)]
    few = dict.fromkeys(lanes, MANY_LANES - 1)
    assert not list(LightPhases(steps).lightened(few))


def test_lanes_of_heavy_phases_are_more_within_the_same_limits(steps: Steps) -> None:
    unit = UnitCost(5, 500, 5.0, 500.0, 10)
    units = {phase.name: unit for phase in steps.phases}
    counts, limits = PhaseCounts(steps), (5 * 50, 10**6)
    found = lane_choices(steps, lane_groups(steps), counts, units, limits)
    light, heavy = sorted(steps.phases, key=lambda phase: len(phase.loops))
    (rows,) = (loop.name for loop in light.loops)
    (same,) = (loop.name for loop in heavy.loops if loop.trip_count == ROWS)
    even = [own for own in found if dict(own.lanes)[rows] == dict(own.lanes)[same]]
    assert dict(found[0].lanes)[rows] < dict(found[0].lanes)[same]
    assert found[0].cycles < min(own.cycles for own in even)


def test_loops_of_phases_that_have_little_to_do_in_all_are_rare(steps: Steps) -> None:
    light, heavy = sorted(steps.phases, key=lambda phase: len(phase.loops))
    phases = LightPhases(steps)
    assert phases.are_rare(loop.name for loop in light.loops)
    assert not phases.are_rare(loop.name for loop in heavy.loops)


def test_light_sum_may_keep_the_lanes_of_a_sum_with_as_many_terms() -> None:
    norm, *_, dot, _ = (steps := steps_of(medium("gramschmidt")[0])[0]).phases[1:]
    assert norm.sums
    assert dot.sums
    lanes = {loop.name: min(200, loop.trip_count) for loop in steps.loops if loop.name != "k_2"}
    found = list(LightPhases(steps).lightened(lanes))
    (rows,) = norm.sums
    assert {own[rows] for own in found} == {200, *(-(-200 // part) for part in PARTS)}
