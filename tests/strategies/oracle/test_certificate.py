"""The certificate: valid schedules pass with the model's integers, broken ones are told apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import streamopt as so
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.space.level import LEVELS, PAPER_LEVELS, LevelName
from tests.support.certificate import certify
from tests.support.random.graphs import random_graph

TOP = Path(__file__).parents[3]
GRAPH = so.dataflow(so.load(TOP / "graphs" / "polybench" / "3mm.json"))
FOUND = so.solve(GRAPH, effort=so.Effort(fifos=None))


def broken(schedule: Schedule, dsp_limit: int = 2560) -> tuple[str, ...]:
    level = LEVELS[LevelName.OPT5]
    return certify(GRAPH, schedule, level=level, dsp_limit=dsp_limit, tiling_limit=16).broken


def with_plan(**changes: Any) -> Schedule:
    first, *others = FOUND.schedule.nodes
    return replace(FOUND.schedule, nodes=(replace(first, **changes), *others))


@pytest.mark.parametrize("level", PAPER_LEVELS)
@pytest.mark.parametrize("seed", range(6000, 6005))
def test_optima_of_random_graphs_survive(seed: int, level: LevelName) -> None:
    graph = random_graph(Random(seed), nodes=6, max_extent=16)
    found = so.solve(
        graph, level=level, dsp=120, space=so.Space(tiling_limit=2), effort=so.Effort(fifos=None)
    )
    again = certify(graph, found.schedule, level=LEVELS[level], dsp_limit=120, tiling_limit=2)
    assert again.broken == ()
    assert again.latency_cycles == found.latency_cycles == found.bound
    assert again.interval_cycles == found.interval_cycles
    assert again.dsps == found.prediction.dsps
    if level is LevelName.OPT4:
        orders = so.solve(
            graph,
            level="opt2",
            dsp=120,
            space=so.Space(tiling_limit=2),
            effort=so.Effort(fifos=None),
        )
        assert again.untiled_cycles == orders.latency_cycles


def test_every_broken_constraint_is_named() -> None:
    assert broken(FOUND.schedule) == ()
    assert broken(FOUND.schedule, dsp_limit=2499) == ("2500 DSPs are more than 2499",)
    assert broken(with_plan(order=("i", "j"))) == ("gemm1: i, j is no order of its loops",)
    assert broken(with_plan(unroll=(("i", 7), ("j", 1), ("k", 1)))) == (
        "gemm1.i: unroll factor 7 doesn't divide 180",
    )
    assert broken(with_plan(unroll=(("i", 1),))) == (
        "gemm1: unroll factors of other loops than its own",
    )
    assert broken(replace(FOUND.schedule, nodes=FOUND.schedule.nodes[:2])) == (
        "the schedule has other nodes than the graph",
    )
    assert broken(replace(FOUND.schedule, channels=())) == (
        "the schedule has other channels than the graph",
    )


def test_uncoupled_and_too_large_factors_are_named() -> None:
    first = FOUND.schedule.nodes[0]
    factors = {**first.factors, "i": first.factors["i"] * 2 if first.factors["i"] == 1 else 1}
    found = broken(with_plan(unroll=tuple(factors.items())))
    assert any("must have one unroll factor" in text for text in found)
    factors = {**first.factors, "k": 200}
    found = broken(with_plan(unroll=tuple(factors.items())))
    assert "unroll factors [200] of gemm1.k are not allowed" in found


def test_streams_against_the_order_are_named() -> None:
    start = so.solve(GRAPH, level="opt1", effort=so.Effort(fifos=None)).schedule
    streams = [replace(c, kind=ChannelKind.FIFO, depth_elems=1) for c in start.channels]
    found = broken(replace(start, channels=tuple(streams)))
    assert found == ("F is a FIFO, but its two sides walk in different orders",)


def test_levels_without_a_choice_refuse_it() -> None:
    found = certify(
        GRAPH, FOUND.schedule, level=LEVELS[LevelName.OPT1], dsp_limit=2560, tiling_limit=16
    )
    assert any("its loop order may not change" in text for text in found.broken)
    assert any("are not allowed" in text for text in found.broken)


def test_ping_pong_buffers_are_timed_as_such() -> None:
    slow = [replace(c, kind=ChannelKind.PING_PONG, depth_elems=0) for c in FOUND.schedule.channels]
    schedule = replace(FOUND.schedule, channels=tuple(slow))
    level = LEVELS[LevelName.OPT5]
    again = certify(GRAPH, schedule, level=level, dsp_limit=2560, tiling_limit=16)
    assert again.broken == ()
    assert again.latency_cycles > FOUND.latency_cycles
