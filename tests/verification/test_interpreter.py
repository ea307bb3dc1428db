"""The exact interpreter: C's types and order, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.errors import VerificationError
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Literal
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement
from streamopt.verification.exact.interpreter import interpret

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

NAN, INF = float("nan"), float("inf")


def run(
    body: Sequence[str], inputs: dict[str, ArrayLike], types: dict[str, str], **node: Any
) -> NDArray[Any]:
    """Return y, of 4 elements, after one node; other arrays have the shapes of their values."""
    kinds = {"y": types.get("y", "float")}
    arrays: dict[str, object] = {"y": {"shape": [4], "role": "output", "type": kinds["y"]}}
    for name, value in inputs.items():
        shape, kind = list(np.shape(value)), types.get(name, "float")
        arrays[name] = {"shape": shape, "role": "input", "type": kind}
    nest = {"name": "n", "loops": {"i": 4}, "body": list(body), **node}
    document = {"schema_version": 1, "name": "p", "arrays": arrays, "nodes": [nest]}
    program = read_graph_json(json.dumps(document), "p.json")
    return interpret(program, {name: np.asarray(v) for name, v in inputs.items()})["y"]


@pytest.mark.parametrize(
    ("body", "y", "x", "values", "expected"),
    [
        ("y[i] = x[i] + x[i]", "int8_t", "int8_t", [100, -100, 1, -128], [-56, 56, 2, 0]),
        ("y[i] = x[i] * x[i]", "int32_t", "int32_t", [65536, 46341, -3, 0], [0, -2147479015, 9, 0]),
        ("y[i] = x[i] - 1", "uint16_t", "uint16_t", [0, 1, 65535, 7], [65535, 0, 65534, 6]),
        ("y[i] = x[i] / 3", "int32_t", "int32_t", [7, -7, 2, -2], [2, -2, 0, 0]),
        ("y[i] = x[i] % 3", "int32_t", "int32_t", [7, -7, 2, -2], [1, -1, 2, -2]),
        ("y[i] = 1 / x[i]", "int32_t", "int32_t", [1, 0, 2, -1], [1, 0, 0, -1]),
        ("y[i] = x[i] << 3", "int64_t", "int32_t", [1 << 30, 1, -1, 0], [0, 8, -8, 0]),
        ("y[i] = x[i] >> 1", "int32_t", "int32_t", [7, -7, 1, -1], [3, -4, 0, -1]),
        ("y[i] = x[i] & 6 | 1", "uint8_t", "uint8_t", [7, 8, 255, 2], [7, 1, 7, 3]),
        ("y[i] = x[i]", "int32_t", "double", [1.9, -1.9, 0.5, -0.5], [1, -1, 0, 0]),
        ("y[i] = 1 / x[i]", "double", "double", [0.0, -0.0, 2.0, INF], [INF, -INF, 0.5, 0.0]),
        ("y[i] = x[i] / x[i]", "float", "float", [0.0, INF, 1.0, NAN], [NAN, NAN, 1.0, NAN]),
        ("y[i] = sqrt(x[i])", "double", "double", [-1.0, 4.0, INF, NAN], [NAN, 2.0, INF, NAN]),
        ("y[i] = log(x[i])", "double", "double", [0.0, 1.0, -1.0, INF], [-INF, 0.0, NAN, INF]),
        ("y[i] = max(x[i], 1)", "double", "double", [NAN, 0.5, 2.0, -INF], [1.0, 1.0, 2.0, 1.0]),
        ("y[i] = 1 if x[i] < 1 else 2", "float", "float", [NAN, 0.0, 1.0, 2.0], [2, 1, 2, 2]),
        ("y[i] = 1 if (x[i] < 1) == 0 else 2", "float", "float", [NAN, 0, 1, 2], [1, 2, 1, 1]),
        ("y[i] = x[i] < 1", "int32_t", "float", [NAN, 0.0, 1.0, 2.0], [0, 1, 0, 0]),
        ("y[i] = index(i) / 2 * x[i]", "float", "float", [1, 1, 1, 1], [0, 0, 1, 1]),
    ],
)  # fmt: skip
def test_types(body: str, y: str, x: str, values: list[float], expected: list[float]) -> None:
    found = run([body], {"x": np.array(values)}, {"y": y, "x": x})
    np.testing.assert_array_equal(found, np.array(expected, found.dtype))


def test_float_rounds_every_operation() -> None:
    x = np.array([0.1, 1e-8, 3.0, 16777216.0], "<f4")
    found = run(["y[i] = x[i] * x[i] + 1"], {"x": x}, {})
    np.testing.assert_array_equal(found, x * x + np.float32(1.0))
    found = run(["y[i] = float(x[i] * double(x[i])) + 1"], {"x": x}, {})
    np.testing.assert_array_equal(found, (x * x.astype("<f8")).astype("<f4") + np.float32(1.0))


def test_zeros_keep_their_sign() -> None:
    x = np.array([0.0, -0.0, 1.0, -1.0])
    for body, expected in (("y[i] = -x[i]", -x), ("y[i] = 0 - x[i]", 0.0 - x)):
        found = run([body], {"x": x}, {"y": "double", "x": "double"})
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_sums_run_in_order() -> None:
    x = np.array([[1e8, 1.0, -1e8, 1.0]] * 4, "<f4")
    found = run(["y[i] += x[i][j]"], {"x": x}, {}, loops={"i": 4, "j": 4})
    assert found.tolist() == [1.0] * 4


def test_starts_and_guards() -> None:
    x = np.arange(16.0).reshape(4, 4)
    body = ["y[i] = z[i]", "if j < i: y[i] += x[i][j]"]
    z = [10.0, 20.0, 30.0, 40.0]
    found = run(body, {"x": x, "z": z}, {}, loops={"i": 4, "j": 4})
    assert found.tolist() == [10.0, 24.0, 30.0 + 8 + 9, 40.0 + 12 + 13 + 14]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("y[i] *= x[i][j]", 24.0), ("y[i] = max(y[i], x[i][j])", 4), ("y[i] = min(y[i], x[i][j])", 1)],
)
def test_identities(statement: str, expected: float) -> None:
    x = np.array([[1, 2, 3, 4]] * 4)
    for element in ("float", "double", "int32_t", "uint8_t"):
        types = {"x": element, "y": element}
        assert run([statement], {"x": x}, types, loops={"i": 4, "j": 4}).tolist() == [expected] * 4


def test_sequential_nests_update_what_they_carry() -> None:
    body = ["if i > 0: y[i] = y[i] + y[i - 1]", "if i == 3: y[0] = 7"]
    found = run(body, {"x": [1.0, 2.0, 3.0, 4.0]}, {}, sequential=True, carries={"y": "x"})
    assert found.tolist() == [7.0, 3.0, 6.0, 10.0]


def test_elements_that_are_not_written() -> None:
    body = ["if i > 1: y[i] = 1"]
    found = run(body, {"x": [0.0]}, {}, sequential=True)
    np.testing.assert_array_equal(found, [NAN, NAN, 1.0, 1.0])
    assert run(body, {"x": [0.0]}, {"y": "int8_t"}, sequential=True).tolist() == [0, 0, 1, 1]


def single(loops: tuple[Loop, ...], target: Access, shape: tuple[int, ...] = (4,)) -> Program:
    arrays = (
        Array("x", (2, 3), Role.INPUT, ElementType.FLOAT),
        Array("w", (), Role.WEIGHT, ElementType.FLOAT),
        Array("y", shape, Role.OUTPUT, ElementType.FLOAT),
    )
    nest = Nest("n", loops, (Statement(target, Literal(1.0)),))
    return Program("p", arrays, (nest,))


def test_missing_inputs() -> None:
    program = single((Loop("i", 4),), Access("y", (Affine.iterator("i"),)))
    with pytest.raises(VerificationError) as raised:
        interpret(program, {"x": np.zeros((3, 2))})
    assert str(raised.value) == (
        "E710 input x has shape (3, 2), expected shape (2, 3)\n"
        "E710 weight w has no values, expected shape ()"
    )


def test_subscripts_outside() -> None:
    program = single((Loop("i", 5),), Access("y", (Affine.iterator("i"),)))
    message = r"E712 nest .n. reaches subscript 4, outside 0 \.\. 3"
    with pytest.raises(VerificationError, match=message):
        interpret(program, {"x": np.zeros((2, 3)), "w": np.zeros(())})


def test_many_loops() -> None:
    names = [f"i{at}" for at in range(30)]
    subscripts = tuple(Affine.iterator(name) for name in names)
    shape = (1,) * 28 + (2, 2)
    loops = tuple(Loop(name, extent) for name, extent in zip(names, shape, strict=True))
    program = single(loops, Access("y", subscripts), shape)
    found = interpret(program, {"x": np.zeros((2, 3)), "w": np.zeros(())})["y"]
    assert found.shape == shape
    assert (found == 1).all()
