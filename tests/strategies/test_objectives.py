"""Interval, DSPs and both of two objectives: what the oracle finds, and what can't be had."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Proof
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import FewestDsps, Interval, LatencyThenDsps, named_objective
from streamopt.strategies.dispatch import STRATEGIES, answer
from streamopt.strategies.problem import Problem
from streamopt.strategies.run import Run
from tests.support.certificate import certify
from tests.support.nightly import in_nightly
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.strategies.solution import Solution

LIMITS: dict[str, Any] = {"dsp": 40, "space": so.Space(tiling_limit=2)}
SPACE = SpaceOptions(LEVELS[LevelName.OPT5], 200, 2)
AUTO = STRATEGIES["auto"]


def objective_and_bound(found: Solution) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(found.problem.objective, LatencyThenDsps):
        return (found.cost, found.dsps), (found.bound, found.second_bound)
    return (found.cost,), (found.bound,)


@pytest.mark.parametrize("level", [LevelName.OPT2, LevelName.OPT3, LevelName.OPT4, LevelName.OPT5])
@pytest.mark.parametrize("seed", in_nightly(range(4000, 4008), 4))
def test_every_objective_is_what_the_oracle_finds(seed: int, level: LevelName) -> None:
    graph = random_graph(Random(seed), nodes=2 + seed % 2, max_extent=6)
    latency = so.solve(graph, level=level, effort=so.Effort(fifos=None), **LIMITS).latency_cycles
    target = latency + latency // 4 + 1
    for objective in (Interval(), LatencyThenDsps(), FewestDsps(target)):
        asked: dict[str, Any] = {"level": level, "objective": objective, **LIMITS}
        expected = so.solve(graph, effort=so.Effort(solver="exhaustive", fifos=None), **asked)
        for solver in ("auto", "cpsat"):
            found = so.solve(graph, effort=so.Effort(solver=solver, fifos=None), **asked)
            assert found.proof is Proof.OPTIMAL
            assert found.gap == 0
            costs, bounds = objective_and_bound(found)
            assert costs == bounds == objective_and_bound(expected)[0]
            again = certify(
                graph, found.schedule, level=LEVELS[level], dsp_limit=40, tiling_limit=2
            )
            assert again.broken == ()
            assert objective != FewestDsps(target) or again.latency_cycles <= target


def test_latency_that_is_out_of_reach_is_explained() -> None:
    graph = random_graph(Random(11), nodes=4, max_extent=12)
    best = so.solve(
        graph, dsp=40, space=so.Space(tiling_limit=2), effort=so.Effort(fifos=None)
    ).latency_cycles
    asked: dict[str, Any] = {
        "objective": so.FewestDsps(best - 1),
        "space": so.Space(tiling_limit=2),
    }
    with pytest.raises(InfeasibleError) as caught:
        so.solve(graph, dsp=40, **asked)
    text = str(caught.value)
    assert text.startswith(
        f"E403 random can't be done in {best - 1} cycles with 40 DSPs at opt5: "
        f"the best is {best} cycles; its longest runs are "
    )
    assert f"give --latency-target {best} or more, or --dsp " in text
    enough = int(text.partition("--dsp ")[2].split()[0])
    found = so.solve(graph, dsp=enough, **asked)
    assert found.dsps == found.bound == enough > 40
    with pytest.raises(InfeasibleError, match="E403"):
        so.solve(graph, dsp=enough - 1, **asked)


def test_latency_that_no_dsps_give_is_told() -> None:
    graph = random_graph(Random(7), nodes=4, max_extent=12)
    with pytest.raises(InfeasibleError, match="no number of DSPs gives 1 cycles"):
        so.solve(graph, dsp=40, objective=so.FewestDsps(1), space=so.Space(tiling_limit=2))


@pytest.mark.parametrize(
    ("objective", "target", "message"),
    [
        ("dsps", None, "E404 --objective dsps needs a latency that is to be kept"),
        ("interval", 9, "E404 --latency-target has no meaning for --objective interval"),
        ("dsps", 0, "E402 --latency-target is 0"),
    ],
)
def test_target_belongs_to_the_objective(objective: str, target: int | None, message: str) -> None:
    with pytest.raises(InfeasibleError, match=message):
        named_objective(objective, target)


def test_paper_program_minimises_the_latency_only() -> None:
    graph = random_graph(Random(7), nodes=2, max_extent=6)
    with pytest.raises(SolverError, match="E517 the paper formulation minimises the latency"):
        so.solve(graph, objective="interval", effort=so.Effort(formulation="paper", solver="scip"))


def test_search_stopped_before_any_schedule_gives_none() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    problem = Problem(graph, SPACE, FewestDsps(10**6))
    with pytest.raises(SolverError, match="E516 search was stopped before it found a schedule"):
        answer(Run(problem, SolveOptions(should_stop=lambda: True)), AUTO)


def test_stop_after_the_latency_leaves_its_schedule() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    problem = Problem(graph, SPACE, LatencyThenDsps())
    latency = answer(Run(problem), AUTO).latency_cycles
    seen: list[int] = []

    def should_stop() -> bool:
        return bool(seen) and seen[-1] == latency

    options = SolveOptions(should_stop=should_stop)
    run = Run(problem, options, lambda better: seen.append(better.latency_cycles))
    found = answer(run, AUTO)
    assert found.latency_cycles == latency
    assert found.proof is Proof.FEASIBLE
    assert found.second_bound <= found.dsps
