"""Half and fixed-point programs through all back ends; and what fixed point has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.exact.interpreter import interpret
from streamopt.verification.reference.execution import execute
from streamopt.verification.vectors.golden import make_golden
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program

TYPES = ("half", "ap_fixed<18,4,AP_RND,AP_SAT>")


def layers(name: str, elements: tuple[str, ...]) -> Program:
    """Return a product and what follows it, in each type, for which no array is read twice."""
    arrays: dict[str, str] = {}
    nodes: dict[str, str] = {}
    for at, element in enumerate(elements):
        arrays |= {
            f"A{at}": f"input 4 6 {element}",
            f"W{at}": f"weight 6 4 {element}",
            f"t{at}": f"internal 4 4 {element}",
            f"y{at}": f"output 4 4 {element}",
        }
        nodes[f"mm{at}"] = f"i 4, j 4, k 6: t{at}[i][j] += A{at}[i][k] * W{at}[k][j]"
        nodes[f"act{at}"] = (
            f"i 4, j 4: y{at}[i][j] = relu(t{at}[i][j] * 0.5 - 0.25) "
            f"if t{at}[i][j] > 0.125 else abs(t{at}[i][j] / 2.0)"
        )
    return program(arrays, nodes, name)


@pytest.mark.parametrize("backend", ["vitis", "native", "tapa"])
def test_solved_emitted_verified(backend: str, tmp_path: Path) -> None:
    source = layers("numbers", TYPES)
    graph = canonicalize(source)
    schedule = so.solve(graph, level="opt5", dsp=40, effort=so.Effort(fifos=None)).schedule
    if backend != "native":
        outside = [a.name for a in graph.arrays if a.is_given or a.name.startswith("y")]
        ports = tuple(PortPlan(name, PortKind.AXI) for name in outside)
        schedule = so.put_outside(graph, schedule, ports)
    so.write(source, schedule, tmp_path / "p", backend=backend)
    verdict = so.verify(tmp_path / "p")
    verdict.raise_if_failed()
    assert all(output.max_error == 0.0 for output in verdict.outputs)


def test_both_interpreters_agree() -> None:
    source = layers("numbers", (*TYPES, "ap_fixed<16,6>", "ap_fixed<40,16,AP_RND>"))
    golden = make_golden(source)
    exact = interpret(source, golden.inputs)
    for name, result in execute(source, golden.inputs).items():
        off = np.abs(result.value - exact[name].astype(np.float64))
        assert (off <= result.bound).all(), name
        if name[-1] != "0":
            assert not result.bound.any(), name


def test_a_sum_that_may_saturate_is_not_promised() -> None:
    arrays = {"x": "input 8 ap_fixed<8,4,AP_TRN,AP_SAT>", "y": "output ap_fixed<8,4,AP_TRN,AP_SAT>"}
    source = program(arrays, {"sum": "i 8: y += x[i]"})
    result = execute(source, {"x": np.array([7.0, 7, -7, -7, 0, 0, 0, 0])})["y"]
    assert np.isinf(result.bound)
    assert execute(source, {"x": np.full(8, -0.5)})["y"].value == -4.0


def test_a_sum_wraps_around() -> None:
    source = program(
        {"x": "input 3 ap_fixed<8,4>", "y": "output ap_fixed<8,4>"}, {"sum": "i 3: y += x[i]"}
    )
    inputs = {"x": np.array([7.0, 7.0, 7.0625])}
    result = execute(source, inputs)["y"]
    assert (float(result.value), float(result.bound)) == (5.0625, 0.0)
    assert interpret(source, inputs)["y"] == 5.0625


@pytest.mark.parametrize(
    ("arrays", "body", "words"),
    [
        ("ap_fixed<16,6>", "y[i] = exp(x[i])", "exp in node 'n' is not defined for ap_fixed"),
        ("ap_fixed<16,6>", "y[i] = x[i] % 3", "% in node 'n' needs integers"),
        ("ap_fixed<16,6>", "y[i] = x[i] * float(x[i])", "C++ has no type for both"),
        ("ap_fixed<16,6>", "y[i] = x[i] * 40", "40 in node 'n' is outside the range"),
        ("ap_fixed<16,6>", "y[i] = 1 if x[i] > -66 else 0", "-66 in node 'n' is outside"),
        ("ap_fixed<53,6>", "y[i] = x[i] * x[i] * x[i]", "has 159 bits, and there are 128"),
    ],
)
def test_what_fixed_point_has_not(arrays: str, body: str, words: str) -> None:
    source = program({"x": f"input 4 {arrays}", "y": f"output 4 {arrays}"}, {"n": f"i 4: {body}"})
    with pytest.raises(StreamoptError) as raised:
        canonicalize(source)
    (problem,) = raised.value.diagnostics
    assert problem.code in ("E215", "E219")
    assert words in problem.message
    assert problem.hint


def test_a_product_over_iterations_is_refused() -> None:
    arrays = {"x": "input 4 ap_fixed<16,6>", "y": "output ap_fixed<16,6>"}
    with pytest.raises(StreamoptError, match="E219 a product over iterations"):
        canonicalize(program(arrays, {"n": "i 4: y *= x[i]"}))


def test_terms_of_another_kind_are_refused() -> None:
    arrays = {"x": "input 4 ap_fixed<16,6>", "y": "output int32_t"}
    with pytest.raises(StreamoptError, match="E219 terms of ap_fixed<16, 6> are added up in int32"):
        canonicalize(program(arrays, {"n": "i 4: y += x[i]"}))


def test_whole_numbers_of_any_width_are_cut_off_numbers(tmp_path: Path) -> None:
    path = tmp_path / "cut.cpp"
    path.write_text(
        "#include <ap_fixed.h>\n#include <ap_int.h>\n"
        "void cut(ap_fixed<12, 5> x[4], int y[4]) {"
        " for (int i = 0; i < 4; i++) y[i] = ap_uint<7>(x[i]) + ap_int<7>(x[i] * x[i]); }"
    )
    verdict = so.solve(so.load(path), level="opt1").verify()
    verdict.raise_if_failed()
    assert [output.max_error for output in verdict.outputs] == [0.0]


def test_a_sum_of_129_bits_of_which_the_upper_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "wide.cpp"
    path.write_text(
        "#include <ap_fixed.h>\n"
        "typedef ap_fixed<32, 27> t;\n"
        "void f(const t x[4], const t y[4], ap_fixed<40, 35> z[4]) {\n"
        "  for (int i = 0; i < 4; i++) {\n"
        "    ap_fixed<64, 56> a = x[i], b = y[i], d = a * b - b * b;\n"
        "    z[i] = d;\n"
        "  }\n"
        "}\n",
        encoding="utf-8",
    )
    steps = np.array([[2**31 - 1, -(2**31), 12345, -77777], [5, 2**31 - 1, -4242, 31313131]])
    given = dict(zip("xy", steps / 2.0**5, strict=True))
    found = interpret(so.load(path), given)["z"]
    exact = [int(x) * int(y) - int(y) ** 2 >> 5 for x, y in steps.T]
    assert [int(z * 2**5) for z in found] == [(one + 2**39) % 2**40 - 2**39 for one in exact]
