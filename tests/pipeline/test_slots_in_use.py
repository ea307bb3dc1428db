"""FIFOs that were made small count with the slots in use where they'd take too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.pipeline import answering
from streamopt.strategies.refinement.frame_buffers import with_depths
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from streamopt.evaluation.fifo_sizing import FifoSizing
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule
    from streamopt.sim.depths import DepthPlan

LIMITS, EFFORT = so.Budget(bram18=40), so.Effort(work=1.0)
HUGE = 2**20


def test_a_design_within_the_region_is_answered_where_its_small_fifos_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = answering.sized

    def over(graph: Graph, schedule: Schedule, how: FifoSizing) -> tuple[Schedule, DepthPlan]:
        small, plan = real(graph, schedule, how)
        return with_depths(small, dict.fromkeys(small.fifos, HUGE)), plan

    monkeypatch.setattr(answering, "sized", over)
    nodes = {
        "first": "i 16, k 16: m[i] += A[i][k] * x[k]",
        "second": "i 16, j 16: y[j] += B[j][i] * m[i]",
    }
    matrices = dict.fromkeys("AB", "input 16 16")
    arrays = {**matrices, "x": "input 16", "m": "internal 16", "y": "output 16"}
    graph = so.dataflow(program(arrays, nodes))
    found = so.solve(graph, level="opt6", dsp=20, budget=LIMITS, effort=EFFORT)
    depths = [channel.depth_elems for channel in found.schedule.channels]
    assert depths
    assert max(depths) < HUGE
