"""Assignments that are steps of reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.ir.text import expression_text
from streamopt.transforms.restructure.reductions import recognized
from tests.support.programs.c_nests import body_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "(double s[4], double x[4]) { for (int i = 0; i < 4; i++)"


@pytest.mark.parametrize(
    ("statement", "reduction", "term"),
    [
        ("s[0] = s[0] + x[i];", "+", "x[i]"),
        ("s[0] = x[i] * 2.0 + s[0];", "+", "x[i] * 2"),
        ("s[0] -= x[i];", "+", "-x[i]"),
        ("s[0] *= x[i];", "*", "x[i]"),
        ("s[0] = fmax(x[i], s[0]);", "max", "x[i]"),
        ("s[0] = fmin(s[0], x[i]);", "min", "x[i]"),
    ],
)
def test_recognized(statement: str, reduction: str, term: str, tmp_path: Path) -> None:
    (instance,) = body_of(tmp_path, f"{HEAD} {statement} }}").statements
    found = recognized(instance.target, instance.assign.value)
    assert found is not None
    assert found.reduction.value == reduction
    assert expression_text(found.term) == term


@pytest.mark.parametrize(
    "statement",
    [
        "s[0] = x[i] - s[0];",
        "s[0] = s[0] / x[i];",
        "s[0] = s[0] + s[0];",
        "s[0] = s[0] + x[i] * s[0];",
        "s[0] = s[1] + x[i];",
        "s[0] = s[0] + x[i] + 1.0;",
        "s[0] = x[i] == s[0] ? x[i] : s[0];",
        "s[0] = x[i] > s[1] ? x[i] : s[0];",
    ],
)
def test_not_recognized(statement: str, tmp_path: Path) -> None:
    (instance,) = body_of(tmp_path, f"{HEAD} {statement} }}").statements
    assert recognized(instance.target, instance.assign.value) is None
