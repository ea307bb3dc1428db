"""Programs on whole and fixed-point numbers as Verilog: the interpreter's bits."""

import shutil
from pathlib import Path

import pytest

import streamopt as so
from tests.support.programs.sketches import program

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
LAYERS = program(
    {"x": "input 6 8 int8_t", "v": "weight 10 8 int8_t", "w": "weight 5 10 int8_t",
     "b": "weight 10 int32_t", "s": "internal 6 10 int32_t", "h": "internal 6 10 int8_t",
     "y": "output 6 5 int64_t"},
    {"first": "i 6, j 10, k 8: s[i][j] += x[i][k] * v[j][k]",
     "scale": "i 6, j 10: h[i][j] = int8_t(min(max(s[i][j] + b[j] >> 7, -128), 127))",
     "second": "i 6, j 5, k 10: y[i][j] += int64_t(h[i][k]) * int64_t(w[j][k])"},
    name="layers",
)  # fmt: skip
FIXED = program(
    {"x": "input 5 6 ap_fixed<16,6>", "w": "weight 4 6 ap_fixed<8,2>", "n": "input 4 ap_int<5>",
     "s": "internal 5 4 ap_fixed<18,8,AP_RND>", "y": "output 5 4 ap_fixed<12,5,AP_RND,AP_SAT>",
     "z": "output 5 4 ap_uint<3>"},
    {"sums": "i 5, j 4, k 6: s[i][j] += x[i][k] * w[j][k]",
     "scale": "i 5, j 4: y[i][j] = (max(s[i][j], 0) - n[j]) * 0.3 + s[i][j] / 3",
     "signs": "i 5, j 4: z[i][j] = 5 if y[i][j] < 0.5 else n[j] & 7"},
    name="fixed_point",
)  # fmt: skip
MIXED = program(
    {"x": "input 12 int16_t", "u": "input 12 uint8_t", "v": "input 12 int16_t",
     "f": "input 12 float", "g": "input 12 float", "c": "input 12 uint8_t",
     "q": "output 12 int32_t", "r": "output 12 float", "h": "output 12 half",
     "a": "output 12 uint32_t"},
    {"whole": "i 12: q[i] = x[i] / (u[i] + 1) - x[i] % 7 + abs(x[i] << 3) / 2",
     "real": "i 12: r[i] = v[i] * f[i] if f[i] > 0.25 else float(v[i] ^ 3)",
     "halves": "i 12: h[i] = half(g[i]) + half(2)",
     "wraps": "i 12: a[i] = uint32_t(c[i]) * uint32_t(c[i]) - uint32_t(400)"},
    name="mixed",
)  # fmt: skip
SOFTMAX = program(
    {"x": "input 6 8", "m": "internal 6", "e": "internal 6 8", "s": "internal 6",
     "y": "output 6 8"},
    {"most": "i 6, j 8: m[i] = max(m[i], x[i][j])",
     "powers": "i 6, j 8: e[i][j] = exp(x[i][j] - m[i])",
     "sums": "i 6, j 8: s[i] += e[i][j]",
     "shares": "i 6, j 8: y[i][j] = e[i][j] / s[i]"},
    name="softmax",
)  # fmt: skip
GELU = program(
    {"x": "input 40", "h": "input 40 half", "y": "output 40", "z": "output 40 half",
     "u": "input 40", "w": "output 40"},
    {"gelu": "i 40: y[i] = 0.5 * x[i] * (1.0 + erf(x[i] * 0.70710678))",
     "soft": "i 40: w[i] = tanh(log(1.0 + exp(u[i]))) / 1.5",
     "logistic": "i 40: z[i] = 1.0 / (1.0 + exp(-h[i]))"},
    name="gelu",
)  # fmt: skip
ALL = {source.name: source for source in (LAYERS, FIXED, MIXED, SOFTMAX, GELU)}


CASES = [
    pytest.param(
        name, seed, marks=pytest.mark.slow if (name, seed) == ("layers", 0) else pytest.mark.nightly
    )
    for name in sorted(ALL)
    for seed in range(3)
]


@needs_verilator
@pytest.mark.parametrize(("name", "seed"), CASES)
def test_number_types(name: str, seed: int, tmp_path: Path) -> None:
    """Few lanes or many run in the cycles that are simulated."""
    solution = so.solve(so.dataflow(ALL[name]), level="opt5", dsp=(8, 30, 100)[seed])
    so.write(ALL[name], solution.schedule, tmp_path / "project", backend="rtl")
    verdict = so.verify(tmp_path / "project")
    assert verdict.passed, verdict
    assert verdict.measured_cycles == verdict.simulated_cycles
