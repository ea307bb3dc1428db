"""Whatever the input, reading ends with a Source or with a FrontendError, soon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamopt.errors import FrontendError
from streamopt.frontends.c import read_c
from streamopt.ir.source import Source
from tests.support.programs.c_text import written

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """#include <math.h>
#define N 8
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static const float w[3] = {1, 2, 3};
static float square(float v) { return v * v; }
void top(int n, float A[N][N], float x[N], float *out) {
  int i, j;
#pragma scop
  for (i = 0; i < n; i++) {
    float sum = 0.0f;
    for (j = MAX(0, i - 2); j <= i; j++)
      sum += A[i][j] * square(x[j]) / (float)n;
    if (i > 0 && sum >= 1e-3) x[i] -= sum * w[i % 3];
    else x[i] = sqrtf(fabsf(sum));
  }
  *out = x[N - 1];
#pragma endscop
}
int main(void) { float A[N][N], x[N], y; top(N, A, x, &y); return 0; }
"""
PIECES = [
    "(", ")", "{", "}", "[", "]", ";", ",", "*", "&", "#", "##", "0", "1e999", "-", "/", "%", "?",
    ":", "=", "\n", "\\", '"', "'", "/*", "i", "x", "float ", "for (", "#define i ", "#if ", "++",
    "0x", "1u", "return ", "struct ", "->", ".", "<<", "!", "#include ", "\0", "é",
]  # fmt: skip


def check_read_or_explained(folder: Path, text: str) -> Source | FrontendError:
    """Return what reading ends with; anything else that is raised fails the test."""
    try:
        return read_c(written(folder, text))
    except FrontendError as error:
        return error


fuzzed = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def test_the_program_is_right(tmp_path: Path) -> None:
    assert isinstance(check_read_or_explained(tmp_path, PROGRAM), Source)


@fuzzed
@given(end=st.integers(0, len(PROGRAM)))
def test_truncated(tmp_path: Path, end: int) -> None:
    check_read_or_explained(tmp_path, PROGRAM[:end])


@fuzzed
@given(
    at=st.integers(0, len(PROGRAM)),
    length=st.integers(0, 12),
    pieces=st.lists(st.sampled_from(PIECES), max_size=4),
)
def test_mutated(tmp_path: Path, at: int, length: int, pieces: list[str]) -> None:
    check_read_or_explained(tmp_path, PROGRAM[:at] + "".join(pieces) + PROGRAM[at + length :])


@fuzzed
@given(pieces=st.lists(st.sampled_from([*PIECES, *PROGRAM.split()]), max_size=30))
def test_soup(tmp_path: Path, pieces: list[str]) -> None:
    check_read_or_explained(tmp_path, "void f(float x[8]) { " + " ".join(pieces) + " }")


def bomb(levels: int) -> str:
    lines = ["#define B0 1,"]
    lines += [f"#define B{n} B{n - 1} B{n - 1} B{n - 1} B{n - 1}" for n in range(1, levels)]
    return "\n".join([*lines, f"float a[] = {{ B{levels - 1} }};", "void f(void) {}"])


HOSTILE = {
    "bomb": bomb(30),
    "calls": "#define F(x) x x x\nint a = " + "F(" * 40 + "1" + ")" * 40 + ";",
    "strings": "#define S(x) #x\n#define T(x) S(x)\nchar *a = " + "T(" * 60 + '"' + '"' + ")" * 60,
    "pasting": "#define A(x) x##x\n#define B(x) A(x)\nint " + "B(" * 40 + "a" + ")" * 40 + ";",
    "macro chain": "".join(f"#define M{n} M{n + 1}\n" for n in range(3000)) + "int a = M0;",
    "itself": '#include "code.c"\n',
    "twice itself": '#include "code.c"\n#include "code.c"\n',
    "parentheses": "void f(float x[2]) { x[0] = " + "(" * 5000 + "1" + ")" * 5000 + "; }",
    "braces": "void f(float x[2]) " + "{" * 5000 + "}" * 5000,
    "loops": "void f(float x[2]) { " + "for (int i = 0; i < 2; i++) " * 500 + "x[0] = 1; }",
    "sum": "void f(float x[2]) { x[0] = " + "x[1] + " * 20000 + "1; }",
    "minus": "void f(float x[2]) { x[0] = " + "- " * 20000 + "1; }",
    "long line": "void f(float x[2]) { x[0] = 1; }" + " " * 900_000 + ";",
    "large": "int a;\n" * 200_000,
    "digits": "void f(float x[2]) { x[0] = " + "9" * 100_000 + "; }",
    "shift": "#if 1 << 9999999999\n#endif\nvoid f(void) {}",
    "extent": "void f(float x[2]) { float b[99999][99999][99999]; x[0] = 1; }",
    "values": "void f(float x[2]) { float b[999999999] = {1}; x[0] = b[0]; }",
    "inlining": "".join(
        f"static float g{n}(float v) {{ return g{n + 1}(v) * g{n + 1}(v); }}\n" for n in range(14)
    )
    + "static float g14(float v) { return v; }\nvoid top(float x[2]) { x[0] = g0(x[1]); }",
    "device": '#include "/dev/zero"\nvoid f(void) {}',
    "nothing defined": "#define\n#define 3\n#undef\n#ifdef\n#endif\n#if\n#endif\n",
    "divided by zero": "#if 1 / 0\n#endif\nvoid f(void) {}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_limits(name: str, tmp_path: Path) -> None:
    found = check_read_or_explained(tmp_path, HOSTILE[name])
    if name != "long line":
        assert isinstance(found, FrontendError)
        assert all(len(problem.message) < 500 for problem in found.diagnostics)


def test_binary(tmp_path: Path) -> None:
    path = tmp_path / "code.c"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(FrontendError, match="E131 this is a binary file"):
        read_c(path)
    path.write_bytes(b"void f(float x[2]) { x[0] = 1; } /* \xe9 */\r\n")
    assert isinstance(read_c(path), Source)
    with pytest.raises(FrontendError, match="E131"):
        read_c(tmp_path)


def test_headers_have_the_line_ends_of_sources(tmp_path: Path) -> None:
    (tmp_path / "code.h").write_bytes(b"/* a\x0cb */\r\nint w; /* x\x0by */ int = 3;\n")
    path = tmp_path / "code.c"
    path.write_bytes(b'#include "code.h"\nvoid f(float x[2]) { x[0] = 1; }\n')
    with pytest.raises(FrontendError, match=r"code\.h:2:18: E132"):
        read_c(path)
