"""What lanes cost that may have no iteration: a cycle of depth, and LUTs that mask terms."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.space.assemble import assemble
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

DEVICE = so.device("u280")


@pytest.mark.parametrize(
    ("factors", "masked_terms"),
    [((2, 5, 4), 0), ((3, 5, 4), 0), ((2, 5, 3), 10), ((4, 3, 3), 12), ((6, 10, 5), 120)],
)
def test_partial_sums_are_masked(factors: tuple[int, ...], masked_terms: int) -> None:
    p = so.dsl.program("product")
    i, j, k = p.iterators(i=6, j=10, k=8)
    p.output("y", (i, j), so.dsl.sum(k, p.input("a", 6, 8)[i, k] * p.input("b", 8, 10)[k, j]))
    graph = so.dataflow(p.build())
    (node,) = graph.nodes
    scheduled = apply(graph, assemble(graph, {node.name: ("k", "i", "j")}, {node.name: factors}))
    network = lower(scheduled)
    (process,) = network.processes
    (pipeline,) = process.pipelines
    whole = replace(process, pipelines=(replace(pipeline, partial_tiles=()),))
    without = replace(network, processes=(whole,))
    timings, expected = pipeline_timings(network, DEVICE), pipeline_timings(without, DEVICE)
    assert timings[node.name].ii == expected[node.name].ii
    partial = any(loop.is_partial for loop in scheduled.nodes[0].loops)
    assert timings[node.name].depth_cycles == expected[node.name].depth_cycles + partial
    used, less = (resources(one, timings, DEVICE).total for one in (network, without))
    assert used.luts - less.luts == 32 * masked_terms
    assert (used.dsps, used.ffs) == (less.dsps, less.ffs)
