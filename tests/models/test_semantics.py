"""What the graphs compute: PolyBench against NumPy, networks against PyTorch's own output."""

from __future__ import annotations

import sys
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from streamopt.formats.graph_json import load_graph_json, read_graph_json, write_graph_json
from streamopt.ir.program import Program, Role
from streamopt.verification.reference.execution import execute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Data = Mapping[str, Array]

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = {path.stem: path for path in (ROOT / "graphs").glob("*/*.json")}
sys.path.insert(0, str(ROOT / "models"))
programs: Any = import_module("modules.programs")
MODULES: dict[str, Any] = {listed.name: listed for listed in programs.MODULES}

DOUBLE_TOLERANCE = 1e-9
"""Of NumPy in double precision, relative to the largest element of the result."""
SINGLE_TOLERANCE = 2e-5
"""Of PyTorch in single precision, relative to the largest element of the result."""

FORMULAS: dict[str, Callable[[Data], dict[str, Array]]] = {
    "2mm": lambda d: {"E": 1.5 * d["A"] @ d["B"] @ d["C"] + 1.2 * d["D"]},
    "3mm": lambda d: {"G": (d["A"] @ d["B"]) @ (d["C"] @ d["D"])},
    "atax": lambda d: {"y": d["A"].T @ (d["A"] @ d["x"])},
    "bicg": lambda d: {"s": d["A1"].T @ d["r"], "q": d["A2"] @ d["p"]},
    "gemm": lambda d: {"D": 1.5 * d["A"] @ d["B"] + 1.2 * d["C"]},
    "gesummv": lambda d: {"y": 1.5 * d["A"] @ d["x"] + 1.2 * d["B"] @ d["x"]},
    "mvt": lambda d: {"x1": d["A1"] @ d["y1"], "x2": d["A2"].T @ d["y2"]},
}


def dense_inputs(program: Program) -> dict[str, Array]:
    """Values without structure, scaled so that layers keep their size; exact in float32."""
    values: dict[str, Array] = {}
    for array in program.arrays:
        if array.is_given and array.name not in program.values:
            seed = int.from_bytes(sha256(array.name.encode()).digest()[:8], "little")
            drawn = np.random.default_rng(seed).standard_normal(array.shape)
            scaled = drawn / np.sqrt(max(array.shape, default=1))
            values[array.name] = scaled.astype(np.float32).astype(np.float64)
    return values


def test_every_graph_is_checked() -> None:
    assert set(GRAPHS) == {*FORMULAS, *MODULES}


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_graph_computes_its_formula(name: str) -> None:
    program = load_graph_json(GRAPHS[name])
    inputs = dense_inputs(program)
    results, wanted = execute(program, inputs), FORMULAS[name](inputs)
    assert set(wanted) == {array.name for array in program.arrays if array.role is Role.OUTPUT}
    for output, expected in wanted.items():
        result = results[output]
        assert result.value.shape == expected.shape
        error = np.abs(result.value - expected)
        assert error.max() <= DOUBLE_TOLERANCE * np.abs(expected).max()
        assert (error <= result.bound).all()
        assert np.isfinite(result.bound).all()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_graph_computes_what_its_module_does(name: str) -> None:
    listed = MODULES[name]
    torch.random.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]
    module = listed.module().eval()
    program = programs.program_of(listed, module)
    graph = load_graph_json(GRAPHS[name])
    assert write_graph_json(replace(program, values={})) == write_graph_json(graph)
    inputs = dense_inputs(program)
    given = [inputs[array.name] for array in program.arrays if array.role is Role.INPUT]
    with torch.no_grad():
        expected = module(*(torch.tensor(value, dtype=torch.float32) for value in given)).numpy()
    again = read_graph_json(write_graph_json(program), name)
    result = execute(replace(again, values=program.values), inputs)["y"]
    assert result.value.shape == expected.shape
    error = np.abs(result.value - expected)
    assert error.max() <= SINGLE_TOLERANCE * np.abs(expected).max()
    assert np.abs(expected).max() > 0
