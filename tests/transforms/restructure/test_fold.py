"""Nests that set or copy, folded into their neighbours; dead ones dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.programs.c_nests import nests, program_of

if TYPE_CHECKING:
    from pathlib import Path

FILL = "double w[4]; for (int i = 0; i < 4; i++) w[i] ="
CASES = {
    "start of a reduction": (
        "(double C[4], double A[4][5]) { for (int i = 0; i < 4; i++) { C[i] = 2.0; "
        "for (int k = 0; k < 5; k++) C[i] += A[i][k]; } }",
        ["stream i<4 k<5: C[i] = 2; C[i] += A[i][k]"],
    ),
    "start that is the identity": (
        "(double C[4], double A[4][5]) { for (int i = 0; i < 4; i++) { C[i] = 0.0; "
        "for (int k = 0; k < 5; k++) C[i] += A[i][k]; } }",
        ["stream i<4 k<5: C[i] += A[i][k]"],
    ),
    "values without operations": (
        f"(double x[4], double y[4]) {{ {FILL} x[i]; "
        "for (int i = 0; i < 4; i++) y[i] = w[3 - i] * 2.0; }",
        ["stream i<4: y[i] = x[-i + 3] * 2"],
    ),
    "values of another type": (
        f"(float x[4], double y[4]) {{ {FILL} x[i]; "
        "for (int i = 0; i < 4; i++) y[i] = w[i] * 2.0; }",
        ["stream i<4: y[i] = double(x[i]) * 2"],
    ),
    "copies of results": (
        f"(double x[4], double y[4]) {{ {FILL} x[i] * 3.0; "
        "for (int i = 0; i < 4; i++) y[3 - i] = w[i]; }",
        ["stream i<4: y[-i + 3] = x[i] * 3"],
    ),
    "results that nobody needs": (
        f"(double x[4], double y[4]) {{ {FILL} x[i] * 3.0; "
        "for (int i = 0; i < 4; i++) y[i] = 1.0; }",
        ["stream i<4: y[i] = 1"],
    ),
    "statements that nobody needs": (
        "(double x[4], double y[4]) { double t = 0.0; double u = 0.0; "
        "for (int i = 0; i < 4; i++) { t = t * x[i]; u = u + t; y[i] = t; } }",
        ["stream : t = 0", "sequential(t_1:t) i<4: t_1 = t_1 * x[i]; y[i] = t_1"],
    ),
    "two readers": (
        f"(double x[4], double y[4], double z[4]) {{ {FILL} x[i]; "
        "for (int i = 0; i < 4; i++) { y[i] = w[i] * 2.0; z[i] = w[i] * 3.0; } }",
        [
            "stream i<4: w[i] = x[i]",
            "stream i<4: y[i] = w[i] * 2",
            "stream i<4: z[i] = w[i] * 3",
        ],
    ),
    "operations": (
        f"(double x[4], double y[4]) {{ {FILL} x[i] * 2.0; "
        "for (int i = 0; i < 4; i++) y[i] = w[i] * 2.0; }",
        ["stream i<4: w[i] = x[i] * 2", "stream i<4: y[i] = w[i] * 2"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_nests(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    assert nests(program_of(tmp_path, text)) == expected
