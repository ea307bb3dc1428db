from __future__ import annotations

import pytest

from streamopt.perf.pipelines.clock import clock_risks
from streamopt.target.device import Target
from tests.support.networks.multiply_add import matrix_product, network_of, timing

U280 = Target.named("u280", clock_ns=3.33)


@pytest.mark.parametrize(
    ("terms", "distance", "ii", "misses"),
    [
        *((1, 180, 1, False), (2, 19, 1, False), (4, 32, 1, False), (10, 45, 1, False)),
        *((4, 16, 1, True), (4, 21, 1, True), (5, 18, 1, True), (7, 19, 1, True)),
        *((8, 16, 1, True), (10, 20, 1, True), (10, 26, 1, True), (25, 16, 2, True)),
        *((4, 1, 12, True), (16, 1, 16, True), (1, 1, 4, False), (15, 41, 1, False)),
    ],
)
def test_published_sums(terms: int, distance: int, ii: int, misses: bool) -> None:
    lanes, trips = {"i": 1, "j": 1, "k": terms}, {"i": 20, "k": 20, "j": distance}
    pipeline = matrix_product(trips, lanes)
    network = network_of(pipeline, lanes, {"i": 20, "j": distance, "k": 20 * terms})
    found = clock_risks(network, {"mac": timing(ii)}, U280)
    assert bool(found) is misses


def test_the_risk_says_what_to_change() -> None:
    lanes, trips = {"i": 1, "j": 1, "k": 10}, {"i": 20, "k": 20, "j": 20}
    network = network_of(matrix_product(trips, lanes), lanes, {"i": 20, "j": 20, "k": 200})
    (risk,) = clock_risks(network, {"mac": timing()}, U280)
    assert (risk.memory, risk.given_cycles, risk.needed_cycles) == ("C", 20, 30)
    assert "unroll less" in str(risk)
