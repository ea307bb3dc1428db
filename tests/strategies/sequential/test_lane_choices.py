"""Choices of lanes that are kept, of all combinations."""

from streamopt.strategies.sequential.lane_choices import UnitCost, lane_choices
from streamopt.strategies.sequential.lane_groups import lane_groups
from streamopt.strategies.sequential.phase_counts import PhaseCounts
from streamopt.transforms.autoschedule import steps_of
from tests.support.step_shapes import medium


def test_powers_of_two_stay_where_few_of_them_are_better() -> None:
    """Others are better by the estimate alone: an index that moves chooses their banks."""
    straight, steps = steps_of(medium("nussinov")[0])
    assert straight.laned != steps.laned
    rows, (terms,) = lane_groups(steps)
    units = {phase.name: UnitCost(2, 800, 1.8, 760.0, 10) for phase in steps.phases}
    found = lane_choices(steps, (rows, (terms,)), PhaseCounts(steps), units, (2526, 760_480))
    assert {**dict.fromkeys(rows, 8), terms: 64} in [
        {name: count for name, count in own.lanes if count > 1} for own in found
    ]
