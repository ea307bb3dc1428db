"""Resources of pipelines that take turns: operators once, and what chooses among banks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.network import TurnLoop
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.in_turn import guard_luts
from streamopt.perf.resources.network import resources
from streamopt.target.device import Target
from tests.support.networks.in_turns import jacobi, local, lu

if TYPE_CHECKING:
    from streamopt.ir.network import Network
    from streamopt.target.resources import Resources

TARGET = Target.named("u280")


def used(network: Network) -> Resources:
    return resources(network, pipeline_timings(network, TARGET), TARGET).total


def with_like(network: Network) -> Network:
    """Return the network with the second pipeline on the operators of the first."""
    (process,) = network.processes
    (turns,) = process.turns
    (loop,) = turns.items
    assert isinstance(loop, TurnLoop)
    first, second = loop.items
    items = (first, replace(second, like=turns.pipelines[0]))
    turns = replace(turns, items=(replace(loop, items=items),))
    return replace(network, processes=(replace(process, turns=(turns,)),))


def test_operators_of_like_pipelines_count_once() -> None:
    apart, shared = used(jacobi(34, 5, 32, 1)), used(with_like(jacobi(34, 5, 32, 1)))
    adders = 4 * 32
    assert apart.dsps == 2 * adders * 2
    assert shared.dsps == adders * 2
    # 5 operands of 32 lanes of 32 bits have a choice of two instead
    assert 0 < apart.luts - shared.luts < adders * 198
    assert apart.luts - shared.luts >= adders * 198 - 5 * 32 * 32 // 2


def test_moving_banks_have_multiplexers() -> None:
    """Row k is in another bank by and by: lanes of columns choose among those of all rows."""

    def with_factors(*factors: int) -> Network:
        return replace(lu(64, (4, 8), (1, 1)), memories=(local("A", (64, 64), factors),))

    few, many = used(with_factors(4, 8)), used(with_factors(8, 8))
    # A[k][j]: 8 values of 4 or 8 banks; A[i][k]: 4 values of 8 banks, A[k][k] of all
    assert many.luts - few.luts > 8 * 4 * 32 // 4


def test_guards_of_lanes_are_comparisons() -> None:
    scale, update = lu(64, (4, 8), (1, 1)).processes[0].pipelines
    assert guard_luts(scale) == 2 * 4 * 8
    assert guard_luts(update) == 2 * (4 + 8) * 8
