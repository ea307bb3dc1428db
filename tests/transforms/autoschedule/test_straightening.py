"""Sums whose bounds are over other loops of their phase are counted from where they begin."""

from __future__ import annotations

from streamopt.ir.stepping.steps import bounding
from streamopt.transforms.autoschedule import steps_of
from tests.support.step_shapes import medium


def test_sum_along_a_diagonal_begins_at_zero_in_all_lanes() -> None:
    straight, as_found = steps_of(medium("nussinov")[0])
    _, total = straight.phases
    (name,) = total.sums
    along = next(loop for loop in total.loops if loop.name == name)
    assert [str(bound) for bound in along.lower] == ["0"]
    assert not bounding(total.loops) & {loop.name for loop in total.loops}
    assert bounding(as_found.phases[1].loops) & {loop.name for loop in as_found.phases[1].loops}


def test_rows_go_up_where_they_went_down() -> None:
    straight, _ = steps_of(medium("nussinov")[0])
    for phase in straight.phases:
        for statement in phase.statements:
            for subscript in statement.target.subscripts:
                own = {loop.name for loop in phase.loops}
                assert all(by > 0 for name, by in subscript.factors.items() if name in own)


def test_phases_without_such_sums_stay_as_they_are() -> None:
    (order,) = steps_of(medium("lu")[0])
    assert [str(loop) for loop in order.phases[0].loops] == ["i from k + 1 to 400"]
