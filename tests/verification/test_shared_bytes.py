"""Integers narrower than a byte: packed off the chip, several to a byte, and exact on it."""

from __future__ import annotations

import sys
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.ir.element import ElementType
from streamopt.ir.ports import words_of
from streamopt.sim.traffic import channel_bytes
from tests.support.programs.sketches import program, scheduled
from tests.support.runners.mock_hosts import MOCKS, compiled_host, done, kernel_library

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.schedule import Schedule

PROGRAM = program(
    {
        "A": "weight 6 10 ap_int<4>", "x": "input 10 int8_t", "b": "weight 6 ap_uint<2>",
        "s": "internal 6 int32_t", "y": "output 6 ap_int<4>", "z": "output 6 10 ap_uint<4>",
    },
    {
        "mv": "i 6, k 10: s[i] += int32_t(A[i][k]) * int32_t(x[k])",
        "act": "i 6: y[i] = ap_int(min(max((s[i] + (b[i] << 3)) >> 4, -8), 7), 4)",
        "bits": "i 6, k 10: z[i][k] = ap_uint(A[i][k] * A[i][k] - x[k], 4)",
    },
    name="narrow",
)  # fmt: skip
GRAPH = so.dataflow(PROGRAM)


def plan(order: str, factors: str, kind: str, **each: str) -> Schedule:
    of_rows = ", ".join(part for part in factors.split(", ") if part.startswith("i"))
    unroll = {"mv": factors, "bits": factors, "act": of_rows}
    on_chip = scheduled(PROGRAM, {"mv": order, "bits": order}, unroll)
    return so.put_outside(GRAPH, on_chip.schedule, so.plan_ports(GRAPH, kind, ports=each))


@pytest.mark.parametrize(
    ("backend", "order", "factors", "each"),
    [
        ("vitis", "i k", "", {}),
        ("vitis", "k i", "i 3, k 5", {"A": "m_axi:2"}),
        ("tapa", "k i", "i 3, k 5", {"A": "m_axi:2"}),
        ("native", "i k", "i 4, k 3", {"A": "m_axi:3", "z": "m_axi:2"}),
        ("vitis", "i k", "i 6, k 10", {}),
    ],
    ids=["one lane", "two memories", "tapa", "partial tiles", "all lanes"],
)
def test_design_computes_the_same(
    backend: str, order: str, factors: str, each: dict[str, str], tmp_path: Path
) -> None:
    schedule = plan(order, factors, "m_axi", **each)
    so.write(PROGRAM, schedule, tmp_path / "project", backend=backend)
    so.verify(tmp_path / "project").raise_if_failed()


def test_streamed_words_share_bytes_too(tmp_path: Path) -> None:
    so.write(PROGRAM, plan("i k", "i 2, k 2", "axis"), tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


def test_resident_weights_are_filled_from_bytes(tmp_path: Path) -> None:
    schedule = plan("k i", "i 3, k 5", "m_axi", A="resident")
    so.write(PROGRAM, schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("host") / "project"
    so.write(PROGRAM, plan("i k", "i 3, k 5", "m_axi", A="m_axi:2", z="m_axi:2"), directory)
    return directory


def test_words_are_bytes(project: Path) -> None:
    """Of 15 lanes, 8 are in the first memory: 4 bytes. Values outside come sign-extended."""
    kernel = (project / "narrow.cpp").read_text()
    assert "hls::vector<uint8_t, 4> *A_0" in kernel
    assert "ap_int<4>(A_word[" in kernel
    assert "ap_int<4>" in kernel
    assert "xrt::bo buffer_A_0(device, 16, " in (project / "host.cpp").read_text()


def test_hosts_pack_and_unpack(project: Path, tmp_path: Path) -> None:
    host = compiled_host(project, "narrow", tmp_path)
    assert done([host, "data", "", "narrow.xclbin"], project).count("pass ") == 2
    library = kernel_library(project, "narrow", tmp_path)
    path = str(MOCKS / "mock_pyxrt")
    output = done([sys.executable, "host.py", library], project, PYTHONPATH=path)
    assert output == "pass y: 6 elements, 0 wrong\npass z: 60 elements, 0 wrong\n"


def test_four_bits_take_half_the_bytes_and_cycles() -> None:
    """64 x 1024 weights over one channel: 512 lanes of int8 are 8 words, of int4 are 4."""
    found: dict[str, tuple[int, int]] = {}
    for element in ("int8_t", "ap_int<4>"):
        wide = program(
            {"A": f"weight 64 1024 {element}", "x": "input 1024 int8_t", "y": "output 64 int32_t"},
            {"mv": "i 64, k 1024: y[i] += int32_t(A[i][k]) * int32_t(x[k])"},
        )
        graph, on_chip = so.dataflow(wide), scheduled(wide, {}, {"mv": "k 512"}).schedule
        ports = so.plan_ports(graph, "memory", ports={"A": "m_axi:HBM[0]"})
        evaluation = so.evaluate(graph, so.put_outside(graph, on_chip, ports))
        found[element] = sum(channel_bytes(evaluation.network).values()), evaluation.trace.cycles
    assert {name: size for name, (size, _) in found.items()} == {
        "int8_t": 65536,
        "ap_int<4>": 32768,
    }
    target = so.device("u280")
    a_cycle_bytes = target.channel("HBM[0]").bytes_per_cycle(target.clock_ns)
    saved_ii = ceil(512 / a_cycle_bytes) - ceil(256 / a_cycle_bytes)
    assert found["int8_t"][1] - found["ap_int<4>"][1] == 128 * saved_ii


def test_words_have_room_for_whole_bytes() -> None:
    assert words_of(1, 1).elems == 8
    assert words_of(300, 4).count == 3
    assert ElementType("ap_uint<3>").outside_bits == 4


def test_values_must_fit() -> None:
    p = so.dsl.program("narrow_values")
    (i,) = p.iterators(i=3)
    w = p.weight("w", values=np.array([-8, 7, 8]), element="ap_int<4>")
    p.output("y", (i,), w[i])
    with pytest.raises(so.StreamoptError, match="can't be represented in ap_int<4>"):
        p.build()
    with pytest.raises(so.StreamoptError, match=r"ap_uint<W> with a width W in 1 .. 64"):
        program({"w": "input 3 ap_int<65>", "y": "output 3 int8_t"}, {"c": "i 3: y[i] = w[i]"})
