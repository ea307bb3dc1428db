"""Visits are as long as the model says: safe, and none could be shorter where any is lengthened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SimulationError
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.turns.lengths import with_lengths
from streamopt.sim.in_turn.hazards import check_hazards
from streamopt.target.device import DEVICE, find_device
from streamopt.transforms.lower import lower
from tests.support.steps import (
    as_planned,
    jacobi_2d,
    lu,
    nussinov,
    ordered,
    plan_of,
    seidel,
    trisolv,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.schedule import NodePlan
    from streamopt.sim.in_turn.hazards import HazardCheck
    from tests.support.steps import Ordered

ON = find_device(DEVICE, None)


def border(at: int, value: str) -> Ordered:
    """Return rows that are updated behind others, and row 0, which is set beside some row."""
    return ordered("border", {"y": (60, 24), "h": (60, 24), "x": (4,)}, f"""
        for t 0 3
        . for j 0 65
        . . phase row: i 0 24
        . . : y[j+1][i] = y[j+1][i] - h[j+1][i] when j <= 58
        . . : y[0][i] = {value} when j == {at}
        . . : h[j-6][i] = h[j-6][i] + y[j-6][i] when j >= 6
    """)  # fmt: skip


CASES = {
    "trisolv": (trisolv(40), {"i": 8}),
    "lu": (lu(40), {"i": 4, "a": 4, "b": 4}),
    "jacobi": (jacobi_2d(20, 5), {"j": 6, "l": 6}),
    "nussinov": (nussinov(30), {"i": 4, "k": 4}),
    "seidel": (seidel(12, 4), {"t": 2, "i": 3}),
    "border": (border(0, "x[t]"), {"i": 8}),
    "border taken": (border(6, "x[t]"), {"i": 8}),
    "border computed": (border(6, "x[t] * x[t+1]"), {"i": 8}),
}


def planned(order: Ordered, lanes: dict[str, int]) -> NodePlan:
    plan = plan_of(order, **lanes)
    network = lower(as_planned(order, plan))
    return with_lengths(plan, network.processes[0], network, ON)


def checked(order: Ordered, plan: NodePlan) -> HazardCheck:
    network = lower(as_planned(order, plan))
    return check_hazards(network, pipeline_timings(network, ON))


def shorter(plan: NodePlan) -> Iterator[NodePlan]:
    """Yield the plan with a length of one phase less by one: of all its visits, or of the last."""
    for at, (phase, least) in enumerate(plan.least_cycles):
        cycles = (*plan.least_cycles[:at], (phase, least - 1), *plan.least_cycles[at + 1 :])
        yield replace(plan, least_cycles=cycles)
    for at, (phase, last) in enumerate(plan.last_cycles):
        cycles = (*plan.last_cycles[:at], (phase, last - 1), *plan.last_cycles[at + 1 :])
        yield replace(plan, last_cycles=cycles)


@pytest.mark.parametrize("name", CASES)
def test_lengths_of_visits_are_safe(name: str) -> None:
    order, lanes = CASES[name]
    assert checked(order, planned(order, lanes)).is_complete


@pytest.mark.parametrize("name", ["trisolv", "lu", "nussinov", "seidel"])
def test_no_length_is_larger_than_it_has_to_be(name: str) -> None:
    order, lanes = CASES[name]
    for plan in shorter(planned(order, lanes)):
        with pytest.raises(SimulationError, match="E811"):
            checked(order, plan)
