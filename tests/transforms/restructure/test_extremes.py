"""Choices of the larger or smaller value as calls, and what is no such choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.instances import instances
from streamopt.transforms.restructure.flat_source import FlatSource
from streamopt.transforms.restructure.reductions import with_extremes
from tests.support.programs.c_nests import lines, nests, program_of, source_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "(double s[4], double x[4]) { for (int i = 0; i < 4; i++)"


def rewritten(folder: Path, statement: str) -> list[str]:
    source = with_extremes(source_of(folder, f"{HEAD} {statement} }}"))
    return lines(FlatSource(instances(source.body), {v.name: v for v in source.variables}))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("s[0] = x[i] > s[0] ? x[i] : s[0];", "max"),
        ("s[0] = x[i] > s[0] ? s[0] : x[i];", "min"),
        ("s[0] = s[0] <= x[i] ? s[0] : x[i];", "min"),
        ("s[0] = s[0] <= x[i] ? x[i] : s[0];", "max"),
        ("if (x[i] > s[0]) s[0] = x[i];", "max"),
        ("if (s[0] > x[i]) s[0] = x[i];", "min"),
        ("if (s[0] < x[i]) { s[0] = x[i]; }", "max"),
        ("{ if (x[i] <= s[0]) s[0] = x[i]; }", "min"),
    ],
)
def test_choices_become_calls(statement: str, expected: str, tmp_path: Path) -> None:
    assert rewritten(tmp_path, statement) == [f"s[0] = {expected}(s[0], x[i])"]


@pytest.mark.parametrize(
    "statement",
    [
        "s[0] = x[i] == s[0] ? x[i] : s[0];",
        "s[0] = x[i] > s[1] ? x[i] : s[0];",
        "if (x[i] > s[1]) s[0] = x[i];",
        "if (x[i] > s[0]) s[0] = x[i] + 1.0;",
        "if (x[i] > s[0]) { s[0] = x[i]; s[1] = 0.0; }",
        "if (x[i] > s[0]) s[0] = x[i]; else s[1] = x[i];",
    ],
)
def test_other_choices_stay(statement: str, tmp_path: Path) -> None:
    assert not any("max" in line or "min" in line for line in rewritten(tmp_path, statement))


def test_pooling_written_with_a_branch_streams(tmp_path: Path) -> None:
    text = """(float x[8][8], float y[4][4]) {
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
          float m = x[2 * i][2 * j];
          for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
              if (x[2 * i + a][2 * j + b] > m) m = x[2 * i + a][2 * j + b];
          y[i][j] = m;
        }
    }"""
    (nest,) = program_of(tmp_path, text).nests
    assert nest.name == "y_max"
    assert not nest.sequential
    assert nests(program_of(tmp_path, text))
