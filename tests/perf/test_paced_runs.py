"""Times with the writes that consumers wait for: no later than the simulator, and nearer to it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import streamopt as so
from streamopt.perf.as_built.paced_runs import PacedCosts, PacedRuns
from streamopt.space.assemble import baseline, evaluate
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


def test_a_slow_consumer_has_the_last_rows_of_a_window_before_it_still() -> None:
    graph = so.dataflow(
        program(
            {
                "x": "input 32 6 6",
                "q": "weight 4 32",
                "k": "weight 32 4",
                "a": "internal 4 6 6",
                "p": "internal 4 6 6",
                "y": "output 32 6 6",
            },
            {
                "first": "h 6, w 6, o 4, c 32: a[o][h][w] += x[c][h][w] * q[o][c]",
                "pool": "h 6, w 6, c 4, m 3: p[c][h][w] += "
                "(a[c][h + m - 1][w] if h + m - 1 >= 0 and h + m - 1 < 6 else 0)",
                "mix": "h 6, w 6, o 32, c 4: y[o][h][w] += p[c][h][w] * k[o][c]",
            },
        )
    )
    graph = rewritten(graph, ("stream_windows",))
    costs = as_built_costs(graph, DEVICE)
    space, paced = space_of(graph, costs), PacedCosts(costs, PacedRuns(graph))
    schedule = in_rows(space, baseline(graph))
    plain, later = (evaluate(graph, schedule, model).latency_cycles for model in (costs, paced))
    cycles = so.simulate(graph, schedule).cycles
    assert plain < later <= cycles + LATER * len(graph.nodes)


def test_a_second_channel_comes_when_the_operand_has_ended() -> None:
    """A product reads all of a slow operand for its first channel, and is read by channels."""
    graph = so.dataflow(
        program(
            {
                "x": "input 8 4 4",
                "k": "weight 4 8",
                "q": "weight 4 4",
                "a": "internal 4 4 4",
                "p": "internal 4 4 4",
                "b": "internal 4 4 4",
                "y": "output 4 4 4",
            },
            {
                "slow": "h 4, w 4, o 4, c 8: a[o][h][w] += x[c][h][w] * k[o][c]",
                "pool": "h 4, w 4, o 4, m 3: p[o][h][w] += "
                "(a[o][h + m - 1][w] if h + m - 1 >= 0 and h + m - 1 < 4 else 0)",
                "mix": "o 4, h 4, w 4, c 4: b[o][h][w] += p[c][h][w] * q[o][c]",
                "last": "o 4, h 4, w 4: y[o][h][w] = b[o][h][w] * 2",
            },
        )
    )
    graph = rewritten(graph, ("stream_windows",))
    costs, seen, rng = as_built_costs(graph, DEVICE), 0, Random(1)
    space, paced = space_of(graph, costs), PacedCosts(costs, PacedRuns(graph))
    for _ in range(40):
        schedule = any_schedule(space, rng)
        cycles = so.simulate(graph, schedule).cycles
        found = {node.node: node for node in evaluate(graph, schedule, paced).nodes}
        assert found["last"].last_write_cycles <= cycles + LATER * len(graph.nodes)
        plan = schedule.node("mix")
        if plan.order[0] == "o" and plan.factors["o"] < 4:
            assert found["mix"].first_write_cycles >= found["pool"].first_write_cycles
            seen += 1
    assert seen


def test_all_work_of_quick_layers_behind_a_fork_counts() -> None:
    """A layer of many lanes has two consumers that move by two rows, and one of these is slow."""
    graph = so.dataflow(
        program(
            {
                "x": "input 16 8 4",
                "q": "weight 2 16",
                "k": "weight 2 2 3",
                "r": "weight 2 2",
                "a": "internal 2 8 4",
                "b": "internal 2 4 4",
                "s": "internal 2 4 4",
                "p": "internal 2 4 4",
                "y": "output 2 4 4",
            },
            {
                "stem": "h 8, w 4, o 2, c 16: a[o][h][w] += x[c][h][w] * q[o][c]",
                "down": "h 4, w 4, o 2, c 2, m 3: b[o][h][w] += (a[c][2 * h + m - 1][w] "
                "if 2 * h + m - 1 >= 0 and 2 * h + m - 1 < 8 else 0) * k[o][c][m]",
                "across": "h 4, w 4, o 2, c 2: s[o][h][w] += a[c][2 * h][w] * r[o][c]",
                "join": "h 4, w 4, o 2: p[o][h][w] = b[o][h][w] + s[o][h][w]",
                "last": "h 4, w 4, o 2, m 3: y[o][h][w] += "
                "(p[o][h + m - 1][w] if h + m - 1 >= 0 and h + m - 1 < 4 else 0)",
            },
        )
    )
    graph = rewritten(graph, ("stream_windows",))
    costs = as_built_costs(graph, DEVICE)
    rows = in_rows(space_of(graph, costs), baseline(graph))
    lanes = tuple((name, 16 if name == "c" else 1) for name in rows.node("stem").factors)
    nodes = (replace(n, unroll=lanes) if n.node == "stem" else n for n in rows.nodes)
    schedule = replace(rows, nodes=tuple(nodes))
    found = evaluate(graph, schedule, PacedCosts(costs, PacedRuns(graph))).latency_cycles
    assert 0.75 * so.simulate(graph, schedule).cycles < found
