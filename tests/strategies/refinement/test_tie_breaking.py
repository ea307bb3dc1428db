"""Of equally fast schedules of the published model, one that the hardware runs as fast."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamopt as so
from streamopt.ir.graph import SequentialNode
from streamopt.perf.costs import PUBLISHED, LaterCosts, OpenPlans, Setting
from streamopt.solvers.result import Proof
from streamopt.strategies.opt6.as_built_costs import as_built_costs

if TYPE_CHECKING:
    from streamopt.perf.paper.timing import NestTiming

GRAPHS = Path(__file__).parents[3] / "graphs"


def test_an_optimum_that_simulates_as_predicted_stays() -> None:
    graph = so.dataflow(so.load(GRAPHS / "transformers" / "feed_forward.json"))
    found = so.solve(graph, dsp=2560)
    first = so.solve(graph, dsp=2560, effort=so.Effort(fifos=None))  # whose design isn't looked at
    assert found.proof is first.proof is Proof.OPTIMAL
    assert found.latency_cycles == found.bound == first.latency_cycles
    assert found.prediction == found.problem.evaluate(found.schedule)
    assert found.prediction.dsps <= 2560
    cycles, unlooked = (so.simulate(graph, each.schedule).cycles for each in (found, first))
    assert found.latency_cycles <= cycles <= min(1.02 * found.latency_cycles, unlooked)


def test_nothing_else_is_taken_where_the_model_is_right() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "3mm.json"))
    plans = [
        so.solve(graph, dsp=2560, effort=so.Effort(fifos=own)).schedule.nodes
        for own in (so.FifoSizing(), None)
    ]
    assert plans[0] == plans[1]


SEQUENTIAL = Path(__file__).parents[3] / "models" / "kernels" / "pom" / "seidel_2d.c"


@pytest.mark.parametrize("name", ["polybench/gemm.json", "cnns/dwsconv_block.json"])
def test_later_costs_are_no_earlier_than_both(name: str) -> None:
    graph = so.dataflow(so.load(GRAPHS / name))
    built = as_built_costs(graph, so.device("u280"))
    both = LaterCosts(PUBLISHED, built)
    ins = graph.in_edges()
    for node in graph.nodes:
        order = tuple(node.trip_counts)
        setting = Setting.of(graph, node, ins[node.name], ins[node.name][:1])
        factors = {loop: np.array([1, 2, 4]) for loop in order}
        found = both.node_cost(node, order, factors, setting)
        parts = [own.node_cost(node, order, factors, setting) for own in (PUBLISHED, built)]
        first, second = (_late(part.timing, setting) for part in parts)
        for own, one, other in zip(_late(found.timing, setting), first, second, strict=True):
            np.testing.assert_array_equal(own, np.maximum(one, other))
        np.testing.assert_array_equal(found.dsps, parts[0].dsps)
        single = both.node_cost(node, order, dict.fromkeys(order, 2), setting)
        assert single.timing.last_write == np.broadcast_to(found.timing.last_write, 3)[1]
        assert isinstance(single.timing.last_write, int)


def _late(timing: NestTiming[Any], setting: Setting) -> list[Any]:
    """Return what is better when it is less: first and last write, and the epilogues."""
    last = timing.last_write
    return [timing.first_write, last, *(last - timing.last_read[name] for name in setting.operands)]


def test_later_costs_of_a_plan_are_no_earlier_than_both() -> None:
    options = so.SourceOptions(define={"N": "8", "T": "2"})
    graph = so.dataflow(so.load(SEQUENTIAL, options=options))
    built = as_built_costs(graph, so.device("u280"))
    both = LaterCosts(PUBLISHED, built)
    (node,) = graph.nodes
    assert isinstance(node, SequentialNode)
    for plan in both.plans(graph, node, OpenPlans()):
        found = both.plan_cost(graph, node, plan)
        parts = [own.plan_cost(graph, node, plan).timing for own in (PUBLISHED, built)]
        assert found.timing.last_write == max(part.last_write for part in parts)
