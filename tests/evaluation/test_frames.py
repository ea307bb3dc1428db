"""Frames are simulated until their distance is seen."""

import pytest

import streamopt as so
from streamopt.evaluation.frames import (
    LEAST_FRAMES,
    MOST_FRAMES,
    simulated_frames,
    steady_interval_cycles,
)
from streamopt.strategies.refinement.frame_buffers import with_depths
from tests.support.programs.sketches import program, scheduled

PROGRAM = program(
    {
        "x": "input 4 8 int32_t", "t": "internal 4 8 int32_t",
        "u": "internal 4 8 int32_t", "y": "output 4 8 int32_t",
    },
    {
        "first": "i 4, j 8, k 8: t[i][j] += x[i][k]",
        "second": "i 4, j 8, k 8: u[i][j] += t[i][k]",
        "third": "i 4, j 8, k 8: y[i][j] += u[i][k]",
    },
    name="chain",
)  # fmt: skip
BUSY = 4 * 8 * 8
"""Iterations of each node."""


def test_more_frames_where_the_first_ones_are_further_apart_than_a_node_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A node takes its row at once, for which its producer waits where a FIFO holds no row."""
    graph, target = so.dataflow(PROGRAM), so.device("u280")
    deep = scheduled(PROGRAM).schedule
    close = simulated_frames(graph, deep, target)
    assert close.frames == LEAST_FRAMES
    assert BUSY <= steady_interval_cycles(close) <= 1.1 * BUSY
    narrow = with_depths(deep, {"t": 2, "u": 2})
    apart = simulated_frames(graph, narrow, target)
    assert apart.frames == MOST_FRAMES
    assert steady_interval_cycles(apart) > 1.1 * BUSY
    assert simulated_frames(graph, narrow, target, 2).frames == 2
    monkeypatch.setattr("streamopt.evaluation.frames.MOST_ACCESSES", 5 * apart.accesses)
    assert simulated_frames(graph, narrow, target).frames == 5
