"""Horizons leave every schedule that is fast enough, and dives return schedules that are legal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import streamopt as so
from streamopt.space.assemble import baseline, evaluate, violations
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.horizon import HorizonFilter, same_rows
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings as bindings_of
from streamopt.target.device import find_device

TOP = Path(__file__).parents[2]
GRAPH = so.dataflow(so.load(TOP / "graphs" / "polybench" / "3mm.json"))
SPACE = decision_space(GRAPH, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=2560, tiling_limit=16))
ROWS = node_rows(SPACE)
KNOWN_CYCLES = evaluate(GRAPH, baseline(GRAPH)).latency_cycles


def test_horizon_keeps_what_is_fast_enough() -> None:
    horizons = HorizonFilter(SPACE, ROWS)
    lower = horizons.least_horizon(KNOWN_CYCLES)
    assert lower <= 49019
    assert horizons.within(lower - 1) is None
    best = so.solve(GRAPH).schedule
    kept = horizons.within(49019)
    assert kept is not None
    for node in GRAPH.nodes:
        plan = best.node(node.name)
        wanted = (plan.order, tuple(factor for _, factor in plan.unroll))
        rows = kept[node.name]
        assert wanted in set(zip(rows.orders, rows.factors, strict=True))
    assert sum(map(len, kept.values())) < sum(map(len, ROWS.values())) / 10


@pytest.mark.parametrize("few_lanes", [False, True])
def test_dive_returns_a_legal_schedule(few_lanes: bool) -> None:
    horizons = HorizonFilter(SPACE, ROWS)
    assert horizons.dive(1, few_lanes=few_lanes) is None
    chosen = horizons.dive(200_000, few_lanes=few_lanes)
    assert chosen is not None
    schedule = horizons.schedule(chosen)
    assert violations(SPACE, schedule) == []
    assert evaluate(GRAPH, schedule).latency_cycles < KNOWN_CYCLES / 100


def test_rows_that_differ_in_nothing_but_operators_are_told_apart() -> None:
    bindings = bindings_of(None, GRAPH, find_device())
    costs = as_built_costs(GRAPH, find_device())
    space = decision_space(
        GRAPH,
        SpaceOptions(
            LEVELS[LevelName.OPT6], dsp_limit=2560, tiling_limit=60, costs=costs, bindings=bindings
        ),
    )
    space = replace(space, lut_limit=400_000)
    rows = node_rows(space)
    (name, *_) = rows
    assert len(set(rows[name].bindings)) > 1
    for place in range(len(rows[name])):
        assert same_rows(rows, rows, {name: place}) == {name: place}
