"""Lanes of a buffer's writer leave its reader the banks that it needs."""

from __future__ import annotations

from dataclasses import replace

import streamopt as so
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS
from streamopt.space.assemble import assemble
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.fitting_lanes import with_fitting_lanes
from tests.support.programs.sketches import program

NODES = {
    "fill": "i 8, j 70: x[i][j] = a[i][j] + a[i][j]",
    "taps": "o 4, i 8, w 63, k 7: y[o][i][w] += x[i][w + k]",
}
SHAPES = {"a": "input 8 70", "x": "internal 8 70", "y": "output 4 8 63"}


def test_a_writer_has_lanes_that_divide_what_the_reader_moves_by() -> None:
    graph = so.dataflow(program(SHAPES, NODES))
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    space = decision_space(graph, SpaceOptions(LEVELS[LevelName.OPT6], 5000, tiling_limit=1))

    def scheduled(lanes: int) -> so.Schedule:
        found = assemble(graph, orders, {"fill": [1, lanes], "taps": [1, 1, 7, 7]})
        return replace(found, most_banks=MOST_ARGUMENT_BANKS)

    ten, seven = scheduled(10), scheduled(7)
    found = with_fitting_lanes(space, ten)
    assert found == seven
    assert with_fitting_lanes(space, seven) == seven
    cycles = [so.simulate(graph, each).cycles for each in (ten, found)]
    assert cycles[1] < 0.3 * cycles[0]
    # where the reader is as slow by itself, nothing changes
    slow = assemble(graph, orders, {"fill": [1, 10], "taps": [1, 1, 1, 1]})
    assert with_fitting_lanes(space, slow) == slow
