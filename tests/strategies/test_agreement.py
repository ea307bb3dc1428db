"""Whoever proves, proves the same: solvers, formulations, pruned or not, and the oracle."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import streamopt as so
from streamopt.errors import SolverError
from streamopt.formulation.compact import model as compact
from streamopt.solvers.base import Capability, SolveOptions
from streamopt.solvers.registry import available, get
from streamopt.solvers.result import Proof
from streamopt.space.assemble import baseline, evaluate, violations
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, PAPER_LEVELS, LevelName
from streamopt.space.rows import node_rows
from tests.support.nightly import in_nightly
from tests.support.random.graphs import random_graph

INSTALLED = [s.name for s in available() if s.installed]
NONLINEAR = [name for name in INSTALLED if Capability.NONLINEAR in get(name).capabilities]
LIMITS: dict[str, Any] = {"dsp": 40, "space": so.Space(tiling_limit=2)}
SEEDS = in_nightly(range(40), 16)


@pytest.mark.parametrize("level", PAPER_LEVELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_default_solver_finds_what_the_oracle_finds(seed: int, level: LevelName) -> None:
    graph = random_graph(Random(seed), nodes=2 + seed % 2, max_extent=6)
    expected = so.solve(graph, level=level, effort=so.Effort(solver="exhaustive"), **LIMITS)
    found = so.solve(graph, level=level, **LIMITS)
    assert found.proof is Proof.OPTIMAL
    assert found.latency_cycles == found.bound == expected.latency_cycles
    space = decision_space(graph, SpaceOptions(LEVELS[level], dsp_limit=40, tiling_limit=2))
    assert violations(space, found.schedule) == []
    assert violations(space, expected.schedule) == []
    assert expected.prediction.latency_cycles == expected.bound


@pytest.mark.parametrize("solver", [name for name in INSTALLED if name != "cpsat"])
@pytest.mark.parametrize("seed", in_nightly(range(100, 108), 4))
def test_solvers_agree_on_the_compact_program(solver: str, seed: int) -> None:
    graph = random_graph(Random(seed), nodes=3, max_extent=6)
    for level in (LevelName.OPT2, LevelName.OPT4, LevelName.OPT5):
        expected = so.solve(graph, level=level, **LIMITS).latency_cycles
        found = so.solve(graph, level=level, effort=so.Effort(solver=solver), **LIMITS)
        is_searched = not LEVELS[level].untiled_first  # what the search can't do may stay a claim
        assert found.proof is Proof.OPTIMAL or (not is_searched and found.proof.is_closed)
        assert found.latency_cycles == expected


@pytest.mark.parametrize("solver", NONLINEAR)
@pytest.mark.parametrize("seed", in_nightly(range(200, 206), 3))
def test_paper_program_has_the_same_optimum(solver: str, seed: int) -> None:
    graph = random_graph(Random(seed), nodes=2, max_extent=6)
    for level in (LevelName.OPT2, LevelName.OPT3, LevelName.OPT5):
        expected = so.solve(graph, level=level, **LIMITS).latency_cycles
        try:
            found = so.solve(
                graph,
                level=level,
                time_limit=60,
                effort=so.Effort(solver=solver, formulation="paper"),
                **LIMITS,
            )
        except SolverError as error:
            if error.diagnostics[0].code == "E503":
                pytest.skip("the size-limited licence does not take this model")
            raise
        assert found.proof is Proof.OPTIMAL
        assert found.latency_cycles == expected


@pytest.mark.parametrize("seed", in_nightly(range(300, 306), 3))
def test_pruned_rows_keep_an_optimum(seed: int) -> None:
    graph = random_graph(Random(seed), nodes=3, max_extent=6)
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=40, tiling_limit=2)
    )
    horizon = evaluate(graph, baseline(graph)).latency_cycles
    optima: list[float | None] = []
    sizes: list[int] = []
    for prune in (True, False):
        rows = node_rows(space, prune=prune)
        sizes.append(sum(map(len, rows.values())))
        program = compact.build(space, rows, horizon_cycles=horizon)
        result = get("cpsat").solve(program.formulation.model, SolveOptions())
        assert result.proof is Proof.OPTIMAL
        optima.append(result.objective)
    assert optima[0] == optima[1]
    assert sizes[0] < sizes[1]


def test_some_open_solver_ran() -> None:
    assert {"cpsat", "highs", "scipy"} <= set(INSTALLED)
