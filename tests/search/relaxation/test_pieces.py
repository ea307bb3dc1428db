"""The relaxation over pieces: bounds below every optimum, and the schedules that it leads to."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamopt as so
from streamopt.search.instance import instance
from streamopt.search.labels.component import Mode, SearchStoppedError
from streamopt.search.labels.composition import complete_source, composed, matched_labels
from streamopt.search.labels.label_setting import LabelEffort, SearchResult, search
from streamopt.search.local.local_search import LocalSearch
from streamopt.search.relaxation import column_generation
from streamopt.search.relaxation import pieces as cutting
from streamopt.search.relaxation.beam import Beam, beam_search
from streamopt.search.relaxation.column_generation import Clock, ColumnTuning, generated
from streamopt.search.relaxation.master_program import relaxation
from streamopt.search.relaxation.pieces import PieceTuning, cut
from streamopt.search.relaxation.target_refutation import TargetRefutation
from streamopt.solvers.result import Proof
from streamopt.space.assemble import assemble_rows, baseline, evaluate, violations
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.space.tiles import MOST_CHOICES
from streamopt.strategies.exact import latency as exact
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.strategies.run import Run
from streamopt.target.device import find_device as usual_target
from tests.support.nightly import in_nightly
from tests.support.problems import problem_of
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.search.relaxation.master_program import Key


def clock(bounds: list[float], *, stops: bool = False) -> Clock:
    return Clock(lambda: stops, bounds.append)


@pytest.mark.parametrize("seed", in_nightly(range(4000, 4010), 5))
@pytest.mark.parametrize("most_labels", [0, 30, 10**6])
def test_bounds_hold(seed: int, most_labels: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    optimum = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    )
    assert optimum.proof is Proof.OPTIMAL
    best = optimum.latency_cycles
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
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    best = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    ).latency_cycles
    pieces = cut(instance(space, node_rows(space)), 2 * best, 30, lambda: False)
    assert pieces is not None
    whole = generated(relaxation(pieces), 1e-5, clock([]))
    monkeypatch.setattr(cutting, "TUNING", PieceTuning(fine_labels=0))
    summed_rows = relaxation(pieces)
    rough = generated(summed_rows, 1e-5, clock([]))
    assert rough.bound <= whole.bound * (1 + 1e-4)
    few = ColumnTuning(most_labels=60, known_labels=1)
    monkeypatch.setattr(column_generation, "TUNING", few)
    prices = dict(zip(summed_rows.keys, (0.5 * rough.prices).tolist(), strict=True))
    monkeypatch.setattr(cutting, "TUNING", PieceTuning(fine_labels=10**9))
    fine = generated(relaxation(pieces), 1e-5, clock([]), prices)
    assert fine.bound == pytest.approx(whole.bound, rel=1e-4)
    assert fine.bound * 2 * best <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4020, 4026))
def test_prices_of_other_pieces_bound_and_come_to_the_same(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=8, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    best = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    ).latency_cycles
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


@pytest.mark.parametrize("seed", [4041, 4060])
def test_labels_match_sources_that_go_with_them_and_unused_times_are_zero(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=8, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=10**6, tiling_limit=2)
    )
    problem = instance(space, node_rows(space))
    pieces = cut(problem, 10**6, 0, lambda: False)
    assert pieces is not None
    program = relaxation(pieces)
    is_unused = np.diff(program.matrix.indptr)[program.labels :] == 0
    assert generated(program, 1e-6, clock([])).times[is_unused].max() < 1e-3
    known = {piece.exit: piece for piece in pieces.pieces}
    left = 0
    for piece in pieces.pieces:
        source = complete_source(problem, piece)
        if source is not None:
            few = known[source].taken(np.arange(min(3, len(known[source]))))
            pairs = composed(problem, piece, few).back
            matched = matched_labels(problem, piece, few)
            assert np.flatnonzero(matched).tolist() == np.unique(pairs[:, 0]).tolist()
            left += len(piece) - int(matched.sum())
    assert left


def test_one_piece_without_choices_left_bounds_tightly() -> None:
    graph = random_graph(Random(7), nodes=1, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    best = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    ).latency_cycles
    assert cut(instance(space, node_rows(space)), best - 1, 100, lambda: False) is None


@pytest.mark.parametrize("seed", in_nightly(range(4030, 4038), 4))
def test_larger_pieces_keep_what_the_target_leaves_and_rule_out_what_is_below(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    best = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    ).latency_cycles
    pieces = cut(instance(space, node_rows(space)), 2 * best, 0, lambda: False)
    assert pieces is not None
    for target, is_possible, is_nearer in (
        (best, True, False),
        (best - 1, False, False),
        (best - 1, False, True),
    ):
        bounds: list[int] = []
        narrowing = TargetRefutation(lambda: False, bounds.append)
        base = narrowing.solved(pieces, 1e-2)
        if is_nearer:
            *_, base = narrowing.stages(base, best + best // 4)
        for stage in narrowing.stages(base, target):
            assert len(stage.program.cut.pieces) <= len(pieces.pieces)
        assert max(bounds) <= (best if is_possible else target + 1)
        assert (max(bounds) > target) is not is_possible


@pytest.mark.parametrize("seed", in_nightly(range(4040, 4048), 4))
def test_wide_beam_finds_the_optimum_and_a_narrow_one_a_schedule(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    best = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    ).latency_cycles
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
        schedule = assemble_rows(graph, rows, found.best_rows)
        assert not violations(space, schedule)
        assert evaluate(graph, schedule).latency_cycles == found.latency_cycles
        assert found.latency_cycles == best or beam.labels < 10


def test_stop_ends_generation_and_cutting() -> None:
    graph = random_graph(Random(4001), nodes=5, max_extent=16)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=200, tiling_limit=2)
    )
    problem = instance(space, node_rows(space))
    with pytest.raises(SearchStoppedError):
        cut(problem, 10**6, 0, lambda: True)
    pieces = cut(problem, 10**6, 0, lambda: False)
    assert pieces is not None
    with pytest.raises(SearchStoppedError):
        generated(relaxation(pieces), 0.0, clock([], stops=True))


@pytest.mark.parametrize("seed", in_nightly(range(5000, 5008), 4))
def test_passes_for_large_graphs_prove_the_same_optimum(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=7, max_extent=12)
    expected = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    )
    problem = problem_of(graph, 100, 2)
    found = exact.solve_latency(Run(problem), most_nodes=0)
    assert found.proof is Proof.OPTIMAL
    assert found.latency_cycles == expected.latency_cycles == found.bound


def test_beam_that_waits_where_it_could_stream_leads_to_a_faster_schedule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = random_graph(Random(6024), nodes=8, max_extent=12)
    found: list[SearchResult] = []

    def few_labels(*args: Any) -> SearchResult:
        program, priced, _, should_stop = args
        found.append(beam_search(program, priced, Beam(5, 20), should_stop))
        return found[-1]

    monkeypatch.setattr(exact, "beam_search", few_labels)

    def nothing(_: LocalSearch) -> None:
        """Leave schedules to the beams."""

    monkeypatch.setattr(LocalSearch, "start", nothing)
    monkeypatch.setattr(LocalSearch, "round", nothing)
    kept: list[int] = []
    problem = problem_of(graph, 100, 2)
    run = Run(problem, on_incumbent=lambda s: kept.append(s.latency_cycles))
    answer = exact.solve_latency(run, most_nodes=0)
    assert answer.proof is Proof.OPTIMAL
    assert found[0].latency_cycles == 8
    assert kept[1] == 7


@pytest.mark.parametrize("seed", in_nightly(range(6000, 6100), 8))
def test_no_schedule_is_slower_than_its_label_under_as_built_costs(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=4 + seed % 5, max_extent=8)
    costs = as_built_costs(graph, usual_target())
    space = decision_space(
        graph,
        SpaceOptions(
            LEVELS[LevelName.OPT6],
            dsp_limit=100,
            tiling_limit=1,
            costs=costs,
            bindings=bindings(None, graph, usual_target()),
            partial_tiles=MOST_CHOICES,
        ),
    )
    rows = node_rows(space)
    problem = instance(space, rows)
    horizon = evaluate(graph, baseline(graph), costs).latency_cycles
    pieces = cut(problem, horizon, 20, lambda: False)
    assert pieces is not None
    program = relaxation(pieces)
    priced = generated(program, 1e-2, clock([]))
    labels = [
        search(problem, horizon, LabelEffort(4, Mode.RESTRICTED, lambda: False)),
        beam_search(program, priced, Beam(labels=5, piece_labels=20), lambda: False),
    ]
    for found in labels:
        if found.latency_cycles is not None:
            cycles = evaluate(
                graph, assemble_rows(graph, rows, found.best_rows), costs
            ).latency_cycles
            assert cycles <= found.latency_cycles
            assert cycles == found.latency_cycles or not found.is_exact
