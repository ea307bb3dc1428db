from __future__ import annotations

from dataclasses import replace

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Fifo, Memory, Network, Place, Port, Process
from streamopt.perf.resources.memory_blocks import StorageKind, memories_as_built, network_storage
from streamopt.target.device import Target
from tests.support.networks.multiply_add import FLOAT, matrix_product, network_of, tiled

BLOCKS = Target.named("u280").memories


def with_stream(order: str, lanes: dict[str, int], trips: dict[str, int]) -> Network:
    """Return a product whose A comes as a stream and is kept in a local buffer."""
    pipeline = matrix_product({name: trips[name] for name in order}, lanes)
    i, k = tiled("i", "iu", lanes["i"]), tiled("k", "ku", lanes["k"])
    fill = (
        Port(AccessMode.READ, "s", (Affine.iterator("iu"), Affine.iterator("ku")), "token"),
        Port(AccessMode.WRITE, "A", (i, k), "token"),
    )
    pipeline = replace(pipeline, ports=(*fill, *pipeline.ports))
    extents = {name: trips[name] * lanes[name] for name in "ijk"}
    network = network_of(pipeline, lanes, extents)
    memories = tuple(
        replace(memory, place=Place.LOCAL) if memory.name == "A" else memory
        for memory in network.memories
    )
    fifo = Fifo("s", FLOAT, (lanes["i"], lanes["k"]), 100)
    return replace(
        network, processes=(Process("mac", (pipeline,)),), memories=memories, fifos=(fifo,)
    )


@pytest.mark.parametrize(
    ("order", "terms", "banks"),
    [
        ("ikj", 4, 0),  # j follows: each element is used at once
        ("ikj", 8, 0),
        ("kij", 1, 0),
        ("ikj", 10, 7),  # PolyBench 2mm: 7 of 10 stay
        ("ikj", 5, 2),  # 3mm: 21 of 50
        ("ijk", 4, 4),  # needed again for every j
        ("jik", 4, 4),
    ],
)
def test_a_buffer_whose_value_is_used_at_once_is_a_register(
    order: str, terms: int, banks: int
) -> None:
    network = with_stream(order, {"i": 1, "j": 2, "k": terms}, {"i": 30, "j": 30, "k": 30})
    storage = network_storage(network, BLOCKS)["A"]
    kept = 0 if storage.kind is StorageKind.REGISTERS else storage.banks
    assert kept == banks
    assert (storage.bram18 > 0) == (banks > 0)


def test_sums_stay_in_memory() -> None:
    lanes, trips = {"i": 1, "j": 1, "k": 1}, {"i": 40, "j": 40, "k": 40}
    network = network_of(matrix_product(trips, lanes), lanes, trips)
    assert network_storage(network, BLOCKS)["C"].bram18 == 4


def test_arrays_that_the_tool_splits_have_banks_for_lanes() -> None:
    lanes, trips = {"i": 2, "j": 4, "k": 1}, {"i": 20, "j": 20, "k": 20}
    extents = {name: trips[name] * lanes[name] for name in "ijk"}
    network = network_of(matrix_product(trips, lanes), {"i": 1, "j": 1, "k": 1}, extents)
    assert memories_as_built(network)["C"].factors == (1, 1)
    free = tuple(replace(memory, tool_splits=memory.name == "C") for memory in network.memories)
    built = memories_as_built(replace(network, memories=free))
    assert built["C"].factors == (2, 4)
    assert built["A"].factors == (1, 1), "arguments are as the source says"


def test_a_partition_of_the_source_stays() -> None:
    memory = Memory("C", Place.LOCAL, FLOAT, (40, 40), (1, 2))
    lanes, trips = {"i": 2, "j": 4, "k": 1}, {"i": 20, "j": 10, "k": 20}
    network = network_of(matrix_product(trips, lanes), lanes, {"i": 40, "j": 40, "k": 20})
    network = replace(network, memories=(*network.memories[:2], memory))
    assert memories_as_built(network)["C"] is memory
