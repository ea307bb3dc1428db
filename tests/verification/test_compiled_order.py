"""Compiled nests give the interpreter's bits, and bounds that hold for sums of any order."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.errors import VerificationError
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.element import ElementType
from streamopt.pipeline import interpret, load
from streamopt.verification.reference import in_order
from streamopt.verification.reference.execution import execute
from tests.support.nightly import in_nightly
from tests.support.random.functions import random_function

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.ir.program import Program


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(in_order, "MANY_ITERATIONS", 0)


def in_single(program: Program) -> Program:
    arrays = tuple(
        replace(a, element=ElementType.FLOAT) if a.element is ElementType.DOUBLE else a
        for a in program.arrays
    )
    return replace(program, arrays=arrays)


@pytest.mark.parametrize("seed", in_nightly(range(20), 4))
def test_bits_are_the_interpreters(seed: int, tmp_path: Path) -> None:
    function = random_function(random.Random(seed), f"f{seed}", most=4)
    path = tmp_path / f"{function.name}.c"
    path.write_text(f"#include <math.h>\n{function.text}")
    program = load(path)
    for own in (program, in_single(program)):
        inputs = {
            name: value.astype(own.array(name).element.dtype)
            for name, value in function.inputs(seed).items()
        }
        with np.errstate(all="ignore"):
            found, expected = execute(own, inputs), interpret(own, inputs)
        for array in own.arrays:
            sure = found[array.name].bound == 0.0
            same = found[array.name].value == expected[array.name].astype(np.float64)
            assert same[sure].all(), array.name


def sums(body: list[str], count: int = 40, element: str = "float") -> Program:
    """A program of one sequential nest that makes s of x."""
    arrays: dict[str, Any] = {
        "x": {"shape": [8, count], "role": "input", "type": element},
        "z": {"shape": [8], "role": "input", "type": element},
        "s": {"shape": [8], "role": "output", "type": element},
    }
    nest = {"name": "n", "loops": {"i": 8, "j": count}, "sequential": True, "carries": {"s": "z"}}
    document = {
        "schema_version": 1,
        "name": "p",
        "arrays": arrays,
        "nodes": [{**nest, "body": body}],
    }
    return read_graph_json(json.dumps(document), "p.json")


def given(count: int, seed: int, *, bits: int = 0) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal((8, count)), rng.standard_normal(8)
    if bits:
        x, z = (np.rint(part * 2**bits) / 2**bits for part in (x, z))
    return {"x": x.astype("f4"), "z": z.astype("f4")}


@pytest.mark.parametrize("sign", ["+", "-"])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_any_order(sign: str, seed: int) -> None:
    program, inputs = sums([f"s[i] = s[i] {sign} x[i][j] * x[i][j]"]), given(40, seed)
    assert (execute(program, inputs)["s"].bound == 0.0).all()
    result = execute(program, inputs, in_any_order=True)["s"]
    assert (result.bound > 0.0).all()
    assert (result.bound < 1e-3).all()
    squares = inputs["x"] * inputs["x"]
    rng = np.random.default_rng(seed)
    for _ in range(50):
        order = rng.permutation(40)
        total = inputs["z"].copy()
        for at in order:
            total = total + squares[:, at] if sign == "+" else total - squares[:, at]
        assert (np.abs(total - result.value) <= result.bound).all()


def test_sums_without_rounding_have_no_bound() -> None:
    program = sums(["s[i] = s[i] + x[i][j]"])
    result = execute(program, given(40, 1, bits=6), in_any_order=True)["s"]
    assert (result.bound == 0.0).all()


def test_other_statements_start_a_new_sum() -> None:
    program = sums(["if j == 20: s[i] = 0.5", "s[i] = s[i] + x[i][j]"])
    late = execute(program, given(40, 1), in_any_order=True)["s"]
    whole = execute(sums(["s[i] = s[i] + x[i][j]"]), given(40, 1), in_any_order=True)["s"]
    assert (late.bound < whole.bound).all()
    assert (late.bound > 0.0).all()


def test_comparisons_behind_sums_may_be_unsure() -> None:
    body = ["s[i] = s[i] + x[i][j]", "if j == 39 and s[i] > s[i] * 1.0: s[i] = 0"]
    result = execute(sums(body), given(40, 1), in_any_order=True)["s"]
    assert np.isinf(result.bound).all()


def test_subscripts_outside_are_told() -> None:
    program = sums(["if j < 9: s[i] = s[i] + x[i][j]"])
    (nest,) = program.nests
    (statement,) = nest.statements
    moved = statement.target.subscripts[0].substitute({})
    wrong = replace(statement.target, subscripts=(moved.scaled(2),))
    changed = replace(nest, statements=(replace(statement, target=wrong),))
    with pytest.raises(VerificationError, match=r"E712 .* subscript 8, outside 0 \.\. 7"):
        execute(replace(program, nests=(changed,)), given(40, 1))


@pytest.mark.parametrize("element", ["ap_int<4>", "ap_uint<5>", "ap_int<19>", "ap_uint<33>"])
def test_integers_of_any_width_wrap_as_in_the_interpreter(element: str) -> None:
    body = [
        "s[i] = s[i] * x[i][j] - x[i][j]",
        "if s[i] > x[i][j]: s[i] = s[i] / x[i][j] + (s[i] << 3) % 7",
        "s[i] = max(s[i], x[i][j] >> 1)",
    ]
    program, kind = sums(body, 12, element), ElementType(element)
    low, rng = -(1 << (kind.bits - 1)) if kind.is_signed else 0, np.random.default_rng(5)
    inputs = {
        name: rng.integers(low, low + (1 << kind.bits), shape).astype(kind.dtype)
        for name, shape in (("x", (8, 12)), ("z", (8,)))
    }
    found, expected = execute(program, inputs)["s"], interpret(program, inputs)["s"]
    assert (found.bound == 0.0).all()
    assert (found.value == expected.astype(np.float64)).all()
