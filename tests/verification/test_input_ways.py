"""Inputs that suit a program: asked for, found, or told why there are none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import VerificationError
from streamopt.pipeline.building import golden_data
from streamopt.verification.compare import compare_output
from streamopt.verification.vectors.golden import find_golden, make_golden
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program

CHOLESKY = """
#include <math.h>
void cholesky(const float A[8][8], float L[8][8]) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      L[i][j] = 0;
  for (int j = 0; j < 8; j++) {
    float sum = 0;
    for (int k = 0; k < j; k++) sum += L[j][k] * L[j][k];
    L[j][j] = sqrtf(A[j][j] - sum);
    for (int i = j + 1; i < 8; i++) {
      float s = 0;
      for (int k = 0; k < j; k++) s += L[i][k] * L[j][k];
      L[i][j] = (A[i][j] - s) / L[j][j];
    }
  }
}
"""


@pytest.fixture
def cholesky(tmp_path: Path) -> Program:
    (tmp_path / "cholesky.c").write_text(CHOLESKY)
    return so.load(tmp_path / "cholesky.c")


def test_decomposition_gets_a_definite_matrix(cholesky: Program) -> None:
    golden = make_golden(cholesky)
    assert golden.found.texts == ("A=spd",)
    assert golden.asked.texts == ()
    wanted = np.linalg.cholesky(golden.inputs["A"])
    np.testing.assert_allclose(golden.outputs["L"].value, wanted, atol=1e-5)


def test_what_made_no_number_is_told(cholesky: Program) -> None:
    with pytest.raises(VerificationError) as caught:
        golden_data(cholesky, 0, ["A=-1:1"])
    (problem,) = caught.value.diagnostics
    text = r"cholesky.c:10:5: E713 output L\[2\]\[2\] is no number: sqrt\(-\d+\.\d+\) in node "
    assert re.search(text, str(problem))
    assert "--inputs" in problem.hint


X = {"x": "input 4 4", "n": "input 4", "y": "output 4"}


def test_ways_and_values(tmp_path: Path) -> None:
    source = program(X, {"a": "i 4, k 4: y[i] += x[i][k] * n[k]"})
    inputs = golden_data(source, 0, ["2:3", "x=spd"]).inputs
    assert np.all(np.linalg.eigvalsh(inputs["x"]) > 0)
    assert inputs["n"].min() >= 2
    assert inputs["n"].max() <= 3
    np.savez(tmp_path / "d.npz", n=np.arange(4))
    inputs = golden_data(source, 0, ["spd", str(tmp_path / "d.npz")]).inputs
    assert inputs["n"].tolist() == [0, 1, 2, 3]
    inputs = golden_data(source, 0, {"n": np.ones(4), "x": "0:0"}).inputs
    assert not inputs["x"].any()
    assert inputs["n"].all()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["1:0", "A==3"], r"E724 '1:0' doesn't say(.|\n)*E724 'A==3' doesn't say"),
        (["n=spd"], r"E725 n can't be symmetric and positive definite: its shape is \(4,\)"),
        (["m=0:1"], r"E725 'm' is no input or weight of the program\n  hint: it has x, n"),
        ({"n": np.ones(3)}, r"E725 the values of 'n' have shape \(3,\), expected \(4,\)"),
        (["none.npz"], r"none.npz: E726 the file of test inputs can't be read: No such file"),
    ],
)
def test_what_does_not_suit_is_told(asked: list[str], message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        golden_data(program(X, {"a": "i 4, k 4: y[i] += x[i][k] * n[k]"}), 0, asked)


def test_file_of_inputs_is_refused_by_its_header(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", n=np.ones(3), m=np.ones(3))
    source = program(X, {"a": "i 4, k 4: y[i] += x[i][k] * n[k]"})
    with pytest.raises(
        VerificationError, match=r"E726 .*'n' are float64 \(3,\), and its shape is \(4,\)"
    ):
        golden_data(source, 0, str(tmp_path / "d.npz"))


def test_elements_that_nothing_writes_are_told() -> None:
    arrays = {"x": "input 8", "s": "internal 8", "y": "output 8"}
    source = program(arrays, {"some": "i 7: s[i + 1] = x[i]", "all": "i 8: y[i] = s[i] * 2"})
    text = (
        r"E713 output y\[0\] is computed from s\[0\], which is never written: in node 'all', for y"
    )
    with pytest.raises(VerificationError, match=text):
        find_golden(source)
    source = program({"x": "input 8", "y": "output 8"}, {"some": "i 7: y[i + 1] = x[i]"})
    with pytest.raises(VerificationError, match=r"E713 output y\[0\] is never written"):
        find_golden(source)


def test_where_no_inputs_suit_the_rest_is_checked() -> None:
    source = program(X, {"a": "i 4: y[i] = sqrt(0 - 1 - n[i] * n[i]) if i < 1 else n[i]"})
    golden = find_golden(source)
    (problem,) = golden.problems
    assert "is no number: sqrt(" in problem.message
    verdict = compare_output("y", golden.outputs["y"].value, golden.outputs["y"])
    assert (verdict.wrong, verdict.unchecked) == (0, 1)
    assert str(verdict).startswith("UNCHECKED y: 4 elements, 1 unchecked, max error 0")


def test_sizes_have_a_limit() -> None:
    huge = program(
        {"x": "input 2147483647", "y": "output 2147483647"}, {"a": "i 2147483647: y[i] = x[i]"}
    )
    with pytest.raises(VerificationError, match=r"E727 'sketch' has 4294967294 elements of arrays"):
        find_golden(huge)
    loops = ", ".join(f"i{at} 4" for at in range(20))
    deep = program({"x": "input 4", "y": "output 4"}, {"a": f"{loops}: y[i0] += x[i1]"})
    with pytest.raises(VerificationError, match=r"E727 'sketch' has 1099511627776 iterations"):
        find_golden(deep)
