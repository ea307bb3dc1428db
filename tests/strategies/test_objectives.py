"""Interval, DSPs and both of two objectives: what the oracle finds, and what can't be had."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Proof
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Objective
from streamopt.strategies.dispatch import choose
from streamopt.strategies.oracle.certificate import certify
from streamopt.strategies.solution import Request, Solution
from tests.support.nightly import in_nightly
from tests.support.random.graphs import random_graph

LIMITS: dict[str, Any] = {"dsp": 40, "tiling_limit": 2, "fifos": None}


def objective_and_bound(found: Solution) -> tuple[tuple[int, ...], tuple[int, ...]]:
    match found.request.objective:
        case Objective.LATENCY:
            return (found.objective_cycles,), (found.bound_cycles,)
        case Objective.INTERVAL:
            return (found.interval_cycles,), (found.bound_interval_cycles,)
        case Objective.DSPS:
            return (found.prediction.dsps,), (found.bound_dsps,)
        case Objective.LATENCY_DSPS:
            both = (found.objective_cycles, found.prediction.dsps)
            return both, (found.bound_cycles, found.bound_dsps)


@pytest.mark.parametrize("level", [LevelName.OPT2, LevelName.OPT3, LevelName.OPT4, LevelName.OPT5])
@pytest.mark.parametrize("seed", in_nightly(range(4000, 4008), 4))
def test_every_objective_is_what_the_oracle_finds(seed: int, level: LevelName) -> None:
    graph = random_graph(Random(seed), nodes=2 + seed % 2, max_extent=6)
    latency = so.solve(graph, level=level, **LIMITS).objective_cycles
    for objective in (Objective.INTERVAL, Objective.LATENCY_DSPS, Objective.DSPS):
        target = latency + latency // 4 + 1 if objective is Objective.DSPS else None
        asked: dict[str, Any] = {
            "level": level,
            "objective": objective,
            "latency_target_cycles": target,
            **LIMITS,
        }
        expected = so.solve(graph, solver="exhaustive", **asked)
        for solver in ("auto", "cpsat"):
            found = so.solve(graph, solver=solver, **asked)
            assert found.proof is Proof.OPTIMAL
            assert found.gap == 0
            costs, bounds = objective_and_bound(found)
            assert costs == bounds == objective_and_bound(expected)[0]
            again = certify(
                graph, found.schedule, level=LEVELS[level], dsp_limit=40, tiling_limit=2
            )
            assert again.broken == ()
            assert target is None or again.latency_cycles <= target


def test_latency_that_is_out_of_reach_is_explained() -> None:
    graph = random_graph(Random(11), nodes=4, max_extent=12)
    best = so.solve(graph, dsp=40, tiling_limit=2, fifos=None).objective_cycles
    asked: dict[str, Any] = {"tiling_limit": 2, "objective": "dsps"}
    with pytest.raises(InfeasibleError) as caught:
        so.solve(graph, dsp=40, latency_target_cycles=best - 1, **asked)
    text = str(caught.value)
    assert text.startswith(
        f"E403 random can't be done in {best - 1} cycles with 40 DSPs at opt5: "
        f"the best is {best} cycles; its longest runs are "
    )
    assert f"give --latency-target {best} or more, or --dsp " in text
    enough = int(text.partition("--dsp ")[2].split()[0])
    found = so.solve(graph, dsp=enough, latency_target_cycles=best - 1, **asked)
    assert found.prediction.dsps == found.bound_dsps == enough > 40
    with pytest.raises(InfeasibleError, match="E403"):
        so.solve(graph, dsp=enough - 1, latency_target_cycles=best - 1, **asked)


def test_latency_that_no_dsps_give_is_told() -> None:
    graph = random_graph(Random(7), nodes=4, max_extent=12)
    with pytest.raises(InfeasibleError, match="no number of DSPs gives 1 cycles"):
        so.solve(graph, dsp=40, tiling_limit=2, objective="dsps", latency_target_cycles=1)


@pytest.mark.parametrize(
    ("objective", "target", "message"),
    [
        ("dsps", None, "E404 --objective dsps needs a latency that is to be kept"),
        ("interval", 9, "E404 --latency-target has no meaning for --objective interval"),
        ("dsps", 0, "E402 --latency-target is 0"),
    ],
)
def test_target_belongs_to_the_objective(objective: str, target: int | None, message: str) -> None:
    graph = random_graph(Random(7), nodes=2, max_extent=6)
    with pytest.raises(InfeasibleError, match=message):
        so.solve(graph, objective=objective, latency_target_cycles=target)


def test_paper_program_minimises_the_latency_only() -> None:
    graph = random_graph(Random(7), nodes=2, max_extent=6)
    with pytest.raises(SolverError, match="E517 the paper formulation minimises the latency"):
        so.solve(graph, formulation="paper", solver="scip", objective="interval")


def test_search_stopped_before_any_schedule_gives_none() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    request = Request(
        graph, LevelName.OPT5, 200, 2, objective=Objective.DSPS, latency_target_cycles=10**6
    )
    with pytest.raises(SolverError, match="E516 search was stopped before it found a schedule"):
        choose(request, "auto", "compact", SolveOptions(should_stop=lambda: True))


def test_stop_after_the_latency_leaves_its_schedule() -> None:
    graph = random_graph(Random(11), nodes=9, max_extent=16)
    request = Request(graph, LevelName.OPT5, 200, 2, objective=Objective.LATENCY_DSPS)
    latency = choose(request, "auto", "compact", SolveOptions()).objective_cycles
    seen: list[int] = []

    def should_stop() -> bool:
        return bool(seen) and seen[-1] == latency

    found = choose(
        request,
        "auto",
        "compact",
        SolveOptions(should_stop=should_stop),
        lambda better: seen.append(better.objective_cycles),
    )
    assert found.objective_cycles == latency
    assert found.proof is Proof.FEASIBLE
    assert found.bound_dsps <= found.prediction.dsps
