from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from streamopt.ir.network import Place
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.published import load_published_design
from tests.support.networks.one_pipeline import TARGET, memory, pipeline, product, timed

DESIGNS = Path(__file__).parents[2] / "results" / "published" / "designs"
BIAS = memory("B", Place.ARGUMENT, (64,))
WIDE = memory("W", Place.ARGUMENT, (180, 220))
SQUARE = memory("Q", Place.ARGUMENT, (16, 16))
ROW = memory("R", Place.LOCAL, (64,))


@pytest.mark.parametrize(
    ("ports", "operations", "cycles"),
    [
        (["read s v", "write B[j] v"], [], 2),
        (["read Q[i][j] v", "write t v"], [], 3),
        (["read s v", "write W[i][j] v"], [], 4),
        (["read W[i][j] v", "write t v"], [], 6),
        (["read s v", "read B[j] b", "write t w"], ["w = add v b"], 10),
        (
            ["read s v", "read B[j] b", "write t z"],
            ["w = add v b", "c = compare w 0.0", "z = select c w 0.0"],
            12,
        ),
        (
            [
                "read s v",
                "read r m if j == 0",
                "write R[i] m if j == 0",
                "read R[i] n",
                "write t y",
            ],
            ["x = sub v n", "y = exp x"],
            24,
        ),
        (["read s v", "read R[i] n", "write t w"], ["w = div v n"], 15),
        (["read s v", "write t w"], ["w = div v 8.0"], 7),
        (["read s v", "write t w"], ["e = add 1e-5 1.0", "r = sqrt e", "w = mul v r"], 7),
        (["read s v", "write t w"], ["w = add v 0.0"], 2),
        (
            ["read s v", "read W[i][j] b", "write t w"],
            ["x = mul v 0.1", "y = mul b 0.5", "w = add x y"],
            17,
        ),
    ],
)
def test_elementwise(ports: list[str], operations: list[str], cycles: int) -> None:
    one = pipeline({"i": 16, "j": 16}, {}, ports, operations)
    assert timed(one, BIAS, WIDE, SQUARE, ROW).timing.depth_cycles == cycles


def test_sigmoid_of_a_biased_value() -> None:
    one = pipeline(
        {"i": 16, "j": 16},
        {},
        ["read s v", "read B[j] b", "write t y"],
        ["w = add v b", "n = negate w", "e = exp n", "d = add e 1.0", "y = div 1.0 d"],
    )
    assert timed(one, BIAS).timing.depth_cycles in (45, 46)


@pytest.mark.parametrize(
    ("terms", "inside", "cycles"),
    [(1, 64, 16), (2, 64, 23), (4, 64, 30), (8, 64, 37), (4, 16, 22), (8, 16, 31)],
)
def test_sums_of_products_are_trees(terms: int, inside: int, cycles: int) -> None:
    found = product("ikj", {"i": 4, "k": 16, "j": inside}, {"i": 1, "k": terms, "j": 1})
    assert (found.timing.ii, found.timing.depth_cycles) == (1, cycles)


def test_waiting_for_ports_spreads_an_iteration() -> None:
    one = pipeline({"i": 16}, {"l": 8}, ["read B[i * 8 + l] v", "write t[l] v"])
    assert timed(one, memory("B", Place.ARGUMENT, (128,))).timing.depth_cycles == 3 + 3


@pytest.mark.parametrize(
    ("ports", "channels", "cycles"),
    [
        (["read X[i] v", "write t v"], (), 5),
        (["read X[i] v", "write t v"], ("",), 5),
        (["read X[i] v", "write t v"], ("HBM[0]", "HBM[7]"), 5 + 42),
        (["read X[i] v", "write t v"], ("HBM[0]", "DDR[1]"), 5 + 42),
        (["read X[i] v", "write t v"], ("DDR[1]",), 5 + 27),
        (["read s v", "write X[i] v"], ("HBM[0]",), 4),
    ],
)
def test_the_first_word_comes_after_the_latency_of_the_slowest_channel(
    ports: list[str], channels: tuple[str, ...], cycles: int
) -> None:
    """137.8 ns of HBM and 89.9 ns of DDR4 at 3.33 ns, and two cycles for the FIFO of words."""
    outside = replace(memory("X", Place.OFF_CHIP, (64,)), channels=channels)
    one = pipeline({"i": 64}, {}, ports, [])
    assert timed(one, outside).timing.depth_cycles == cycles


def test_published_designs() -> None:
    errors: list[int] = []
    for path in DESIGNS.glob("*.json"):
        design = load_published_design(path)
        for name, timing in pipeline_timings(design.network, TARGET).items():
            report = design.pipelines[name]
            assert report.iteration_latency_cycles is not None
            assert timing.ii == report.ii
            errors.append(abs(timing.depth_cycles - report.iteration_latency_cycles))
    assert len(errors) == 29
    assert mean(errors) < 1.5
