"""Intervals of kernels that one nest runs in place, each derived by hand.

With 6 cycles an addition, 3 a multiplication, 11 a division, and 4 an addition that its own next
one waits for.
"""

from __future__ import annotations

import pytest

from streamopt.evaluation.design import timed_network
from streamopt.pipeline import SourceOptions, dataflow, load
from streamopt.space.assemble import assemble
from streamopt.target.device import Target
from tests.support.runners.polybench import KERNELS, source

INTERVALS = {
    # b1 * y1[i][j - 1], added twice, is y1[i][j]: 3 + 6 + 6; so are the three other filters
    "deriche": {"imgOut_update": 15},
    # x[0] / L[0][0] in the last of a row; x[0] * L[1][0] in the next; in the last row its sum is
    # divided in the iteration that makes it: 11 + 3 + 6
    "trisolv": {"x_update": 20},
    # A[i][0] / A[0][0] two iterations before A[i][1]'s terms: (11 + 2 + 3 + 6) / 2
    "lu": {"A_out_update": 11},
    # as lu; both triangular solves are in the same nest, where they have their rows to themselves
    "ludcmp": {"x_update": 11},
    # six accesses of the table on a memory's two ports; the recurrence asks for (2 + 1 + 1) / 2
    "nussinov": {"table_out_update": 3},
    # a sum at distance 1; what it adds comes from the iterations of the loop around
    "durbin": {"y_out_update": 4},
}


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_are_those_of_the_slowest_circle(name: str) -> None:
    defines = {"MINI_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    graph = dataflow(load(source(name), options=SourceOptions(define=defines, include=[KERNELS])))
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    schedule = assemble(graph, orders, {node.name: (1,) * len(node.loops) for node in graph.nodes})
    _, timed = timed_network(graph, schedule, Target.named("u280", clock_ns=3.33))
    assert {node: timed[node].ii for node in INTERVALS[name]} == INTERVALS[name]
