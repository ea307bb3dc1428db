"""What ScaleHLS published of its kernels: orders, partitions, cycles, and what the search finds."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import pytest

from streamopt.strategies.scalehls.band import optimized_order, permutation_map
from streamopt.strategies.scalehls.body import unrolled_body
from streamopt.strategies.scalehls.exploration import ExplorationLimits, explore
from streamopt.strategies.scalehls.partition import Fashion, array_partition
from streamopt.strategies.scalehls.quality import Latencies, quality
from tests.support.programs import scalehls_kernels as kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.strategies.scalehls.band import Band

SAMPLE = ExplorationLimits(first_lanes=32, most_lanes=128, most_loop_lanes=16)
"""The configuration that the published code has beside its kernels."""
OVERSHOOT = 242
"""DSPs that the published code allows where 220 are given: a tenth more."""
KERNELS = {
    "bicg": kernels.bicg,
    "gemm": kernels.gemm,
    "gesummv": kernels.gesummv,
    "syrk": kernels.syrk,
    "syr2k": kernels.syr2k,
    "trmm": kernels.trmm,
}


@pytest.mark.parametrize("name", KERNELS)
def test_loop_orders_of_table_iii(name: str) -> None:
    band = KERNELS[name]()
    order = optimized_order(band).order
    assert permutation_map(band.order, order) == kernels.published(name).perm_map


@pytest.mark.parametrize("name", KERNELS)
def test_partitions_of_table_iii(name: str) -> None:
    found = kernels.published(name)
    body = unrolled_body(optimized_order(KERNELS[name]()), _tiles(name))
    for array, addresses in body.touches().items():
        split = array_partition(addresses)
        assert tuple(dimension.factor for dimension in split) == found.factors[array], array
        assert {dimension.fashion for dimension in split} == {Fashion.CYCLIC}


@pytest.mark.parametrize("name", KERNELS)
def test_published_interval_is_possible_and_gives_the_published_cycles(name: str) -> None:
    found, band = kernels.published(name), optimized_order(KERNELS[name]())
    estimate = quality(band, _tiles(name), kernels.EDGE, Latencies(kernels.EDGE))
    iterations = prod(found.size // size for size in found.tile_sizes)
    assert estimate.least_ii <= found.ii
    assert estimate.dsps(found.ii) <= OVERSHOOT
    cycles = estimate.cycles(found.ii)
    assert cycles == found.ii * (iterations - 1) + estimate.iteration_cycles + 2
    assert cycles == pytest.approx(found.ii * iterations, rel=1e-4)


def test_search_finds_the_published_gemm() -> None:
    points = explore(optimized_order(kernels.gemm()), kernels.EDGE, SAMPLE).points
    best = next(point for point in points if point.dsps <= OVERSHOOT)
    published = kernels.published("gemm")
    assert (best.tiles, best.ii, best.dsps) == (published.tile_sizes, published.ii, 239)
    strict = next(point for point in points if point.dsps <= 220)
    assert strict.cycles > best.cycles


def test_search_finds_the_published_bicg() -> None:
    points = explore(optimized_order(kernels.bicg()), kernels.EDGE, SAMPLE).points
    published = kernels.published("bicg")
    assert (points[0].tiles, points[0].ii) == (published.tile_sizes, published.ii)
    assert points[0].dsps <= 220


def test_chain_of_eight_additions_makes_the_interval_of_bicg() -> None:
    estimate = quality(
        optimized_order(kernels.bicg()), _tiles("bicg"), kernels.EDGE, Latencies(kernels.EDGE)
    )
    assert estimate.least_ii == 2 + 8 * 5 + 1


def test_search_does_better_than_published_where_the_limits_let_it() -> None:
    band = optimized_order(kernels.gesummv())
    best = next(p for p in explore(band, kernels.EDGE, SAMPLE).points if p.dsps <= 220)
    published = quality(band, _tiles("gesummv"), kernels.EDGE, Latencies(kernels.EDGE))
    assert best.cycles < published.cycles(kernels.published("gesummv").ii)


def _tiles(name: str) -> dict[str, int]:
    kernel: Callable[[], Band] = KERNELS[name]
    order = optimized_order(kernel()).order
    return dict(zip(order, kernels.published(name).tile_sizes, strict=True))
