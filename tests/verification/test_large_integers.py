"""Integers beyond the whole numbers of doubles: mixed bits, products and sums that wrap around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.verification.reference.execution import execute

if TYPE_CHECKING:
    from pathlib import Path

MIXED = """typedef unsigned long long word; typedef long long number;
void mix(word x[16], number s[16], word y[16], number z[16], int h[16], word total[1]) {
  word state = 88172645463325252ull;
  total[0] = 0;
  for (int i = 0; i < 16; i++) {
    word a = x[i] * 6364136223846793005ull + 1442695040888963407ull;
    a ^= a >> 33; a *= 0xff51afd7ed558ccdull; a ^= a << 13;
    y[i] = a / 7 + a % 11;
    z[i] = (s[i] * 4611686018427387905ll - (number)a) >> 5;
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    h[i] = (int)(state & 1023) + (a > 9223372036854775807ull ? 1 : 0);
  }
  for (int i = 0; i < 16; i++) total[0] += y[i];
}"""


def test_golden_values_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "mix.c"
    path.write_text(MIXED)
    program = so.load(path)
    inputs = {"x": np.arange(16, dtype=np.uint64), "s": np.arange(-8, 8, dtype=np.int64)}
    golden, exact = execute(program, inputs), so.interpret(program, inputs)
    for array in program.arrays:
        if array.role.value == "output":
            assert not golden[array.name].bound.any(), array.name
            wanted = np.asarray(exact[array.name], np.float64)
            np.testing.assert_array_equal(golden[array.name].value, wanted)


@pytest.mark.slow
def test_designs_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "mix.c"
    path.write_text(MIXED)
    assert so.solve(so.load(path), level="opt5", dsp=100).verify().passed
