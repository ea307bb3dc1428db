"""Functions that call functions, and tosa."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch_mlir")

from streamopt.errors import FrontendError
from streamopt.frontends.mlir import read_mlir
from streamopt.ir.program import Program, Role
from streamopt.ir.source import Source
from streamopt.pipeline import interpret
from streamopt.transforms.restructure.restructure import restructure

LOOPS = """
func.func @shifted(%a: memref<8xf32>, %b: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %y = func.call @square(%x) : (f32) -> f32
    affine.store %y, %b[%i] : memref<8xf32>
  }
  return
}
func.func private @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}
func.func @twice(%a: memref<8xf32>, %c: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  call @shifted(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  call @shifted(%b, %c) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
"""
TENSORS = """
func.func private @layer(%a: tensor<1x4x8xf32>, %w: tensor<1x8x8xf32>) -> tensor<1x4x8xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.matmul %a, %w, %zero, %zero
      : (tensor<1x4x8xf32>, tensor<1x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x8xf32>
  %z = tosa.tanh %y : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %z : tensor<1x4x8xf32>
}
func.func @net(%a: tensor<1x4x8xf32>, %w: tensor<1x8x8xf32>) -> tensor<1x4x8xf32> {
  %y = call @layer(%a, %w) : (tensor<1x4x8xf32>, tensor<1x8x8xf32>) -> tensor<1x4x8xf32>
  %z = call @layer(%y, %w) : (tensor<1x4x8xf32>, tensor<1x8x8xf32>) -> tensor<1x4x8xf32>
  %r = tosa.add %z, %a : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}
"""


def read(text: str, top: str | None = None) -> Program | Source:
    return read_mlir(Path("net.mlir"), text=text, top=top)


def ramp(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


def test_loops_that_call_functions() -> None:
    found = read(LOOPS)
    assert isinstance(found, Source)
    assert found.name == "twice"
    program = restructure(found)
    a = ramp(8)
    results = interpret(program, {"a": a})
    (name,) = (array.name for array in program.arrays if array.role is Role.OUTPUT)
    np.testing.assert_allclose(results[name], a.astype(float) ** 4, rtol=1e-5)


def test_a_called_function_may_be_the_top() -> None:
    found = read(LOOPS, "shifted")
    assert isinstance(found, Source)
    assert found.name == "shifted"


def test_layers_of_tosa() -> None:
    program = read(TENSORS)
    assert isinstance(program, Program)
    a, w = ramp(1, 4, 8), ramp(1, 8, 8) / 3
    results = interpret(program, {"a": a, "w": w})
    wanted = np.tanh(np.tanh(a @ w) @ w) + a
    np.testing.assert_allclose(results["y"], wanted, rtol=1e-4, atol=1e-5)


def test_calls_that_multiply_or_turn_in_a_circle_are_refused() -> None:
    function = "func.func @f{0}(%a: f32) {{ {1} return }}\n"
    call = "call @f{0}(%a) : (f32) -> () "
    many = function.format(0, "") + "".join(
        function.format(at + 1, 2 * call.format(at)) for at in range(60)
    )
    circle = function.format(0, call.format(1)) + function.format(1, call.format(0))
    for text in (many, circle):
        with pytest.raises(FrontendError) as caught:
            read(text)
        assert [problem.code for problem in caught.value.diagnostics] == ["E155"]
