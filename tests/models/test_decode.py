"""The decode step of GPT-2 in integers: weights of 4 bits, and every bit as PyTorch has it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streamopt as so
from streamopt.ir.program import Role

torch: Any = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "models"))
gpt2: Any = import_module("modules.gpt2_integers")

FEATURES, HEADS, BEFORE = 16, 2, 3


def test_program_has_weights_of_four_bits_and_the_modules_results() -> None:
    torch.manual_seed(0)
    context = (HEADS, BEFORE, FEATURES // HEADS)
    given = [
        torch.randint(-40, 41, shape, dtype=torch.int8)
        for shape in ((1, FEATURES), context, context)
    ]
    module = gpt2.Gpt2IntegerStep(FEATURES, HEADS)
    program = so.load(module, example_inputs=tuple(given), name="step")
    matrices = [a for a in program.arrays if a.role is Role.WEIGHT and len(a.shape) == 2]
    assert [str(array.element) for array in matrices] == ["ap_int<4>"] * 6
    values = so.interpret(program, dict(zip(("x", "keys", "values"), given, strict=True)))
    with torch.no_grad():
        wanted = module(*given)
    assert all(
        np.array_equal(values[name], tensor.numpy())
        for name, tensor in zip(("y", "y1", "y2"), wanted, strict=True)
    )
    assert len(np.unique(values["y"])) > FEATURES // 2


@pytest.mark.nightly
def test_weights_stream_at_the_pace_of_their_channels() -> None:
    """The row of results/decode: a layer of GPT-2 medium over 30 channels of 32."""
    code = "from measure import SHAPES, measured; print(measured(SHAPES[0], True))"
    path = os.pathsep.join(map(str, (ROOT, ROOT / "results" / "decode")))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    row = ast.literal_eval(done.stdout)
    assert row["verified"] == "pass"
    assert float(row["share"]) >= 0.7
    assert row["over"] == ""
