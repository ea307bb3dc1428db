"""Engines of floating-point numbers as C++: compiled, and compared with the interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so
from tests.support.nightly import in_nightly
from tests.support.programs.real_networks import (
    every_layer_of_reals,
    lenet_of_reals,
    normalized,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamopt.ir.program import Program

CASES = [
    (every_layer_of_reals, "xc7z020", 40, 6),
    (normalized, "u280", 30, 0),
    (lenet_of_reals, "zcu104", 60, 0),
    (lenet_of_reals, "xc7z020", 9, 3),
    (normalized, "xc7z020", 220, 0),
    (every_layer_of_reals, "u280", 300, 0),
]


@pytest.mark.parametrize("case", in_nightly(CASES, 2))
def test_outputs_are_within_the_rounding_of_their_sums(
    case: tuple[Callable[[], Program], str, int, int],
) -> None:
    make, device, dsps, lut_products = case
    budget = so.Budget(device=so.device(device))
    solution = so.engine(make(), dsp=dsps, lut_products=lut_products, budget=budget)
    shape = solution.evaluation.hardware.table.shape
    assert solution.evaluation.resources.total.dsps <= dsps
    assert solution.bound_cycles == solution.cycles
    assert shape.partials > 1
    verdict = solution.verify()
    assert verdict.passed, str(verdict)


def test_a_sum_that_takes_no_turns_is_wrong(tmp_path: Path) -> None:
    budget = so.Budget(device=so.device("xc7z020"))
    solution = so.engine(normalized(), dsp=40, budget=budget)
    solution.write(tmp_path / "project")
    kernel = tmp_path / "project" / "normalized.cpp"
    text = kernel.read_text()
    wrong = text.replace("if (cycle >= PARTIALS)", "if (cycle > PARTIALS)")
    assert wrong != text
    kernel.write_text(wrong)
    assert not so.verify(tmp_path / "project").passed


def test_adders_are_bound_to_what_was_counted() -> None:
    solution = so.engine(normalized(), dsp=40, budget=so.Budget(device=so.device("xc7z020")))
    text = solution.emit().text("normalized.cpp")
    assert "bind_op variable=result op=fadd impl=fabric" in text
    assert "return fadd_fabric(left, right);" in text
