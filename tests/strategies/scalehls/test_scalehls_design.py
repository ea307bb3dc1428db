"""ScaleHLS as a strategy: legal, deterministic, within its DSPs, as fast as it believes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt import dsl
from streamopt.errors import StrategyError
from streamopt.ir.schedule import ChannelKind
from streamopt.strategies.rival import RivalRequest, rival
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program


def chain() -> Program:
    p = dsl.program("chain")
    i, j, k = p.iterators(i=6, j=4, k=8)
    a, b = p.input("A", 6, 8), p.input("B", 8, 4)
    c = p.compute("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    p.output("y", (i, j), dsl.relu(c[i, j]))
    return p.build()


GRAPH = so.dataflow(chain())


def test_design_keeps_what_the_strategy_believes() -> None:
    found = so.design(GRAPH, "scalehls", dsp=100)
    assert found.answer.estimated_dsps == found.evaluation.resources.total.dsps <= 100
    assert found.answer.estimated_cycles == pytest.approx(found.evaluation.trace.cycles, rel=0.2)
    assert {channel.kind for channel in found.schedule.channels} == {ChannelKind.PING_PONG}
    assert found.schedule.node("C").order == ("k", "i", "j")
    assert found.schedule.rewrites == ()


def test_interval_is_built_as_it_was_chosen() -> None:
    request = RivalRequest(GRAPH, 20, so.device())
    schedule = rival("scalehls")(request).schedule
    found = so.evaluate(GRAPH, schedule)
    plan = schedule.node("C")
    assert plan.target_ii > 1
    assert found.timed["C"].timing.ii == plan.target_ii


def test_answers_are_the_same_every_time() -> None:
    request = RivalRequest(GRAPH, 60, so.device())
    assert rival("scalehls")(request) == rival("scalehls")(request)


def test_steps_tell_orders_tiles_and_stages() -> None:
    answer = rival("scalehls")(RivalRequest(GRAPH, 60, so.device()))
    stages = [step.stage for step in answer.steps]
    assert list(dict.fromkeys(stages)) == [
        "loop order optimization",
        "design space exploration",
        "design finalization",
        "loop tiling and pipelining",
        "dataflow legalization",
    ]
    assert answer.steps[0].what == "C: k, i, j (perm-map [1, 2, 0])"


def test_too_few_dsps_are_refused_with_what_is_needed() -> None:
    with pytest.raises(StrategyError, match=r"E540.*5 DSPs at least") as refused:
        rival("scalehls")(RivalRequest(GRAPH, 4, so.device()))
    assert refused.value.diagnostics[0].hint == "allow 5 DSPs or more"


@pytest.mark.parametrize("seed", range(3))
def test_random_graphs_get_legal_designs(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=3, max_extent=8)
    found = so.design(graph, "scalehls", dsp=200, fifos=None)
    assert found.evaluation.resources.total.dsps <= 200
    assert so.evaluate(graph, found.schedule).trace.cycles == found.evaluation.trace.cycles


def test_design_computes_what_the_program_does(tmp_path: Path) -> None:
    program = chain()
    found = so.design(GRAPH, "scalehls", dsp=60)
    so.write(program, found.schedule, tmp_path)
    so.verify(tmp_path).raise_if_failed()
