"""Programs in Python: what they become, that they compute the right thing, and what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streamopt as so
from streamopt import dsl
from streamopt.errors import FrontendError
from streamopt.formats.graph_json import read_graph_json, write_graph_json
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Function
from streamopt.ir.program import Loop
from streamopt.verification.exact.interpreter import interpret

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from streamopt.errors import Diagnostic
    from streamopt.ir.program import Program


def bare(program: Program) -> Program:
    """The program without its source locations."""
    nests = tuple(
        replace(nest, loc=None, statements=tuple(replace(s, loc=None) for s in nest.statements))
        for nest in program.nests
    )
    return replace(program, nests=nests)


def from_json(name: str, arrays: dict[str, str], nodes: list[tuple[str, str, str]]) -> Program:
    """Arrays as "input 4 5", nodes as (name, "i 4, j 5", statements)."""
    listed: dict[str, object] = {}
    for array, text in arrays.items():
        role, *shape = text.split()
        listed[array] = {"shape": [int(extent) for extent in shape], "role": role}
    document = {
        "schema_version": 1,
        "name": name,
        "arrays": listed,
        "nodes": [
            {
                "name": node,
                "loops": {i.split()[0]: int(i.split()[1]) for i in loops.split(", ")},
                "body": body.split("; "),
            }
            for node, loops, body in nodes
        ],
    }
    return bare(read_graph_json(json.dumps(document), "f"))


def computed(p: dsl.Builder, **inputs: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The arrays after the program has run, if it is a dataflow graph and survives as JSON."""
    program = p.build()
    so.dataflow(program)
    again = read_graph_json(write_graph_json(program), "again")
    assert bare(again) == bare(program)
    return interpret(program, inputs)


def problems(p: dsl.Builder) -> list[str]:
    """Code and first words of each problem, each of which must be in this file."""
    with pytest.raises(FrontendError) as caught:
        p.build()
    for found in caught.value.diagnostics:
        assert found.loc is not None
        assert found.loc.file == __file__
        assert found.loc.line is not None
    return [f"{found.code} {found.message}" for found in caught.value.diagnostics]


def random(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(7).uniform(-1, 1, shape).astype(np.float32)


def array(element: str, *values: float) -> NDArray[Any]:
    return np.array(values, dtype=element)


def test_two_products_are_those_of_json() -> None:
    p = dsl.program("two_products")
    i, j, k = p.iterators(i=64, j=64, k=32)
    a, b = p.input("A", 64, 32), p.input("B", 32, 64)
    c = p.compute("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]), node="product")
    p.output("Y", (i, j), dsl.maximum(c[i, j], 0), node="act")
    assert bare(p.build()) == from_json(
        "two_products",
        {"A": "input 64 32", "B": "input 32 64", "C": "internal 64 64", "Y": "output 64 64"},
        [
            ("product", "i 64, j 64, k 32", "C[i][j] += A[i][k] * B[k][j]"),
            ("act", "i 64, j 64", "Y[i][j] = relu(C[i][j])"),
        ],
    )


def test_three_products() -> None:
    p = so.dsl.program("3mm")
    i, j, k, m = p.iterators(i=4, j=5, k=6, m=7)
    a, b, c, d = p.input("A", 4, 6), p.input("B", 6, 5), p.input("C", 5, 7), p.input("D", 7, 4)
    e = p.compute("E", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    f = p.compute("F", (j, i), dsl.sum(m, c[j, m] * d[m, i]))
    (n,) = p.iterators(n=4)
    p.output("G", (i, n), dsl.sum(j, e[i, j] * f[j, n]))
    values = [random(4, 6), random(6, 5), random(5, 7), random(7, 4)]
    found = computed(p, **dict(zip("ABCD", values, strict=True)))["G"]
    expected = (values[0] @ values[1]) @ (values[2] @ values[3])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    graph = so.dataflow(p.build())
    assert [node.name for node in graph.nodes] == ["E", "F", "G"]


def test_convolution_with_a_padded_border() -> None:
    p = dsl.program("conv")
    c, o, y, x, r, s = p.iterators(c=2, o=3, y=6, x=7, r=3, s=3)
    h, w = p.iterators(h=4, w=5)
    image, weights = p.input("image", 2, 4, 5), random(3, 2, 3, 3)
    inside = (y > 0) & (y < 5) & (x >= 1) & (x <= 5)
    padded = p.compute("padded", (c, y, x), dsl.where(inside, image[c, y - 1, x - 1], 0))
    kernel = p.weight("kernel", values=weights)
    p.output("result", (o, h, w), dsl.sum((c, r, s), padded[c, h + r, w + s] * kernel[o, c, r, s]))
    program = p.build()
    assert [nest.name for nest in program.nests] == ["padded_border", "padded", "result"]
    assert program.nests[1].loops == (Loop("c", 2), Loop("y", 4), Loop("x", 5))
    assert str(program.nests[1].statements[0].target) == "padded[c][y + 1][x + 1]"
    values = random(2, 4, 5)
    found = computed(p, image=values)["result"]
    border = np.pad(values, ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(border, (3, 3), axis=(1, 2))
    expected = np.einsum("chwrs,ocrs->ohw", windows, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_border_in_the_other_branch() -> None:
    p = dsl.program("shift")
    (i,) = p.iterators(i=10)
    x = p.input("x", 8)
    p.output("y", i, dsl.where((i < 2) | ~(i < 10), 9, x[i - 2]))
    assert list(computed(p, x=random(8))["y"]) == [9, 9, *random(8)]


def test_choice_that_stays_inside_is_one_nest() -> None:
    p = dsl.program("choice")
    (i,) = p.iterators(i=8)
    x = p.input("x", 8)
    p.output("y", i, dsl.where(x[i] > 0.5, x[i], i))
    assert len(p.build().nests) == 1
    values = random(8)
    expected = np.where(values > 0.5, values, np.arange(8))
    np.testing.assert_array_equal(computed(p, x=values)["y"], expected)


def test_softmax_in_one_line() -> None:
    p = dsl.program("softmax")
    i, j, k = p.iterators(i=3, j=5, k=5)
    x = p.input("x", 3, 5)
    largest = dsl.max(k, x[i, k])
    p.output("y", (i, j), dsl.exp(x[i, j] - largest) / dsl.sum(k, dsl.exp(x[i, k] - largest)))
    assert [nest.name for nest in p.build().nests] == ["y_max", "y_sum", "y"]
    values = random(3, 5)
    exponentials = np.exp(values - values.max(axis=1, keepdims=True))
    expected = exponentials / exponentials.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(computed(p, x=values)["y"], expected, rtol=1e-5)


def test_stencil_over_an_inner_range() -> None:
    p = dsl.program("blur")
    (i,) = p.iterators(i=range(1, 9))
    (j,) = p.iterators(j=10)
    x = p.input("x", 10, element="double")
    blurred = p.output("y", j, x[j], node="ends")
    p.assign(blurred[i], (x[i - 1] + x[i] + x[i + 1]) / 3, node="middle")
    values = random(10).astype(np.float64)
    expected = values.copy()
    expected[1:-1] = (values[:-2] + values[1:-1] + values[2:]) / 3
    np.testing.assert_array_equal(computed(p, x=values)["y"], expected)
    assert bare(p.build()).nests[1].loops == (Loop("i", 8),)


def test_subscripts_are_affine_as_in_json() -> None:
    p = dsl.program("affine")
    i, j = p.iterators(i=4, j=6)
    x = p.input("x", 100)
    value = x[2 * i + j + 1] + x[(j + i) // 4] + x[(i * 6 + j) % 5] + x[i << 1] + x[j >> 1]
    p.output("y", (i, j), value - x[-i + 3], node="n")
    body = "y[i][j] = x[2*i + j + 1] + x[(i + j) // 4] + x[(6*i + j) % 5] + x[2*i] + x[j // 2]"
    arrays = {"x": "input 100", "y": "output 4 6"}
    assert bare(p.build()) == from_json("affine", arrays, [("n", "i 4, j 6", f"{body} - x[3 - i]")])


def test_order_of_loops() -> None:
    p = dsl.program("order")
    i, j, k = p.iterators(i=2, j=3, k=4)
    a = p.input("a", 3, 4, 2)
    p.output("y", (i, j), dsl.sum(k, a[j, k, i]), order=(k, i, j))
    p.output("z", (i, j), dsl.sum(k, a[j, k, i]), order=("j", "i", "k"))
    assert [[loop.name for loop in nest.loops] for nest in p.build().nests] == [
        ["k", "i", "j"],
        ["j", "i", "k"],
    ]


def test_start_and_guard_of_a_reduction() -> None:
    p = dsl.program("triangle")
    i, j = p.iterators(i=4, j=4)
    a, b = p.input("a", 4, 4), p.input("b", 4)
    p.output("y", i, dsl.sum(j, a[i, j], start=b[i], where=j <= i))
    p.output("z", i, dsl.sum(j, a[i - j, j], where=i - j >= 0))
    program = p.build()
    values, start = random(4, 4), random(4)
    found = interpret(program, {"a": values, "b": start})
    np.testing.assert_allclose(found["y"], start + np.tril(values).sum(axis=1), rtol=1e-5)
    expected = [sum(values[i - j, j] for j in range(i + 1)) for i in range(4)]
    np.testing.assert_allclose(found["z"], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("reduce", "numpy"),
    [(dsl.sum, np.sum), (dsl.prod, np.prod), (dsl.max, np.max), (dsl.min, np.min)],
)
def test_reductions(reduce: Any, numpy: Any) -> None:
    p = dsl.program("reduction")
    i, j = p.iterators(i=3, j=4)
    x = p.input("x", 3, 4)
    p.output("y", (), reduce((i, j), x[i, j]))
    np.testing.assert_allclose(computed(p, x=random(3, 4))["y"], numpy(random(3, 4)), rtol=1e-5)


def test_functions_are_those_of_the_ir() -> None:
    names = {"maximum": "max", "minimum": "min", "power": "pow", "absolute": "abs"}
    p = dsl.program("functions")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    one_argument = "exp log sqrt tanh erf sin cos atan floor ceil rint absolute"
    for name in one_argument.split():
        p.output(f"y_{name}", i, getattr(dsl, name)(x[i]))
    for name in ("maximum", "minimum", "power"):
        p.output(f"y_{name}", i, getattr(dsl, name)(x[i], 2))
    listed = [*one_argument.split(), "maximum", "minimum", "power"]
    for function in set(Function) - {names.get(name, name) for name in listed}:
        p.output(f"y_{function}", i, dsl.call(function, *[x[i]] * function.arity))
    found = computed(p, x=array("float32", 0.1, 0.5, 1.5, 2.5))
    np.testing.assert_allclose(
        found["y_power"], array("float32", 0.01, 0.25, 2.25, 6.25), rtol=1e-6
    )
    np.testing.assert_allclose(found["y_floor"], [0, 0, 1, 2])
    np.testing.assert_allclose(
        found["y_hypot"], np.sqrt(2) * np.array([0.1, 0.5, 1.5, 2.5]), rtol=1e-6
    )


@pytest.mark.parametrize(("name", "values"), [("logarithm", 1), ("log2", 2)])
def test_functions_that_there_are_not(name: str, values: int) -> None:
    p = dsl.program("functions")
    (i,) = p.iterators(i=4)
    p.output("y", i, dsl.call(name, *[p.input("x", 4)[i]] * values))
    with pytest.raises(FrontendError, match=f"E187 there is no function '{name}' of {values}"):
        p.build()


def test_sigmoid_is_that_of_json() -> None:
    p = dsl.program("sigmoid")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    p.output("y", i, dsl.sigmoid(x[i]), node="n")
    arrays = {"x": "input 4", "y": "output 4"}
    assert bare(p.build()) == from_json("sigmoid", arrays, [("n", "i 4", "y[i] = sigmoid(x[i])")])


def test_element_types_follow_the_values() -> None:
    p = dsl.program("types")
    i, j = p.iterators(i=4, j=4)
    small, wide = p.input("small", 4, element="int8"), p.input("wide", 4, element="float64")
    assert p.output("a", i, small[i] * small[i]).array.element is ElementType.INT32
    assert p.output("b", i, small[i] * wide[i]).array.element is ElementType.DOUBLE
    assert p.output("c", i, dsl.sum(j, small[j])).array.element is ElementType.INT32
    assert p.output("d", i, dsl.max(j, small[j])).array.element is ElementType.INT8
    assert p.output("e", i, small[i] * 0.5).array.element is ElementType.FLOAT
    assert p.output("f", i, i).array.element is ElementType.INT32
    assert p.output("g", i, small[i], element="uint16_t").array.element is ElementType.UINT16
    assert p.output("h", i, 1).array.element is ElementType.FLOAT
    assert p.output("k", i, dsl.cast(wide[i], "int16")).array.element is ElementType.INT16
    found = computed(p, small=array("int8", 1, 2, 3, 100), wide=array("float64", 1.9, 2.9, 3, 4))
    assert list(found["a"]) == [1, 4, 9, 10000]
    assert list(found["e"]) == [0.5, 1, 1.5, 50]
    assert list(found["f"]) == [0, 1, 2, 3]
    assert list(found["k"]) == [1, 2, 3, 4]


def test_integers_have_bits() -> None:
    p = dsl.program("bits")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4, element="int32_t")
    p.output("y", i, ((x[i] << 2) | 1) ^ (x[i] & 6) ^ (x[i] >> 1) ^ (x[i] % 3))
    values = array("int32", 5, 6, 7, 100)
    expected = ((values << 2) | 1) ^ (values & 6) ^ (values >> 1) ^ (values % 3)
    np.testing.assert_array_equal(computed(p, x=values)["y"], expected)


def test_numpy_numbers_and_reflected_operators() -> None:
    p = dsl.program("numbers")
    four, two = cast("int", np.int64(4)), cast("float", np.float32(2))
    (i,) = p.iterators(i=four)
    x = p.input("x", 4)
    p.output("y", i, 1 - two * x[i] + 1 / x[i] + (-x[i]))
    values = array("float32", 1, 2, 4, 8)
    np.testing.assert_array_equal(computed(p, x=values)["y"], 1 - 2 * values + 1 / values - values)


def test_weights_keep_their_values() -> None:
    p = dsl.program("weights")
    (i,) = p.iterators(i=3)
    values = array("float64", 1, 2, 3)
    doubles, halves = p.weight("doubles", values=values), p.weight("halves", values=[0.5, 1, 1.5])
    integers, later = p.weight("integers", values=[1, 2, 3]), p.weight("later", 3)
    values[0] = 77
    p.output("y", i, doubles[i] + halves[i] + integers[i] + later[i])
    program = p.build()
    elements = [array.element.value for array in program.arrays[:4]]
    assert elements == ["double", "float", "int32_t", "float"]
    assert set(program.values) == {"doubles", "halves", "integers"}
    assert list(program.values["doubles"]) == [1, 2, 3]
    assert not program.values["doubles"].flags.writeable
    assert list(interpret(program, {"later": np.zeros(3)})["y"]) == [2.5, 5, 7.5]


def test_one_reduction_used_twice_is_computed_once() -> None:
    p = dsl.program("norm")
    i, j, k = p.iterators(i=3, j=4, k=4)
    x = p.input("x", 3, 4)
    total = dsl.sum(k, x[i, k])
    p.output("y", (i, j), x[i, j] / total + total)
    p.output("z", (i, j), x[i, j] - total)
    assert [nest.name for nest in p.build().nests] == ["y_sum", "y", "z"]


def test_scalars_need_no_subscripts() -> None:
    p = dsl.program("axpy")
    (i,) = p.iterators(i=4)
    alpha, x = p.input("alpha"), p.input("x", 4)
    total = p.compute("total", (), dsl.sum(i, x[i]))
    p.output("y", i, alpha * x[i] + total)
    found = computed(p, alpha=np.full((), 2, np.float32), x=array("float32", 1, 2, 3, 4))["y"]
    assert list(found) == [12, 14, 16, 18]


def test_text_shows_the_loops() -> None:
    p = dsl.program("dot")
    (i,) = p.iterators(i=8)
    a, b = p.input("a", 8), p.input("b", 8)
    p.output("s", (), dsl.sum(i, a[i] * b[i]))
    assert str(p).splitlines() == [
        "program dot",
        "input a[8]: float",
        "input b[8]: float",
        "output s: float",
        "s: for i in range(8):",
        "    s += a[i] * b[i]",
    ]
    assert repr(p) == "<program dot: 3 arrays, 1 nests>"


def test_problems_come_together_each_with_its_line() -> None:
    p = dsl.program("bad")
    i, j = p.iterators(i=8, j=8)
    a = p.input("A", 8, 8)
    p.output("Y", i, a[i * i, j] + a[i])
    p.output("Z", i, a[i, j])
    with pytest.raises(FrontendError) as caught:
        p.build()
    assert [found.code for found in caught.value.diagnostics] == ["E181", "E182", "E184"]
    lines = [found.loc.line or 0 for found in caught.value.diagnostics if found.loc is not None]
    assert lines[0] == lines[1] == lines[2] - 1


def test_not_affine() -> None:
    p = dsl.program("bad")
    i, j = p.iterators(i=8, j=8)
    x, at = p.input("x", 8), p.input("at", 8, element="int32_t")
    bad: list[Any] = [x[i * j], x[at[i]], x[i / 2], x[1.5], x[(i - 1) // 2]]
    bad += [x[2:3], x[(i - 9) % 4], x[dsl.sum(j, at[j])]]  # type: ignore[index]
    bad += [x[i * 2**31]]
    bad += [x[i * 2**30 * 2]]
    for number, value in enumerate(bad):
        p.output(f"y{number}", (i, j), value)
    assert problems(p) == [
        "E181 subscript index(i) * index(j) of x is not affine",
        "E181 subscript at[i] of x is not affine",
        "E181 subscript index(i) / 2 of x is not affine",
        "E181 subscript 1.5 of x is not affine",
        "E181 i - 1 is divided by 2, but is negative for some iterations",
        "E181 x is subscripted by a slice",
        "E181 i - 9 is divided by 4, but is negative for some iterations",
        "E181 a subscript of x is not affine",
        "E181 subscript index(i) * 2147483648 of x is not affine",
        "E181 a number in a sum of iterators is too large",
    ]


@pytest.mark.parametrize("subscripts", [(), (0,), (0, 0, 0)])
def test_wrong_number_of_subscripts(subscripts: tuple[int, ...]) -> None:
    p = dsl.program("bad")
    (i,) = p.iterators(i=8)
    p.output("y", i, p.input("x", 8, 8)[subscripts])
    count = f"{len(subscripts)} subscript{'s' * (len(subscripts) != 1)}"
    assert problems(p) == [f"E182 x has 2 dimensions, but is given {count}"]


def test_out_of_range() -> None:
    p = dsl.program("bad")
    i, j = p.iterators(i=8, j=8)
    x = p.input("x", 8)
    y = p.output("y", i, x[i + 1])
    p.assign(y[i + 1], 0)
    p.output("z", i, dsl.sum(j, x[j - 1]))
    p.output("w", i, dsl.where(x[0] > 0, x[i - 1], 0))
    p.output("v", i, dsl.where((i > 0) | (i < 3), x[i - 1], 0))
    p.output("u", i, dsl.where(i > 0, x[i - 2], 0))
    p.output("t", i, x[i], shape=(7,))
    assert problems(p) == [
        "E183 x[i + 1] reaches [1, 8] in dimension 0 of x, whose extent is 8",
        "E183 y[i + 1] reaches [1, 8] in dimension 0 of y, whose extent is 8",
        "E183 x[j - 1] reaches [-1, 6] in dimension 0 of x, whose extent is 8",
        "E183 x[i - 1] reaches [-1, 6] in dimension 0 of x, whose extent is 8",
        "E183 x[i - 1] reaches [-1, 6] in dimension 0 of x, whose extent is 8",
        "E183 x[i - 2] reaches [-1, 5] in dimension 0 of x, whose extent is 8",
        "E183 t[i] reaches [0, 7] in dimension 0 of t, whose extent is 7",
    ]


def test_iterators_that_are_not_bound() -> None:
    p = dsl.program("bad")
    i, j = p.iterators(i=8, j=8)
    (other,) = p.iterators(i=4)
    x = p.input("x", 8, 8)
    p.output("a", i, x[i, j])
    p.output("b", i, dsl.sum(i, x[i, 0]))
    p.output("c", i, x[i, other])
    p.output("d", i, dsl.sum(x[i, j], 1))  # type: ignore[arg-type]
    p.output("e", i, dsl.sum((), 1))
    p.output("f", i, x[i, i], order=("j",))
    p.output("g", i, dsl.sum(j, x[i, j], start=x[0, j]))
    found = problems(p)
    assert [text[:4] for text in found] == ["E184"] * 7
    assert found[0] == "E184 iterator 'j' is not bound: it is no subscript of a"
    assert found[1] == "E184 iterator 'i' is reduced, and a subscript of b too"
    assert found[2] == "E184 iterators 'i' of 4 and 8 iterations meet in c"


@pytest.mark.parametrize("extent", [0, -3, 2**31, 10**30, "8", 2.0, True, range(0), None])
def test_extents_of_iterators(extent: Any) -> None:
    p = dsl.program("bad")
    p.iterators(i=extent)
    (text,) = problems(p)
    assert text.startswith("E184 ")
    assert text.endswith(" is no extent for iterator 'i'")


def test_names() -> None:
    p = dsl.program("two words")
    p.iterators(a__b=4, x=4)
    p.input("while", 4)
    p.input("exp", 4)
    p.input("x", 4)
    p.input("x", 4)
    p.input("3x", 4)
    p.input("y" * 101, 4)
    p.compute("z", p.iterators(i=4), 0)
    p.compute("w", p.iterators(i=4), 0, node="z")
    p.compute("v", p.iterators(i=4), 0, node="a-b")
    p.input(4, 4)  # type: ignore[arg-type]
    assert [found[:4] for found in problems(p)] == ["E185"] * 11


@pytest.mark.parametrize("shape", [(0,), (-1,), (1.5,), ("4",), (2**31,), (True,), (1,) * 33])
def test_shapes(shape: Any) -> None:
    p = dsl.program("bad")
    x = p.input("x", *shape)
    p.output("y", (), x[0, 0] + x[()])
    (text,) = problems(p)
    assert text.startswith("E186 ")


@pytest.mark.parametrize("values", ["text", [[1], [1, 2]], [None], [1j], [1e300, 1], {}, [2**70]])
def test_values_of_weights(values: Any) -> None:
    p = dsl.program("bad")
    p.weight("w", values=values, element="int8_t")
    assert [found[:4] for found in problems(p)] == ["E186"]


def test_element_types_that_do_not_exist() -> None:
    p = dsl.program("bad")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4, element="flaot")
    y = p.input("y", 4)
    p.compute("z", i, y[i] + x[i, i], element="int7")
    p.compute("w", i, dsl.cast(y[i], "quarter"))
    assert [found[:4] for found in problems(p)] == ["E186"] * 3


def test_what_is_no_expression() -> None:
    p = dsl.program("bad")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    values: list[Any] = [True, None, "x", x, 10**400, i < 2, x[i] // 2, x[i] % 2]
    values += [x[i] << 1, x[i] & 1, dsl.where(x[i] > 0, 1, "a"), dsl.where(True, 1, 2)]  # type: ignore[arg-type]
    values += [dsl.where((x[i] > 0) & 3, 1, 2)]  # type: ignore[operator]
    for number, value in enumerate(values):
        p.output(f"y{number}", i, value)
    found = problems(p)
    assert len(found) == len(values)
    assert {text[:4] for text in found} == {"E187", "E182"}


def test_conditions_have_no_truth_value() -> None:
    p = dsl.program("bad")
    (i,) = p.iterators(i=4)
    with pytest.raises(FrontendError, match=r"test_dsl\.py:\d+: E187 a comparison"):
        assert 0 < i < 3
    with pytest.raises(FrontendError, match="E187"):
        assert i == 2


def test_arrays_of_other_programs() -> None:
    p, q = dsl.program("p"), dsl.program("q")
    (i,) = p.iterators(i=4)
    x = q.input("x", 4)
    p.output("y", i, x[i])
    assert problems(p) == ["E186 x is no array of program p"]


def test_assignments() -> None:
    p = dsl.program("bad")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    p.assign(x[i], 0)
    p.assign(x[i] + 1, 0)
    p.assign(i, 0)
    p.assign(dsl.sum(i, x[i]), 0)
    assert [found[:4] for found in problems(p)] == ["E189"] * 4


def test_no_output() -> None:
    p = dsl.program("nothing")
    p.input("x", 4)
    with pytest.raises(FrontendError, match="E188 program nothing has no output"):
        p.build()


def test_huge_expressions_end() -> None:
    p = dsl.program("huge")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    value, index, condition = x[i], i, i < 3
    for _ in range(400):
        value, index = value + value, index + index
        condition = condition & (i < 2)
    sums = [i * 2**30 + i * 2**30]
    p.output("y", i, value)
    p.output("z", i, x[index])
    p.output("v", i, x[sums[0]])
    p.output("w", i, dsl.where(condition, 1, 2))
    found = problems(p)
    assert found[0] == "E187 the expression is too large, or nested too deeply"
    assert {text[:4] for text in found} == {"E187", "E181"}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("ijk+-*/%<>&|~ws0123456789"), max_size=25), st.integers(0, 3))
def test_any_use_gives_a_program_or_diagnostics(text: list[str], depth: int) -> None:
    p = dsl.program("fuzz")
    i, j, k = p.iterators(i=4, j=3, k=range(1, 3))
    x = p.input("x", 4, 3)
    stack: list[Any] = [i, j, k, x[i, j], 2, 0.5]
    actions: dict[str, Callable[[Any, Any], Any]] = {
        "i": lambda a, _: a + i,
        "j": lambda a, _: a * j,
        "k": lambda a, _: k - a,
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, _: a // 2,
        "%": lambda a, b: a % b,
        "<": lambda a, b: a < b,
        ">": lambda a, b: a >= b,
        "&": lambda a, b: a & b,
        "|": lambda a, b: a | b,
        "~": lambda a, _: ~a,
        "w": lambda a, b: dsl.where(a < 1, a, b),
        "s": lambda a, _: dsl.sum(j, a),
        "x": lambda a, _: x[a, 0],
    }
    for action in text:
        operation = actions.get(action, actions["x"])
        try:
            result = operation(stack[-1], stack[-1 - depth])
        except (TypeError, ZeroDivisionError, ValueError):
            continue  # Python's own numbers.
        stack.append(result)
    for number, value in enumerate(stack[6:]):
        p.output(f"y{number}", (i, j, k), value)
    p.output("last", i, 1)
    assert str(p)
    problems_found: tuple[Diagnostic, ...] = ()
    try:
        program = p.build()
    except FrontendError as error:
        problems_found = error.diagnostics
    else:
        again = read_graph_json(write_graph_json(program), "again")
        assert bare(again) == bare(program)
    assert all(found.loc is not None for found in problems_found)
