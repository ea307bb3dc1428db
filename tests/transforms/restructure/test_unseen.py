"""What is overwritten unread isn't computed, nor is anything read for it."""

from pathlib import Path

import pytest

from tests.support.programs.c_nests import program_of

HEAD = "(double x[8], double y[8], const double z[8], double s[1])"


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 8; i++) { y[i] = z[i]; y[i] = x[i]; }",
        "for (int i = 0; i < 8; i++) y[i] = z[i]; for (int i = 0; i < 8; i++) y[i] = x[i];",
        "for (int i = 0; i < 8; i++) { s[0] = z[i]; y[i] = s[0]; y[i] = x[i]; } s[0] = 1;",
        "for (int i = 0; i < 8; i++) { y[i] += z[i]; y[i] = x[i]; }",
        "double t[8]; for (int i = 0; i < 8; i++) { t[i] = z[i]; y[i] = x[i]; }",
    ],
)
def test_statements_that_nobody_sees_are_dropped(body: str, tmp_path: Path) -> None:
    program = program_of(tmp_path, f"{HEAD} {{ {body} }}")
    assert "z" not in {array.name for array in program.arrays}


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 8; i++) { y[i] = z[i]; if (x[i] > 0) y[i] = x[i]; }",
        "for (int i = 0; i < 8; i++) y[i] = z[i]; for (int i = 0; i < 7; i++) y[i] = x[i];",
        "for (int i = 0; i < 8; i++) { y[i] = z[i]; s[0] += y[i]; y[i] = x[i]; }",
        "for (int i = 1; i < 8; i++) { y[i] = z[i]; y[i - 1] = x[i]; }",
    ],
)
def test_statements_that_someone_sees_are_kept(body: str, tmp_path: Path) -> None:
    program = program_of(tmp_path, f"{HEAD} {{ {body} }}")
    assert "z" in {array.name for array in program.arrays}
