"""What perfect loops do at their first and last iteration, apart from the sums between."""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.programs.c_nests import program_of
from tests.support.programs.of_graphs import outputs

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program

HEAD = "(int A[6][8], int B[8][4], int C[6][4]) {"
ROWS, J, K = (f"for (int {n} = 0; {n} < {e}; {n}++)" for n, e in (("i", 6), ("j", 4), ("k", 8)))
STREAMING = {
    "guards": f"""int s;
        {ROWS} {J} {K} {{ if (k == 0) s = 0; s += A[i][k] * B[k][j]; if (k == 7) C[i][j] = s; }}""",
    "choice": f"""int s = 0;
        {ROWS} {J} {K} {{
          int last = k == 0 ? 0 : s;
          s = last + A[i][k] * B[k][j];
          if (k > 6) C[i][j] = s;
        }}""",
    "row": f"""int t[4];
        {ROWS} {K} {J} {{
          int r = k == 0 ? 0 : t[j];
          r += A[i][k] * B[k][j];
          t[j] = r;
          if (k == 7) C[i][j] = r;
        }}""",
    "argument": f"{ROWS} {K} {J} C[i][j] = (k < 1 ? 0 : C[i][j]) + A[i][k] * B[k][j];",
    "flag": f"""{ROWS} {K} {J} {{
          char go = k > 0;
          C[i][j] = (go ? C[i][j] : 5) + A[i][k] * B[k][j];
        }}""",
    "first term": f"""int t[6][4];
        {K} {ROWS} {J} {{
          if (k == 0) t[i][j] = A[i][k] * B[k][j]; else t[i][j] += A[i][k] * B[k][j];
          if (k == 7) C[i][j] = t[i][j];
        }}""",
    "written each time": f"""int s = 0;
        {ROWS} {J} {K} {{ s = (k ? s : B[0][j]) + A[i][k]; C[i][j] = s; }}""",
    "largest": f"""int m;
        {ROWS} {J} {K} {{
          if (k == 0 || A[i][k] * B[k][j] > m) m = A[i][k] * B[k][j];
          if (k == 7) C[i][j] = m;
        }}""",
    "two loops": f"""int s[6][4];
        for (int h = 0; h < 2; h++) {ROWS} {J} for (int l = 0; l < 4; l++)
          s[i][j] = (h == 0 && l == 0 ? 1 : s[i][j]) + A[i][4 * h + l] * B[4 * h + l][j];
        {ROWS} {J} C[i][j] = s[i][j];""",
    "counters": """int s = 0, i = 0, j = 0, k = 0;
        for (int n = 0; n < 192; n++) {
          if (k == 0) s = 0;
          s += A[i][k] * B[k][j];
          if (++k == 8) { C[i][j] = s; k = 0; if (++j == 4) { j = 0; i++; } }
        }""",
    "remainders": """int s = 0;
        for (int n = 0; n < 48; n++) {
          s = (n % 8 == 0 ? 0 : s) + A[n / 8][n % 8];
          if (n % 8 == 7) for (int j = 0; j < 4; j++) C[n / 8][j] = s + j;
        }""",
}
IN_ORDER = {
    "sums so far": f"int s; {ROWS} {{ {K} {{ s = (k == 0 ? 0 : s) + A[i][k]; A[i][k] = s; }} }}"
    f" {ROWS} {J} C[i][j] = A[i][j];",
    "second": f"""int s = 3;
        {ROWS} {J} {K} {{ s = (k == 1 ? 0 : s) + A[i][k]; if (k == 7) C[i][j] = s; }}""",
    "read before": f"""int s = 9;
        {ROWS} {J} {K} {{
          if (k == 3) C[i][j] = s;
          s = (k == 0 ? 0 : s) + A[i][k] * B[k][j];
        }}""",
    "of itself": f"{ROWS} {J} {K} C[i][j] = (k == 0 ? 1 : C[i][j]) + C[i][j] * A[i][k];",
    "other element": f"""{ROWS} {K} {J}
        C[i][j] = (k == 0 ? 0 : C[i][j]) + C[i][3 - j] * A[i][k];""",
}


@pytest.mark.parametrize("name", [*STREAMING, *IN_ORDER])
def test_what_is_read_computes_the_same(name: str, tmp_path: Path) -> None:
    text = f"{HEAD} {(STREAMING | IN_ORDER)[name]} }}"
    program = program_of(tmp_path, text)
    assert any(nest.sequential for nest in program.nests) == (name in IN_ORDER)
    path = tmp_path / "compiled.c"
    path.write_text(f"void f{text}")
    subprocess.run(["gcc", "-shared", "-fwrapv", path, "-o", tmp_path / "f.so"], check=True)
    random = np.random.default_rng(1)
    given = [random.integers(-9, 9, shape).astype(np.int32) for shape in ((6, 8), (8, 4), (6, 4))]
    copies = [value.copy() for value in given]
    ctypes.CDLL(str(tmp_path / "f.so")).f(
        *(value.ctypes.data_as(ctypes.c_void_p) for value in copies)
    )
    named = dict(zip("ABC", given, strict=True))
    found = outputs(program, {n: v for n, v in named.items() if _takes(program, n)})
    np.testing.assert_array_equal(next(v for n, v in found.items() if n.startswith("C")), copies[2])


def _takes(program: Program, name: str) -> bool:
    return any(array.name == name and array.is_given for array in program.arrays)
