"""Our C++ headers of element types against the exact interpreter's operations, bit for bit."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.codegen.expressions import ExpressionText
from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import MAX_BITS, ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    CompareOp,
    Function,
    Literal,
    Read,
    Select,
    walk,
)
from streamopt.ir.program import Array, Nest, Program, Role, Statement
from streamopt.verification.csim.running import HEADERS
from streamopt.verification.exact.interpreter import interpret
from streamopt.verification.reference.execution import execute
from streamopt.verification.storage import numbers_of, stored

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.ir.expression import Expression

_UNSURE = (BinaryOp.DIV, BinaryOp.MUL)  # of integers: by zero, or beyond 53 bits
POINTS = 16
FLAGS = (
    "-std=c++17",
    "-O0",
    "-Wall",
    "-Wextra",
    "-Werror",
    *(
        f"-Wno-{w}"
        for w in ("unused-parameter", "div-by-zero", "self-assign", "tautological-compare")
    ),
)
FORMATS = (
    "ap_fixed<16, 6>",
    "ap_fixed<8, 8>",
    "ap_fixed<18, 3, AP_RND>",
    "ap_fixed<7, 2, AP_TRN, AP_SAT>",
    "ap_fixed<12, 14, AP_RND, AP_SAT>",
    "ap_fixed<10, -3>",
    "ap_fixed<32, 16, AP_RND>",
    "ap_fixed<53, 20>",
    "ap_fixed<1, 1>",
)
PLAIN = (ElementType.INT8, ElementType.INT32, ElementType.UINT16)


@dataclass(frozen=True, slots=True)
class Case:
    """One assignment of an expression over two arrays."""

    left: ElementType
    right: ElementType
    target: ElementType
    value: Expression

    @property
    def program(self) -> Program:
        """Return the program of one nest."""
        arrays = (
            Array("x", (), Role.INPUT, self.left),
            Array("y", (), Role.INPUT, self.right),
            Array("z", (), Role.OUTPUT, self.target),
        )
        statement = Statement(Access("z", ()), self.value)
        return Program("case", arrays, (Nest("n", (), (statement,)),))

    def element_of(self, name: str) -> ElementType:
        """Return the type of an array."""
        return {"x": self.left, "y": self.right, "z": self.target}[name]

    def function(self, number: int) -> str:
        """Return a C++ function that computes it at all points."""
        text = ExpressionText(self.element_of, lambda a: f"{a.array}[at]", str)
        value = text.text(self.value, self.target)
        parameters = f"const {self.left} *x, const {self.right} *y, {self.target} *z"
        loop = f"for (int at = 0; at < {POINTS}; at++)"
        return (
            f"static void case_{number}({parameters}) {{\n    {loop}\n        z[at] = {value};\n}}"
        )


X, Y = Read(Access("x", ())), Read(Access("y", ()))


def _expression(pick: random.Random, depth: int) -> Expression:
    if depth == 0:
        return pick.choice((X, Y, X, Y, Literal(pick.choice((0.5, 0.0, -0.25)))))
    one, other = (_expression(pick, pick.randrange(depth)) for _ in range(2))
    match pick.randrange(9):
        case 0 | 1 | 2 | 3 | 4:
            op = pick.choice((BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV))
            return Binary(op, one, other)
        case 5:
            return Call(pick.choice((Function.MAX, Function.MIN)), (one, other))
        case 6:
            return Call(Function.ABS, (one,))
        case 7:
            return Binary(BinaryOp.SUB, Literal(-0.0), one)
        case _:
            return Select(Compare(pick.choice((*CompareOp,)), one, other), one, other)


def _cases(pick: random.Random, count: int) -> list[Case]:
    fixed = tuple(map(ElementType, FORMATS))
    found: list[Case] = []
    while len(found) < count:
        left, right = pick.choice(fixed), pick.choice((*fixed, *PLAIN))
        target = pick.choice((*fixed, *fixed, *PLAIN, ElementType.FLOAT, ElementType.HALF))
        case = Case(left, right, target, _expression(pick, 1 + pick.randrange(3)))
        if _is_defined(case):
            found.append(case)
    halves = (ElementType.HALF, ElementType.HALF)
    for _ in range(count // 2):
        target = pick.choice((ElementType.HALF, ElementType.HALF, ElementType.FLOAT, fixed[0]))
        found.append(Case(*halves, target, _expression(pick, 1 + pick.randrange(3))))
    return found


def _is_defined(case: Case) -> bool:
    """Return whether literals are in range, and results narrow enough."""
    from streamopt.transforms.legality import fixed_point_problems

    program = case.program
    nest = program.nests[0]
    element = expression_type(case.value, case.element_of)
    for part in walk(case.value):
        kind = expression_type(part, case.element_of)
        if isinstance(part, Binary) and part.op in _UNSURE and kind and kind.is_integer:
            return False
    wide = element is not None and element.is_fixed and element.bits > MAX_BITS
    return not wide and not [*fixed_point_problems(program, nest, nest.statements[0])]


def _drawn(pick: random.Random, element: ElementType) -> NDArray[np.float64]:
    if element.is_float:
        exact = [pick.choice((0.0, 1.0, -2.5, 6e-8, 60000.0)) for _ in range(4)]
        rest = [pick.gauss(0.0, 1.0) * 2.0 ** pick.randrange(-12, 9) for _ in range(POINTS - 4)]
        return numbers_of(stored(np.array([*exact, *rest]), element), element)
    form = element.fixed_point
    ends = (form.lowest, form.highest, 0, -1 if element.is_signed else 1)
    low = form.lowest if element.is_signed else 0
    drawn = [*ends, *(pick.randint(low, form.highest) for _ in range(POINTS - 4))]
    whole = np.array([max(low, one) for one in drawn], np.float64)
    return np.ldexp(whole, -form.fraction_bits)


def _compiled(cases: list[Case], folder: Path) -> Path:
    lines = ["#include <ap_fixed.h>", "#include <hls_half.h>", "#include <algorithm>"]
    lines += ["#include <cmath>", "#include <cstdint>", "#include <cstdio>", "#include <cstdlib>"]
    lines += [case.function(number) for number, case in enumerate(cases)]
    lines.append("int main() {")
    for number, case in enumerate(cases):
        lines.append("    {")
        for name in "xyz":
            lines.append(f"        static {case.element_of(name)} {name}[{POINTS}];")
        for name in "xy":
            read = f"std::fread({name}, sizeof *{name}, {POINTS}, stdin)"
            lines.append(f"        if ({read} != {POINTS})\n            return 1;")
        lines.append(f"        case_{number}(x, y, z);")
        lines.append(f"        std::fwrite(z, sizeof *z, {POINTS}, stdout);\n    }}")
    lines.append("    return 0;\n}")
    source, program = folder / "cases.cpp", folder / "cases"
    source.write_text("\n".join(lines))
    command = ["g++", *FLAGS, f"-I{HEADERS}", f"-I{TYPE_HEADERS}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return program


@pytest.fixture(scope="module")
def compared(
    tmp_path_factory: pytest.TempPathFactory,
) -> list[tuple[Case, list[NDArray[np.float64]]]]:
    """Return cases with inputs and what the compiled program made of them."""
    pick = random.Random(20)
    cases = _cases(pick, 80)
    program = _compiled(cases, tmp_path_factory.mktemp("cases"))
    inputs = [(_drawn(pick, case.left), _drawn(pick, case.right)) for case in cases]
    data = b"".join(
        stored(values, kind).tobytes()
        for case, pair in zip(cases, inputs, strict=True)
        for values, kind in zip(pair, (case.left, case.right), strict=True)
    )
    done = subprocess.run([str(program)], input=data, capture_output=True, check=True)
    found: list[tuple[Case, list[NDArray[np.float64]]]] = []
    at = 0
    for case, pair in zip(cases, inputs, strict=True):
        kind = stored(np.zeros(1), case.target).dtype
        got = np.frombuffer(done.stdout, kind, POINTS, at)
        at += got.nbytes
        found.append((case, [*pair, numbers_of(got, case.target)]))
    assert at == len(done.stdout)
    return found


def test_headers_give_the_bits_of_the_interpreter(
    compared: list[tuple[Case, list[NDArray[np.float64]]]],
) -> None:
    for case, (x, y, got) in compared:
        for at in range(POINTS):
            inputs = {"x": np.array(x[at]), "y": np.array(y[at])}
            wanted = float(interpret(case.program, inputs)["z"])
            same = got[at] == wanted or (np.isnan(wanted) and np.isnan(got[at]))
            # a number that is not finite, or too large for an integer, is C's to convert
            source = expression_type(case.value, case.element_of) or case.target
            undefined = source.is_float and not case.target.is_float and not np.isfinite(wanted)
            assert same or undefined, (case, x[at], y[at], got[at], wanted)


def test_reference_is_exact_in_fixed_point(
    compared: list[tuple[Case, list[NDArray[np.float64]]]],
) -> None:
    for case, (x, y, got) in compared:
        if case.left is ElementType.HALF or case.target.is_float:
            continue
        for at in range(0, POINTS, 3):
            inputs = {"x": np.array(x[at]), "y": np.array(y[at])}
            result = execute(case.program, inputs)["z"]
            assert float(result.bound) == 0.0, case
            assert float(result.value) == got[at], (case, x[at], y[at])


def test_reference_bounds_hold_in_half(
    compared: list[tuple[Case, list[NDArray[np.float64]]]],
) -> None:
    for case, (x, y, got) in compared:
        if case.left is not ElementType.HALF:
            continue
        for at in range(POINTS):
            inputs = {"x": np.array(x[at]), "y": np.array(y[at])}
            result = execute(case.program, inputs)["z"]
            if np.isfinite(result.value) and np.isfinite(result.bound):
                off = abs(float(result.value) - got[at])
                assert off <= float(result.bound), (case, x[at], y[at])


def test_conversions_of_every_pair_of_formats() -> None:
    """What NumPy converts for files is what the interpreter converts."""
    pick = random.Random(3)
    for text in FORMATS:
        element = ElementType(text)
        numbers = np.array([pick.gauss(0, 1) * 2.0 ** pick.randrange(-20, 30) for _ in range(200)])
        program = Program(
            "convert",
            (
                Array("x", (200,), Role.INPUT, ElementType.DOUBLE),
                Array("z", (200,), Role.OUTPUT, element),
            ),
            (),
        )
        form = element.fixed_point
        from fractions import Fraction

        wanted = [float(form.number(form.mantissa(Fraction(n)))) for n in numbers.tolist()]
        assert numbers_of(stored(numbers, element), element).tolist() == wanted, program.name


def test_a_cast_goes_through_double_between_half_and_fixed_point() -> None:
    text = ExpressionText(lambda _: ElementType.HALF, lambda a: a.array, str)
    wide = ElementType("ap_fixed<16, 6>")
    assert text.text(Cast(wide, X), wide) == (
        "static_cast<ap_fixed<16, 6>>(static_cast<double>(x))"
    )
