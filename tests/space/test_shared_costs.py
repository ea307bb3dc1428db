"""Costs that orders and bindings share are those that each has alone."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import streamopt as so
from streamopt.perf.costs import Setting
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.target.device import Target

GRAPHS = Path(__file__).parents[2] / "graphs" / "polybench"


@pytest.mark.parametrize("name", ["atax", "2mm"])
def test_costs_after_others_are_those_of_a_model_asked_once(name: str) -> None:
    graph, on = so.dataflow(so.load(GRAPHS / f"{name}.json")), Target.named("u280", 5.0)
    shared = as_built_costs(graph, on)
    ins, outs = graph.in_edges(), graph.out_edges()
    asked = 0
    for node in graph.nodes:
        trips = node.trip_counts
        lanes = np.array([1, 2, 4, 8], dtype=np.int64)
        factors = {loop: np.minimum(lanes, count) for loop, count in trips.items()}
        for binding in bindings(None, graph, on)[node.name]:
            setting = Setting.of(graph, node, ins[node.name], outs[node.name], binding)
            for order in permutations(trips):
                found = shared.node_cost(node, order, factors, setting)
                for at, _ in enumerate(lanes):
                    one = {loop: int(column[at]) for loop, column in factors.items()}
                    alone = as_built_costs(graph, on).node_cost(node, order, one, setting)
                    asked += 1
                    for many, single in (
                        (found.timing.ii, alone.timing.ii),
                        (found.timing.first_write, alone.timing.first_write),
                        (found.timing.last_write, alone.timing.last_write),
                        (found.dsps, alone.dsps),
                        (found.luts, alone.luts),
                    ):
                        assert (np.zeros(len(lanes), dtype=np.int64) + many)[at] == single
    assert asked


def test_rows_are_the_same_however_many_candidates_are_compared_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, on = so.dataflow(so.load(GRAPHS / "2mm.json")), Target.named("u280", 5.0)
    options = SpaceOptions(
        LEVELS[LevelName.OPT6],
        500,
        8,
        costs=as_built_costs(graph, on),
        bindings=bindings(None, graph, on),
    )
    space = decision_space(graph, options)
    whole = node_rows(space)
    monkeypatch.setattr("streamopt.space.rows.BATCH", 64)
    parts = node_rows(space)
    assert any(len(own) > 64 for own in whole.values())
    for name, own in whole.items():
        other = parts[name]
        assert (own.orders, own.factors, own.bindings) == (
            other.orders,
            other.factors,
            other.bindings,
        )
        assert (own.times.last_write == other.times.last_write).all()
