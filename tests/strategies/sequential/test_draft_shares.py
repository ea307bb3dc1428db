"""Candidates are judged by drafts that are like them in every loop, and in their operators."""

from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import Binding
from streamopt.strategies.sequential.draft_shares import DraftShare, most_alike
from streamopt.strategies.sequential.lane_choices import LaneChoice

TOOL: Binding = ()
FABRIC: Binding = ((Operator.ADD, Implementation.FABRIC),)


def choice(outer: int, inner: int) -> LaneChoice:
    return LaneChoice((("t", outer), ("i", inner)), 1.0, 1, 1)


def test_as_many_lanes_of_another_loop_are_not_alike() -> None:
    """A wavefront's 100 lanes along time take ten times the LUTs of 4 x 25."""
    steep = DraftShare(choice(100, 1), TOOL, 1.0, 10.0)
    even = DraftShare(choice(4, 16), TOOL, 1.0, 1.0)
    assert most_alike([steep, even], choice(4, 25), TOOL) is even
    assert most_alike([steep, even], choice(90, 1), TOOL) is steep


def test_of_equal_lanes_those_of_the_same_operators_count() -> None:
    shares = [
        DraftShare(choice(16, 16), way, 1.0, luts) for way, luts in ((FABRIC, 0.6), (TOOL, 0.4))
    ]
    for number, way in enumerate((FABRIC, TOOL)):
        assert most_alike(shares, choice(32, 32), way) is shares[number]
    assert most_alike([], choice(1, 1), TOOL) is None
