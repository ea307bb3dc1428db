"""Functions with many statements: near-linear time, or a limit that says so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from streamopt.analysis import last_touches
from streamopt.errors import LegalityError
from tests.support.programs.c_nests import program_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "text",
    [
        "(float a[8]) { " + "a[0] += 1; " * 300 + "}",
        "(float a[8]) { for (int i = 1; i < 8; i++) { " + "a[i] += a[i] * 2; " * 150 + "} }",
        "(float a[99], float b[99]) { " + "".join(f"b[{k}] = a[{k}];" for k in range(99)) + "}",
    ],
)
def test_many_statements_take_seconds(text: str, tmp_path: Path) -> None:
    before = time.process_time()
    program_of(tmp_path, text)
    assert time.process_time() - before < 10


def test_what_hangs_together_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_touches, "MAX_OPERATIONS", 10_000)
    lines = "for (int i = 0; i < 4; i++) if (a[i] > 0) b[i] += a[i]; " * 30
    with pytest.raises(LegalityError, match="E124 too many statements use b"):
        program_of(tmp_path, f"(float a[4], float b[4]) {{ {lines} }}")


def test_rows_in_an_array_of_one_dimension_have_a_hint(tmp_path: Path) -> None:
    text = """(double a[12], double b[12]) { double t[12];
        for (int i = 0; i < 12; i++) t[i] = a[i] * 2;
        for (int i = 1; i < 4; i++) for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) t[i * 3 + j] += a[i * 3 + k];
        for (int i = 3; i > 0; i--) { b[i] = b[i - 1]; b[0] = t[i]; } }"""
    reasons = " ".join(nest.reason for nest in program_of(tmp_path, text).nests)
    assert "t[3 * i + j] leaves out elements that are needed later; declare t[4][3]" in reasons
    assert "b[i - 1] is read where an earlier iteration wrote b[" in reasons
