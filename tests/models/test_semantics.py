"""Every graph computes its formula: the interpreter against plain NumPy, written independently."""

from __future__ import annotations

from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from streamopt.frontends.graph_json import load_graph_json
from streamopt.ir.program import Role
from streamopt.verification.reference import execute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamopt.ir.program import Program

Array: TypeAlias = NDArray[np.float64]
Data: TypeAlias = "Mapping[str, Array]"
Formula: TypeAlias = "Callable[[Data], dict[str, Array]]"

GRAPHS = {
    path.stem: path
    for path in sorted((Path(__file__).parents[2] / "graphs").glob("*/*.json"))
}  # fmt: skip


def relu(x: Array) -> Array:
    return np.maximum(x, 0.0)


def batch_norm(x: Array) -> Array:
    return x / np.sqrt(1.0 + 1e-5)


def linear(d: Data, layer: str, x: Array) -> Array:
    return x @ d[f"W_{layer}"].T + d[f"b_{layer}"]


def windows(x: Array) -> list[tuple[int, int, Array]]:
    """Return (u, v, shifted x) for a 3 by 3 window with padding 1."""
    padded, height, width = np.pad(x, ((0, 0), (1, 1), (1, 1))), *x.shape[1:]
    return [
        (u, v, padded[:, u : u + height, v : v + width]) for u in range(3) for v in range(3)
    ]  # fmt: skip


def convolution(x: Array, w: Array) -> Array:
    total = np.zeros((w.shape[0], *x.shape[1:]))
    for u, v, shifted in windows(x):
        total += np.einsum("oc,chw->ohw", w[:, :, u, v], shifted)
    return total


def residual_block(d: Data) -> dict[str, Array]:
    x = d["x"][0]
    hidden = relu(batch_norm(convolution(x, d["W1"])))
    return {"y": relu(batch_norm(convolution(hidden, d["W2"])) + x)[None]}


def dwsconv_block(d: Data) -> dict[str, Array]:
    x = d["x"][0]
    depthwise = np.zeros_like(x)
    for u, v, shifted in windows(x):
        depthwise += d["W_dw"][:, u, v][:, None, None] * shifted
    return {"y": relu(batch_norm(np.einsum("oc,chw->ohw", d["W_pw"][:, :, 0, 0], depthwise)))[None]}


def multi_head_attention(d: Data) -> dict[str, Array]:
    x = d["x"][0]
    q, k, v = (linear(d, p, x).reshape(64, 8, 16).transpose(1, 0, 2) for p in "qkv")
    scores = q @ k.transpose(0, 2, 1) / 4.0
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return {"y": linear(d, "out", (weights @ v).transpose(1, 0, 2).reshape(64, 128))[None]}


def feed_forward(d: Data) -> dict[str, Array]:
    return {"y": linear(d, "fc2", relu(linear(d, "fc1", d["x"][0])))[None]}


def residual_mlp(d: Data) -> dict[str, Array]:
    first = linear(d, "fc1", d["x"])
    return {"y": linear(d, "fc4", linear(d, "fc3", relu(linear(d, "fc2", relu(first)) + first)))}


def autoencoder(d: Data) -> dict[str, Array]:
    x = d["x"]
    for layer in range(1, 7):
        x = linear(d, f"fc{layer}", x)
        x = relu(x) if layer in (1, 2, 4, 5) else x
    return {"y": 1.0 / (1.0 + np.exp(-x))}


def seven_products(d: Data) -> dict[str, Array]:
    return {"Y": reduce(np.matmul, [d[name] for name in "ABCDEFGH"])}


FORMULAS: dict[str, Formula] = {
    "2mm": lambda d: {"E": 1.5 * d["A"] @ d["B"] @ d["C"] + 1.2 * d["D"]},
    "3mm": lambda d: {"G": (d["A"] @ d["B"]) @ (d["C"] @ d["D"])},
    "7mm_balanced": seven_products,
    "7mm_tree_balanced": seven_products,
    "7mm_tree_unbalanced": seven_products,
    "7mm_unbalanced": seven_products,
    "atax": lambda d: {"y": d["A"].T @ (d["A"] @ d["x"])},
    "autoencoder": autoencoder,
    "bicg": lambda d: {"s": d["A1"].T @ d["r"], "q": d["A2"] @ d["p"]},
    "dwsconv_block": dwsconv_block,
    "feed_forward": feed_forward,
    "gemm": lambda d: {"D": 1.5 * d["A"] @ d["B"] + 1.2 * d["C"]},
    "gesummv": lambda d: {"y": 1.5 * d["A"] @ d["x"] + 1.2 * d["B"] @ d["x"]},
    "multi_head_attention": multi_head_attention,
    "mvt": lambda d: {"x1": d["A1"] @ d["y1"], "x2": d["A2"].T @ d["y2"]},
    "residual_block": residual_block,
    "residual_mlp": residual_mlp,
}


def dense_inputs(program: Program) -> dict[str, Array]:
    """Values without structure, scaled so that layers keep their size; exact in float32."""
    values: dict[str, Array] = {}
    for array in program.arrays:
        if array.is_given:
            seed = int.from_bytes(sha256(array.name.encode()).digest()[:8], "little")
            drawn = np.random.default_rng(seed).standard_normal(array.shape)
            scaled = drawn / np.sqrt(max(array.shape, default=1))
            values[array.name] = scaled.astype(np.float32).astype(np.float64)
    return values


def test_every_graph_has_a_formula() -> None:
    assert set(GRAPHS) == set(FORMULAS)


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
        assert error.max() <= 1e-9 * np.abs(expected).max()
        assert (error <= result.bound).all()
        assert np.isfinite(result.bound).all()
