"""POM's designs compute what their programs do; what its first stage may not do is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import StrategyError
from streamopt.ir.schedule import ChannelKind
from streamopt.pipeline import schedule
from streamopt.pipeline.by_hand.scheduled_program import scheduled_program
from streamopt.pipeline.sources.readers import SourceOptions, load_written
from streamopt.strategies.pom import dependence_steps, design
from streamopt.strategies.rival import RivalRequest
from tests.support.programs.sketches import program

KERNELS = Path(__file__).resolve().parents[3] / "models" / "kernels" / "pom"
TARGET = so.device("u280")
PRODUCTS = program(
    {
        "a": "input 8 12",
        "b": "input 12 16",
        "c": "input 16 8",
        "t": "internal 8 16",
        "y": "output 8 8",
    },
    {
        "first": "i 8, j 16, k 12: t[i][j] += a[i][k] * b[k][j]",
        "second": "i 8, j 8, k 16: y[i][j] += t[i][k] * c[k][j]",
    },
    name="products",
)


def test_design_is_verified_and_repeats(tmp_path: Path) -> None:
    graph = so.dataflow(PRODUCTS)
    found = so.design(graph, "pom", dsp=200)
    assert found.schedule == so.design(graph, "pom", dsp=200).schedule
    assert found.schedule.node("second").order == ("k", "i", "j")
    assert {plan.kind for plan in found.schedule.channels} == {ChannelKind.PING_PONG}
    so.write(PRODUCTS, found.schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


def test_statement_outside_of_all_loops(tmp_path: Path) -> None:
    path = tmp_path / "ends.c"
    path.write_text(
        "void ends(float a[8], float b[8]) { float s = a[0]; b[0] = s;"
        " for (int i = 1; i < 8; i++) { s = s * a[i] + a[0]; b[i] = s; } }"
    )
    graph = so.dataflow(so.load(path))
    assert () in [tuple(node.trip_counts) for node in graph.nodes]
    assert so.design(graph, "pom").evaluation.trace.cycles > 7


def test_limit_that_nothing_fits() -> None:
    with pytest.raises(StrategyError, match="E560 a nest of products takes more than 3 DSPs"):
        design(RivalRequest(so.dataflow(PRODUCTS), 3, TARGET))


def test_a_users_steps_stay() -> None:
    s = schedule(PRODUCTS)
    s["first"].interchange("j", "k").unroll("j", 8)
    plan = s.auto_dse(dsp=400).schedule.node("first")
    assert plan.order == ("i", "k", "j")
    assert plan.factors["j"] == 8
    assert plan.lanes > 8
    assert [repr(taken.step).count("node='first'") for taken in s.steps] == [1, 1, 0, 0]
    s = schedule(PRODUCTS)
    s["first"].unroll("k", 5)
    with pytest.raises(StrategyError, match="E561 loop k of first can't be unrolled by 5"):
        s.auto_dse()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("edge_detect", ()),
        ("blur", ()),
        ("gaussian", ()),
        ("jacobi_1d", ()),
        ("jacobi_2d", ()),
        ("heat_1d", ()),
        (
            "seidel_2d",
            (
                "S1.interchange(i, j) is refused",
                "S1.skew(i, j, 1, 2) is refused",
                "S1.skew(i, j, 2, 1)",
            ),
        ),
    ],
)
def test_first_stage_on_stencils(name: str, told: tuple[str, ...]) -> None:
    """The published skew of Seidel breaks a dependence, and no other is needed."""
    timed = scheduled_program(
        load_written(KERNELS / f"{name}.c", SourceOptions(define={"N": "10", "T": "3"}))
    ).timed
    found = dependence_steps(timed).told
    kept = tuple(step.what for step in found if "S1" in step.what)
    assert tuple(text.partition(":")[0] for text in kept) == told


def test_skewed_seidel_is_no_slower() -> None:
    defines = {"N": "10", "T": "3"}
    path = KERNELS / "seidel_2d.c"
    written = so.design(so.dataflow(so.load(path, options=SourceOptions(define=defines))), "pom")
    skewed = schedule(path, options=SourceOptions(define=defines)).auto_dse()
    assert skewed.evaluation.trace.cycles <= written.evaluation.trace.cycles
