# Inputs of PyTorch's functions and of NumPy's oracles are untyped here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamopt.errors import FrontendError
from streamopt.frontends.mlir import TensorLayout, read_mlir
from streamopt.ir.algebra.formulas import ELEMENTARY
from streamopt.ir.program import Program, Role
from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.reference.execution import execute
from tests.support.programs.mlir_texts import LINEAR


def program(text: str, layout: TensorLayout | None = None) -> Program:
    found = read_mlir(Path("net.mlir"), text=text, layout=layout)
    assert isinstance(found, Program)
    canonicalize(found)
    return found


def results(found: Program, **inputs: Any) -> Any:
    return execute(found, {**found.values, **inputs})["y"].value


def unary(operation: str, source: str, target: str, *extra: str) -> str:
    head = "\n".join(extra)
    return (
        f"{head}\nfunc.func @f(%x: {source}) -> {target} {{\n{operation}\nreturn %r : {target}\n}}"
    )


def test_layer() -> None:
    found = program(LINEAR)
    x = np.arange(12.0).reshape(3, 4) / 7 - 1
    w = np.arange(8.0).reshape(2, 4)
    wanted = np.maximum(x @ w.T + [0.5, -0.5], 0)
    np.testing.assert_allclose(results(found, x=x), wanted, rtol=1e-6)
    assert found.name == "layer"
    assert [nest.name for nest in found.nests] == ["product", "sum"]
    assert [array.name for array in found.arrays] == ["x", "w", "b", "product", "y"]
    assert found.array("w").role is Role.WEIGHT


def test_stored_transposes_are_nests() -> None:
    found = program(LINEAR, TensorLayout(copies="materialize"))
    assert [nest.name for nest in found.nests] == ["t", "product", "sum"]
    assert [str(s) for s in found.nests[0].statements[0].target.subscripts] == ["i", "j"]
    source = program(LINEAR, TensorLayout(copies="materialize", copy_order="source"))
    assert list(source.nests[0].trip_counts) == ["j", "i"]


PAD = """
  %zero = arith.constant 0.0 : f32
  %r = tensor.pad %x low[1, 0] high[0, 2] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
  } : tensor<2x3xf32> to tensor<3x5xf32>
"""


@pytest.mark.parametrize("padding", ["select", "fill_and_copy"])
def test_padding(padding: Any) -> None:
    text = unary(PAD, "tensor<2x3xf32>", "tensor<3x5xf32>")
    found = program(text, TensorLayout(padding=padding))
    x = np.arange(6.0).reshape(2, 3) + 1
    assert len(found.nests) == (1 if padding == "select" else 2)
    assert (results(found, x=x) == np.pad(x, ((1, 0), (0, 2)))).all()


MOVES = {
    "slice": (
        "%r = tensor.extract_slice %x[1, 0] [1, 2] [1, 2] : tensor<2x3xf32> to tensor<2xf32>",
        "tensor<2xf32>",
        lambda x: x[1, 0::2],
    ),
    "insert": (
        "%e = arith.constant dense<7.0> : tensor<4x3xf32>\n%r = tensor.insert_slice %x into "
        "%e[1, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x3xf32>",
        "tensor<4x3xf32>",
        lambda x: np.pad(x, ((1, 1), (0, 0)), constant_values=7.0),
    ),
    "concat": (
        "%r = tensor.concat dim(0) %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>",
        "tensor<4x3xf32>",
        lambda x: np.concatenate([x, x]),
    ),
    "collapse": (
        "%r = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>",
        "tensor<6xf32>",
        lambda x: x.reshape(6),
    ),
    "broadcast": (
        "%e = tensor.empty() : tensor<2x4x3xf32>\n%r = linalg.broadcast ins(%x : tensor<2x3xf32>) "
        "outs(%e : tensor<2x4x3xf32>) dimensions = [1]",
        "tensor<2x4x3xf32>",
        lambda x: np.broadcast_to(x[:, None], (2, 4, 3)),
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str) -> None:
    operation, target, wanted = MOVES[name]
    found = program(unary(operation, "tensor<2x3xf32>", target))
    x = np.arange(6.0).reshape(2, 3) + 1
    assert (results(found, x=x) == wanted(x)).all()


def test_reduction_starts_from_what_it_is_given() -> None:
    operation = """
      %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %r = linalg.reduce { arith.addf } ins(%x : tensor<2x3xf32>) outs(%b : tensor<2xf32>)
          dimensions = [1]
    """
    found = program(unary(operation, "tensor<2x3xf32>", "tensor<2xf32>"))
    x = np.arange(6.0).reshape(2, 3)
    assert results(found, x=x).tolist() == [4.0, 14.0]


def problems(text: str) -> list[tuple[str, int | None]]:
    with pytest.raises(FrontendError) as caught:
        read_mlir(Path("net.mlir"), text=text)
    return [(p.code, p.loc.line if p.loc else None) for p in caught.value.diagnostics]


def test_all_problems_at_once() -> None:
    text = """func.func @f(%x: tensor<4xf32>, %n: tensor<?xf32>) -> tensor<4xf32> {
      %a = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %e = tensor.empty() : tensor<4xf32>
      %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
        ^bb0(%in: f32, %out: f32):
          %v = math.erfc %in : f32
          linalg.yield %v : f32
      } -> tensor<4xf32>
      %r = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
          -> tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
    assert sorted(problems(text)) == [("E152", 2), ("E152", 4), ("E153", 1)]


IN_MLIR = {"abs": "absf", "rint": "roundeven"}
"""Functions of floating-point numbers that MLIR calls differently."""


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions_of_mlir(name: str) -> None:
    operation = f"""
      %e = tensor.empty() : tensor<3xf32>
      %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}} ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {{
        ^bb0(%in: f32, %out: f32):
          %v = math.{IN_MLIR.get(name, name)} %in : f32
          linalg.yield %v : f32
      }} -> tensor<3xf32>
    """
    found = program(unary(operation, "tensor<3xf32>", "tensor<3xf32>"))
    x = np.array([1.25, 2.5, 3.0]) / (4 if name in ("asin", "acos", "atanh") else 1)
    functions = {**vars(math), "abs": abs, "rint": round, "round": lambda x: math.floor(x + 0.5)}
    wanted = [functions[name](each) for each in x.tolist()]
    np.testing.assert_allclose(results(found, x=x), wanted, rtol=1e-6)


def test_text_that_crashes_the_parser_is_a_diagnostic() -> None:
    broken = LINEAR.replace("permutation = [1, 0]", "permutation = [1, 0")
    assert broken != LINEAR
    assert [code for code, _ in problems(broken)] == ["E151"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, len(LINEAR) - 1), st.integers(0, 40), st.text(max_size=4))
def test_broken_text_is_a_diagnostic(start: int, length: int, inserted: str) -> None:
    text = LINEAR[:start] + inserted + LINEAR[start + length :]
    with suppress(FrontendError):
        assert isinstance(read_mlir(Path("net.mlir"), text=text), Program)
