"""Unroll factors, tile classes and horizons."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from streamopt.space.assemble import baseline, evaluate
from streamopt.space.decisions import decision_space
from streamopt.space.horizon import HorizonFilter
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.space.tiles import coupled_loops, divisors

TOP = Path(__file__).parents[2]
CONVOLUTION = so.dataflow(so.load(TOP / "graphs" / "cnns" / "dwsconv_block.json"))


@pytest.mark.parametrize(
    ("trip_count", "limit", "factors"),
    [
        (180, 16, (1, 2, 3, 4, 5, 6, 9, 10)),
        (16, 16, (1,)),
        (10, 16, (1,)),
        (17, 16, (1,)),
        (16, 1, (1, 2, 4, 8, 16)),
        (1, 1, (1,)),
        (32, 8, (1, 2, 4)),
    ],
)
def test_factors_divide_and_leave_iterations(
    trip_count: int, limit: int, factors: tuple[int, ...]
) -> None:
    assert divisors(trip_count, limit) == factors


def test_window_couples_by_position() -> None:
    groups = [set(group) for group in coupled_loops(CONVOLUTION)]
    channels = next(g for g in groups if ("depthwise", "c") in g)
    assert {("pad_zero", "c"), ("pad_copy", "c"), ("pointwise", "c")} < channels
    rows = next(g for g in groups if ("depthwise", "h") in g)
    assert {("pad_zero", "h"), ("pad_copy", "h"), ("pointwise", "h")} < rows
    taps = next(g for g in groups if ("depthwise", "kh") in g)
    assert taps == {("depthwise", "kh"), ("pad_zero", "w"), ("pad_copy", "w")}
    assert {("depthwise", "kw")} in groups


def test_horizon_keeps_what_is_fast_enough() -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "3mm.json"))
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=2560, tiling_limit=16)
    rows = node_rows(space)
    horizons = HorizonFilter(space, rows)
    known = evaluate(graph, baseline(graph)).latency_cycles
    lower = horizons.least_horizon(known)
    assert lower <= 49019
    assert horizons.within(lower - 1) is None
    best = so.solve(graph).schedule
    kept = horizons.within(49019)
    assert kept is not None
    for node in graph.nodes:
        plan = best.node(node.name)
        wanted = (plan.order, tuple(u for _, u in plan.unroll))
        assert wanted in list(zip(kept[node.name].orders, kept[node.name].factors, strict=True))
    assert sum(map(len, kept.values())) < sum(map(len, rows.values())) / 10
