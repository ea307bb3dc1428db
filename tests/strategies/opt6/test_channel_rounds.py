"""Which times for transfers are tried where the search chooses the channels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt
from pathlib import Path

import pytest

import streamopt as so
from streamopt.evaluation.open_channels import open_cycles
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.channel_rounds import first_transfer_cycles, quickest_round
from streamopt.strategies.opt6.simulated_design import Region
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from streamopt.target.regions import Fit

GESUMMV = so.dataflow(so.load(Path(__file__).parents[3] / "graphs" / "polybench" / "gesummv.json"))
ON = so.device("u280")


def problem_of(dsps: int = 2560) -> Problem:
    ports = so.plan_ports(GESUMMV, "m_axi", device=ON)
    return Problem(GESUMMV, SpaceOptions(LEVELS[LevelName.OPT6], dsps, 16), ports=ports)


def region_of(**limits: int) -> Region:
    return Region(ON, replace(ON.total, **limits), Fit.DEVICE)


def first_cycles(dsps: int = 2560, **limits: int) -> int:
    return first_transfer_cycles(problem_of(dsps), region_of(**limits))


FIRST = first_cycles()
ONE = open_cycles(GESUMMV, problem_of().ports, ON, 1)


def test_the_first_time_is_the_least_of_the_ports_that_there_is_room_for() -> None:
    ports = problem_of().ports
    assert first_cycles() == open_cycles(GESUMMV, ports, ON)
    assert first_cycles(bram18=15 * 8) == open_cycles(GESUMMV, ports, ON, 8) > first_cycles()


def test_the_first_time_is_no_less_than_that_of_the_work() -> None:
    assert first_cycles(dsps=20, luts=10_000) > 2 * first_cycles()


@dataclass(frozen=True, slots=True)
class Found:
    rank: tuple[float, int]
    transfer_cycles: int


@pytest.mark.parametrize(
    ("ranks", "times"),
    [
        ([(1.5, 900), (1.0, 20 * FIRST), (1.0, 18 * FIRST)], [FIRST, ONE, isqrt(FIRST * ONE)]),
        ([(1.5, 900), (1.2, 20 * FIRST)], [FIRST, ONE]),
        ([(1.0, 40 * FIRST), (1.0, 50 * FIRST)] * 2, [FIRST, 10 * FIRST, 28 * FIRST]),
        ([(1.0, FIRST + 10)], [FIRST]),
    ],
)
def test_a_design_over_the_limits_has_longer_transfers_next(
    ranks: list[tuple[float, int]], times: list[int]
) -> None:
    tried: list[int] = []

    def searched(_: Run, within_cycles: int) -> Found:
        tried.append(within_cycles)
        return Found(ranks[len(tried) - 1], within_cycles)

    best = quickest_round(Run(problem_of()), searched, region_of())
    assert tried == times
    assert best.rank == min(ranks[: len(times)])
