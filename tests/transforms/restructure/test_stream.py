"""Statements as streaming nests, and what stays sequential, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.programs.c_nests import nests, program_of

if TYPE_CHECKING:
    from pathlib import Path

UPDATES = {
    "lower triangle": (
        "(double A[4][4], double b) { for (int i = 0; i < 4; i++) for (int j = 0; j <= i; j++) "
        "A[i][j] *= b; }",
        "stream i<4 j<4: A_out[i][j] = A[i][j] * b if j <= i else A[i][j]",
    ),
    "diagonal": (
        "(double A[4][4], double s[1]) { for (int i = 0; i < 4; i++) A[i][i] = s[0]; }",
        "stream d1<4 i<4: A_out[i][d1] = s[0] if d1 == i else A[i][d1]",
    ),
    "sum under a guard": (
        "(double A[4], double B[4][4]) { for (int i = 0; i < 4; i++) for (int j = 0; j <= i; j++) "
        "A[i] += B[i][j]; }",
        "stream i<4 j<4: A_out[i] = A[i]; if j <= i: A_out[i] += B[i][j]",
    ),
    "sum under a decision": (
        "(double x[4], double A[4]) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) "
        "if (x[j] > 0.5) A[i] += x[j]; }",
        "stream i<4 j<4: A_out[i] = A[i]; if x[j] > 0.5: A_out[i] += x[j]",
    ),
    "reads of later elements": (
        "(double A[5]) { for (int i = 0; i < 4; i++) A[i] = A[i + 1] + A[i]; }",
        "stream i<5: A_out[i] = A[i + 1] + A[i] if i < 4 else A[i]",
    ),
    "falling loop": (
        "(double A[4], double B[4]) { for (int i = 3; i >= 0; i--) A[i] = B[3 - i]; }",
        "stream i<4: A[-i + 3] = B[i]",
    ),
}
IN_ORDER = {
    "A[i - 1] is read where an earlier iteration wrote A[i]": (
        "(double A[5]) { for (int i = 1; i < 5; i++) A[i] = A[i - 1] + A[i]; }",
        "sequential(A_out:A) i<4: A_out[i + 1] = A_out[i] + A_out[i + 1]",
    ),
    "A[i] is assigned again for every j": (
        "(double A[4], double B[4][4]) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) "
        "A[i] = B[i][j]; }",
        "sequential() i<4 j<4: A[i] = B[i][j]",
    ),
    "A[2 * i] leaves out elements that are needed later": (
        "(double A[6], double B[4]) { for (int i = 0; i < 3; i++) A[2 * i] = B[i]; }",
        "sequential(A_out:A) i<3: A_out[2*i] = B[i]",
    ),
    "A[i + j] names an element at more than one iteration": (
        "(double A[3], double B[2][2]) { for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) "
        "A[i + j] = B[i][j]; }",
        "sequential() i<2 j<2: A[i + j] = B[i][j]",
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_streams(name: str, tmp_path: Path) -> None:
    text, expected = UPDATES[name]
    assert nests(program_of(tmp_path, text)) == [expected]


@pytest.mark.parametrize("reason", IN_ORDER)
def test_stays_in_order(reason: str, tmp_path: Path) -> None:
    text, expected = IN_ORDER[reason]
    program = program_of(tmp_path, text)
    assert nests(program) == [expected]
    assert [nest.reason for nest in program.nests] == [reason]


def test_elements_that_nobody_defined_are_zeros_where_they_are_copied(tmp_path: Path) -> None:
    text = """(double A[2], double B[2]) {
        double w[2];
        for (int i = 0; i < 1; i++) w[i] = B[i] * 2.0;
        for (int i = 1; i < 2; i++) w[i] = w[i - 1] * 3.0;
        for (int i = 0; i < 2; i++) A[i] = w[i] * w[i]; }"""
    assert nests(program_of(tmp_path, text)) == [
        "stream i<2: w[i] = B[i] * 2 if i < 1 else 0",
        "stream i<2: w_1[i] = w[i - 1] * 3 if i >= 1 else w[i]",
        "stream i<2: A[i] = w_1[i] * w_1[i]",
    ]
