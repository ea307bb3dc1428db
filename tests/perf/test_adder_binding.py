"""DSPs of accumulations against figures of published designs."""

from __future__ import annotations

import pytest

from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.resources.network import resources
from streamopt.perf.resources.operators import (
    fabric_adders,
    operator_replicas,
    shared_units,
    sharing_cycles,
)
from streamopt.target.device import Target
from tests.support.networks.multiply_add import matrix_product, network_of, timing

U280 = Target.named("u280", clock_ns=3.33)


def dsps(order: str, trips: tuple[int, int, int], unrolled: tuple[int, int, int], ii: int) -> int:
    """Return the DSPs of a product with tile trip counts and unroll factors of i, j, k."""
    lanes = dict(zip("ijk", unrolled, strict=True))
    tiles = dict(zip("ijk", trips, strict=True))
    pipeline = matrix_product({name: tiles[name] for name in order}, lanes)
    extents = {name: tiles[name] * lanes[name] for name in "ijk"}
    found = resources(network_of(pipeline, lanes, extents), {"mac": timing(ii)}, U280)
    return found.total.dsps


@pytest.mark.parametrize(
    ("order", "trips", "unrolled", "ii", "published"),
    [
        ("kij", (16, 16, 16), (4, 4, 4), 1, 320),  # 7mm tree: distance 256
        ("ikj", (16, 16, 16), (4, 4, 4), 1, 224),  # 7mm: distance 16, three of four adders
        ("ikj", (16, 16, 16), (4, 4, 8), 1, 544),  # 7mm unbalanced: three of eight
        ("ikj", (16, 16, 16), (8, 4, 2), 1, 320),  # two terms fit into 16 cycles
        ("ikj", (16, 16, 16), (4, 4, 16), 2, 640),  # FeedForward opt4: 256 MACs at II 2
        ("ijk", (16, 16, 16), (4, 8, 8), 12, 94),  # FeedForward opt3: 96 with two addresses
        ("ijk", (64, 64, 64), (1, 1, 1), 4, 3),  # an adder without DSPs
        ("kij", (64, 64, 64), (1, 1, 1), 1, 5),
        ("ijk", (16, 16, 16), (4, 2, 4), 12, 22),  # 7mm unbalanced opt3 node2
    ],
)
def test_published_products(
    order: str, trips: tuple[int, int, int], unrolled: tuple[int, int, int], ii: int, published: int
) -> None:
    assert dsps(order, trips, unrolled, ii) == published


def test_a_recurrence_that_is_just_long_enough_keeps_its_dsps() -> None:
    # Ten terms: 4 additions of 6 cycles and 2 for the memory are 26.
    lanes = {"i": 1, "j": 1, "k": 10}
    for distance, in_fabric in ((25, 4), (26, 0)):
        pipeline = matrix_product({"i": 4, "k": 5, "j": distance}, lanes)
        adder = next(r for r in operator_replicas(pipeline) if r.operation.operator is Operator.ADD)
        sums = tuple(recurrences(pipeline))
        assert all(update.is_sum for update in sums)
        assert fabric_adders(adder.operation, adder.count, sums, 1, U280) == in_fabric


def test_integers_have_no_adders_to_choose() -> None:
    lanes = {"i": 1, "j": 1, "k": 4}
    pipeline = matrix_product({"i": 4, "j": 4, "k": 4}, lanes, ElementType.INT32)
    sums = [update for update in recurrences(pipeline) if update.is_sum]
    for replicas in operator_replicas(pipeline):
        assert fabric_adders(replicas.operation, replicas.count, sums, 1, U280) == 0
    assert sharing_cycles(sums, 4) == 4


def test_units_are_shared_over_the_interval() -> None:
    assert [shared_units(256, ii) for ii in (1, 2, 12, 300)] == [256, 128, 22, 1]
