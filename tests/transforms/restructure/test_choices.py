"""The smaller or larger of two values where iterations wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.sum_steps import sum_step
from streamopt.ir.expression import Call, Select
from streamopt.ir.operators import Operator, Reduction
from tests.support.programs.c_nests import program_of

if TYPE_CHECKING:
    from pathlib import Path

PATHS = """(float p[6][6]) {
  for (int k = 0; k < 6; k++) for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++)
    p[i][j] = CHOICE;
}"""
SUM = "p[i][k] + p[k][j]"


@pytest.mark.parametrize(
    ("choice", "kind"),
    [(f"p[i][j] < {SUM} ? p[i][j] : {SUM}", Select), (f"fminf(p[i][j], {SUM})", Call)],
)
def test_sequential_choice_stays_a_comparison(choice: str, kind: type, tmp_path: Path) -> None:
    program = program_of(tmp_path, PATHS.replace("CHOICE", choice))
    (statement,) = [s for nest in program.nests if nest.sequential for s in nest.statements]
    assert isinstance(statement.value, kind)
    step = sum_step(statement)
    assert step is not None
    assert step.terms is Operator.MIN


def test_streaming_choice_is_a_reduction(tmp_path: Path) -> None:
    text = "(float x[6], float s[1]) { for (int i = 0; i < 6; i++) if (x[i] > s[0]) s[0] = x[i]; }"
    (statement,) = [s for nest in program_of(tmp_path, text).nests for s in nest.statements]
    assert statement.reduction is Reduction.MAX
