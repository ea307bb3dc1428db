"""Infinities and the lowest numbers as masks: bounds of what is left of them, and their text."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.codegen.expressions import literal
from streamopt.errors import CodegenError
from streamopt.formats.graph_json import read_graph_json, write_graph_json
from streamopt.ir.element import ElementType
from streamopt.verification.compare import compare_output
from streamopt.verification.reference.execution import execute
from streamopt.verification.vectors.golden import make_golden
from streamopt.verification.vectors.inputs import make_inputs
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from streamopt.ir.program import Program

SELECTED = """
    i 4, j 4: s[i][j] = x[i][j] if j <= i else {}
    i 4, j 4: m[i] = max(m[i], s[i][j])
    i 4, j 4: e[i][j] = exp(s[i][j] - m[i])
    i 4, j 4: t[i] += e[i][j]
    i 4, j 4: y[i][j] = e[i][j] / t[i]
"""
ADDED = SELECTED.replace("x[i][j] if j <= i else {}", "x[i][j] + w[i][j]")
ARRAYS = {
    "x": "input 4 4", "s": "internal 4 4", "m": "internal 4", "e": "internal 4 4",
    "t": "internal 4", "y": "output 4 4",
}  # fmt: skip
LOWEST = "-3.4028234663852886e38"


def softmax(text: str, **more: str) -> Program:
    lines = [line.strip() for line in text.strip().splitlines()]
    return program(ARRAYS | more, {f"n{at}": line for at, line in enumerate(lines)})


@pytest.mark.parametrize("masked", ["-inf", LOWEST, f"2 * {LOWEST}", "-1e30"])
def test_selected_mask_leaves_nothing(masked: str) -> None:
    y = make_golden(softmax(SELECTED.format(masked))).outputs["y"]
    hidden = np.triu(np.ones((4, 4), bool), 1)
    assert np.all(y.value[hidden] == 0.0)
    assert np.all(y.bound[hidden] < 1e-30)
    assert np.all(y.bound < 1e-5)


@pytest.mark.parametrize("masked", ["-inf", LOWEST, "-1e30"])
def test_added_mask_leaves_nothing(masked: str) -> None:
    source = softmax(ADDED, w="weight 4 4")
    mask = np.triu(np.full((4, 4), float(masked)), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = make_golden(replace(source, values={"w": mask})).outputs["y"]
    assert np.all(y.bound < 1e-5)


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = inf - x[i] - inf",
        "y[i] = inf * (x[i] - x[i])",
        "y[i] = exp(x[i] + 1e9) - exp(x[i] + 1e9)",
        "y[i] = 3.4e38 + x[i] * 1e38",
    ],
)
def test_what_may_be_no_number_or_overflow_has_no_bound(body: str) -> None:
    source = program({"x": "input 8", "y": "output 8"}, {"n": f"i 8: {body}"})
    assert np.isinf(execute(source, make_inputs(source))["y"].bound).any()


def test_infinite_outputs_are_compared() -> None:
    source = program(
        {"x": "input 4", "y": "output 4"}, {"n": "i 4: y[i] = x[i] if i < 2 else -inf"}
    )
    golden = make_golden(source).outputs["y"]
    assert golden.bound.tolist() == [0.0] * 4
    assert compare_output("y", golden.value, golden).wrong == 0
    assert (
        compare_output("y", np.where(np.isinf(golden.value), -1e38, golden.value), golden).wrong
        == 2
    )


def test_infinities_are_read_again() -> None:
    source = program(
        {"x": "input 4", "y": "output 4"}, {"n": "i 4: y[i] = -inf if x[i] > inf else inf"}
    )
    text = write_graph_json(source)
    assert "-inf if x[i] > inf else inf" in text
    assert write_graph_json(read_graph_json(text, "again.json")) == text


def test_text_in_cpp() -> None:
    assert literal(float("-inf"), ElementType.FLOAT) == "-INFINITY"
    assert literal(float("inf"), ElementType.DOUBLE) == "double(INFINITY)"
    assert literal(float("-inf"), ElementType.HALF) == "half(-INFINITY)"
    for element in ("int32_t", "ap_fixed<16, 8>"):
        with pytest.raises(CodegenError, match=r"E601 literal inf is not a finite"):
            literal(float("inf"), ElementType(element))
