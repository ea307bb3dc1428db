"""Times with the writes that consumers wait for: no later than the simulator, and nearer to it."""

from __future__ import annotations

from random import Random

import pytest

import streamopt as so
from streamopt.perf.as_built.paced_runs import PacedCosts, PacedRuns
from streamopt.space.assemble import evaluate
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.transforms.rewrites import rewritten
from tests.perf.test_as_built import DEVICE, LATER, any_schedule, in_rows, space_of
from tests.support.programs.sketches import program
from tests.support.random.windows import window_chain


@pytest.mark.parametrize("seed", range(6))
def test_a_design_is_no_faster(seed: int) -> None:
    graph = rewritten(so.dataflow(window_chain(Random(seed))), ("stream_windows",))
    costs, rng = as_built_costs(graph, DEVICE), Random(seed)
    space, paced = space_of(graph, costs), PacedCosts(costs, PacedRuns(graph))
    for is_in_rows in (False, True, True):
        schedule = any_schedule(space, rng)
        schedule = in_rows(space, schedule) if is_in_rows else schedule
        cycles = so.simulate(graph, schedule).cycles
        assert evaluate(graph, schedule, paced).latency_cycles <= cycles + LATER * len(graph.nodes)


def test_a_quick_window_waits_for_rows_of_a_slow_producer() -> None:
    """A pool of whole rows follows a product of as many channels, whose elements come slowly."""
    graph = so.dataflow(
        program(
            {
                "x": "input 8 4 4",
                "k": "weight 2 8",
                "a": "internal 2 4 4",
                "b": "internal 2 4 4",
                "p": "internal 2 4 4",
                "y": "output 2 4 4",
            },
            {
                "mix": "h 4, w 4, o 2, c 8: a[o][h][w] += x[c][h][w] * k[o][c]",
                "clip": "h 4, w 4, o 2: b[o][h][w] = max(a[o][h][w], 0)",
                "pool": "h 4, w 4, o 2, m 3: p[o][h][w] += "
                "(b[o][h + m - 1][w] if h + m - 1 >= 0 and h + m - 1 < 4 else 0)",
                "twice": "h 4, w 4, o 2: y[o][h][w] = p[o][h][w] * 2",
            },
        )
    )
    graph = rewritten(graph, ("stream_windows",))
    costs, rng, later = as_built_costs(graph, DEVICE), Random(0), 0
    space, paced = space_of(graph, costs), PacedCosts(costs, PacedRuns(graph))
    for _ in range(8):
        schedule = in_rows(space, any_schedule(space, rng))
        plain, waiting = (
            {n.node: n.first_write_cycles for n in evaluate(graph, schedule, model).nodes}["pool"]
            for model in (costs, paced)
        )
        writes = so.simulate(graph, schedule).process("pool").fifo_writes
        assert writes is not None
        assert max(plain, waiting) <= writes[0] + LATER * len(graph.nodes)
        later += waiting > plain
    assert later
