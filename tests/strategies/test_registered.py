"""A strategy that is registered is found by name, and answers only what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.strategies import dispatch
from streamopt.strategies.portfolio.portfolio import Portfolio

if TYPE_CHECKING:
    from streamopt.errors import Diagnostic
    from streamopt.ir.graph import Graph
    from streamopt.strategies.problem import Problem
    from streamopt.strategies.run import Run
    from streamopt.strategies.solution import Solution

GEMM = Path(__file__).parents[2] / "graphs" / "polybench" / "gemm.json"


@dataclass(frozen=True, slots=True)
class Plainest:
    """Decides nothing."""

    @property
    def name(self) -> str:
        return "plainest"

    def accepts(self, problem: Problem) -> Diagnostic | None:
        del problem
        return None

    def solve(self, run: Run) -> Solution:
        schedule = run.problem.plainest()
        run.begin(schedule, run.problem.cost(schedule))
        return run.solution()


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setitem(dispatch.STRATEGIES, "plainest", (Plainest(),))
    return so.dataflow(str(GEMM))


def test_it_answers_under_its_name(graph: Graph) -> None:
    found = so.solve(graph, dsp=200, effort=so.Effort(solver="plainest"))
    assert (found.solver, found.proof) == ("plainest", "feasible")


def test_a_race_takes_it(graph: Graph) -> None:
    (race,) = dispatch.strategies("race:plainest,search")
    assert isinstance(race, Portfolio)
    assert [each.name for each in race.sides] == ["plainest", "search"]


def test_a_wrong_name_is_told_with_it(graph: Graph) -> None:
    with pytest.raises(so.StreamoptError, match=r"E501[\s\S]*exhaustive, plainest, race"):
        so.solve(graph, dsp=200, effort=so.Effort(solver="plain"))


def test_a_latency_beyond_the_target_is_no_answer(graph: Graph) -> None:
    with pytest.raises(so.StreamoptError, match="E516"):
        so.solve(
            graph, dsp=200, objective=so.FewestDsps(20_000), effort=so.Effort(solver="plainest")
        )
