"""MLIR texts: loops with what they compute, and a layer of a network as tensors."""

# NumPy's oracles are untyped here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

import numpy as np

GEMM = """
func.func @gemm(%C: memref<?x5xf64>, %A: memref<?x6xf64>, %B: memref<?x5xf64>, %beta: f64) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      %0 = affine.load %C[%i, %j] : memref<?x5xf64>
      %1 = arith.mulf %0, %beta : f64
      affine.store %1, %C[%i, %j] : memref<?x5xf64>
    }
    affine.for %k = 0 to 6 {
      affine.for %j = 0 to 5 {
        %2 = affine.load %A[%i, %k] : memref<?x6xf64>
        %3 = affine.load %B[%k, %j] : memref<?x5xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = affine.load %C[%i, %j] : memref<?x5xf64>
        %6 = arith.addf %5, %4 : f64
        affine.store %6, %C[%i, %j] : memref<?x5xf64>
      }
    }
  }
  return
}
"""
LINEAR = """
#row = affine_map<(d0, d1) -> (d0, d1)>
#bias = affine_map<(d0, d1) -> (d1)>
func.func @layer(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense_resource<weights> : tensor<2x4xf32>
  %b = arith.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %t = linalg.transpose ins(%w : tensor<2x4xf32>) outs(%e : tensor<4x2xf32>) permutation = [1, 0]
  %o = tensor.empty() : tensor<3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<3x2xf32>) -> tensor<3x2xf32>
  %product = linalg.matmul ins(%x, %t : tensor<3x4xf32>, tensor<4x2xf32>)
      outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  %sum = linalg.generic {indexing_maps = [#row, #bias, #row],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %b : tensor<3x2xf32>, tensor<2xf32>) outs(%o : tensor<3x2xf32>) {
    ^bb0(%in: f32, %add: f32, %out: f32):
      %s = arith.addf %in, %add : f32
      %c = arith.cmpf ugt, %s, %zero : f32
      %r = arith.select %c, %s, %zero : f32
      linalg.yield %r : f32
  } -> tensor<3x2xf32>
  return %sum : tensor<3x2xf32>
}
{-#
  dialect_resources: { builtin: {
    weights: "0x04000000000000000000803F0000004000004040000080400000A0400000C0400000E040"
  } }
#-}
"""


def body(*lines: str, arguments: str = "%x: memref<8xf32>, %y: memref<8xf32>") -> str:
    joined = "\n".join(lines)
    return f"func.func @f({arguments}) {{\n{joined}\nreturn\n}}"


LOOPS: dict[str, tuple[tuple[str, ...], Any]] = {
    "step": (
        (
            "affine.for %i = 1 to 8 step 3 {",
            "%v = affine.load %x[%i] : memref<8xf32>",
            "affine.store %v, %y[%i] : memref<8xf32>",
            "}",
        ),
        lambda x, y: np.where(np.arange(8) % 3 == 1, x, y),
    ),
    "bounds": (
        (
            "affine.for %i = 0 to 4 {",
            "affine.for %j = max affine_map<(d0) -> (d0, 2)>(%i) to "
            "min affine_map<(d0) -> (d0 + 3, 5)>(%i) {",
            "%v = affine.load %y[%i + 4] : memref<8xf32>",
            "%w = affine.load %x[%j] : memref<8xf32>",
            "%s = arith.addf %v, %w : f32",
            "affine.store %s, %y[%i + 4] : memref<8xf32>",
            "}",
            "}",
        ),
        lambda x, y: np.concatenate(
            [y[:4], [y[i + 4] + x[max(i, 2) : min(i + 3, 5)].sum() for i in range(4)]]
        ),
    ),
    "branch": (
        (
            "affine.for %i = 0 to 8 {",
            "%v = affine.load %x[%i] : memref<8xf32>",
            "affine.if affine_set<(d0) : (d0 - 2 >= 0, -d0 + 5 >= 0)>(%i) {",
            "affine.store %v, %y[%i] : memref<8xf32>",
            "} else {",
            "%n = arith.negf %v : f32",
            "affine.store %n, %y[%i] : memref<8xf32>",
            "}",
            "}",
        ),
        lambda x, y: np.where((np.arange(8) >= 2) & (np.arange(8) <= 5), x, -x),
    ),
    "carried": (
        (
            "%z = arith.constant 0.0 : f32",
            "affine.for %i = 0 to 8 {",
            "%s = affine.for %j = 0 to 8 iter_args(%a = %z) -> (f32) {",
            "%v = affine.load %x[%j] : memref<8xf32>",
            "%b = arith.addf %a, %v : f32",
            "affine.yield %b : f32",
            "}",
            "affine.store %s, %y[%i] : memref<8xf32>",
            "}",
        ),
        lambda x, y: np.full(8, x.sum()),
    ),
    "overwritten": (
        (
            "affine.for %i = 0 to 4 {",
            "%a = affine.load %y[%i] : memref<8xf32>",
            "%b = affine.load %y[%i + 4] : memref<8xf32>",
            "affine.store %b, %y[%i] : memref<8xf32>",
            "affine.store %a, %y[%i + 4] : memref<8xf32>",
            "}",
        ),
        lambda x, y: np.concatenate([y[4:], y[:4]]),
    ),
    "views": (
        (
            "%e = memref.expand_shape %x [[0, 1]] output_shape [2, 4] "
            ": memref<8xf32> into memref<2x4xf32>",
            "%s = memref.subview %e[1, 0] [1, 4] [1, 1] "
            ": memref<2x4xf32> to memref<4xf32, strided<[1], offset: 4>>",
            "affine.for %i = 0 to 4 {",
            "%v = affine.load %s[%i] : memref<4xf32, strided<[1], offset: 4>>",
            "affine.store %v, %y[%i] : memref<8xf32>",
            "}",
        ),
        lambda x, y: np.concatenate([x[4:], y[4:]]),
    ),
    "scf": (
        (
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%c2 = arith.constant 2 : index",
            "%c8 = arith.constant 8 : index",
            "%z = arith.constant 0.0 : f32",
            "scf.for %i = %c0 to %c8 step %c1 {",
            "%h = arith.divui %i, %c2 : index",
            "%v = memref.load %x[%h] : memref<8xf32>",
            "%p = arith.cmpf ogt, %v, %z : f32",
            "%r = scf.if %p -> (f32) { scf.yield %v : f32 } else { scf.yield %z : f32 }",
            "memref.store %r, %y[%i] : memref<8xf32>",
            "}",
        ),
        lambda x, y: np.maximum(x[np.arange(8) // 2], 0),
    ),
    "copy": (("memref.copy %x, %y : memref<8xf32> to memref<8xf32>",), lambda x, y: x),
    "integers": (
        (
            "affine.for %i = 0 to 8 {",
            "%n = arith.index_cast %i : index to i32",
            "%t = arith.constant 3 : i32",
            "%m = arith.muli %n, %t : i32",
            "%v = arith.sitofp %m : i32 to f32",
            "affine.store %v, %y[%i] : memref<8xf32>",
            "}",
        ),
        lambda x, y: np.arange(8) * 3.0,
    ),
    "linalg": (
        ("linalg.map { math.exp } ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)",),
        lambda x, y: np.exp(x),
    ),
}
