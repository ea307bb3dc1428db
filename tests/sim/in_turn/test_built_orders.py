"""Visits are as long as the model says: safe, and none could be shorter where any is lengthened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SimulationError
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.turns.lengths import visit_lengths
from streamopt.sim.in_turn.hazards import check_hazards
from streamopt.target.device import DEVICE, find_device
from streamopt.transforms.lower import lower
from tests.support.steps import jacobi_2d, lu, nussinov, scheduled, seidel, trisolv

if TYPE_CHECKING:
    from streamopt.sim.in_turn.hazards import HazardCheck
    from tests.support.steps import Ordered

ON = find_device(DEVICE, None)
CASES = {
    "trisolv": (trisolv(40), {"i": 8}),
    "lu": (lu(40), {"i": 4, "a": 4, "b": 4}),
    "jacobi": (jacobi_2d(20, 5), {"j": 6, "l": 6}),
    "nussinov": (nussinov(30), {"i": 4, "k": 4}),
    "seidel": (seidel(12, 4), {"t": 2, "i": 3}),
}


def lengths_of(order: Ordered, lanes: dict[str, int]) -> tuple[tuple[str, int], ...]:
    network = lower(scheduled(order, (), **lanes))
    return visit_lengths(network.processes[0], network, ON)


def checked(
    order: Ordered, least_cycles: tuple[tuple[str, int], ...], lanes: dict[str, int]
) -> HazardCheck:
    network = lower(scheduled(order, least_cycles, **lanes))
    return check_hazards(network, pipeline_timings(network, ON))


@pytest.mark.parametrize("name", CASES)
def test_lengths_of_visits_are_safe(name: str) -> None:
    order, lanes = CASES[name]
    assert checked(order, lengths_of(order, lanes), lanes).is_complete


@pytest.mark.parametrize("name", [name for name in CASES if name != "jacobi"])
def test_no_length_is_larger_than_it_has_to_be(name: str) -> None:
    order, lanes = CASES[name]
    lengths = lengths_of(order, lanes)
    for at, (phase, least) in enumerate(lengths):
        shorter = (*lengths[:at], (phase, least - 1), *lengths[at + 1 :])
        with pytest.raises(SimulationError, match="E811"):
            checked(order, shorter, lanes)
