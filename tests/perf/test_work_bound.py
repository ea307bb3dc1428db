"""The bound of the work: below every design, and what it should be where it is known."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.perf.as_built.closed_form import predict
from streamopt.perf.as_built.work_bound import busy_cycles, work_bound_cycles
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.space.assemble import assemble
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from streamopt.target.resources import Resources

DEVICE = so.device("u280")
ROUNDING_CYCLES = 4
"""Per node: what a design may end earlier than its rows say."""


def product() -> Program:
    p = so.dsl.program("product")
    i, j, k = p.iterators(i=32, j=32, k=32)
    p.output("C", (i, j), so.dsl.sum(k, p.input("A", 32, 32)[i, k] * p.input("B", 32, 32)[k, j]))
    return p.build()


def region(dsps: int, luts: int) -> Resources:
    return replace(DEVICE.slr, dsps=dsps, luts=luts)


@pytest.mark.parametrize("seed", range(6))
def test_no_design_is_below_the_bound_within_what_it_takes(seed: int) -> None:
    rng = Random(6600 + seed)
    graph = random_graph(rng, nodes=6, max_extent=12)
    costs = as_built_costs(graph, DEVICE, {})
    choices = bindings(None, graph, DEVICE)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT6], dsp_limit=10**6, tiling_limit=1)
    )
    class_of = space.class_of()
    for _ in range(12):
        factors = [rng.choice(group.factors) for group in space.classes]
        taken = {
            node.name: [factors[class_of[node.name, loop]] for loop in node.trip_counts]
            for node in graph.nodes
        }
        orders = {node.name: rng.choice(space.orders[node.name]) for node in graph.nodes}
        built = {node.name: rng.choice(choices[node.name]) for node in graph.nodes}
        scheduled = apply(graph, assemble(graph, orders, taken, built))
        network = lower(scheduled)
        timings = pipeline_timings(network, DEVICE)
        used = resources(network, timings, DEVICE)
        dsps = {name: own.dsps for name, own in used.pipelines.items()}
        cycles = predict(scheduled, network, timings, dsps).latency_cycles
        within = region(used.total.dsps, used.total.luts)
        bound = work_bound_cycles(graph, costs, choices, {}, DEVICE, within)
        assert 0 < bound <= cycles + ROUNDING_CYCLES * len(graph.nodes)


def test_without_luts_it_is_the_products_over_the_dsps() -> None:
    graph = so.dataflow(product())
    costs = as_built_costs(graph, DEVICE, {})
    bound = work_bound_cycles(graph, costs, {}, {}, DEVICE, region(30, 10**9))
    assert bound == -(-(32**3 * 3) // 30)
    assert busy_cycles(graph, {}, {}, DEVICE, region(30, 10**9)) == bound
    free = bindings(None, graph, DEVICE)
    both = work_bound_cycles(graph, costs, free, {}, DEVICE, region(30, 30_000))
    assert 0 < both < bound
