"""Errors of the C front end: code, place and words; all problems of a function at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import FrontendError
from streamopt.frontends.c import read_c
from tests.support.programs.c_text import read, written

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "void f(float A[8][8], float x[8], int n[8], double d, int m) {\n"


def problems(folder: Path, text: str, **options: object) -> list[str]:
    """Return ``line:column code message`` of every problem."""
    with pytest.raises(FrontendError) as caught:
        read(folder, text, **options)
    found: list[str] = []
    for problem in caught.value.diagnostics:
        loc = problem.loc
        place = f"{loc.line}:{loc.column}" if loc is not None else ""
        found.append(f"{place} {problem.code} {problem.message}")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[0] = y;", "2:8 E137 'y' is not declared"),
        ("x[0] = rand();", "2:8 E137 function 'rand' in rand() is not known"),
        ("x[0] = A[1];", "2:8 E138 A has 2 dimensions, but A[1] has 1 subscript"),
        ("x[0] = A[1][2][3];", "2:8 E138 A has 2 dimensions, but A[1][2][3] has 3 subscripts"),
        ("x[9] = 0;", "2:1 E138 x[9] reaches 9, but the extent is 8"),
        ("float z[5000]; z[n[0]] = 0;", "2:18 E136 subscript n[0] of z[n[0]] is not affine"),
        ("int k; x[0] = k; k = 1;", "2:15 E135 k is read before it has a value"),
        ("x[m] = 0;", "2:3 E134 subscript m of x[m] is not affine"),
        ("while (d > 0) x[0] = 1;", "2:1 E135 while is not supported"),
        ("for (int i = 0; i < 8; i++) { if (d > 0) return; x[i] = 1; }",
         "2:42 E135 return before the end is not supported"),
        ("for (int i = 0, j = 0; i < m * 2; i++, j++) x[j] = 0;",
         "2:1 E134 how often this loop runs depends on i < (m * 2)"),
        ("unsigned char k = 3; while (k < 300) x[k++] = 1;", "2:22 E135 while is not supported"),
        ("goto end; end: x[0] = 1;", "2:1 E135 goto is not supported"),
        ("switch (m++) { case 1: x[0] = 1; }", "2:1 E135 this switch is not supported"),
        ("for (int i = 0; i < m; i++) x[i] = 0;", "2:21 E134 bound m is not affine"),
        ("for (int i = 0; i < n[0]; i++) x[i] = 0;", "2:21 E136 bound n[0] is not affine"),
        (
            "for (int i = 1; i < 8; i *= m) x[i] = 0;",
            "2:24 E135 i *= m does not step i by a constant",
        ),
        (
            "for (int i = 0; i > 8; i++) x[i] = 0;",
            "2:17 E135 the loop over i counts away from its bound in i > 8",
        ),
        ("for (int i = 0; ; i++) x[i] = 0;", "2:1 E135 the loop over i has no end"),
        (
            "for (int i = 0; i < 8; i++) i = 2;",
            "2:29 E135 i counts a loop, but it is changed outside of the loop's header",
        ),
        ("int i; if (d > 0) for (i = 0; i < 8; i++) x[i] = 0; x[0] = i;",
         "2:60 E135 i is read outside the loop that counts it"),
        ("union s { int a; } v;", "2:20 E135 v has type union s, which is not supported"),
        ("float *p; x[0] = p[0];", "2:8 E135 p is a pointer"),
        ("float *p = x; if (d > 0) p = A[0]; *p = 1;",
         "2:37 E136 p points at nothing yet, or at one of several arrays"),
        ("for (int i = 0; i < 8; i++) if (n[i]) *x++ = 1;",
         "2:40 E136 x has moved by a number that is not affine"),
        ("int k = 0; for (int i = 0; i < 8; i++) x[d > 0 ? k++ : 0] = 1;",
         "2:50 E135 k++ changes a variable inside an expression"),
        ("int k = 0; while (k != 7) { x[k] = 1; k += 2; }", "2:12 E135 while is not supported"),
        ("for (unsigned i = 7; i >= 0; i--) x[i] = 1;",
         "2:1 E135 i is unsigned, so it never falls below 0, and the loop may not end"),
        ("memset(x, 1, sizeof(float));",
         "2:1 E135 memset to another value than 0 is not supported"),
        ("memcpy(x, A, 256);",
         "2:1 E138 memcpy(x, A, 256) moves 256 bytes, but x has 32 bytes"),
        ("memcpy(x, n, 32);",
         "2:1 E138 memcpy(x, n, 32) copies between elements of different types"),
        ("memset(x, 0, sizeof(x));",
         "2:14 E135 sizeof(x) is the size of a pointer, because x is a parameter"),
        ("const int c[2] = {[2] = 1}; x[0] = c[0];",
         "2:25 E138 there is no element [2] to initialise"),
        ("const float c[2] = {1}; c[0] = 2;", "2:25 E135 c[0] is const, but it is written"),
        (
            "x[0] = 1e308;",
            "2:1 E134 the value of x[0] does not exist: the result is not a finite number",
        ),
        ("x[0] = 1 / 0;", "2:8 E134 1 / 0 has no value: it divides by zero"),
        ("x[0] = d % 2;", "2:8 E138 d % 2: % takes integers"),
        ("x[0] = 99999999999999999999;",
         "2:8 E135 the number 99999999999999999999, which is too large is not supported"),
        ("int k = 0; for (int i = 0; i < 2; i++) for (int j = 0; j <= i; j++) if (k++) x[i] = 1;",
         "2:73 E135 k++ changes a variable inside an expression"),
        ("x[0] = (x[1] = 2) + 1;", "2:9 E135 x[1] = 2 changes a variable inside an expression"),
        ("float b[m]; x[0] = 1;", "2:9 E134 an extent of b, m is not a constant integer"),
        ("x[0] = sqrt(d, d);", "2:8 E138 sqrt takes 1 argument"),
        (
            "for (unsigned i = 0; i < 99; i++) if (i - 1 >= 0) x[0] = 0;",
            "2:39 E136 i - 1 may be negative, but its type is unsigned",
        ),
    ],
)  # fmt: skip
def test_problems_in_statements(text: str, expected: str, tmp_path: Path) -> None:
    assert problems(tmp_path, HEAD + text + "\n}\n")[:1] == [expected]


def test_all_problems_at_once(tmp_path: Path) -> None:
    text = HEAD + "x[d] = y;\nwhile (1) ;\nfor (int i = 0; i < m; i++)\n  x[i] = z;\n}\n"
    codes = [problem.split()[:2] for problem in problems(tmp_path, text)]
    assert codes == [
        ["2:3", "E138"],
        ["2:8", "E137"],
        ["3:1", "E135"],
        ["4:21", "E134"],
        ["5:10", "E137"],
    ]


def test_hints_say_what_to_change(tmp_path: Path) -> None:
    with pytest.raises(FrontendError) as caught:
        read(tmp_path, HEAD + "x[m] = sqr(d);\n}\n")
    first, second = caught.value.diagnostics
    assert first.hint == "give m a value: --param m=..."
    assert "include the file that defines it" in second.hint
    with pytest.raises(FrontendError) as caught:
        read(tmp_path, "int f(wide x) { return x; }\n")
    assert caught.value.diagnostics[0].hint.startswith("declare wide before it is used as a type")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#include "missing.h"\nvoid f(void) {}', "1:None E131 header 'missing.h' is not found"),
        ("#error not for you\n", "1:None E131 #error not for you"),
        ("#if 1\n", "1:None E131 preprocessor: Unterminated #if 1"),
        ("void f(float x[2]) {\n  x[0] = = 1;\n}\n", "2:10 E132 syntax: unexpected '='"),
        (
            "void f(float x[2]) {\n  x[0] = 1;\n",
            "2:11 E132 syntax: the file ends inside a function or declaration: "
            "a brace or semicolon is missing",
        ),
        ("int n;\n", "None:None E133 the file defines no function"),
        (
            "const unsigned long t[1] = {0x5555555555555555};\nvoid f(long x[1]) { *x = t[0]; }\n",
            "1:21 E135 a value of t has more than 53 bits, or is not constant",
        ),
        ("", "None:None E133 the file defines no function"),
        (
            "void a(void) {}\nvoid b(void) {}\n",
            "None:None E133 several functions can be meant: a, b",
        ),
        ("void f(float *x) { for (int i = 0; i < 4; i++) x[i - 1] = 0; }",
         "1:15 E138 x is a pointer, but element -1 before it is used"),
        ("void f(float x[0]) { x[0] = 1; }", "1:16 E138 an extent of x is 0"),
        ("void f(float x[2]) { f(x); }", "1:22 E135 f calls itself"),
        ("float f(float x[2]) { if (x[0] > 0) x[1] = 2; }",
         "1:7 E135 f does not end with a value"),
    ],
)  # fmt: skip
def test_problems_of_files(text: str, expected: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text)[:1] == [expected]


def test_problems_of_options(tmp_path: Path) -> None:
    text = "void f(int n, float x[4]) { for (int i = 0; i < n; i++) x[i] = 0; }"
    assert problems(tmp_path, text, top="g") == ["None:None E133 there is no function 'g'"]
    found = problems(tmp_path, text, parameters={"n": 4, "m": 2})
    assert found == ["1:6 E134 f has no integer parameter 'm'"]
    found = problems(tmp_path, text, parameters={"n": 4}, outputs=["y"])
    assert found == ["1:6 E137 'y' is no argument that f writes"]
    assert problems(tmp_path, text, defines={"1x": ""}) == [
        " E131 '1x' can't be defined as a macro"
    ]
    with pytest.raises(FrontendError, match=r"E131 can't read .*: No such file"):
        read_c(tmp_path / "nothing.c")


def test_syntax_errors_in_headers_are_placed_there(tmp_path: Path) -> None:
    written(tmp_path, "int g(void) {\n  return ];\n}\n", "bad.h")
    with pytest.raises(FrontendError) as caught:
        read(tmp_path, '#include "bad.h"\nvoid f(void) {}\n')
    (problem,) = caught.value.diagnostics
    assert str(problem.loc) == f"{tmp_path / 'bad.h'}:2:10"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("float z[5000]; z[n[0]] = 0;", "more than 4096 positions to compare: declare z[N]"),
        ("for (int i = n[0]; i < 8; i++) x[i] = 0;", "--bound i=N"),
        ("for (int i = 0; i < n[0]; i++) x[i] = 0;", "--bound i=N"),
        (
            "float z[5000]; int k = 0;"
            "for (int i = 0; i < 99; i++) for (int j = 0; j < i; j++) z[k++] = 0;",
            "k is changed step by step",
        ),
        ("while (d > 0) d -= 1;", "--bound while=N"),
    ],
)
def test_what_depends_on_data_has_a_hint_with_code(text: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(FrontendError) as caught:
        read(tmp_path, HEAD + text + "\n}\n")
    assert hint in caught.value.diagnostics[0].hint
