"""Text of expressions: same value, few brackets, exact literals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamopt.codegen.expressions import ExpressionText
from streamopt.errors import CodegenError
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Compare,
    CompareOp,
    Expression,
    Function,
    Literal,
    Read,
    Select,
)
from streamopt.ir.program import ElementType, Reduction

FLOAT = ExpressionText(ElementType.FLOAT, lambda access: access.array)
DOUBLE = ExpressionText(ElementType.DOUBLE, lambda access: access.array)
A, B, C = (Read(Access(name, ())) for name in "abc")


def op(text: str, left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOp(text), left, right)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (op("+", op("+", A, B), C), "a + b + c"),
        (op("+", A, op("+", B, C)), "a + (b + c)"),
        (op("-", A, op("-", B, C)), "a - (b - c)"),
        (op("*", op("+", A, B), C), "(a + b) * c"),
        (op("+", op("*", A, B), C), "a * b + c"),
        (op("/", A, op("*", B, C)), "a / (b * c)"),
        (op("*", Literal(-1.0), A), "(-1.0f) * a"),
        (Call(Function.MAX, (op("+", A, B), Literal(0.0))), "fmaxf(a + b, 0.0f)"),
        (
            Select(Compare(CompareOp.LE, op("+", A, B), C), op("-", A, B), C),
            "(a + b <= c ? a - b : c)",
        ),
    ],
)
def test_brackets_keep_the_order_of_operations(expression: Expression, text: str) -> None:
    assert FLOAT.text(expression) == text


@pytest.mark.parametrize("function", sorted(set(Function) - {Function.MAX, Function.MIN}))
def test_functions_are_those_of_cmath(function: Function) -> None:
    name = "fabs" if function is Function.ABS else function.value
    assert FLOAT.text(Call(function, (A,))) == f"{name}f(a)"
    assert DOUBLE.text(Call(function, (A,))) == f"{name}(a)"


@pytest.mark.parametrize(
    ("value", "single", "double"),
    [
        (0.1, "0.1f", "0.1"),
        (1 / 3, "0.33333334f", "0.3333333333333333"),
        (1e20, "1e+20f", "1e+20"),
        (3.0, "3.0f", "3.0"),
        (1e-45, "1e-45f", "1e-45"),
    ],
)
def test_literals_are_the_shortest_that_come_back(value: float, single: str, double: str) -> None:
    assert FLOAT.literal(value) == single
    assert DOUBLE.literal(value) == double


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_float_comes_back(value: float) -> None:
    text = FLOAT.literal(value)
    assert text.endswith("f")
    assert "." in text or "e" in text


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e39])
def test_literals_that_do_not_fit_are_refused(value: float) -> None:
    with pytest.raises(CodegenError, match=r"E601 literal .* is not a finite float"):
        FLOAT.literal(value)


def test_reduction_steps() -> None:
    steps = [FLOAT.combine(reduction, "x", "y") for reduction in Reduction]
    assert steps == ["x + y", "x * y", "fmaxf(x, y)", "fminf(x, y)"]
