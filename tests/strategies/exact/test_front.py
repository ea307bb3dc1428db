"""Fronts of latency against DSPs: complete by the oracle, valid when stopped."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import LatencyThenDsps
from streamopt.strategies.dispatch import strategies
from streamopt.strategies.exact.boxes import Boxes
from streamopt.strategies.exact.front import Front, solve_front
from streamopt.strategies.oracle.exhaustive import exhaustive
from streamopt.strategies.run import Run
from tests.support.certificate import certify
from tests.support.problems import problem_of
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

TOP = Path(__file__).parents[3]


def by_oracle(graph: Graph, level: LevelName, dsp_limit: int) -> list[tuple[int, int]]:
    """Return the front by asking the oracle for ever fewer DSPs."""
    costs: list[tuple[int, int]] = []
    while True:
        found = exhaustive(
            graph,
            level=LEVELS[level],
            dsp_limit=dsp_limit,
            tiling_limit=2,
            objective=LatencyThenDsps(),
        )
        if found.schedule is None:
            return costs
        costs.append((found.latency_cycles, found.dsps))
        dsp_limit = found.dsps - 1


def costs_of(front: Front) -> list[tuple[int, int]]:
    return [(point.cycles, point.dsps) for point in front.points]


@pytest.mark.parametrize("level", [LevelName.OPT3, LevelName.OPT4, LevelName.OPT5])
@pytest.mark.parametrize("seed", [11, 24, 29, 5000, 5001, 5002])
def test_front_is_the_oracles(seed: int, level: LevelName) -> None:
    graph = random_graph(Random(seed), nodes=2 + seed % 2, max_extent=6)
    expected = by_oracle(graph, level, 60)
    for solver in ("auto", "cpsat"):
        found = solve_front(Run(problem_of(graph, 60, level=level)), strategies(solver))
        assert costs_of(found) == expected
        assert found.proof is Proof.OPTIMAL
        assert all(point.is_proved for point in found.points)
    for point in found.points:
        again = certify(graph, point.schedule, level=LEVELS[level], dsp_limit=60, tiling_limit=2)
        assert again.broken == ()
        assert (again.latency_cycles, again.dsps) == (point.cycles, point.dsps)


def test_thinned_rounds_come_to_the_same_front(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(Random(2003), nodes=8, max_extent=16)
    problem = problem_of(graph, 150, 2)
    expected = solve_front(Run(problem), strategies("auto"))
    assert expected.proof is Proof.OPTIMAL
    assert len(expected.points) > 1
    monkeypatch.setattr("streamopt.strategies.exact.front.LABELS", (1, 2, 4, 10**6))
    found = solve_front(Run(problem), strategies("auto"))
    assert costs_of(found) == costs_of(expected)
    assert found.proof is Proof.OPTIMAL
    monkeypatch.setattr("streamopt.strategies.exact.front.LABELS", (1,))
    rough = solve_front(Run(problem), strategies("auto"))
    for point in rough.points:
        best = next(p for p in expected.points if p.dsps <= point.dsps)
        assert point.bound_cycles <= best.cycles <= point.cycles
        least = [p for p in expected.points if p.cycles <= point.cycles][-1]
        assert point.bound_dsps <= least.dsps <= point.dsps
    for cycles, dsps in set(costs_of(expected)) - set(costs_of(rough)):
        assert any(cycles <= box.cycles and dsps <= box.dsps for box in rough.open_boxes)


def test_stopped_front_says_what_is_open() -> None:
    graph = random_graph(Random(2003), nodes=8, max_extent=16)
    problem = problem_of(graph, 150, 2)
    found = solve_front(Run(problem, SolveOptions(time_limit_seconds=1e-6)), strategies("auto"))
    assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.TIME_LIMIT)
    assert found.points == ()
    assert len(found.open_boxes) == 1
    seen: list[int] = []

    def press(points: int, _: int) -> None:
        seen.append(points)
        if len(seen) == 3:
            raise KeyboardInterrupt

    some = solve_front(Run(problem), strategies("cpsat"), press)
    assert (some.proof, some.stop) == (Proof.FEASIBLE, Stop.INTERRUPTED)
    exact = set(costs_of(solve_front(Run(problem), strategies("auto"))))
    proved = {(point.cycles, point.dsps) for point in some.points if point.is_proved}
    assert proved
    assert proved <= exact


def test_entangled_graphs_are_left_to_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(Random(29), nodes=4, max_extent=12)
    problem = problem_of(graph, 60, 2)
    expected = solve_front(Run(problem), strategies("auto"))

    def too_large(*_: object) -> None:
        raise SearchTooLargeError

    monkeypatch.setattr(Boxes, "ask", too_large)
    assert costs_of(solve_front(Run(problem), strategies("auto"))) == costs_of(expected)


def test_published_program_has_an_exact_front() -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "gemm.json"))
    found = so.pareto(graph, dsp=2560)
    assert found.proof is Proof.OPTIMAL
    assert costs_of(found)[0] == (23999, 2552)
    assert costs_of(found)[-1] == (10559999, 13)


def test_front_needs_one_lane_a_node() -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "gemm.json"))
    with pytest.raises(InfeasibleError, match="E401"):
        so.pareto(graph, dsp=12)
