"""Extents that come out of the uses, and uses that reach out of extents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import FrontendError
from tests.support.programs.c_text import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("parameter", "body", "shape"),
    [
        ("float *x", "for (int i = 0; i < 6; i++) for (int j = 0; j < 8; j++) x[i * 8 + j] = 1;",
         (48,)),
        ("float x[]", "for (int i = 7; i > 0; i--) x[i] = x[i - 1];", (8,)),
        ("float (*x)[5]", "for (int i = 0; i < 3; i++) x[i + 1][i] = 1;", (4, 5)),
        ("float *x", "for (int i = 0; i < 9; i++) { x[i] = 0; if (i < 8) x[i] = x[i + 1]; }", (9,)),
        ("float *x", "for (int i = 0; i < 9; i++) x[i] = i + 1 < 9 ? x[i + 1] : 0;", (9,)),
        ("float *x", "for (int i = 0; i < 9; i++) for (int j = 0; j < i; j++) x[i * j / j] = 1;",
         None),
        ("float *x", "for (int i = 0; i < 9; i++) for (int j = 0; j < i; j++) x[i - j] = 1;", (9,)),
        ("float *x", "for (int i = 0; i < 9; i += 2) x[i / 2 + i % 4] = 1;", (6,)),
        ("float *x", "*x = 1;", ()),
        ("float *x", "x[0] = 1;", (1,)),
        ("float *x", "*(x + 3) = 1; *x = 2;", (4,)),
    ],
)  # fmt: skip
def test_extents_of_pointers(
    parameter: str, body: str, shape: tuple[int, ...] | None, tmp_path: Path
) -> None:
    text = f"void f({parameter}) {{ {body} }}"
    if shape is None:
        with pytest.raises(FrontendError, match="E136 subscript"):
            read(tmp_path, text)
        return
    (variable,) = [v for v in read(tmp_path, text).variables if v.is_argument]
    assert variable.shape == shape


def test_pointer_without_uses_is_left_out(tmp_path: Path) -> None:
    source = read(tmp_path, "void f(float *x, float y[2], float *z) { y[0] = 1; if (0) z[3] = 1; }")
    assert [variable.name for variable in source.variables] == ["y"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for (int i = 0; i < 9; i++) x[i] = 1;",
         "1:49: E138 subscript i of x[i] reaches 8, but the extent is 8"),
        ("for (int i = 0; i < 8; i++) x[0] = x[i - 1];",
         "1:49: E138 subscript i - 1 of x[i - 1] reaches -1, but the extent is 8"),
        ("for (int i = 0; i < 8; i++) if (i >= 0) x[i] = i > 6 ? 1 : x[i + 2];",
         "1:61: E138 subscript i + 2 of x[i + 2] reaches 8, but the extent is 8"),
    ],
)  # fmt: skip
def test_what_reaches_out_of_an_array(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FrontendError) as caught:
        read(tmp_path, f"void f(float x[8]) {{{body}}}")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 9; i++) if (i < 8) x[i] = 1;",
        "for (int i = 0; i < 8; i++) if (i > 0 && x[i - 1] > 0) x[i] = 1;",
        "for (int i = 0; i < 8; i++) if (i == 0 || x[i - 1] > 0) x[i] = 1;",
        "for (int i = 0; i < 8; i++) { if (i == 7) continue; x[i] = x[i + 1]; }",
        "for (int i = 0; i < 9; i++) if (x[0] > 1 && i < 8) x[i] = 1;",
        "for (int i = 0; i < 9; i++) if (x[0] > 1 || i < 8) x[0] = x[i < 8 ? i : 0];",
        "for (int i = 9; i < 9; i++) x[i] = 1;",
    ],
)
def test_conditions_keep_accesses_inside(body: str, tmp_path: Path) -> None:
    read(tmp_path, f"void f(float x[8]) {{{body}}}")
