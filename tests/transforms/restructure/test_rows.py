"""A program with rows in one dimension is the program with two dimensions."""

from __future__ import annotations

import re

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import VerificationError

PRODUCT = """
void f(const float *a, const float *b, float *c) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 6; j++) {
      c[i * 6 + j] = 0;
      for (int k = 0; k < 4; k++) c[i * 6 + j] += a[i * 4 + k] * b[k * 6 + j];
    }
}
"""
JACOBI = """
void f(float *a, float *b) {
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < 7; i++)
      for (int j = 1; j < 5; j++)
        b[i * 6 + j] = a[i * 6 + j - 1] + a[i * 6 + j + 1] + a[(i + 1) * 6 + j];
    for (int i = 1; i < 7; i++)
      for (int j = 1; j < 5; j++) a[i * 6 + j] = b[i * 6 + j] * 0.25f;
  }
}
"""
CHOLESKY = """
#include <math.h>
void f(float *a) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) a[i * 6 + j] -= a[i * 6 + k] * a[j * 6 + k];
      a[i * 6 + j] /= a[j * 6 + j];
    }
    for (int k = 0; k < i; k++) a[i * 6 + i] -= a[i * 6 + k] * a[i * 6 + k];
    a[i * 6 + i] = sqrtf(a[i * 6 + i]);
  }
}
"""


def in_two_dimensions(text: str) -> str:
    """Return a text with ``a[i * 6 + j]`` as ``a[i][j]``."""
    found = re.sub(r"\[\(?([ijk](?: [-+] 1)?)\)? \* [46] \+ ([^]]+)\]", r"[\1][\2]", text)
    shapes = {"a": "8][6" if "t <" in text else "6][6" if "sqrtf" in text else "8][4"}
    shapes |= {"b": "7][6" if "t <" in text else "4][6", "c": "8][6"}
    for name, shape in shapes.items():
        found = found.replace(f"*{name}", f"{name}[{shape}]")
    assert "*" not in found.split("{")[0]
    return found


@pytest.mark.parametrize("text", [PRODUCT, JACOBI, CHOLESKY], ids=["product", "jacobi", "cholesky"])
def test_rows_are_dimensions(text: str) -> None:
    flat, other = so.load(text), so.load(in_two_dimensions(text))
    assert flat == other


def test_values_are_given_as_the_caller_has_them() -> None:
    program = so.load(PRODUCT)
    flat = {"a": np.arange(32.0), "b": np.arange(24.0)}
    found = so.interpret(program, flat)["c"]
    assert (found == flat["a"].reshape(8, 4) @ flat["b"].reshape(4, 6)).all()
    with pytest.raises(VerificationError, match="E710"):
        so.interpret(program, {**flat, "a": np.zeros((4, 8))})


def test_last_row_of_a_pointer_is_whole() -> None:
    program = so.load(JACOBI)
    assert {array.shape for array in program.arrays} == {(8, 6), (7, 6)}
