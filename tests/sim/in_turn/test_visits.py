"""Pipelines that take turns: their iterations are counted as loops that run one by one are."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.errors import SimulationError
from streamopt.ir.network import Network, Process, Turns
from streamopt.sim import simulate
from streamopt.sim.in_turn.visits import issued, iterations_in_turn
from tests.support.networks.by_hand import fifo, process, read, timing, write
from tests.support.networks.in_turns import jacobi, lu, trisolv
from tests.support.random.turns import random_items
from tests.support.runners.turns_runner import Iteration, iterations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.network import TurnItem


def counted(items: Sequence[TurnItem]) -> tuple[list[Iteration], int]:
    found = list(iterations(items, {}, 0))
    total = found.pop()
    assert isinstance(total, int)
    return [each for each in found if isinstance(each, Iteration)], total


@pytest.mark.parametrize("seed", range(150))
def test_iterations_are_those_of_loops_that_run(seed: int) -> None:
    random = Random(seed)
    turns = Turns("t", random_items(random, [], ()))
    each, total = counted(turns.items)
    assert iterations_in_turn(turns) == total
    windows = np.sort(np.array(random.sample(range(total + 9), 4)))
    found = {
        (some.turn.pipeline, number, *sorted(zip(some.points.values, point, strict=True)))
        for some in issued(turns, windows)
        for number, *point in zip(some.numbers, *some.points.values.values(), strict=True)
    }
    inside = [(one.number >= windows).sum() % 2 == 1 for one in each]
    assert found == {
        (one.turn.pipeline, one.number, *sorted(one.point.items()))
        for one, is_inside in zip(each, inside, strict=True)
        if is_inside
    }


def test_lu_by_hand() -> None:
    found = lu(8, (2, 4), (14, 9))
    depths = {"scale": timing(1, 15), "update": timing(1, 12)}
    # From k = 0 on: 4 3 3 2 2 1 1 row tiles, times 2 2 2 1 1 1 1 column tiles; k = 7 has nothing.
    visits = [max(14, n) + max(9, m) for n, m in ((4, 8), (3, 6), (3, 6), (2, 2), (2, 2), (1, 1))]
    iterations = sum(visits) + 14 + 9 + 1 + 1
    trace = simulate(found, depths)
    assert trace.cycles == iterations - 1 + 15
    (pipeline,) = trace.processes[0].pipelines
    assert (pipeline.name, pipeline.starts, pipeline.ends) == ("lu.turns", (0,), (trace.cycles,))


def test_interval_is_that_of_the_slowest() -> None:
    found = trisolv(4, 2, (1, 1))
    timings = {"divide": timing(1, 5), "update": timing(2, 3)}
    # 1 + 2, 1 + 1, 1 + 1, 1 + 1 iterations, the last of them idle.
    assert simulate(found, timings).cycles == 2 * (9 - 1) + 5


def test_stencil_is_counted_at_once_for_all_steps() -> None:
    found = jacobi(2048, 1_000_000, 64, 20)
    iterations = iterations_in_turn(found.processes[0].turns[0])
    assert iterations == 2 * 1_000_000 * 2046 * 32


def test_they_run_between_the_pipelines_before_and_after() -> None:
    core = trisolv(4, 1, (1, 1)).processes[0]
    bring, hand = process("bring", {"a": 4}), process("hand", {"b": 4})
    parts = (*bring.pipelines, *core.pipelines, *hand.pipelines)
    joined = Network("net", (Process("p", parts, core.turns),), (), ())
    names = ("bring", "divide", "update", "hand")
    trace = simulate(joined, {name: timing(1, 3) for name in names}, samples=4)
    spans = [(p.name, p.starts[0], p.ends[0]) for p in trace.processes[0].pipelines]
    # 1 + 3 + 1 + 2 + 1 + 1 + 1 iterations, and one idle.
    assert spans == [("bring", 0, 6), ("trisolv.turns", 7, 7 + 10 + 3), ("hand", 21, 27)]
    assert [segment.pipeline for segment in trace.critical_path] == [p for p, _, _ in spans]


def test_fifos_inside_are_refused() -> None:
    core = trisolv(4, 1, (1, 1)).processes[0]
    writing = replace(core.pipelines[0], ports=(write("f"),))
    pipelines = (writing, core.pipelines[1])
    found = Network(
        "net",
        (replace(core, pipelines=pipelines), process("b", {"i": 4}, read("f"))),
        (),
        (fifo("f", 4),),
    )
    with pytest.raises(SimulationError, match="takes turns") as caught:
        simulate(found, {name: timing(1, 3) for name in ("divide", "update", "b")})
    assert caught.value.diagnostics[0].code == "E809"
