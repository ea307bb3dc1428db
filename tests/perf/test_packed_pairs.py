"""DSPs of packed products: by the closed form and by the lowered design, whatever the lanes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import Schedule
from streamopt.perf.as_built.node_operators import node_operators
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from tests.support.programs.sketches import plans, program

DEVICE = so.device("u280")
GEMM = program(
    {"A": "input 6 8 int8_t", "B": "input 8 10 int8_t", "C": "output 6 10 int32_t"},
    {"gemm": "i 6, j 10, k 8: C[i][j] += A[i][k] * B[k][j]"},
)


@pytest.mark.parametrize(
    ("unroll", "dsps"),
    [
        ("", 1),
        ("k 8", 8),
        ("j 5, k 4", 12),
        ("i 2, j 5, k 2", 10),
        ("i 3, j 5", 9),
        ("i 6, j 10, k 8", 240),
    ],
)
def test_lanes_with_a_common_factor_go_in_pairs(unroll: str, dsps: int) -> None:
    graph = so.dataflow(GEMM)
    (plan,) = plans(graph, {}, {"gemm": unroll})
    plan = replace(plan, binding=((Operator.MUL, Implementation.PACKED),))
    network = lower(apply(graph, Schedule(graph.name, (plan,), ())))
    assert resources(network, pipeline_timings(network, DEVICE), DEVICE).total.dsps == dsps
    (node,) = graph.nodes
    operators = node_operators(node, graph.element_of, plan.binding)
    assert operators.amounts(plan.factors, 1, 1, DEVICE).dsps == dsps
