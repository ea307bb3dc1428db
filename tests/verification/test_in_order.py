"""Bounds of sequential nests are never too small: against runs in the arrays' own types."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.element import ElementType
from streamopt.pipeline import SourceOptions, interpret, load
from streamopt.verification.reference.execution import execute
from streamopt.verification.reference.in_order import (
    BOUNDED_OPERATIONS,
    BoundedScalar,
    UnsureError,
    bounded,
)
from tests.support.nightly import in_nightly
from tests.support.random.functions import random_function

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.ir.program import Program


def check_outputs(program: Program, inputs: Mapping[str, NDArray[Any]]) -> int:
    """Compare outputs in their own types with the reference; return how many were bounded."""
    with np.errstate(all="ignore"):
        expected = execute(program, inputs)
        found = interpret(program, inputs)
    count = 0
    for array in program.arrays:
        if array.is_given or array.name not in expected:
            continue
        value = found[array.name].astype(np.float64)
        result = expected[array.name]
        sure = np.isfinite(result.bound)
        with np.errstate(invalid="ignore"):
            off = np.abs(value - result.value)
        near = (off <= result.bound) | (value == result.value)
        assert near[sure].all(), (array.name, off[sure].max())
        count += int(sure.any())
    return count


def in_single(program: Program) -> Program:
    """The program with float instead of double."""
    arrays = tuple(
        replace(a, element=ElementType.FLOAT) if a.element is ElementType.DOUBLE else a
        for a in program.arrays
    )
    return replace(program, arrays=arrays)


@pytest.mark.parametrize("first", in_nightly(range(0, 60, 15), 1))
def test_bounds_hold(first: int, tmp_path: Path) -> None:
    bounded_outputs = 0
    for seed in range(first, first + 15):
        function = random_function(random.Random(seed), f"f{seed}", most=4)
        path = tmp_path / f"{function.name}.c"
        path.write_text(f"#include <math.h>\n{function.text}")
        program = load(path)
        inputs = function.inputs(seed)
        single = {
            name: value.astype("<f4") if value.dtype.kind == "f" else value
            for name, value in inputs.items()
        }
        bounded_outputs += check_outputs(program, inputs) + check_outputs(
            in_single(program), single
        )
    assert bounded_outputs > 20


RECURRENCE = """{"schema_version": 1, "name": "p",
 "arrays": {"x": {"shape": [40], "role": "input"}, "w": {"shape": [40], "role": "internal"},
            "y": {"shape": [40], "role": "output"}},
 "nodes": [{"name": "a", "loops": {"i": 40}, "body": ["w[i] = tanh(x[i])"]},
           {"name": "b", "loops": {"t": 3, "i": 38}, "sequential": true, "carries": {"y": "w"},
            "body": ["y[i + 1] = (y[i] + y[i + 1] + y[i + 2]) / 3"]}]}"""


def test_rounding_before_a_nest_goes_through_it() -> None:
    program = read_graph_json(RECURRENCE, "p.json")
    inputs = {"x": np.random.default_rng(3).uniform(-1, 1, 40).astype("<f4")}
    result = execute(program, inputs)["y"]
    assert (result.bound > 0).all()
    assert result.bound.max() < 1e-5
    assert check_outputs(program, inputs) == 2


def test_nests_of_exact_values_have_no_bound() -> None:
    program = read_graph_json(RECURRENCE.replace("tanh(x[i])", "x[i]"), "p.json")
    inputs = {"x": np.random.default_rng(3).uniform(-1, 1, 40).astype("<f4")}
    result = execute(program, inputs)["y"]
    assert not result.bound.any()
    np.testing.assert_array_equal(result.value, interpret(program, inputs)["y"])


def scalar(value: float, bound: float) -> BoundedScalar:
    found = bounded(value, bound, ElementType.FLOAT)
    assert isinstance(found, BoundedScalar)
    return found


def test_quotients_by_tiny_numbers_have_bounds() -> None:
    """The square of 1e-180 is no number any more."""
    found = BoundedScalar(1e94, 2e81, 53) / BoundedScalar(1e-180, 4e-193, 53)
    assert found.value == 1e94 / 1e-180
    assert 6e261 <= found.bound <= 7e261


def test_comparisons_that_bounds_leave_open() -> None:
    assert scalar(1.0, 0.1) < scalar(2.0, 0.1)
    with pytest.raises(UnsureError):
        assert scalar(1.0, 0.6) < scalar(2.0, 0.6)
    assert scalar(1.0, 0.0) <= scalar(1.0, 0.0)
    with pytest.raises(UnsureError):
        assert scalar(float("nan"), 0.1) < 1.0


@pytest.mark.parametrize(("value", "bound"), [(1.95, 0.1), (float("nan"), 0.0), (1.0, np.inf)])
def test_integers_that_bounds_leave_open(value: float, bound: float) -> None:
    with pytest.raises(UnsureError):
        BOUNDED_OPERATIONS["whole"](scalar(value, bound))
    assert BOUNDED_OPERATIONS["whole"](scalar(1.5, 0.1)) == 1
    unknown: Any = bounded(value, bound + 0.1, ElementType.INT32)
    with pytest.raises(UnsureError):
        assert unknown + 1


def test_integers_that_nobody_sets_are_moved(tmp_path: Path) -> None:
    """The nest reads elements that were never set, for a sum that leaves them out."""
    path = tmp_path / "f.c"
    path.write_text(
        """void f(int n, const int *a, int *c) {
             int own[8], sums[8];
             for (int i = 0; i < n; i++) own[i] = a[i];
             for (int k = 0; k < 2; k++)
               for (int i = 0; i < 8; i++) {
                 int last = k == 0 ? 0 : sums[i];
                 sums[i] = last + (i < n ? own[i] : 0);
               }
             for (int i = 0; i < n; i++) c[i] = sums[i];
           }"""
    )
    program = load(path, options=SourceOptions(param={"n": 5}))
    inputs = {"a": np.arange(5, dtype="<i4")}
    result = execute(program, inputs)["c"]
    assert not result.bound.any()
    np.testing.assert_array_equal(result.value, 2 * np.arange(5))


def test_a_decision_that_rounding_may_turn_ends_the_run_without_a_value() -> None:
    text = RECURRENCE.replace("(y[i] + y[i + 1] + y[i + 2]) / 3", "1 if y[i] > 0 else y[i + 1]")
    inputs = {"x": np.zeros(40, "<f4")}
    result = execute(read_graph_json(text, "p.json"), inputs)["y"]
    assert np.isinf(result.bound).all()
