"""Buffers that hold what is alive, against loops that are walked one iteration after another."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.analysis.live_range import LUTRAM_WORDS, local_buffer
from streamopt.codegen.backends.registry import emit
from streamopt.ir.affine import Affine
from streamopt.ir.graph import SequentialNode
from streamopt.perf.resources.memory_blocks import network_storage
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from tests.support.nightly import in_nightly
from tests.support.programs.sketches import program, scheduled
from tests.support.random.graphs import random_graph
from tests.support.random.schedules import any_factors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.expression import Access
    from streamopt.ir.scheduled import ScheduledNode

DEVICE = so.device("u280")
PRODUCT = program(
    {"A": "input 256 16", "B": "input 16 128", "y": "output 256 128"},
    {"gemm": "i 256, j 128, k 16: y[i][j] += A[i][k] * B[k][j]"},
)
SMALL = program(
    {"A": "input 4 6", "B": "input 6 8", "y": "output 32"},
    {"gemm": "i 4, j 8, k 6: y[8 * i + j] += A[i][k] * B[k][j]"},
)


def iterations(node: ScheduledNode) -> Iterator[list[Mapping[str, int]]]:
    """Yield the values of iterators and lanes in each iteration of the tiles, for all lanes."""
    for tiles in product(*(range(loop.tiles) for loop in node.loops)):
        found: list[Mapping[str, int]] = []
        for lanes in product(*(range(loop.unroll) for loop in node.loops)):
            values: dict[str, int] = {}
            for loop, tile, lane in zip(node.loops, tiles, lanes, strict=True):
                values |= {loop.name: tile * loop.unroll + lane, f"{loop.name}.lane": lane}
            if all(values[loop.name] < loop.trip_count for loop in node.loops):
                found.append(values)
        yield found


def evaluated(subscripts: tuple[Affine, ...], values: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(s.evaluate(values) for s in subscripts)


def check_buffer(node: ScheduledNode, access: Access, shape: tuple[int, ...]) -> int:
    """Check that no element is lost before its last use; return how many are alive at most."""
    kept = local_buffer(node, access, shape)
    last: dict[tuple[int, ...], int] = {}
    for number, lanes in enumerate(iterations(node)):
        last |= {evaluated(access.subscripts, values): number for values in lanes}
    held: dict[tuple[int, ...], tuple[int, ...]] = {}
    seen: set[tuple[int, ...]] = set()
    alive: set[tuple[int, ...]] = set()
    most = 0
    for number, lanes in enumerate(iterations(node)):
        for values in lanes:
            element = evaluated(access.subscripts, values)
            place = evaluated(kept.subscripts, values)
            if shape:
                assert all(0 <= at < end for at, end in zip(place, kept.shape, strict=True))
            if element in seen:
                assert held[place] == element, f"{access} is lost in {node}"
            held[place] = element
            seen.add(element)
            alive.add(element)
        most = max(most, len(alive))
        alive = {element for element in alive if last[element] > number}
    assert all(map(int.__le__, kept.shape, shape or (1,)))
    assert most <= prod(kept.shape)
    return most


@pytest.mark.parametrize("group", in_nightly(range(10), 2))
def test_random_nodes_lose_nothing(group: int) -> None:
    for seed in range(6 * group, 6 * group + 6):
        rng = Random(seed)
        graph = random_graph(rng, nodes=3, max_extent=5)
        for scheduled_node in apply(graph, any_factors(graph, rng)).nodes:
            node = scheduled_node.node
            if not isinstance(node, SequentialNode):
                for access in (node.write, *node.reads):
                    check_buffer(scheduled_node, access, graph.array(access.array).shape)


@pytest.mark.parametrize("order", ["i j k", "i k j", "k i j", "k j i", "j k i", "j i k"])
@pytest.mark.parametrize("unroll", ["", "i 2, j 4, k 3", "k 6", "i 4, k 2"])
def test_no_more_is_kept_than_is_alive(order: str, unroll: str) -> None:
    (node,) = scheduled(SMALL, {"gemm": order}, {"gemm": unroll}).nodes
    for access, shape in zip(node.node.reads, ((4, 6), (6, 8)), strict=True):
        most = check_buffer(node, access, shape)
        assert prod(local_buffer(node, access, shape).shape) == most
    check_buffer(node, node.node.write, (32,))


BRAMS = {"i j k": 0, "i k j": 1, "j k i": 1, "k i j": 64}
"""Block RAMs of the partial sums by loop order; all had 64 when these were as large as ``y``."""


@pytest.mark.parametrize("order", BRAMS)
def test_partial_sums_take_what_their_order_asks_for(order: str) -> None:
    network = lower(scheduled(PRODUCT, {"gemm": order}))
    found = network_storage(network, DEVICE.memories)["gemm.y_acc"]
    assert found.bram18 == BRAMS[order]


def test_smaller_buffers_take_no_luts_instead_of_block_rams() -> None:
    """LUTs are what designs run out of: a row of 128 would be of LUTs by the tool's own choice."""
    assert DEVICE.memories.lutram_words == LUTRAM_WORDS
    pragma = "#pragma HLS bind_storage variable=y_acc type=ram_2p impl=bram"
    row, whole = (
        emit(scheduled(PRODUCT, {"gemm": o})).text("sketch.cpp") for o in ("i k j", "k i j")
    )
    assert pragma in row
    assert pragma not in whole
