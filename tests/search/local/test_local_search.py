"""The local search: legal schedules, never better than the optimum, and mostly as good."""

from __future__ import annotations

from random import Random

import pytest

import streamopt as so
from streamopt.search.instance import instance
from streamopt.search.labels.component import Mode, SearchStoppedError
from streamopt.search.labels.label_setting import LabelEffort, search
from streamopt.search.local.large_neighbourhood import window
from streamopt.search.local.local_search import LocalSearch
from streamopt.search.local.moves import Moves
from streamopt.search.local.paths import Paths, Wires
from streamopt.space.assemble import assemble_rows, evaluate, violations
from streamopt.space.decisions import DecisionSpace, SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from tests.support.random.graphs import random_graph


def small_space(seed: int, *, nodes: int = 7, dsps: int = 120) -> DecisionSpace:
    graph = random_graph(Random(seed), nodes=nodes, max_extent=16)
    return decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=dsps, tiling_limit=2)
    )


def climbed(space: DecisionSpace, rounds: int) -> list[tuple[dict[str, int], int]]:
    found: list[tuple[dict[str, int], int]] = []
    climber = LocalSearch(
        instance(space, node_rows(space)),
        lambda: False,
        lambda chosen, cycles: found.append((chosen, cycles)),
        0,
    )
    climber.start()
    for _ in range(rounds):
        climber.round()
    return found


def test_schedules_are_legal_never_better_than_the_optimum_and_mostly_equal() -> None:
    seeds = range(6000, 6010)
    equal = 0
    for seed in seeds:
        space = small_space(seed)
        rows = node_rows(space)
        found = climbed(space, rounds=5)
        for chosen, cycles in found:
            schedule = assemble_rows(space.graph, rows, chosen)
            assert violations(space, schedule) == []
            assert evaluate(space.graph, schedule).latency_cycles == cycles
        optimum = so.solve(
            space.graph,
            dsp=120,
            space=so.Space(tiling_limit=2),
            effort=so.Effort(solver="search"),
        ).latency_cycles
        assert found[-1][1] >= optimum
        equal += found[-1][1] == optimum
    assert equal >= 0.75 * len(seeds)


def test_same_seed_same_schedules() -> None:
    space = small_space(6100)
    assert climbed(space, rounds=3) == climbed(space, rounds=3)


@pytest.mark.parametrize("seed", range(6201, 6206))
@pytest.mark.parametrize("blur_cycles", [0.0, 25.0])
def test_latency_after_changes_is_that_of_the_changed_rows(seed: int, blur_cycles: float) -> None:
    wires = Wires(instance(space := small_space(seed, nodes=9), node_rows(space)))
    moves = Moves(wires)
    rng, rows = Random(seed), moves.least()
    for _ in range(4):
        paths = Paths(wires, rows, blur_cycles)
        changes = [change for kind in moves.every for change in kind(rows, range(len(rows)))]
        picked = [changes[rng.randrange(len(changes))] for _ in range(20)]
        for low in range(0, len(picked), 5):
            after = paths.after(picked[low : low + 5])
            for change, cycles in zip(picked[low : low + 5], after, strict=True):
                whole = [dict(change).get(at, row) for at, row in enumerate(rows)]
                assert abs(Paths(wires, whole, blur_cycles).cycles - cycles) <= 1e-9 * cycles
        rows = [dict(picked[0]).get(at, row) for at, row in enumerate(rows)]


@pytest.mark.parametrize("seed", range(6300, 6306))
def test_window_of_the_rows_that_are_chosen_has_their_latency(seed: int) -> None:
    wires = Wires(instance(space := small_space(seed, nodes=9), node_rows(space)))
    moves = Moves(wires)
    rows = moves.least()
    paths = Paths(wires, rows)
    for index in moves.members:
        low, kept = moves.around(index, rows, 1, 4)
        only = [kept[at][kept[at] == rows[low + at]] for at in range(len(kept))]
        part = window(paths, low, only, 10**6)
        found = search(part, 10**9, LabelEffort(10**6, Mode.RESTRICTED, lambda: False))
        assert found.latency_cycles == round(paths.cycles)


def test_stop_ends_it() -> None:
    space = small_space(6203)
    problem = instance(space, node_rows(space))
    with pytest.raises(SearchStoppedError):
        LocalSearch(problem, lambda: True, lambda chosen, cycles: None, 0).start()
