"""Lanes that are turned to banks, and memories for which a region has no UltraRAM left."""

from dataclasses import replace

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Pipeline,
    Place,
    Port,
    Process,
    Turn,
    Turns,
)
from streamopt.ir.program import Loop
from streamopt.perf.resources.memory_blocks import StorageKind, network_storage
from streamopt.perf.resources.rotations import turning_luts
from streamopt.target.device import find_device

TILE, J, LANE = (Affine.iterator(name) for name in ("i", "j", "i.lane"))
SKEWED = Memory("A", Place.LOCAL, ElementType.FLOAT, (64, 12, 480), (64, 1, 1))


def pipeline_of(*ports: Port) -> Pipeline:
    tiles, lanes = (Loop("j", 480), Loop("i", 12)), (Loop("i.lane", 64),)
    return Pipeline("phase", tiles, lanes, ports, ())


@pytest.mark.parametrize("mode", [*AccessMode])
def test_six_steps_turn_64_lanes(mode: AccessMode) -> None:
    row = TILE.scaled(64) + LANE
    places = ((row + J).mod(64), row.floordiv(64), J)
    port = Port(mode, "A", places, "v")
    bits = 32 + (mode is AccessMode.WRITE)  # and whether a bank is written
    luts = turning_luts(port, pipeline_of(port), SKEWED)
    assert luts is not None
    addresses = 64 * 16 if "i.lane" in places[1].iterators() else 0
    assert luts == 64 * 3 * bits + addresses


def test_lanes_that_stay_in_their_banks_are_not_turned() -> None:
    row = TILE.scaled(64) + LANE
    port = Port(AccessMode.READ, "A", (row.mod(64), row.floordiv(64), J), "v")
    assert turning_luts(port, pipeline_of(port), SKEWED) is None


def test_what_fills_ultra_ram_least_is_block_ram_if_none_is_left() -> None:
    blocks = replace(find_device("u280", None).memories, uram_blocks=160)
    memories = tuple(
        Memory(name, Place.LOCAL, ElementType.FLOAT, (64, words), (64, 1))
        for name, words in (("a", 4000), ("b", 3000), ("c", 3500))
    )
    ports = tuple(Port(AccessMode.READ, own.name, (LANE, J), own.name) for own in memories)
    process = Process("p", (pipeline_of(*ports),), (Turns("p", (Turn("phase", ()),)),))
    found = network_storage(Network("n", (process,), memories, ()), blocks)
    assert {name: own.kind for name, own in found.items()} == {
        "a": StorageKind.URAM, "b": StorageKind.BRAM, "c": StorageKind.URAM,
    }  # fmt: skip
    assert sum(own.uram for own in found.values()) == 128
