"""The relaxation over pieces: bounds below every optimum, and the schedules that it leads to."""

from __future__ import annotations

from math import inf
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.search.beam import Beam, beam_search
from streamopt.search.columns import Clock, generated
from streamopt.search.instance import instance
from streamopt.search.labels import SearchStoppedError
from streamopt.search.narrowing import Narrowing
from streamopt.search.pieces import cut
from streamopt.search.relaxation import relaxation
from streamopt.solvers.result import Proof
from streamopt.space.assemble import assemble_rows, evaluate, violations
from streamopt.space.decisions import decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies import exact
from tests.in_nightly import in_nightly
from tests.random_graphs import random_graph

if TYPE_CHECKING:
    from streamopt.search.relaxation import Key


def clock(bounds: list[float], *, stops: bool = False) -> Clock:
    return Clock(lambda: inf, lambda: stops, bounds.append)


@pytest.mark.parametrize("seed", in_nightly(range(4000, 4010), 5))
@pytest.mark.parametrize("most_labels", [0, 30, 10**6])
def test_bounds_hold(seed: int, most_labels: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=12)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    optimum = so.solve(graph, solver="search", dsp=100, tiling_limit=2)
    assert optimum.proof is Proof.OPTIMAL
    best = optimum.objective_cycles
    rows = node_rows(space)
    for horizon in (best, 2 * best):
        pieces = cut(instance(space, rows), horizon, most_labels, lambda: False)
        assert pieces is not None
        program = relaxation(pieces)
        bounds: list[float] = []
        generated(program, 1e-4, clock(bounds))
        assert max(bounds) * horizon <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4010, 4014))
def test_sums_of_rows_and_few_labels_at_once_bound_too(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = random_graph(Random(seed), nodes=8, max_extent=12)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    best = so.solve(graph, solver="search", dsp=100, tiling_limit=2).objective_cycles
    pieces = cut(instance(space, node_rows(space)), 2 * best, 30, lambda: False)
    assert pieces is not None
    whole = generated(relaxation(pieces), 1e-5, clock([]))
    monkeypatch.setattr("streamopt.search.relaxation.FINE_LABELS", 0)
    summed_rows = relaxation(pieces)
    rough = generated(summed_rows, 1e-5, clock([]))
    assert rough.bound <= whole.bound * (1 + 1e-4)
    monkeypatch.setattr("streamopt.search.columns.MOST_LABELS", 60)
    monkeypatch.setattr("streamopt.search.columns.KNOWN_LABELS", 1)
    prices = dict(zip(summed_rows.keys, (0.5 * rough.prices).tolist(), strict=True))
    monkeypatch.setattr("streamopt.search.relaxation.FINE_LABELS", 10**9)
    fine = generated(relaxation(pieces), 1e-5, clock([]), prices)
    assert fine.bound == pytest.approx(whole.bound, rel=1e-4)
    assert fine.bound * 2 * best <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4020, 4026))
def test_prices_of_other_pieces_bound_and_come_to_the_same(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=8, max_extent=12)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    best = so.solve(graph, solver="search", dsp=100, tiling_limit=2).objective_cycles
    problem = instance(space, node_rows(space))
    known: dict[Key, float] = {}
    for horizon, most_labels in ((3 * best, 0), (2 * best, 30)):
        pieces = cut(problem, horizon, most_labels, lambda: False)
        assert pieces is not None
        program = relaxation(pieces)
        bounds: list[float] = []
        carried = generated(program, 1e-4, clock(bounds), known)
        fresh = generated(program, 1e-4, clock([]))
        assert max(bounds) * horizon <= best * (1 + 1e-9)
        assert carried.bound == pytest.approx(fresh.bound, rel=1e-2)
        known = dict(zip(program.keys, carried.prices.tolist(), strict=True))


def test_one_piece_without_choices_left_bounds_tightly() -> None:
    graph = random_graph(Random(7), nodes=1, max_extent=12)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    best = so.solve(graph, solver="search", dsp=100, tiling_limit=2).objective_cycles
    assert cut(instance(space, node_rows(space)), best - 1, 100, lambda: False) is None


@pytest.mark.parametrize("seed", in_nightly(range(4030, 4038), 4))
def test_larger_pieces_keep_what_the_target_leaves_and_rule_out_what_is_below(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=12)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    best = so.solve(graph, solver="search", dsp=100, tiling_limit=2).objective_cycles
    pieces = cut(instance(space, node_rows(space)), 2 * best, 0, lambda: False)
    assert pieces is not None
    for target, is_possible in ((best, True), (best - 1, False)):
        bounds: list[int] = []
        narrowing = Narrowing(lambda: inf, lambda: False, bounds.append)
        base = narrowing.solved(pieces, 1e-2)
        for stage in narrowing.stages(base, target):
            assert len(stage.program.cut.pieces) <= len(pieces.pieces)
        assert max(bounds) <= (best if is_possible else target + 1)
        assert (max(bounds) > target) is not is_possible


@pytest.mark.parametrize("seed", in_nightly(range(4040, 4048), 4))
def test_wide_beam_finds_the_optimum_and_a_narrow_one_a_schedule(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=12)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    best = so.solve(graph, solver="search", dsp=100, tiling_limit=2).objective_cycles
    rows = node_rows(space)
    pieces = cut(instance(space, rows), 2 * best, 20, lambda: False)
    assert pieces is not None
    program = relaxation(pieces)
    priced = generated(program, 1e-3, clock([]))
    for beam in (Beam(labels=10**6, piece_labels=10**6), Beam(labels=5, piece_labels=20)):
        found = beam_search(program, priced, beam, lambda: False)
        if found.latency_cycles is None:
            assert beam.labels < 10
            continue
        schedule = assemble_rows(graph, rows, found.rows)
        assert not violations(space, schedule)
        assert evaluate(graph, schedule).latency_cycles == found.latency_cycles
        assert found.latency_cycles == best or beam.labels < 10


def test_stop_ends_generation_and_cutting() -> None:
    graph = random_graph(Random(4001), nodes=5, max_extent=16)
    space = decision_space(graph, LEVELS[LevelName.OPT5], dsp_limit=200, tiling_limit=2)
    problem = instance(space, node_rows(space))
    with pytest.raises(SearchStoppedError):
        cut(problem, 10**6, 0, lambda: True)
    pieces = cut(problem, 10**6, 0, lambda: False)
    assert pieces is not None
    with pytest.raises(SearchStoppedError):
        generated(relaxation(pieces), 0.0, clock([], stops=True))


@pytest.mark.parametrize("seed", in_nightly(range(5000, 5008), 4))
def test_passes_for_large_graphs_prove_the_same_optimum(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = random_graph(Random(seed), nodes=7, max_extent=12)
    expected = so.solve(graph, solver="search", dsp=100, tiling_limit=2)
    monkeypatch.setattr(exact, "SMALL_NODES", 0)
    found = so.solve(graph, solver="search", dsp=100, tiling_limit=2)
    assert found.proof is Proof.OPTIMAL
    assert found.objective_cycles == expected.objective_cycles == found.bound_cycles
