"""Text of expressions: same value, few brackets, C's types, exact literals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamopt.codegen.expressions import ExpressionText, literal
from streamopt.errors import CodegenError
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    CompareOp,
    Expression,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
)
from streamopt.ir.operators import Reduction

FLOAT, DOUBLE, INT = ElementType.FLOAT, ElementType.DOUBLE, ElementType.INT32
ELEMENTS = {
    **dict.fromkeys("abc", FLOAT),
    **dict.fromkeys("xyz", DOUBLE),
    **dict.fromkeys("nm", INT),
    "u": ElementType.UINT32,
    "l": ElementType.INT64,
    "t": ElementType.INT8,
}
TEXT = ExpressionText(ELEMENTS.__getitem__, lambda access: access.array, str)
A, B, C, X, N, M, U, L, T = (Read(Access(name, ())) for name in "abcxnmult")
I = Index(Affine.iterator("i"))  # noqa: E741
SHIFTED = Index(Affine.iterator("i") + Affine.of(1))


def op(text: str, left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOp(text), left, right)


def less(left: Expression, right: Expression) -> Compare:
    return Compare(CompareOp.LT, left, right)


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
        (op("-", Literal(-0.0), A), "-a"),
        (op("-", Literal(0.0), A), "0.0f - a"),
        (op("*", B, op("-", Literal(-0.0), A)), "b * (-a)"),
        (op("-", Literal(-0.0), op("+", A, B)), "-(a + b)"),
        (Call(Function.MAX, (op("+", A, B), Literal(0.0))), "fmaxf(a + b, 0.0f)"),
        (
            Select(Compare(CompareOp.LE, op("+", A, B), C), op("-", A, B), C),
            "(a + b <= c ? a - b : c)",
        ),
        (
            Select(Logic(LogicOp.OR, (less(A, B), less(B, C))), A, B),
            "(a < b || b < c ? a : b)",
        ),
        (Select(Compare(CompareOp.EQ, less(A, B), Literal(0.0)), A, B), "((a < b) == 0 ? a : b)"),
    ],
)
def test_brackets_keep_the_order_of_operations(expression: Expression, text: str) -> None:
    assert TEXT.text(expression, FLOAT) == text


@pytest.mark.parametrize(
    ("expression", "wanted", "text"),
    [
        (A, DOUBLE, "a"),
        (X, FLOAT, "static_cast<float>(x)"),
        (op("+", A, X), DOUBLE, "a + x"),
        (op("*", X, Literal(0.1)), FLOAT, "static_cast<float>(x * 0.1)"),
        (op("*", A, Literal(0.5)), DOUBLE, "a * 0.5f"),
        (Cast(FLOAT, X), FLOAT, "static_cast<float>(x)"),
        (op("/", N, Literal(3.0)), INT, "n / 3"),
        (op("%", N, op("+", M, Literal(1.0))), INT, "n % (m + 1)"),
        (op("&", op("<<", N, Literal(2.0)), M), INT, "(n << 2) & m"),
        (op("<<", op("+", N, M), N), INT, "(n + m) << n"),
        (op("|", op("^", N, M), N), INT, "(n ^ m) | n"),
        (op("|", op("|", N, M), N), INT, "n | m | n"),
        (op(">>", op("*", N, M), op("<<", N, M)), INT, "n * m >> (n << m)"),
        (op("+", T, T), ElementType.INT8, "static_cast<int8_t>(t + t)"),
        (op("*", A, I), FLOAT, "a * i"),
        (op("*", A, SHIFTED), FLOAT, "a * (i + 1)"),
        (Call(Function.SQRT, (N,)), DOUBLE, "sqrt(static_cast<double>(n))"),
        (Call(Function.MAX, (A, X)), DOUBLE, "fmax(static_cast<double>(a), x)"),
    ],
)
def test_types_are_those_of_c(expression: Expression, wanted: ElementType, text: str) -> None:
    assert TEXT.text(expression, wanted) == text


@pytest.mark.parametrize("function", sorted(one for one in Function if one.arity == 1))
def test_functions_are_those_of_cmath(function: Function) -> None:
    name = "fabs" if function is Function.ABS else function.value
    assert TEXT.text(Call(function, (A,)), FLOAT) == f"{name}f(a)"
    assert TEXT.text(Call(function, (X,)), DOUBLE) == f"{name}(x)"


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
    assert literal(value, FLOAT) == single
    assert literal(value, DOUBLE) == double


def test_literals_of_integers() -> None:
    assert literal(7.0, INT) == "7"
    assert literal(-7.0, ElementType.INT64) == "INT64_C(-7)"


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_float_comes_back(value: float) -> None:
    text = literal(value, FLOAT)
    assert text.endswith("f")
    assert "." in text or "e" in text


@pytest.mark.parametrize("value", [float("nan"), 1e39])
def test_literals_that_do_not_fit_are_refused(value: float) -> None:
    with pytest.raises(CodegenError, match=r"E601 literal .* is not a finite float"):
        literal(value, FLOAT)


def test_reduction_steps() -> None:
    steps = [TEXT.combine(reduction, "x", "y", FLOAT) for reduction in Reduction]
    assert steps == ["x + y", "x * y", "fmaxf(x, y)", "fminf(x, y)"]
