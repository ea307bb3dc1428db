"""Time limits, interrupts and distrust: an answer says what was proved and why it stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Proof, Stop
from streamopt.space.assemble import assemble, baseline, evaluate, violations
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.programs import minlp
from streamopt.strategies.programs.minlp import solve_compact
from streamopt.strategies.run import Run
from tests.support.problems import problem_of

TOP = Path(__file__).parents[3]
GRAPH = so.dataflow(so.load(TOP / "graphs" / "transformers" / "multi_head_attention.json"))
PROBLEM = problem_of(GRAPH, 2560, 1)


def test_time_limit_is_no_optimum() -> None:
    found = solve_compact(Run(PROBLEM, SolveOptions(time_limit_seconds=1e-3)), "cpsat")
    start = baseline(GRAPH)
    assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.TIME_LIMIT)
    assert found.latency_cycles < evaluate(GRAPH, start).latency_cycles / 10
    space = decision_space(
        GRAPH, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=2560, tiling_limit=1)
    )
    assert violations(space, found.schedule) == []
    assert 0 < found.bound <= 32830
    assert found.message == "no better schedule than the starting one was found"
    assert 0 < found.gap < 1


def test_interrupt_keeps_the_schedule() -> None:
    found = solve_compact(Run(PROBLEM, SolveOptions(should_stop=lambda: True)), "cpsat")
    assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.INTERRUPTED)
    assert found.bound <= found.latency_cycles


def test_untiled_orders_that_are_not_proved_make_no_optimum() -> None:
    problem = PROBLEM.within(level=LEVELS[LevelName.OPT4])
    found = solve_compact(Run(problem, SolveOptions(time_limit_seconds=1e-3)), "cpsat")
    assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.TIME_LIMIT)


def test_too_few_dsps() -> None:
    with pytest.raises(InfeasibleError) as caught:
        so.solve(GRAPH, dsp=29)
    assert str(caught.value) == (
        "E401 multi_head_attention needs at least 30 DSPs with no unrolling (q_gemm 5, k_gemm 5, "
        "v_gemm 5, matmul_gemm 5, matmul_gemm_2 5, out_gemm 5), but the limit is 29\n"
        "  hint: give --dsp 30 or more"
    )


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"dsp": 0}, "E402 --dsp is 0"),
        ({"space": so.Space(tiling_limit=-1)}, "E402 --tiling-limit is -1"),
    ],
)
def test_limits_are_positive(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(InfeasibleError) as caught:
        so.solve(GRAPH, **limits)
    assert str(caught.value) == f"{message}\n  hint: give a whole number of at least 1"


def test_paper_program_has_no_opt4() -> None:
    with pytest.raises(SolverError, match="E513"):
        so.solve(GRAPH, level="opt4", effort=so.Effort(formulation="paper", solver="scip"))


def test_formulation_is_known() -> None:
    with pytest.raises(SolverError, match="E514 there is no formulation 'convex'"):
        so.solve(GRAPH, effort=so.Effort(formulation="convex"))


def test_oracle_refuses_large_spaces() -> None:
    with pytest.raises(SolverError, match=r"E510 the space of multi_head_attention has \d+ points"):
        so.solve(GRAPH, effort=so.Effort(solver="exhaustive"))


def test_answers_of_solvers_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "atax.json"))

    def wrong(*_: object) -> Schedule:
        return baseline(graph)

    monkeypatch.setattr(minlp.compact, "read_back", wrong)
    with pytest.raises(SolverError) as caught:
        so.solve(graph, effort=so.Effort(solver="cpsat"))
    assert str(caught.value) == (
        "E512 cpsat claims 2105.0 cycles, but its schedule takes 1277636 cycles\n"
        "  hint: try another solver or a stricter profile"
    )


def test_certificate_names_what_is_wrong() -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "3mm.json"))
    space = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT5], dsp_limit=2560, tiling_limit=16)
    )
    assert violations(space, baseline(graph)) == []
    orders = {"gemm1": ("i", "j", "k"), "gemm2": ("i", "j", "k"), "gemm3": ("i", "j", "k")}
    much = dict.fromkeys(orders, (10, 10, 10))
    found = violations(space, assemble(graph, orders, much))
    assert "15000 DSPs exceed the limit of 2560" in found
    ones = assemble(graph, orders, dict.fromkeys(orders, (1, 1, 1)))
    streams = [replace(c, kind=ChannelKind.FIFO, depth_elems=1) for c in ones.channels]
    found = violations(space, replace(ones, channels=tuple(streams)))
    assert found == ["channel F is a FIFO but its two sides differ in order"]
    fixed = decision_space(
        graph, SpaceOptions(LEVELS[LevelName.OPT1], dsp_limit=2560, tiling_limit=16)
    )
    other = assemble(graph, {**orders, "gemm1": ("k", "i", "j")}, dict.fromkeys(orders, (1, 1, 1)))
    assert violations(fixed, other) == ["gemm1: loop order k, i, j is not allowed"]
