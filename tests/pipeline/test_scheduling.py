"""The scheduling language from a user's side: steps, what the solver keeps to, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt import dsl
from streamopt.errors import FrontendError, InfeasibleError, LegalityError, SolverError
from streamopt.formats.steps_json import read_steps_json, write_steps_json
from streamopt.pipeline import Effort, Space, interpret, load_steps, save_steps, schedule

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from streamopt.pipeline.by_hand.scheduling import Scheduling

SEIDEL = """void seidel(float A[10][10]) {
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
        A[i+1][j+1] = (A[i][j] + A[i][j+1] + A[i][j+2] + A[i+1][j] + A[i+1][j+1]
                       + A[i+1][j+2] + A[i+2][j] + A[i+2][j+1] + A[i+2][j+2]) / 9.0f;
}"""


def product() -> Program:
    p = dsl.program("product")
    i, j, k = p.iterators(i=32, j=32, k=32)
    a, b = p.input("A", 32, 32), p.input("B", 32, 32)
    c = p.compute("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    p.output("Y", (i, j), dsl.relu(c[i, j]))
    return p.build()


def seidel(folder: Path) -> Scheduling:
    path = folder / "seidel.c"
    path.write_text(SEIDEL)
    return schedule(path)


def test_a_solution_knows_the_program_of_the_steps() -> None:
    opened = schedule(product())
    solution = opened.solve(dsp=64)
    assert solution.program == opened.decided().program


def test_solver_keeps_to_steps_and_decides_the_rest() -> None:
    s = schedule(product())
    s["C"].interchange("j", "k").unroll("i", 4)
    solution = s.solve(dsp=2560, space=Space(tiling_limit=1))
    plan = solution.schedule.node("C")
    assert plan.order == ("i", "k", "j")
    assert plan.factors["i"] == solution.schedule.node("Y").factors["i"] == 4
    assert plan.factors["j"] > 1
    free = schedule(product()).solve(dsp=2560, space=Space(tiling_limit=1))
    assert free.latency_cycles <= solution.latency_cycles


@pytest.mark.parametrize("level", ["opt3", "opt6"])
def test_other_levels_keep_to_steps(level: str) -> None:
    s = schedule(product())
    s["C"].interchange("i", "k").unroll("j", 8).unroll("k", 1)
    plan = s.solve(level=level, dsp=640).schedule.node("C")
    assert plan.order == ("k", "j", "i")
    assert (plan.factors["j"], plan.factors["k"]) == (8, 1)


def test_decisions_that_contradict_each_other() -> None:
    s = schedule(product())
    s["C"].unroll("i", 4)
    s["Y"].unroll("i", 2)
    with pytest.raises(InfeasibleError, match="E409 loop i of C has unroll factor 4, loop i of Y"):
        s.solve(dsp=2560)
    s = schedule(product())
    s["C"].unroll("i", 5)
    with pytest.raises(InfeasibleError, match="E409 unroll factor 5 doesn't divide loop i of C"):
        s.solve(dsp=2560)
    s = schedule(product())
    s["C"].unroll("i", 32).unroll("j", 32)
    with pytest.raises(InfeasibleError, match="E401"):
        s.solve(dsp=100)
    with pytest.raises(SolverError, match="E526"):
        s.solve(dsp=2560, effort=Effort(solver="exhaustive"))
    with pytest.raises(LegalityError, match="E234 unroll factor 40 of loop i of C"):
        s["C"].unroll("i", 40)


def test_partition_is_an_unroll_factor_of_who_walks() -> None:
    s = schedule(product())
    s.array("A").partition("cyclic", 4, dim=1)
    s.array("B").partition("complete", dim=2)
    assert s.decided().fixed.factors == {("C", "i"): 4, ("C", "j"): 32}
    s.array("C").partition("block", 2, dim=1)
    with pytest.raises(LegalityError, match="E239 C is partitioned by blocks"):
        s.solve(dsp=2560)


def test_ii_that_is_not_met_is_told() -> None:
    s = schedule(product())
    s["C"].interchange("i", "k").pipeline("i", ii=1)
    assert s.solve(dsp=2560).schedule.node("C").order == ("k", "j", "i")
    s = schedule(product())
    s["C"].pipeline("k", ii=1)
    with pytest.raises(InfeasibleError, match="E410 C starts an iteration every 4 cycles"):
        s.solve(dsp=2560)


def test_skew_lets_seidel_start_often(tmp_path: Path) -> None:
    s = seidel(tmp_path)
    before = s.decided()
    with pytest.raises(LegalityError, match=r"E237 A\.interchange\(i, j\) breaks"):
        s["A"].interchange("i", "j")
    with pytest.raises(LegalityError, match=r"E237 A\.skew\(i, j, 1, 1\) breaks"):
        s["A"].skew("i", "j", 1, 1)
    s["A"].skew("i", "j", 2, 1)
    after = s.decided()
    values = {"A": np.random.default_rng(0).random((10, 10), np.float32)}
    expected, found = (interpret(own.program, values)["A_out"] for own in (before, after))
    assert (expected == found).all()
    s["A"].unroll("i_w", 4)
    with pytest.raises(InfeasibleError, match="E409 loop i_w of A can't be unrolled by 4"):
        s.solve(dsp=220)


def test_steps_are_a_file_and_can_be_taken_again(tmp_path: Path) -> None:
    s = schedule(product())
    s["C"].split("i", 4).interchange("i1", "k").shift("j", 1).pipeline("k", ii=2).unroll("i1")
    s["Y"].after("C")
    s.array("A").partition("cyclic", 4, dim=1)
    assert repr(s) == "<schedule of product: 7 steps>"
    save_steps(s.name, s.record, tmp_path / "steps.json")
    again = schedule(product(), load_steps(tmp_path / "steps.json"))
    assert again.record == s.record
    assert str(again) == str(s)
    assert [str(step.step) for step in again.steps] == [str(step.step) for step in s.steps]


def test_files_that_are_no_steps() -> None:
    good = write_steps_json("p", ())
    assert read_steps_json(good, "f") == ()
    for text, message in (
        ("{", "E101"),
        ("[]", "E123 steps are written as"),
        ('{"schema_version": 1, "steps": [3]}', r"steps\[0\]: E123 a step is an object"),
        ('{"schema_version": 1, "steps": [{"step": "spilt"}]}', "did you mean 'split'"),
        ('{"schema_version": 1, "steps": [{"step": "unroll", "by": 2}]}', "has no member"),
        (
            '{"schema_version": 1, "steps": [{"step": "unroll", "node": "C"}]}',
            "E123 loop of unroll",
        ),
    ):
        with pytest.raises(FrontendError, match=message):
            read_steps_json(text, "f")
