"""The exact search for the interval: what the oracle finds, what CP-SAT proves, and its bounds."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamopt as so
from streamopt.search.elimination import (
    FORBIDDEN,
    MOST_CELLS,
    CostTable,
    elimination_order,
    least_sum,
)
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Interval
from streamopt.strategies.exact.interval import solve_interval
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from tests.support.certificate import certify
from tests.support.every_schedule import asked_of_the_oracle
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMITS: dict[str, Any] = {"dsp": 40, "space": so.Space(tiling_limit=2)}


def go_on() -> None:
    """Let a search go on."""


def summed(tables: Sequence[CostTable], values: dict[int, int]) -> int:
    return sum(int(t.costs[tuple(values[v] for v in t.variables)]) for t in tables)


@pytest.mark.parametrize("seed", range(40))
def test_elimination_finds_what_trying_everything_finds(seed: int) -> None:
    rng = Random(seed)
    sizes = {variable: rng.randint(1, 3) for variable in range(5)}
    tables: list[CostTable] = []
    for _ in range(rng.randint(1, 7)):
        scope = tuple(sorted(rng.sample(sorted(sizes), rng.randint(0, 3))))
        shape = [sizes[v] for v in scope]
        cells = [rng.choice((FORBIDDEN, *range(9))) for _ in product(*map(range, shape))]
        tables.append(CostTable(scope, np.array(cells, dtype=np.int64).reshape(shape)))
    order = elimination_order([table.variables for table in tables], sizes)
    assert sorted(order) == sorted(sizes)
    every = [dict(enumerate(point)) for point in product(*map(range, sizes.values()))]
    expected = min(summed(tables, values) for values in every)
    found = least_sum(tables, order, go_on)
    if expected >= FORBIDDEN:
        assert found is None
    else:
        assert found is not None
        assert found[0] == expected == summed(tables, found[1])


def test_elimination_refuses_tables_that_are_too_large() -> None:
    side = 1 + round(MOST_CELLS ** (1 / 3))
    row = np.zeros((side, side), dtype=np.int64)
    tables = [CostTable((0, 1), row), CostTable((0, 2), row)]
    with pytest.raises(SearchTooLargeError):
        least_sum(tables, (0, 1, 2), go_on)
    assert least_sum(tables, (1, 2, 0), go_on) is not None
    sizes = {0: side, 1: side, 2: side}
    assert elimination_order([(0, 1), (0, 2)], sizes) == (1, 0, 2)


@pytest.mark.parametrize("seed", range(4100, 4140))
def test_search_finds_the_interval_of_the_oracle(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=2 + seed % 3, max_extent=6)
    compared = 0
    for level in (LevelName.OPT2, LevelName.OPT3, LevelName.OPT5):
        asked: dict[str, Any] = {"level": level, "objective": "interval", **LIMITS}
        expected = asked_of_the_oracle(graph, **asked)
        if expected is None:
            continue
        compared += 1
        found = so.solve(graph, effort=so.Effort(solver="search", fifos=None), **asked)
        assert found.proof is Proof.OPTIMAL
        assert found.interval_cycles == found.bound == expected.interval_cycles
        again = certify(graph, found.schedule, level=LEVELS[level], dsp_limit=40, tiling_limit=2)
        assert again.broken == ()
    assert compared


@pytest.mark.parametrize("seed", range(2100, 2112))
def test_search_proves_the_interval_of_cpsat(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=8, max_extent=16)
    problem = Problem(graph, SpaceOptions(LEVELS[LevelName.OPT5], 150, 2), Interval())
    expected = so.solve(
        graph,
        dsp=150,
        objective="interval",
        space=so.Space(tiling_limit=2),
        effort=so.Effort(solver="cpsat", fifos=None),
    )
    seen: list[int] = []
    run = Run(problem, on_incumbent=lambda better: seen.append(better.interval_cycles))
    found = solve_interval(run)
    assert found.proof is Proof.OPTIMAL
    assert found.interval_cycles == expected.interval_cycles
    assert found.prediction.dsps <= expected.prediction.dsps
    assert seen == sorted(set(seen), reverse=True)
    assert seen[-1] == found.interval_cycles


def test_stopped_search_has_a_bound_below_its_schedule() -> None:
    graph = random_graph(Random(11), nodes=8, max_extent=16)
    problem = Problem(graph, SpaceOptions(LEVELS[LevelName.OPT5], 150, 2), Interval())
    best = solve_interval(Run(problem))
    found = solve_interval(Run(problem, SolveOptions(should_stop=lambda: True)))
    assert found.stop is Stop.INTERRUPTED
    assert found.proof is Proof.FEASIBLE
    assert 0 < found.bound <= best.interval_cycles < found.interval_cycles
