"""Bounds where they are easily got wrong: long reductions, products, branches, poles, underflow.

Every case is rounded by NumPy itself, operation by operation, and shares no code with the bounds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest

from streamopt.errors import VerificationError
from streamopt.formats.graph_json import read_graph_json
from streamopt.verification.reference.execution import execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from streamopt.ir.program import Program

Arrays: TypeAlias = dict[str, tuple[str, list[int]]]

SINGLE, DOUBLE = "float", "double"


def program(arrays: Arrays, *nodes: str, kind: str = SINGLE) -> Program:
    """Nodes as "i 4, k 5: y[i] += A[i][k]"."""
    split = [node.split(": ", 1) for node in nodes]
    document = {
        "schema_version": 1,
        "name": "rounding",
        "arrays": {
            name: {"shape": shape, "role": role, "type": kind}
            for name, (role, shape) in arrays.items()
        },
        "nodes": [
            {
                "name": f"n{at}",
                "loops": {part.split()[0]: int(part.split()[1]) for part in loops.split(",")},
                "body": [body],
            }
            for at, (loops, body) in enumerate(split)
        ],
    }
    return read_graph_json(json.dumps(document), "rounding.json")


def tree(combine: Callable[[Any, Any], Any], terms: NDArray[Any], seed: int) -> Any:
    """Combine terms by a random tree, rounding to their type at every step."""
    choose, left = np.random.default_rng(seed), list(terms)
    while len(left) > 1:
        first = left.pop(int(choose.integers(len(left))))
        second = left.pop(int(choose.integers(len(left))))
        left.append(combine(first, second))
    return left[0]


@pytest.mark.parametrize("kind", [SINGLE, DOUBLE])
@pytest.mark.parametrize(
    ("body", "combine"),
    [
        ("y[i] += A[i][k]", np.add),
        ("y[i] *= A[i][k]", np.multiply),
        ("y[i] = max(y[i], A[i][k])", np.maximum),
        ("y[i] = min(y[i], A[i][k])", np.minimum),
    ],
)
def test_reductions_in_any_order(body: str, combine: np.ufunc, kind: str) -> None:
    arrays = {"A": ("input", [3, 300]), "y": ("output", [3])}
    source = program(arrays, f"i 3, k 300: {body}", kind=kind)
    terms = (
        np.random.default_rng(1)
        .uniform(0.9, 1.1, (3, 300))
        .astype("f4" if kind == SINGLE else "f8")
    )
    terms[1] *= -1
    terms[2, ::2] *= -1
    result = execute(source, {"A": terms})["y"]
    for row in range(3):
        for seed in range(20):
            got = float(tree(combine, terms[row], seed))
            assert abs(got - result.value[row]) <= result.bound[row]


@pytest.mark.parametrize(("body", "wrong"), [("t * b[i]", 0), ("b[i] * t", 1), ("t * t * b[i]", 2)])
def test_products_hand_on_the_errors_of_both_operands(body: str, wrong: int) -> None:
    """The sum is far more uncertain than one rounding, so its error dominates the product's."""
    arrays: Arrays = {
        "a": ("input", [4096]), "b": ("input", [1]), "t": ("internal", []), "y": ("output", [1])
    }  # fmt: skip
    source = program(arrays, "k 4096: t += a[k]", f"i 1: y[i] = {body}")
    a = np.random.default_rng(wrong).uniform(0.5, 1, 4096).astype(np.float32)
    results = execute(source, {"a": a, "b": np.array([3.0])})
    off, total = float(results["t"].bound), float(results["t"].value)
    propagated = 3.0 * off * (2.0 * total if wrong == 2 else 1.0)
    assert propagated <= results["y"].bound[0] <= 1.01 * propagated


def test_quotients_hand_on_the_error_of_the_divisor() -> None:
    arrays: Arrays = {"a": ("input", [4096]), "t": ("internal", []), "y": ("output", [1])}
    source = program(arrays, "k 4096: t += a[k]", "i 1: y[i] = 2 / t")
    a = np.random.default_rng(0).uniform(0.5, 1, 4096).astype(np.float32)
    results = execute(source, {"a": a})
    off, total = float(results["t"].bound), float(results["t"].value)
    propagated = 2.0 * off / (total * (total - off))
    assert propagated <= results["y"].bound[0] <= 1.01 * propagated


FLIP = program(
    {"x": ("input", [3]), "t": ("internal", [3]), "y": ("output", [3])},
    "i 3: t[i] = x[i] / 3",
    "i 3: y[i] = 5 if t[i] * 3 < 1 else -5",
)


def test_a_branch_that_may_flip_is_covered_by_both_sides() -> None:
    result = execute(FLIP, {"x": np.array([0.5, 1.0, 1.5])})["y"]
    assert result.value[[0, 2]].tolist() == [5.0, -5.0]
    assert result.bound[[0, 2]].tolist() == [0.0, 0.0]
    assert 10.0 <= result.bound[1] < 10.001


@pytest.mark.parametrize(
    ("comparison", "value"), [("<", 2), ("<=", 1), ("==", 1), ("!=", 2), (">", 2), (">=", 1)]
)
def test_a_tie_of_exact_operands_does_not_flip(comparison: str, value: float) -> None:
    arrays = {"x": ("input", [1]), "y": ("output", [1])}
    source = program(arrays, f"i 1: y[i] = 1 if x[i] {comparison} 0.5 else 2")
    result = execute(source, {"x": np.array([0.5])})["y"]
    assert (result.value[0], result.bound[0]) == (value, 0.0)


@pytest.mark.parametrize(
    "body",
    ["1 / (t[i] - t[i])", "log(t[i] - t[i])", "exp(1000 * t[i])", "1e30 * (1e30 * t[i])"],
)
def test_poles_and_overflow_have_no_finite_bound(body: str) -> None:
    arrays = {"x": ("input", [2]), "t": ("internal", [2]), "y": ("output", [2])}
    source = program(arrays, "i 2: t[i] = x[i] / 3", f"i 2: y[i] = {body}")
    assert np.isinf(execute(source, {"x": np.array([1.0, 2.0])})["y"].bound).all()


def test_underflow_and_flush_to_zero_stay_within_the_bound() -> None:
    arrays = {"x": ("input", [2]), "y": ("output", [2])}
    x = np.array([1.3e-20, 3.7e-24]).astype(np.float32)
    result = execute(program(arrays, "i 2: y[i] = x[i] * x[i]"), {"x": x})["y"]
    for got in ((x * x).astype(np.float64), np.zeros(2)):
        assert (np.abs(got - result.value) <= result.bound).all()
    assert result.bound.max() < 1e-37


def test_elements_that_no_nest_writes_have_no_value() -> None:
    source = program({"x": ("input", [2]), "y": ("output", [3])}, "i 2: y[i] = x[i]")
    result = execute(source, {"x": np.array([7.0, 8.0])})["y"]
    assert np.isnan(result.value[2])
    assert result.bound.tolist() == [0.0, 0.0, np.inf]


def test_all_inputs_that_are_missing_or_misshapen_are_named() -> None:
    arrays = {"x": ("input", [2]), "w": ("weight", [2, 3]), "y": ("output", [2])}
    with pytest.raises(VerificationError) as caught:
        execute(program(arrays, "i 2: y[i] = x[i] * w[i][0]"), {"w": np.zeros((3, 2))})
    assert str(caught.value) == (
        "E710 input x has no values\nE710 weight w has shape (3, 2), expected (2, 3)"
    )
