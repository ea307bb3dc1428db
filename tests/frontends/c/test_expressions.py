"""Values of C expressions: conversions, folding, conditions, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
)
from streamopt.ir.source import Assign, Branch, RangeLoop
from tests.support.programs.c_text import body, value

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.expression import Expression

X = Read(Access("x", (Affine.of(1),)))
N = Read(Access("n", (Affine.of(1),)))
D = Read(Access("d", ()))


def wide(operand: Expression) -> Cast:
    return Cast(ElementType.DOUBLE, operand)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[1] * 2.0f", Binary(BinaryOp.MUL, X, Literal(2.0))),
        ("x[1] * 2", Binary(BinaryOp.MUL, X, Literal(2.0))),
        ("x[1] * 2.0", Binary(BinaryOp.MUL, wide(X), Literal(2.0))),
        ("d * 0.1", Binary(BinaryOp.MUL, D, Literal(0.1))),
        ("d * 0.1f", Binary(BinaryOp.MUL, D, Literal(0.10000000149011612))),
        ("n[1] * 0.5f", Binary(BinaryOp.MUL, Cast(ElementType.FLOAT, N), Literal(0.5))),
        ("n[1] * x[1]", Binary(BinaryOp.MUL, N, X)),
        ("n[1] / 2", Binary(BinaryOp.DIV, N, Literal(2.0))),
        ("n[1] + 2L", Binary(BinaryOp.ADD, Cast(ElementType.INT64, N), Literal(2.0))),
        ("n[1] >> 1", Binary(BinaryOp.SHR, N, Literal(1.0))),
        ("~n[1]", Binary(BinaryOp.XOR, N, Literal(-1.0))),
        ("-x[1]", Binary(BinaryOp.SUB, Literal(0.0), X)),
        ("(int)x[1]", Cast(ElementType.INT32, X)),
        ("(char)n[1]", Cast(ElementType.INT8, N)),
        ("1 / 2", Literal(0.0)),
        ("1 / 2.0", Literal(0.5)),
        ("-7 / 2", Literal(-3.0)),
        ("-7 % 3", Literal(-1.0)),
        ("(float)7 / 2", Literal(3.5)),
        ("0x10 + 010 + 'a'", Literal(121.0)),
        ("1 ? x[1] : d", wide(X)),
        ("x[1] - d", Binary(BinaryOp.SUB, X, D)),
        ("sqrt(x[1])", Call(Function.SQRT, (wide(X),))),
        ("sqrtf(x[1])", Call(Function.SQRT, (X,))),
        ("__builtin_sqrtf(x[1])", Call(Function.SQRT, (X,))),
        ("pow(d, 2)", Call(Function.POW, (D, Literal(2.0)))),
        ("fmaxf(x[1], 0)", Call(Function.MAX, (X, Literal(0.0)))),
        ("abs(n[1])", Call(Function.ABS, (N,))),
        ("fabs(n[1])", Call(Function.ABS, (wide(N),))),
        ("sqrt(16.0)", Literal(4.0)),
        ("n[1] > 0", Select(Compare(CompareOp.GT, N, Literal(0.0)), Literal(1.0), Literal(0.0))),
        (
            "x[1] > 0 ? x[1] : 0",
            Select(Compare(CompareOp.GT, X, Literal(0.0)), X, Literal(0.0)),
        ),
        ("x[1] < d ? x[1] : d", Select(Compare(CompareOp.LT, X, D), wide(X), D)),
    ],
)
def test_values(text: str, expected: Expression, tmp_path: Path) -> None:
    found = value(tmp_path, text)
    if text.startswith("x[1] < d"):
        assert found in (expected, Select(Compare(CompareOp.LT, X, D), X, D))
    else:
        assert found == expected


def test_iterators_are_values(tmp_path: Path) -> None:
    (loop,) = body(tmp_path, "for (int i = 0; i < 8; i++) x[i] = (i + 1) * 0.5f;")
    assert isinstance(loop, RangeLoop)
    (item,) = loop.body
    assert isinstance(item, Assign)
    index = Index(Affine.iterator("i") + Affine.of(1))
    assert item.value == Binary(BinaryOp.MUL, Cast(ElementType.FLOAT, index), Literal(0.5))


def test_subscripts_are_in_loop_order(tmp_path: Path) -> None:
    text = (
        "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) x[j + i] = A[j / 2][(i + j) % 4];"
    )
    (outer,) = body(tmp_path, text)
    assert isinstance(outer, RangeLoop)
    (inner,) = outer.body
    assert isinstance(inner, RangeLoop)
    (item,) = inner.body
    assert isinstance(item, Assign)
    i, j = Affine.iterator("i"), Affine.iterator("j")
    assert item.target == Access("x", (i + j,))
    assert item.value == Read(Access("A", (j.floordiv(2), (i + j).mod(4))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i < j", Compare(CompareOp.LT, Index(Affine.iterator("i")), Index(Affine.iterator("j")))),
        ("0 < i", Compare(CompareOp.GT, Index(Affine.iterator("i")), Literal(0.0))),
        ("!(i >= 3)", Compare(CompareOp.LT, Index(Affine.iterator("i")), Literal(3.0))),
        ("i", Compare(CompareOp.NE, Index(Affine.iterator("i")), Literal(0.0))),
        ("x[1]", Compare(CompareOp.NE, X, Literal(0.0))),
        (
            "!(i == 0 || x[1] > 1)",
            Logic(
                LogicOp.AND,
                (
                    Compare(CompareOp.NE, Index(Affine.iterator("i")), Literal(0.0)),
                    Compare(CompareOp.EQ, Compare(CompareOp.GT, X, Literal(1.0)), Literal(0.0)),
                ),
            ),
        ),
        (
            "i == 0 && 1 && j == 0 && x[1] > 0",
            Logic(
                LogicOp.AND,
                (
                    Compare(CompareOp.EQ, Index(Affine.iterator("i")), Literal(0.0)),
                    Compare(CompareOp.EQ, Index(Affine.iterator("j")), Literal(0.0)),
                    Compare(CompareOp.GT, X, Literal(0.0)),
                ),
            ),
        ),
    ],
)
def test_conditions(text: str, expected: Expression, tmp_path: Path) -> None:
    loops = "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++)"
    (outer,) = body(tmp_path, f"{loops} if ({text}) x[i] = 1; else x[i] = 2;")
    assert isinstance(outer, RangeLoop)
    (inner,) = outer.body
    assert isinstance(inner, RangeLoop)
    (branch,) = inner.body
    assert isinstance(branch, Branch)
    assert branch.condition == expected
    assert (len(branch.then), len(branch.otherwise)) == (1, 1)


def test_constant_conditions_are_decided(tmp_path: Path) -> None:
    items = body(tmp_path, "if (3 < 2) x[0] = 2; else x[0] = 1;")
    assert items == (Assign(Access("x", (Affine.of(0),)), Literal(1.0)),)
