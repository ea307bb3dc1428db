from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from streamopt.ir.network import Fifo
from streamopt.perf.resources.fabric import (
    data_bits,
    fifo_fabric,
    least_pipeline_luts,
    memory_fabric,
    pipeline_fabric,
)
from streamopt.perf.resources.memory_blocks import (
    BankStorage,
    StorageKind,
    fifo_storage,
    network_storage,
)
from streamopt.perf.resources.operators import operator_replicas
from streamopt.target.device import Target
from tests.support.networks.multiply_add import FLOAT, matrix_product, network_of, timing

BLOCKS = Target.named("u280").memories
LANES, TRIPS = {"i": 4, "j": 4, "k": 4}, {"i": 16, "k": 16, "j": 16}


@pytest.mark.parametrize(
    ("depth", "luts", "ffs"), [(25, 51, 8), (41, 102, 118), (256, 71, 92), (4096, 91, 96)]
)
def test_published_fifos_of_32_bits(depth: int, luts: int, ffs: int) -> None:
    found = fifo_fabric(fifo_storage(Fifo("f", FLOAT, (), depth), BLOCKS))
    assert abs(found.luts - luts) <= 0.05 * luts
    assert abs(found.ffs - ffs) <= 0.05 * ffs


def test_published_banks_of_ping_pong_buffers() -> None:
    bank = BankStorage(StorageKind.BRAM, 256, 1250, 32, 4)
    found = memory_fabric(bank, ping_pong=True)
    assert (found.luts, found.ffs) == (3328, 256)


def test_blocks_need_nothing_else_and_registers_are_flip_flops() -> None:
    assert memory_fabric(BankStorage(StorageKind.BRAM, 4, 512, 32, 1), ping_pong=False).luts == 0
    assert memory_fabric(BankStorage(StorageKind.REGISTERS, 4, 1, 32), ping_pong=False).ffs == 128
    assert memory_fabric(BankStorage(StorageKind.LUTRAM, 4, 100, 32), ping_pong=False).luts == 256


def test_data_of_a_product() -> None:
    pipeline = matrix_product(TRIPS, LANES)
    network = network_of(pipeline, LANES, {"i": 64, "j": 64, "k": 64})
    data = data_bits(pipeline, operator_replicas(pipeline), network_storage(network, BLOCKS))
    assert data.read_bits == 3 * 16 * 32
    assert data.result_bits == 2 * 64 * 32
    assert data.streams == 0


def test_sharing_trades_registers_for_multiplexers() -> None:
    pipeline = matrix_product(TRIPS, LANES)
    network = network_of(pipeline, LANES, {"i": 64, "j": 64, "k": 64})
    storages = network_storage(network, BLOCKS)
    data = data_bits(pipeline, operator_replicas(pipeline), storages)
    alone = pipeline_fabric(pipeline, data, 128 * 32, timing(), storages)
    shared = pipeline_fabric(pipeline, data, 64 * 32, timing(2), storages)
    assert shared.luts > alone.luts
    assert shared.ffs < alone.ffs


@pytest.mark.parametrize("ii", [1, 2, 12])
def test_rows_have_every_lut_that_asks_for_no_stream_memory_or_partial_tile(ii: int) -> None:
    """A term that stands in `pipeline_fabric` alone, though a row could tell it, is found here."""
    pipeline = matrix_product(TRIPS, LANES)
    network = network_of(pipeline, LANES, {"i": 64, "j": 64, "k": 64})
    storages = {
        name: replace(storage, kind=StorageKind.REGISTERS)
        for name, storage in network_storage(network, BLOCKS).items()
    }
    data = data_bits(pipeline, operator_replicas(pipeline), storages)
    built = pipeline_fabric(pipeline, data, 64 * 32, timing(ii), storages)
    bits = (np.array([count]) for count in (data.result_bits, 64 * 32, ii))
    assert 0 <= built.luts - least_pipeline_luts(*bits)[0] <= 1
