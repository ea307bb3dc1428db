"""The exact search: what the oracle finds, what CP-SAT proves, and bounds that hold."""

from __future__ import annotations

from random import Random

import pytest

import streamopt as so
from streamopt.errors import SolverError
from streamopt.search.instance import instance
from streamopt.search.labels.component import Mode, SearchTooLargeError
from streamopt.search.labels.label_setting import LabelEffort, search
from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.space.assemble import baseline, evaluate, violations
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.clocks import WorkClock
from streamopt.strategies.exact.latency import solve_latency
from streamopt.strategies.run import SEARCH, Run
from tests.support.every_schedule import asked_of_the_oracle
from tests.support.nightly import in_nightly
from tests.support.problems import problem_of
from tests.support.random.graphs import random_graph

SEARCHED = (LevelName.OPT1, LevelName.OPT2, LevelName.OPT3, LevelName.OPT5)


@pytest.mark.parametrize("seed", in_nightly(range(1000, 1060), 24))
def test_finds_what_the_oracle_finds(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=2 + seed % 3, max_extent=5)
    compared = 0
    for level in SEARCHED:
        space = so.Space(tiling_limit=2)
        expected = asked_of_the_oracle(graph, level=level, dsp=40, space=space)
        if expected is None:
            continue
        compared += 1
        effort = so.Effort(solver="search")
        found = so.solve(graph, level=level, dsp=40, space=space, effort=effort)
        assert found.proof is Proof.OPTIMAL
        assert found.latency_cycles == found.bound == expected.latency_cycles
        space = decision_space(graph, SpaceOptions(LEVELS[level], dsp_limit=40, tiling_limit=2))
        assert violations(space, found.schedule) == []
    assert compared


@pytest.mark.parametrize("seed", in_nightly(range(2000, 2012), 6))
def test_proves_what_cpsat_proves(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=8, max_extent=16)
    expected = so.solve(
        graph, dsp=150, space=so.Space(tiling_limit=2), effort=so.Effort(solver="cpsat")
    )
    found = so.solve(
        graph, dsp=150, space=so.Space(tiling_limit=2), effort=so.Effort(solver="search")
    )
    assert found.proof is Proof.OPTIMAL
    assert found.latency_cycles == expected.latency_cycles


@pytest.mark.parametrize("seed", in_nightly(range(3000, 3012), 6))
@pytest.mark.parametrize("labels", [1, 4, 16])
def test_thinned_searches_enclose_the_optimum(seed: int, labels: int) -> None:
    graph = random_graph(Random(seed), nodes=7, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=120, tiling_limit=2)
    )
    problem = instance(space, node_rows(space))
    horizon = evaluate(graph, baseline(graph)).latency_cycles
    exact, above, below = (
        search(problem, horizon, LabelEffort(many, mode, lambda: False))
        for many, mode in (
            (10**6, Mode.RESTRICTED),
            (labels, Mode.RESTRICTED),
            (labels, Mode.RELAXED),
        )
    )
    assert exact.is_exact
    assert exact.latency_cycles is not None
    assert below.latency_cycles is not None
    assert below.latency_cycles <= exact.latency_cycles
    if above.latency_cycles is not None:
        assert above.latency_cycles >= exact.latency_cycles
        if above.is_exact:
            assert above.latency_cycles == exact.latency_cycles


def test_horizon_below_the_optimum_leaves_nothing() -> None:
    graph = random_graph(Random(5), nodes=5, max_extent=12)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=100, tiling_limit=2)
    )
    problem = instance(space, node_rows(space))
    optimum = so.solve(
        graph, dsp=100, space=so.Space(tiling_limit=2), effort=so.Effort(solver="cpsat")
    ).latency_cycles
    effort = LabelEffort(10**6, Mode.RESTRICTED, lambda: False)
    assert search(problem, optimum, effort).latency_cycles == optimum
    assert search(problem, optimum - 1, effort).latency_cycles is None


def test_same_request_gives_the_same_schedule() -> None:
    graph = random_graph(Random(9), nodes=9, max_extent=16)
    first, second = (so.solve(graph, dsp=200, space=so.Space(tiling_limit=2)) for _ in range(2))
    assert first.schedule == second.schedule
    assert first.solver == "search"


def test_interrupt_keeps_schedule_and_bound() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    problem = problem_of(graph, 200, 2)
    stopped = solve_latency(Run(problem, SolveOptions(should_stop=lambda: True)))
    proved = solve_latency(Run(problem))
    assert stopped.stop is Stop.INTERRUPTED
    assert stopped.bound <= proved.latency_cycles <= stopped.latency_cycles


def test_time_is_counted_by_the_clock_that_was_given() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    late = WorkClock(SolveOptions(time_limit_seconds=1e-9))
    found = solve_latency(Run(problem_of(graph, 200), clock=late))
    assert found.stop is Stop.TIME_LIMIT
    assert 0 < found.bound <= found.latency_cycles


def test_control_c_in_a_callback_ends_the_search_with_the_best_so_far() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)

    def press(_: Progress) -> None:
        raise KeyboardInterrupt

    found = solve_latency(Run(problem_of(graph, 200), SolveOptions(on_progress=press)))
    assert found.stop in (Stop.INTERRUPTED, Stop.FINISHED)
    assert found.bound <= found.latency_cycles


def test_progress_closes_in_on_the_optimum() -> None:
    graph = random_graph(Random(12), nodes=9, max_extent=16)
    seen: list[Progress] = []
    found = so.solve(
        graph,
        dsp=200,
        space=so.Space(tiling_limit=2),
        effort=so.Effort(on_progress=seen.append),
    )
    bounds = [p.bound or 0 for p in seen]
    incumbents = [p.incumbent or 0 for p in seen]
    assert bounds == sorted(bounds)
    assert incumbents == sorted(incumbents, reverse=True)
    assert incumbents[-1] == found.latency_cycles


def test_auto_falls_back_to_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(Random(13), nodes=3, max_extent=6)
    assert so.solve(graph, level="opt4", dsp=60, space=so.Space(tiling_limit=2)).solver == "cpsat"

    def too_large(*_: object) -> None:
        raise SearchTooLargeError

    monkeypatch.setattr("streamopt.strategies.exact.strategy.solve_latency", too_large)
    assert so.solve(graph, dsp=60, space=so.Space(tiling_limit=2)).solver == "cpsat"
    with pytest.raises(SolverError, match="E515"):
        so.solve(graph, dsp=60, space=so.Space(tiling_limit=2), effort=so.Effort(solver=SEARCH))


def test_search_alone_refuses_opt4() -> None:
    graph = random_graph(Random(13), nodes=3, max_extent=6)
    with pytest.raises(SolverError, match="E515"):
        so.solve(
            graph,
            level="opt4",
            dsp=60,
            space=so.Space(tiling_limit=2),
            effort=so.Effort(solver="search"),
        )
