"""Bindings that take the least share of both limits, and the price at which there are some."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.perf.as_built.work_bound import lut_dual_price, work_bound_cycles
from streamopt.space.assemble import baseline, node_costs
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.strategies.opt6.priced.mixed_bindings import with_mixed_bindings
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from tests.support.programs.sketches import program

ON = Target.named("u280", 4.0)
NAMES, LANES = "CDEF", 16
NODE = "i 64, j 64, k 64: {0}[i][j] += int64_t(A[i][k]) * int64_t(B[k][j])"
GRAPH = so.dataflow(
    program(
        dict.fromkeys("AB", "input 64 64 int8_t") | dict.fromkeys(NAMES, "output 64 64 int64_t"),
        {f"of_{name}": NODE.format(name) for name in NAMES},
    )
)
WAYS = bindings(None, GRAPH, ON)
COSTS = as_built_costs(GRAPH, ON)
START = replace(
    baseline(GRAPH),
    nodes=tuple(
        replace(plan, unroll=(("i", 1), ("j", LANES), ("k", 1))) for plan in baseline(GRAPH).nodes
    ),
)


def taken(schedule: so.Schedule) -> tuple[int, int]:
    costs = node_costs(GRAPH, schedule, COSTS).values()
    return sum(cost.dsps for cost in costs), sum(cost.luts for cost in costs)


def all_of(kind: int) -> tuple[int, int]:
    plans = (replace(plan, binding=WAYS[plan.node][kind]) for plan in START.nodes)
    return taken(replace(START, nodes=tuple(plans)))


@pytest.mark.parametrize("in_dsps", [1, 2, 3])
def test_limits_of_some_units_are_kept_by_a_mixture(in_dsps: int) -> None:
    (packed, few), (none, many) = all_of(1), all_of(2)
    assert packed > none == 0
    assert many > few
    of_luts = len(NAMES) - in_dsps
    limits = packed * in_dsps // len(NAMES), few + (many - few) * of_luts // len(NAMES)
    mixed = with_mixed_bindings(GRAPH, START, WAYS, COSTS, limits)
    assert all(own <= most for own, most in zip(taken(mixed), limits, strict=True))
    assert [plan.unroll for plan in mixed.nodes] == [plan.unroll for plan in START.nodes]


def test_the_price_is_that_of_the_greatest_bound() -> None:
    limits = Resources(dsps=200, luts=60_000)
    price = lut_dual_price(GRAPH, WAYS, ON, limits)
    (packed, few), (_, many) = all_of(1), all_of(2)
    assert price == pytest.approx(packed / (many - few), rel=0.2)
    assert lut_dual_price(GRAPH, WAYS, ON, replace(limits, luts=10**9)) < price / 10
    assert work_bound_cycles(GRAPH, COSTS, WAYS, {}, ON, limits) > 0
