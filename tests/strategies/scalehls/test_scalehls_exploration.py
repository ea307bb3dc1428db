"""The exploration of one band, and the choice for several: against trying everything."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from streamopt.strategies.scalehls.band import optimized_order
from streamopt.strategies.scalehls.combination import combined
from streamopt.strategies.scalehls.exploration import (
    DesignPoint,
    ExplorationLimits,
    ExploredBand,
    explore,
    frontier,
    tiling_space,
)
from streamopt.strategies.scalehls.quality import Latencies, quality
from tests.support.programs import scalehls_kernels as kernels

EDGE = kernels.EDGE
SMALL = ExplorationLimits(first_lanes=4, most_lanes=32, most_loop_lanes=8, rounds=1000)


def test_enough_rounds_find_the_whole_frontier() -> None:
    band = optimized_order(kernels.syrk(16))
    space, latency = tiling_space(band, SMALL), Latencies(EDGE)
    everything: list[DesignPoint] = []
    for tiling in space.within(SMALL.most_lanes):
        tiles = space.tiles(tiling)
        found = quality(band, tiles, EDGE, latency)
        everything += [
            DesignPoint(found.cycles(ii), found.dsps(ii), ii, tuple(tiles.values()))
            for ii in found.intervals
        ]
    explored = explore(band, EDGE, SMALL)
    costs = [(point.cycles, point.dsps) for point in explored.points]
    assert costs == [(point.cycles, point.dsps) for point in frontier(everything)]
    assert explored.estimated <= len(space.within(SMALL.most_lanes))


def test_few_rounds_estimate_few_tilings_and_always_the_same() -> None:
    band = optimized_order(kernels.gemm(32))
    few = ExplorationLimits(first_lanes=2, most_lanes=64, rounds=5)
    first, second = (explore(band, EDGE, few) for _ in range(2))
    assert first == second
    assert first.estimated == len(tiling_space(band, few).within(2)) + 5


def test_search_stops_where_no_neighbour_is_near() -> None:
    near = ExplorationLimits(first_lanes=1, most_lanes=64, rounds=1000, distance=0.5)
    assert explore(optimized_order(kernels.bicg(32)), EDGE, near).estimated == 1


def test_tilings_keep_their_limits_and_are_all_there() -> None:
    band = optimized_order(kernels.syrk(12))
    space = tiling_space(band, ExplorationLimits(most_loop_lanes=6))
    assert space.sizes == ((1, 2, 3, 4, 6),) * 3
    wanted = [t for t in product(range(5), repeat=3) if _lanes(space.tiles(t)) <= 24]
    assert space.within(24) == wanted


def _lanes(tiles: dict[str, int]) -> int:
    lanes = 1
    for size in tiles.values():
        lanes *= size
    return lanes


@pytest.mark.parametrize("seed", range(12))
def test_combination_is_the_fastest_of_all(seed: int) -> None:
    random = Random(seed)
    levels = [
        [_explored(random, f"{at}{n}") for n in range(random.choice([1, 2]))] for at in range(2)
    ]
    limit = random.randrange(5, 80)
    bands = [band for level in levels for band in level]
    costs: list[tuple[int, int]] = []
    for points in product(*(band.points for band in bands)):
        chosen = dict(zip((band.name for band in bands), points, strict=True))
        dsps = sum(point.dsps for point in points)
        cycles = sum(max(chosen[b.name].cycles for b in level) for level in levels)
        costs += [(cycles, dsps)] if dsps <= limit else []
    found = combined(levels, limit)
    if not costs:
        assert found is None
        return
    assert found is not None
    assert (found.cycles, found.dsps) == min(costs)
    assert found.dsps == sum(point.dsps for point in found.points.values())


def _explored(random: Random, name: str) -> ExploredBand:
    points = (DesignPoint(random.randrange(1, 50), random.randrange(30), 1, ()) for _ in range(6))
    return ExploredBand(name, frontier(points), 6)
