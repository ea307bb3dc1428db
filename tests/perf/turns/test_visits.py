"""Visits of pipelines in turn are counted as the simulator counts them."""

from __future__ import annotations

from random import Random

import pytest

from streamopt.ir.network import Turns
from streamopt.perf.turns.visits import iterations_in_turn, visit_counts
from streamopt.sim.in_turn.visits import iterations_in_turn as simulated_iterations
from tests.support.networks.in_turns import jacobi, lu
from tests.support.random.turns import random_items


@pytest.mark.parametrize("seed", range(150))
def test_iterations_are_those_of_the_simulator(seed: int) -> None:
    turns = Turns("t", random_items(Random(seed), [], ()))
    assert iterations_in_turn(turns) == simulated_iterations(turns)


def test_lu_of_published_size() -> None:
    counts = visit_counts(lu(400, (16, 32), (1, 1)).processes[0].turns[0])
    # 26 - (k + 1) // 16 ... row tiles, times 13 - (k + 1) // 32 column tiles
    rows = [25 - (k + 1) // 16 for k in range(399)]
    columns = [13 - (k + 1) // 32 for k in range(399)]
    assert counts.idle == 2
    assert counts.total((1, 1)) - 2 == sum(r + r * c for r, c in zip(rows, columns, strict=True))


def test_a_million_steps_are_not_enumerated() -> None:
    found = jacobi(2048, 1_000_000, 64, 20).processes[0].turns[0]
    assert iterations_in_turn(found) == 2 * 1_000_000 * 2046 * 32
