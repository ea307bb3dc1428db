"""The closed form against the simulator, which doesn't know it."""

from __future__ import annotations

import random

import pytest

from streamopt.pipeline import Evaluation, evaluate
from streamopt.transforms.canonicalize import canonicalize
from tests.support.programs.sketches import all_legal_fifos, plans, program, with_channels
from tests.support.random.graphs import random_graph
from tests.support.random.schedules import random_plans


def random_evaluation(choose: random.Random, nodes: int) -> Evaluation:
    graph = random_graph(choose, nodes=nodes, max_extent=8)
    design = all_legal_fifos(graph, random_plans(graph, choose))
    return evaluate(graph, design.schedule)


@pytest.mark.parametrize("seed", range(20))
def test_a_single_node_is_exact(seed: int) -> None:
    found = random_evaluation(random.Random(seed), nodes=1)
    assert found.predicted is not None
    if len(found.network.pipelines) == 1:
        assert found.trace.cycles == found.predicted.latency_cycles


@pytest.mark.parametrize("seed", range(120))
def test_what_the_closed_form_misses_are_stalls(seed: int) -> None:
    choose = random.Random(seed)
    found = random_evaluation(choose, nodes=choose.choice((2, 3, 5, 7)))
    assert found.predicted is not None
    missing = found.trace.cycles - found.predicted.latency_cycles
    nodes = len(found.network.pipelines)
    stalls = sum(p.empty_cycles + p.full_cycles for p in found.trace.processes)
    # A hand-over from process to process takes a cycle more or less than the closed form says.
    assert missing >= -nodes
    assert missing <= stalls + 2 * nodes
    if not stalls:
        assert 0 <= missing <= nodes


def test_a_process_waits_for_the_buffers_of_all_its_nodes() -> None:
    graph = canonicalize(
        program(
            {"x": "input 6 8", "t": "internal 8 6", "p": "internal 10 6", "y": "output 10 6"},
            {
                "turn": "i 6, j 8: t[j][i] = x[i][j]",
                "border": "i 10, j 6: p[i][j] = 0",
                "inside": "i 8, j 6: p[i + 1][j] = t[i][j]",
                "use": "i 10, j 6: y[i][j] = p[i][j] * 2",
            },
        )
    )
    buffers = [edge.channel for edge in graph.edges]
    design = with_channels(graph, plans(graph, {}, {}), buffers)
    found = evaluate(graph, design.schedule)
    assert found.predicted is not None
    times = {node.node: node for node in found.predicted.nodes}
    assert times["border"].start_cycles == times["turn"].last_write_cycles
    assert times["inside"].start_cycles == times["border"].last_write_cycles
    assert abs(found.trace.cycles - found.predicted.latency_cycles) <= 4
