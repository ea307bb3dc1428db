"""Loops that take the same lanes, and those that may do without."""

from streamopt.strategies.sequential.lane_groups import idle_loops, lane_groups
from tests.support.steps import ordered

SHAPES = {"A": (8, 12), "B": (8, 12)}


def test_a_phase_between_sweeps_may_have_the_lanes_of_either() -> None:
    steps = ordered(
        "sweeps",
        SHAPES,
        """
        for j 1 12
        . phase rows: a 0 8
        . : A[a][j] = A[a][j] + A[a][j - 1]
        phase between: b 0 8, c 0 12
        : B[b][c] = A[b][c] + B[b][c]
        for i 1 8
        . phase columns: d 0 12
        . : B[i][d] = B[i][d] + B[i - 1][d]
        """,
    ).steps
    groups = lane_groups(steps)
    assert {frozenset(own) for own in groups} == {frozenset("ab"), frozenset("cd")}
    assert {*idle_loops(steps, groups)} == {frozenset("b"), frozenset("c")}


def test_without_sweeps_along_both_dimensions_none_is_idle() -> None:
    steps = ordered(
        "rows",
        SHAPES,
        """
        for j 1 12
        . phase rows: a 0 8
        . : A[a][j] = A[a][j] + A[a][j - 1]
        phase after: b 0 8, c 0 12
        : B[b][c] = A[b][c] + B[b][c]
        """,
    ).steps
    assert idle_loops(steps, lane_groups(steps)) == ()
