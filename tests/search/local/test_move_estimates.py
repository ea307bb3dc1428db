"""What changes are worth at first glance, against the latency of the changed rows."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from streamopt.search.instance import instance
from streamopt.search.local.move_estimates import MoveEstimates, after_each, estimated_moves
from streamopt.search.local.moves import Moves
from streamopt.search.local.paths import Paths, Wires
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from tests.support.random.graphs import random_graph

BLUR_CYCLES = 25.0


def wires_of(seed: int) -> Wires:
    graph = random_graph(Random(seed), nodes=9, max_extent=16)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=120, tiling_limit=2)
    )
    return Wires(instance(space, node_rows(space)))


def random_rows(wires: Wires, rng: Random) -> list[int]:
    return [rng.randrange(len(dsps)) for dsps in wires.dsps]


@pytest.mark.parametrize("seed", range(6400, 6406))
def test_latency_after_a_change_of_one_node_is_that_of_the_changed_rows(seed: int) -> None:
    wires, rng = wires_of(seed), Random(seed)
    rows = random_rows(wires, rng)
    paths = Paths(wires, rows, BLUR_CYCLES)
    for node, dsps in enumerate(wires.dsps):
        found = after_each(paths, node)
        for row in rng.sample(range(len(dsps)), min(5, len(dsps))):
            changed = [*rows[:node], row, *rows[node + 1 :]]
            cycles = Paths(wires, changed, BLUR_CYCLES).cycles
            assert found[row] >= cycles - 0.01
            # what doesn't pass through the node is known but for rounding
            if found[row] > paths.cycles - 10 * BLUR_CYCLES:
                assert found[row] == pytest.approx(cycles, abs=0.01)


@pytest.mark.parametrize("seed", range(6410, 6416))
def test_promising_changes_keep_tile_classes_together(seed: int) -> None:
    wires = wires_of(seed)
    moves = Moves(wires)
    rows = moves.least()
    paths = Paths(wires, rows, BLUR_CYCLES)
    found = estimated_moves(MoveEstimates(moves), paths, 0.0, 0.0)
    for change in found:
        changed = list(rows)
        for node, row in change:
            changed[node] = row
        for index, members in moves.members.items():
            factors = {moves.factors[n][changed[n]][moves.classes[n].index(index)] for n in members}
            assert len(factors) == 1
    single = [change for change in found if len(change) == 1]
    gains = [paths.cycles - float(after_each(paths, n)[row]) for ((n, row),) in single]
    assert gains == sorted(gains, reverse=True)
    assert np.all(np.array(gains) > 0)


def test_rows_whose_elements_come_before_cycle_0_are_compared_too() -> None:
    wires = wires_of(6420)
    for first, last in zip(wires.first_write, wires.last_write, strict=True):
        first[::2] = -30.0
        last[1::2] = -20.0
    moves = Moves(wires)
    assert any(moves.of_classes(moves.least(), range(len(wires.dsps))))
