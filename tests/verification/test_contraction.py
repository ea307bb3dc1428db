"""Sums of products of whole numbers: as products of matrices the same as term by term."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.verification.reference import contraction, execution
from streamopt.verification.reference.contraction import product_of
from streamopt.verification.reference.execution import execute
from streamopt.verification.vectors.golden import find_golden
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from streamopt.verification.reference.bounded_array import Bounded, FloatArray

CASES = {
    "rows": ("x 9 16", "w 16 12", "y 9 12", "i 9, j 12, k 16", "y[i][j] += x[i][k] * w[k][j]"),
    "one": ("x 16", "w 16 12", "y 12", "j 12, k 16", "y[j] += x[k] * w[k][j]"),
    "window": (
        "x 6 11 9", "w 5 6 3 2", "y 5 9 8", "o 5, h 9, v 8, c 6, i 3, j 2",
        "y[o][h][v] += w[o][c][i][j] * x[c][h + i][v + j]",
    ),
    "groups": (
        "x 3 8 7", "w 3 5 8", "y 3 5 7", "g 3, o 5, v 7, c 8",
        "y[g][o][v] += w[g][o][c] * x[g][c][v]",
    ),
    "again": ("x 9 16", "w 16 12", "y 9 12", "r 2, i 9, j 12, k 16",
              "y[i][j] += x[i][k] * w[k][j]"),
}  # fmt: skip


def never(*given: object) -> None:
    del given


def case(name: str, given: str, result: str) -> Program:
    x, w, y, loops, body = CASES[name]
    names = [text.partition(" ") for text in (x, w, y)]
    kinds = (("input", given), ("weight", given), ("output", result))
    arrays = {
        array: f"{role} {shape} {element}"
        for (array, _, shape), (role, element) in zip(names, kinds, strict=True)
    }
    return program(arrays, {"nest": f"{loops}: {body}"}, name=name)


@pytest.mark.parametrize("result", ["int8_t", "int32_t", "int64_t"])
@pytest.mark.parametrize("given", ["int8_t", "int16_t", "int32_t"])
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_same_as_term_by_term(
    name: str, given: str, result: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where products or sums wrap around; of those of 32 bits nothing is said quickly."""
    source = case(name, given, result)
    inputs = find_golden(source).inputs
    widest = 2 ** (int(given.strip("int_")) - 1) - 1
    large = {array: np.full(values.shape, widest) for array, values in inputs.items()}
    for values in (inputs, large):
        monkeypatch.setattr(execution, "contraction_of", never)
        slow = execute(source, values)["y"]
        monkeypatch.undo()
        monkeypatch.setattr("streamopt.verification.reference.contraction.LEAST_POINTS", 1)
        quick = execute(source, values)["y"]
        monkeypatch.undo()
        np.testing.assert_array_equal(quick.value, slow.value)
        np.testing.assert_array_equal(quick.bound, slow.bound)


def test_a_layer_is_a_few_products_of_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    source = case("window", "int8_t", "int32_t")
    monkeypatch.setattr("streamopt.verification.reference.contraction.LEAST_POINTS", 1)
    seen: list[int] = []

    def counted(left: Bounded, right: Bounded, bits: int, terms: int) -> FloatArray | None:
        seen.append(terms)
        return product_of(left, right, bits, terms)

    monkeypatch.setattr(contraction, "product_of", counted)
    find_golden(source)
    assert set(seen) == {6 * 3 * 2}
    assert len(seen) % (3 * 2) == 0
