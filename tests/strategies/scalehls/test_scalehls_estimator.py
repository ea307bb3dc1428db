"""The estimator of ScaleHLS: its formulas on small bands, and timetables that keep all rules."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import streamopt as so
from streamopt import dsl
from streamopt.strategies.scalehls.band import graph_band, optimized_order, permuted
from streamopt.strategies.scalehls.body import unrolled_body
from streamopt.strategies.scalehls.exploration import ExplorationLimits, tiling_space
from streamopt.strategies.scalehls.partition import array_partition, bank_of
from streamopt.strategies.scalehls.quality import PORTS, Latencies, Quality, quality, timetable
from tests.support.programs import scalehls_kernels as kernels

EDGE = kernels.EDGE
LOAD, ADD, MUL, STORE = 2, 5, 4, 1


def estimated(tiles: tuple[int, ...], order: tuple[int, ...] = (0, 1, 2)) -> Quality:
    """A matrix product with loops i, j, k, whose i-th loop goes to the i-th of the places."""
    band = permuted(kernels.syrk(64), order)
    return quality(band, dict(zip(band.order, tiles, strict=True)), EDGE, Latencies(EDGE))


def test_iteration_is_the_longest_chain() -> None:
    found = estimated((1, 1, 1), (1, 2, 0))
    assert found.iteration_cycles == LOAD + MUL + MUL + ADD + STORE
    assert found.least_ii == 1
    assert found.cycles(1) == found.iteration_cycles + 64**3 - 1 + 2
    assert found.units == ((1, 2), (2, 3))


def test_innermost_reduction_waits_for_its_own_store() -> None:
    assert estimated((1, 1, 1)).least_ii == LOAD + ADD + STORE
    assert estimated((1, 1, 4)).least_ii == LOAD + 4 * ADD + STORE


def test_distance_of_a_dependence_divides_its_interval() -> None:
    p = dsl.program("product")
    i, j, k = p.iterators(i=64, j=64, k=64)
    a, b = p.input("A", 64, 64), p.input("B", 64, 64)
    p.output("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    graph = so.dataflow(p.build())
    band = permuted(graph_band(graph, graph.nodes[0]), (0, 2, 1))  # i, k, j
    for lanes, trips in ((32, 2), (16, 4), (1, 64)):
        found = quality(band, {"i": 1, "k": 1, "j": lanes}, EDGE, Latencies(EDGE))
        assert found.least_ii == max(-(-(LOAD + ADD + STORE) // trips), 1)


def test_units_are_shared_by_the_cycles_of_an_interval() -> None:
    found = estimated((8, 1, 16), (1, 2, 0))
    assert found.units == ((128, 2), (136, 3))
    assert found.dsps(1) == 256 + 408
    assert found.dsps(3) == 2 * 43 + 3 * 46
    assert found.intervals[-1] == found.iteration_cycles


def test_accesses_of_a_bank_share_its_ports() -> None:
    p = dsl.program("mirror")
    i, j = p.iterators(i=64, j=64)
    a = p.input("A", 64, 64)
    p.output("y", (i, j), a[i, j] + a[j, i])
    graph = so.dataflow(p.build())
    band = graph_band(graph, graph.nodes[0])
    # A is split into 8 x 1 for A[i][j] and 1 x 8 for A[j][i]: 16 accesses on what each can tell
    found = quality(band, {"i": 8, "j": 1}, EDGE, Latencies(EDGE))
    split = array_partition(unrolled_body(band, {"i": 8, "j": 1}).touches()["A"])
    assert [dimension.factor for dimension in split] == [8, 8]
    assert found.least_ii == -(-16 // PORTS)


@pytest.mark.parametrize("seed", range(6))
def test_timetables_keep_operands_ports_and_length(seed: int) -> None:
    random = Random(seed)
    kernel = random.choice([kernels.gemm, kernels.syr2k, kernels.bicg, kernels.syrk])
    band = optimized_order(kernel(64))
    space, latency = tiling_space(band, ExplorationLimits()), Latencies(EDGE)
    tiles = space.tiles(random.choice(space.within(64)))
    body = unrolled_body(band, tiles)
    times = timetable(body, latency)
    users: Counter[tuple[str, int | None, int]] = Counter()
    splits = {array: array_partition(found) for array, found in body.touches().items()}
    for step, begin in zip(body.steps, times.begins, strict=True):
        assert 0 <= begin <= times.cycles - latency(step)
        assert all(times.begins[o] + latency(body.steps[o]) <= begin for o in step.operands)
        if step.touch is not None:
            bank = bank_of(step.touch.address, splits[step.touch.array])
            users[step.touch.array, bank, begin] += 1
    assert max(users.values()) <= PORTS
