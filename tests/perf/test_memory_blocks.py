"""Blocks of memories and FIFOs against reports of published designs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import streamopt as so
from streamopt.analysis.addresses.bank_padding import bank_extents
from streamopt.ir.element import ElementType
from streamopt.ir.network import Fifo, Memory, Place
from streamopt.perf.resources.memory_blocks import (
    StorageKind,
    argument_storage,
    fifo_storage,
    memory_storage,
)
from streamopt.pipeline.flat_records import evaluation_record
from streamopt.target.device import Target
from streamopt.target.resources import Resources

GESUMMV = Path(__file__).parents[2] / "graphs/polybench/gesummv.json"
FLOAT = ElementType.FLOAT
ULTRASCALE = Target.named("u280").memories
ZYNQ = Target.named("xc7z020").memories


def local(words: int, element: ElementType = FLOAT, place: Place = Place.LOCAL) -> Memory:
    return Memory("m", place, element, (words,), (1,))


@pytest.mark.parametrize(
    ("words", "bram18", "uram"),
    [
        *((16, 0, 0), (125, 0, 0), (195, 1, 0), (512, 1, 0), (630, 2, 0), (1024, 2, 0)),
        *((1260, 4, 0), (1995, 4, 0), (2048, 4, 0), (2280, 0, 1), (4096, 0, 1)),
        *((5700, 16, 0), (8192, 16, 0), (19950, 39, 0), (34200, 67, 0), (44000, 86, 0)),
    ],
)
def test_banks_of_32_bits(words: int, bram18: int, uram: int) -> None:
    storage = memory_storage(local(words), ULTRASCALE)
    assert (storage.bram18, storage.uram) == (bram18, uram)


@pytest.mark.parametrize(
    ("words", "bram18", "uram"),
    [(625, 4, 0), (1066, 0, 1), (1995, 0, 1), (39900, 156, 0), (160000, 625, 0)],
)
def test_halves_of_a_ping_pong_buffer_share_a_bank(words: int, bram18: int, uram: int) -> None:
    storage = memory_storage(local(words, place=Place.PING_PONG), ULTRASCALE)
    assert (storage.bram18, storage.uram) == (bram18, uram)


def test_a_partition_makes_banks() -> None:
    memory = Memory("m", Place.LOCAL, FLOAT, (190, 210), (5, 10))
    storage = memory_storage(memory, ULTRASCALE)
    assert bank_extents(memory) == (38, 21)
    assert (storage.banks, storage.words, storage.bram18) == (50, 798, 100)


def test_banks_side_by_side_are_one_of_wider_words() -> None:
    apart = Memory("m", Place.LOCAL, ElementType.INT8, (64, 4, 58), (64, 1, 1))
    assert memory_storage(apart, ULTRASCALE).bram18 == 64
    storage = memory_storage(replace(apart, in_words=(0,)), ULTRASCALE)
    assert (storage.banks, storage.words, storage.bits) == (1, 4 * 58, 64 * 8)
    assert storage.bram18 == -(-512 // 36)


def test_an_extent_that_the_factor_does_not_divide_rounds_up() -> None:
    assert bank_extents(Memory("m", Place.LOCAL, FLOAT, (10, 7), (3, 7))) == (4, 1)


def test_a_bank_of_one_element_is_a_register() -> None:
    memory = Memory("m", Place.LOCAL, FLOAT, (4, 4), (4, 4))
    assert memory_storage(memory, ULTRASCALE).kind is StorageKind.REGISTERS


def test_arguments_are_outside() -> None:
    storage = memory_storage(local(44000, place=Place.ARGUMENT), ULTRASCALE)
    assert (storage.kind, storage.bram18, storage.uram) == (StorageKind.OUTSIDE, 0, 0)


def test_arguments_on_the_chip_are_told_apart() -> None:
    """As memories of their own banks would be: 4096 words in an UltraRAM, 195 in a block RAM."""
    asked = ((4096, 1, 0, 1), (195 * 3, 3, 3, 0), (100, 100, 0, 0))
    for words, banks, bram18, uram in asked:
        memory = Memory("a", Place.ARGUMENT, FLOAT, (words,), (banks,))
        storage = argument_storage(memory, ULTRASCALE)
        assert (storage.bram18, storage.uram) == (bram18, uram)


def test_designs_tell_the_memory_of_arguments_and_count_it_nowhere() -> None:
    graph = so.dataflow(so.load(GESUMMV))
    schedule = so.solve(graph, level="opt1").schedule
    found = so.evaluate(graph, schedule)
    assert found.resources.arguments.bram18 > 2 * 250 * 250 * 32 // (18 * 1024)
    assert found.resources.total.bram18 < found.resources.arguments.bram18
    assert "not counted" in found.headline.uncounted
    assert evaluation_record(found)["argument_bram18"] == found.resources.arguments.bram18
    outside = so.put_outside(graph, schedule, so.plan_ports(graph, "m_axi"))
    away = so.evaluate(graph, outside)
    assert away.resources.arguments == Resources()
    assert away.headline.uncounted == ""


def test_a_family_without_uram_takes_block_ram() -> None:
    assert memory_storage(local(4096), ZYNQ).bram18 == 8


@pytest.mark.parametrize(
    ("element", "blocks"),
    [(ElementType.INT8, 1), (ElementType.INT16, 1), (FLOAT, 2), (ElementType.DOUBLE, 4)],
)
def test_narrow_words_use_deep_shapes(element: ElementType, blocks: int) -> None:
    assert memory_storage(local(1024, element), ULTRASCALE).bram18 == blocks


@pytest.mark.parametrize(
    ("depth", "kind", "bram18"),
    [
        *((2, "shift_register", 0), (16, "shift_register", 0), (26, "shift_register", 0)),
        *((40, "lutram", 0), (125, "lutram", 0), (195, "bram", 30), (1000, "bram", 60)),
        (160000, "bram", 30 * 313),
    ],
)
def test_fifos_of_32_bits(depth: int, kind: str, bram18: int) -> None:
    storage = fifo_storage(Fifo("f", FLOAT, (3, 10), depth), ULTRASCALE)
    assert (storage.kind.value, storage.banks, storage.bram18) == (kind, 30, bram18)
    assert storage.is_fifo


def test_wide_short_fifos_are_shift_registers_only_up_to_two_words() -> None:
    narrow, wide = ElementType.INT8, ElementType.DOUBLE
    assert fifo_storage(Fifo("f", narrow, (), 128), ULTRASCALE).kind is StorageKind.SHIFT_REGISTER
    assert fifo_storage(Fifo("f", wide, (), 16), ULTRASCALE).kind is StorageKind.SHIFT_REGISTER
    assert fifo_storage(Fifo("f", wide, (), 17), ULTRASCALE).kind is StorageKind.LUTRAM
