"""Races: the first proof wins, a side that dies costs nothing, and no process is left."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.solvers.base import Progress, SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.dispatch import answer, strategies
from streamopt.strategies.portfolio import portfolio as races
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from tests.support.certificate import certify
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.strategies.solution import Solution

GRAPH = random_graph(Random(17), nodes=5, max_extent=12)
LIMITS: dict[str, Any] = {"dsp": 60, "space": so.Space(tiling_limit=2)}
FULL = so.Effort(fifos=None)
LEVEL = LEVELS[LevelName.OPT5]
PROBLEM = Problem(GRAPH, SpaceOptions(LEVEL, 60, 2))
(RACE,) = strategies("race:search,cpsat")


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the processes of the races that follow."""
    started: list[Any] = []
    start: Any = races.__dict__["_start"]

    def note(job: Any, messages: Any) -> Any:
        started.append(start(job, messages))
        return started[-1]

    monkeypatch.setattr(races, "_start", note)
    return started


@pytest.mark.parametrize("objective", ["latency", "interval"])
def test_race_proves_what_the_search_proves(objective: str, sides: list[Any]) -> None:
    seen: list[Progress] = []
    expected = so.solve(GRAPH, objective=objective, effort=FULL, **LIMITS)
    found = so.solve(
        GRAPH,
        objective=objective,
        effort=so.Effort(solver="race", fifos=None, on_progress=seen.append),
        **LIMITS,
    )
    assert (found.proof, found.stop, found.gap) == (Proof.OPTIMAL, Stop.FINISHED, 0)
    assert found.solver == "search+cpsat"
    assert found.solver_version.count("+") == 1
    assert found.message.startswith("schedule by ")
    if objective == "latency":
        assert found.latency_cycles == expected.latency_cycles
    else:
        assert found.interval_cycles == expected.interval_cycles
    again = certify(
        GRAPH, found.schedule, level=LEVELS[LevelName.OPT5], dsp_limit=60, tiling_limit=2
    )
    assert again.broken == ()
    assert [side.process.poll() is None for side in sides] == [False, False]
    bounds = [progress.bound or 0 for progress in seen]
    assert bounds == sorted(bounds)


def test_fewest_dsps_and_a_target_out_of_reach() -> None:
    best = so.solve(GRAPH, effort=FULL, **LIMITS).latency_cycles
    asked: dict[str, Any] = {"effort": so.Effort(solver="race:search,highs", fifos=None), **LIMITS}
    expected = so.solve(GRAPH, objective=so.FewestDsps(2 * best), effort=FULL, **LIMITS)
    found = so.solve(GRAPH, objective=so.FewestDsps(2 * best), **asked)
    assert found.dsps == found.bound == expected.dsps
    with pytest.raises(InfeasibleError, match="E403"):
        so.solve(GRAPH, objective=so.FewestDsps(best - 1), **asked)


@pytest.mark.parametrize("lost", ["search", "cpsat"])
def test_other_side_counts_where_one_is_killed(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = so.solve(GRAPH, effort=FULL, **LIMITS)
    start: Any = races.__dict__["_start"]

    def kill_one(job: Any, messages: Any) -> Any:
        side = start(job, messages)
        if job.strategy.name == lost:
            side.process.kill()
        return side

    monkeypatch.setattr(races, "_start", kill_one)
    found = RACE.solve(Run(PROBLEM))
    assert found.proof is Proof.OPTIMAL
    assert found.latency_cycles == expected.latency_cycles
    assert f"{lost} ended early" in found.message


def test_nobody_left_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    start: Any = races.__dict__["_start"]

    def kill(job: Any, messages: Any) -> Any:
        side = start(job, messages)
        side.process.kill()
        return side

    monkeypatch.setattr(races, "_start", kill)
    with pytest.raises(SolverError, match=r"E520 search\+cpsat ended without an answer"):
        RACE.solve(Run(PROBLEM))


def test_time_limit_ends_both_sides(sides: list[Any]) -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    problem = Problem(graph, SpaceOptions(LEVEL, 200, 2))
    options = SolveOptions(time_limit_seconds=1e-3)
    found = RACE.solve(Run(problem, options))
    assert found.proof is Proof.FEASIBLE
    assert found.stop is Stop.TIME_LIMIT
    assert found.bound <= found.latency_cycles
    assert [side.process.poll() is None for side in sides] == [False, False]


def test_wish_to_stop_keeps_the_best_so_far(sides: list[Any]) -> None:
    seen: list[Solution] = []
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    problem = Problem(graph, SpaceOptions(LEVEL, 200, 1))
    options = SolveOptions(should_stop=lambda: bool(seen))
    found = RACE.solve(Run(problem, options, seen.append))
    assert found.latency_cycles <= seen[0].latency_cycles
    assert found.stop in (Stop.INTERRUPTED, Stop.FINISHED)
    assert [side.process.poll() is None for side in sides] == [False, False]


@pytest.mark.parametrize(
    ("solver", "level", "message"),
    [
        ("race:search", "opt5", "E518 'race:search' is a race of one"),
        ("race:search,nobody", "opt5", "E501 unknown solver 'nobody'"),
        ("race", "opt4", "E519 at opt4"),
    ],
)
def test_races_that_cannot_be(solver: str, level: str, message: str) -> None:
    problem = Problem(GRAPH, SpaceOptions(LEVELS[LevelName(level)], 60, 2))
    with pytest.raises(SolverError, match=message):
        answer(Run(problem), strategies(solver))
