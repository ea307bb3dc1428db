"""Inputs and golden outputs: same everywhere, exact where they can be, refused without a bound."""

from __future__ import annotations

import numpy as np
import pytest

from streamopt.errors import VerificationError
from streamopt.verification.vectors.golden import make_golden
from streamopt.verification.vectors.inputs import make_inputs
from tests.support.programs.sketches import program

LAYER = program(
    {
        "x": "input 4 100", "W": "weight 6 100", "copy": "internal 6 100", "v": "weight 6",
        "z": "internal 4 6", "y": "output 4 6",
    },
    {
        "load": "j 6, k 100: copy[j][k] = W[j][k]",
        "gemm": "i 4, j 6, k 100: z[i][j] += x[i][k] * copy[j][k]",
        "norm": "i 4, j 6: y[i][j] = z[i][j] / sqrt(v[j])",
    },
)  # fmt: skip


def test_inputs_are_the_same_on_every_platform() -> None:
    x = make_inputs(LAYER, seed=7, bits=4)["x"]
    assert (x[0, :6] * 16).tolist() == [6.0, 12.0, 16.0, 15.0, -15.0, -16.0]
    assert not np.array_equal(x, make_inputs(LAYER, seed=8, bits=4)["x"])


@pytest.mark.parametrize("bits", [0, 4, 20])
def test_inputs_are_exact_scaled_and_away_from_poles(bits: int) -> None:
    inputs = make_inputs(LAYER, 1, bits)
    for name, (low, high) in {"x": (-1, 1), "W": (-1 / 16, 1 / 16), "v": (0.5, 1.5)}.items():
        values = inputs[name]
        assert np.array_equal(values.astype(np.float32), values)
        assert low <= values.min() < (low + high) / 2 < values.max() <= high


def test_inputs_have_as_many_bits_as_leave_the_outputs_exact() -> None:
    gemm = program(
        {"A": "input 8 300", "B": "input 300 8", "C": "output 8 8"},
        {"mm": "i 8, j 8, k 300: C[i][j] += A[i][k] * B[k][j]"},
    )
    golden = make_golden(gemm)
    assert golden.bits == 8
    assert golden.looseness == 0.0
    assert np.array_equal(golden.outputs["C"].value, golden.inputs["A"] @ golden.inputs["B"])


def test_the_tightest_inputs_are_taken_where_none_is_exact() -> None:
    assert 0.0 < make_golden(LAYER).looseness < 1e-5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("y[i] = log(x[i] / 3 - x[i] / 3)", r"E713 output y\[0\] = -inf has no finite error bound"),
        ("y[i] = 1e30 * exp(90 + x[i])", r"E713 output y\[0\] = .* has no finite error bound"),
        (
            "y[i] = sqrt(0 - 1 - x[i] * x[i])",
            r"E713 output y\[0\] is no number: sqrt\(-1\.\d+\) in node 'node', for y\[0\]",
        ),
    ],
)
def test_outputs_without_a_bound_are_refused(body: str, message: str) -> None:
    source = program({"x": "input 4", "y": "output 4"}, {"node": f"i 4: {body}"})
    with pytest.raises(VerificationError, match=message):
        make_golden(source)
