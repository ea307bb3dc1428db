from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch_mlir")

from streamopt.errors import FrontendError
from streamopt.frontends.mlir import read_mlir
from streamopt.frontends.mlir.text.old_spelling import modern
from streamopt.ir.program import Program

if TYPE_CHECKING:
    from streamopt.ir.source import Source

LOOPS = """
module attributes {llvm.data_layout = "e", LAYOUT} {
  FUNC @gemm(%A: memref<8x8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) {
    %cst = STDconstant 0.0 : f32
    affine.for %i = 0 to 8 {
      affine.for %k = 0 to 8 {
        %0 = affine.load %A[%i, %k] : memref<8x8xf32>
        %1 = affine.load %x[%k] : memref<8xf32>
        %2 = STDmulf %0, %1 : f32
        %3 = affine.load %y[%i] : memref<8xf32>
        %4 = STDaddf %3, %2 : f32
        %5 = STDcmpf OGT, %4, %cst : f32
        %6 = STDselect %5, %4, %cst : f32
        affine.store %6, %y[%i] : memref<8xf32>
      }
    }
    return
  }
}
"""
LAYOUT = "dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<i64, dense<64> : vector<2xi32>>>"
TENSORS = """
#id = affine_map<(a, b) -> (a, b)>
func.func @f(%x: tensor<4x6xf32>) -> tensor<4x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %i = INIT : tensor<4x6xf32>
  %f = FILL -> tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%f : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = MAXIMUM %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<4x6xf32>
  %e = tensor.expand_shape %r [[0], [1, 2]]SHAPE : tensor<4x6xf32> into tensor<4x2x3xf32>
  return %e : tensor<4x2x3xf32>
}
"""


def read(text: str, spelling: dict[str, str]) -> Program | Source:
    for word, written in spelling.items():
        text = text.replace(word, written)
    return read_mlir(Path("a.mlir"), text=text)


def test_loops_of_the_standard_dialect() -> None:
    old = read(LOOPS, {"LAYOUT": LAYOUT, "FUNC": "func", "STD": "", "OGT": '"ogt"'})
    new = {"LAYOUT": "own.x = 1", "FUNC": "func.func", "STD": "arith.", "OGT": "ogt"}
    today = read(LOOPS, new)
    assert not isinstance(old, Program)
    assert not isinstance(today, Program)
    assert old.variables == today.variables
    assert old.body == today.body


def test_tensors_before_output_shapes() -> None:
    old = {
        "INIT": "linalg.init_tensor [4, 6]",
        "FILL": "linalg.fill(%z, %i) : f32, tensor<4x6xf32>",
        "MAXIMUM": "arith.maxf",
        "SHAPE": "",
    }
    new = {
        "INIT": "tensor.empty()",
        "FILL": "linalg.fill ins(%z : f32) outs(%i : tensor<4x6xf32>)",
        "MAXIMUM": "arith.maximumf",
        "SHAPE": " output_shape [4, 2, 3]",
    }
    assert read(TENSORS, old) == read(TENSORS, new)


def test_todays_spelling_stays_as_it_is() -> None:
    text = LOOPS.replace("FUNC", "func.func").replace("STD", "arith.").replace("OGT", "ogt")
    assert modern(text.replace(", LAYOUT", "")) == (text.replace(", LAYOUT", ""), False)


def test_what_is_too_old_is_told_at_its_line() -> None:
    text = "func @f(%x: memref<4xf32>) {\n  %0 = std.thing %x\n  return\n}\n"
    with pytest.raises(FrontendError) as caught:
        read_mlir(Path("a.mlir"), text=text)
    (problem,) = caught.value.diagnostics
    assert problem.loc is not None
    assert problem.loc.line == 2
    with pytest.raises(FrontendError, match="LLVM 16"):
        read_mlir(Path("a.mlir"), text=text.replace("std.thing %x", "thing %x"))


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f(%x: memref<1000000000000xf32>) { return }",
        "func.func @f(%x: memref<65536x65536xf32>) { return }",
        "func.func @f(%x: memref<4xf32>) {\n affine.for %i = 0 to 9999999999 {\n"
        " %0 = affine.load %x[%i] : memref<4xf32>\n }\n return\n}",
    ],
)
def test_what_is_too_large(text: str) -> None:
    with pytest.raises(FrontendError, match=r"E155.* too large"):
        read_mlir(Path("a.mlir"), text=text)
