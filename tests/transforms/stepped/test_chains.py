"""Reads of stencils are fetched once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.network import Turn, turns_among
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.target.device import find_device
from streamopt.transforms.lower import lower
from tests.codegen.stepped.test_designs import check, kernel
from tests.support.steps import jacobi_2d, ordered, scheduled

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.network import Network, TurnItem
    from streamopt.ir.scheduled import ScheduledGraph

STENCIL = """
    for t 0 3
    . phase first: j 0 38, i 0 38
    . : B[i+1][j+1] = 0.25 * (A[i+1][j] + A[i+1][j+2] + A[i+2][j+1] + A[i][j+1])
    . phase second: l 0 38, k 0 38
    . : A[k+1][l+1] = 0.25 * (B[k+1][l] + B[k+1][l+2] + B[k+2][l+1] + B[k][l+1])
"""


@pytest.mark.parametrize("lanes", [{}, {"i": 2, "k": 2}])
def test_rows_behind_the_foremost_are_in_registers(lanes: dict[str, int]) -> None:
    order = ordered("rows", {"A": (40, 40), "B": (40, 40)}, STENCIL)
    design = scheduled(order, (), **{"j": 38, "l": 38, **lanes})
    nest = design.nodes[0].stepped
    assert nest is not None
    assert [chain.warm_up for p in nest.phases for chain in p.chains] == [
        -(-(2 + lanes.get(loop, 1)) // lanes.get(loop, 1)) - 1 for loop in "ik"
    ]
    assert len(nest.memories) == 2
    assert nest.ii == 1
    check(order, design)
    text = kernel(design)
    assert "A_window[" in text
    assert "B_window[" not in text  # the phases use one window in turn
    check_registers(design, (2 + lanes.get("i", 1)) * 40 * 32)


def check_registers(design: ScheduledGraph, bits: int) -> None:
    network = lower(design)
    turns = [turn for own in network.processes[0].turns for turn in turns_among(own.items)]
    assert [turn.window_bits for turn in turns] == [bits, 0]
    on = find_device("u280")
    used = resources(network, pipeline_timings(network, on), on)
    kept = with_processes(network, lambda turn: replace(turn, window_bits=0))
    assert used.total.ffs - resources(kept, pipeline_timings(kept, on), on).total.ffs == bits


def with_processes(network: Network, change: Callable[[Turn], Turn]) -> Network:
    def changed(item: TurnItem) -> TurnItem:
        if isinstance(item, Turn):
            return change(item)
        return replace(item, items=tuple(map(changed, item.items)))

    (process,) = network.processes
    turns = tuple(replace(own, items=tuple(map(changed, own.items))) for own in process.turns)
    return replace(network, processes=(replace(process, turns=turns),))


def test_loops_of_one_tile_are_outermost() -> None:
    order = jacobi_2d(40, 2)
    design = scheduled(order, j=38, l=38)
    nest = design.nodes[0].stepped
    assert nest is not None
    assert [tile.name for tile in nest.phases[0].tiles] == ["j", "i"]
    assert len(nest.memories) == 2
    check(order, design)
