"""Engines as C++: compiled, and compared bit by bit with the interpreter of the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from tests.support.nightly import in_nightly
from tests.support.programs.integer_networks import (
    every_layer,
    few_channels,
    lenet,
    perceptron,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamopt.ir.program import Program

CASES = [
    (every_layer, 24, True, 12),
    (few_channels, 48, False, 0),
    (perceptron, 32, False, 0),
    (few_channels, 40, True, 0),
    (every_layer, 37, False, 0),
    (every_layer, 5, False, 0),
    (lenet, 40, False, 9),
    (lenet, 30, True, 0),
    (perceptron, 2, True, 0),
]


@pytest.mark.parametrize("case", in_nightly(CASES, 2))
def test_every_output_is_that_of_the_source(
    case: tuple[Callable[[], Program], int, bool, int],
) -> None:
    make, dsps, packed, lut_products = case
    solution = so.engine(make(), dsp=dsps, packed=packed, lut_products=lut_products)
    assert (solution.evaluation.hardware.table.shape.in_luts > 0) is (lut_products > 0)
    verdict = solution.verify()
    assert verdict.passed, str(verdict)
    assert all(output.max_error == 0 for output in verdict.outputs)


def test_sums_share_results_and_results_of_neighbours_share_a_cycle() -> None:
    orders = so.engine(few_channels(), dsp=48).evaluation.hardware.table.orders
    assert {(one.together, one.pool_columns) for one in orders} == {(2, 2), (1, 1), (3, 1)}
    orders = so.engine(every_layer(), dsp=24, packed=True).evaluation.hardware.table.orders
    assert {one.parts for one in orders} >= {2, 3}


def test_a_table_with_another_number_computes_something_else(tmp_path: Path) -> None:
    solution = so.engine(perceptron(), dsp=32)
    solution.write(tmp_path / "project")
    kernel = tmp_path / "project" / "perceptron.cpp"
    text = kernel.read_text()
    wrong = text.replace("COMBINE_PRODUCTS, 0,", "COMBINE_SUM, 0,").replace(
        "return left + right;", "return left - right;"
    )
    assert wrong != text
    kernel.write_text(wrong)
    assert not so.verify(tmp_path / "project").passed


def test_the_kernel_has_one_array_of_multipliers() -> None:
    design = so.engine(every_layer(), dsp=24).emit()
    text = design.text("every_layer.cpp")
    assert text.count("multiply(layer, windows, lanes, word, products, own);") == 1
    assert text.count("run_layer(TABLE[number]") == 1
    assert "interface mode=m_axi port=weights_0" in text
