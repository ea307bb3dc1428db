"""Factors to begin with: those that all nodes agree on, though none has the least of each class."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

import streamopt as so
from streamopt.search.instance import SearchInstance, instance
from streamopt.search.local.local_search import LocalSearch
from streamopt.search.local.moves import Moves, agreed_factors
from streamopt.search.local.paths import Wires
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows


def hasty(seed: int) -> SearchInstance:
    """Return an instance of few rows: a horizon leaves out those of few lanes."""
    p = so.dsl.program("chain")
    i, j = p.iterators(i=8, j=12)
    last = p.input("A", 8, 12)
    for place in range(3 + seed):
        last = p.compute(f"t{place}", (i, j), last[i, j] * 2.0)
    p.output("y", (i, j), last[i, j] * 2.0)
    space = decision_space(
        so.dataflow(p.build()),
        SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=10**6, tiling_limit=1),
    )
    space = replace(space, horizon_cycles=16 + 4 * seed)
    return instance(space, node_rows(space))


@pytest.mark.parametrize("seed", range(3))
def test_search_begins_where_the_least_factors_are_of_no_row(seed: int) -> None:
    problem = hasty(seed)
    moves = Moves(Wires(problem))
    least = tuple(values[0] for values in moves.values.values())
    assert least not in moves.factors[0]
    taken: dict[int, int] = {}
    for at, row in enumerate(moves.least()):
        for index, factor in zip(moves.classes[at], moves.factors[at][row], strict=True):
            assert taken.setdefault(index, factor) == factor
    found: list[int] = []
    LocalSearch(problem, lambda: False, lambda _, cycles: found.append(cycles), 0).start()
    assert found == sorted(found, reverse=True)
    assert found


def test_no_factors_suit_all() -> None:
    tables = [[(1, 2), (2, 1)], [(1,)], [(1,)]]
    assert agreed_factors([(0, 1), (0,), (1,)], tables) is None
    assert agreed_factors([(0, 1), (0,), (1,)], [*tables[:2], [(1,), (2,)]]) == {0: 1, 1: 2}
    assert agreed_factors([(), (3,)], [[()], [(4,), (2,)]]) == {3: 2}


def test_backtracks_where_a_factor_that_every_pair_of_nodes_agrees_on_leads_nowhere() -> None:
    differ = [(1, 2), (2, 1), (3, 3)]
    same = [(1, 1), (2, 2), (3, 3)]
    # at 1 and 2 the first two make the outer classes equal, which the third then forbids
    tables = [differ, differ, [(1, 2), (2, 1), (3, 3)]]
    assert agreed_factors([(0, 1), (1, 2), (0, 2)], tables) == {0: 3, 1: 3, 2: 3}
    assert agreed_factors([(0, 1), (1, 2), (0, 2)], [differ, differ, same]) == {0: 1, 1: 2, 2: 1}


@pytest.mark.parametrize("dsps", [40, 100])
def test_lanes_of_one_nodes_loops_are_taken_back_where_they_exceed_the_dsps(dsps: int) -> None:
    p = so.dsl.program("sums")
    i, k, m = p.iterators(i=2, k=60, m=36)
    x, w = p.input("A", 2, 60), p.input("B", 2, 36)
    s = p.compute("s", (i,), so.dsl.sum(k, x[i, k] * x[i, k]))
    p.output("y", (i,), so.dsl.sum(m, w[i, m] * s[i]))
    options = SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=dsps, tiling_limit=1)
    space = decision_space(so.dataflow(p.build()), options)
    asked, found = count(), list[int]()
    climber = LocalSearch(
        instance(space, node_rows(space)),
        lambda: next(asked) > 1000,
        lambda _, cycles: found.append(cycles),
        0,
    )
    climber.start()
    climber.round()
    assert found[-1] == {40: 45, 100: 17}[dsps]
