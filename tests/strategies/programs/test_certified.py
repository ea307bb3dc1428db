"""Claims of solvers with tolerances: a proof is one only if the exact search confirms it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.formulation.compact.model import build, read_back
from streamopt.formulation.tags import Tag
from streamopt.report.proof import proof_words
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.registry import get
from streamopt.solvers.result import Proof, Stop
from streamopt.space.rows import node_rows
from streamopt.strategies.exact.strategy import ExactSearch
from streamopt.strategies.programs import certified
from streamopt.strategies.programs.solver_search import Answer, Incumbent, SolverSearch
from streamopt.strategies.run import Run
from tests.support.problems import problem_of

if TYPE_CHECKING:
    import pytest

GRAPHS = Path(__file__).parents[3] / "graphs" / "polybench"


def test_presolve_of_highs_does_not_cut_off_an_optimum() -> None:
    problem = problem_of(so.dataflow(so.load(GRAPHS / "2mm.json")), 2560, 16)
    space = problem.decision_space()
    rows = node_rows(space)
    program = build(space, rows, horizon_cycles=71856)
    for name, choices in rows.items():
        third = program.over_rows(name, choices.dsps) <= 2560 // 3
        program.formulation.require(third, Tag("mine", "region", name))
    found = get("highs").solve(program.formulation.model, SolveOptions())
    latency = problem.evaluate(read_back(program, found.values)).latency_cycles
    assert (found.objective, found.bound, latency) == (47898.0, 47898.0, 47898)
    assert found.proof is Proof.CLAIMED


def search() -> SolverSearch:
    graph = so.dataflow(so.load(GRAPHS / "gesummv.json"))
    return SolverSearch(Run(problem_of(graph, 220, 16)), "highs")


def test_false_claim_is_no_proof() -> None:
    run = search()
    plain = run.problem.plainest()
    claim = Answer(
        Incumbent(plain, cost := run.problem.cost(plain)), cost, Proof.OPTIMAL, Stop.FINISHED
    )
    found = certified.certified(run, claim)
    assert (found.proof, found.bound) == (Proof.FEASIBLE, 3124)
    assert found.message == (
        f"highs claims that {cost} is the least, but the exact search has found 3124"
    )


def _too_large(search: ExactSearch, run: Run) -> None:
    """Stand for a search that can't do a graph."""
    raise SearchTooLargeError


def test_claim_that_nobody_confirms_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = so.dataflow(so.load(GRAPHS / "gesummv.json"))
    proved = so.solve(graph, dsp=220, effort=so.Effort(solver="highs"))
    assert (proved.proof, proved.latency_cycles) == (Proof.OPTIMAL, 3124)
    assert proof_words(so.record(proved)) == "optimal in the opt5 model (proved)"
    monkeypatch.setattr(ExactSearch, "solve", _too_large)
    claimed = so.solve(graph, dsp=220, effort=so.Effort(solver="highs"))
    assert (claimed.proof, claimed.bound) == (Proof.CLAIMED, 3124)
    words = f"optimal in the opt5 model as claimed by highs {claimed.solver_version}, not certified"
    assert proof_words(so.record(claimed)) == words
    assert [warning.code for warning in claimed.warnings if warning.code == "W03"] == ["W03"]


def test_gap_is_told_from_the_bound() -> None:
    facts = {"proof": "feasible", "stop": "time_limit", "gap": 0.8, "solver": "search"}
    words = "feasible, at most 400.00 % above the optimum; stopped by the time limit"
    assert proof_words(facts) == words
    claimed = facts | {"solver": "highs", "solver_version": "1"}
    assert "above the optimum as claimed by highs 1; stopped" in proof_words(claimed)
    unbounded = "feasible, and no bound is known; stopped by the time limit"
    assert proof_words(facts | {"gap": 1.0}) == unbounded
