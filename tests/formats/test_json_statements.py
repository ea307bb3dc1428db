"""The syntax of statements: what each text means, and that it reads back from its own text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamopt.errors import SourceLoc
from streamopt.formats.graph_json.scope import StatementScope
from streamopt.formats.graph_json.statements import read_statement
from streamopt.ir.expression import Literal
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Role, Statement

if TYPE_CHECKING:
    from streamopt.errors import Diagnostic

ARRAYS = {
    "A": Array("A", (64, 64), Role.INPUT),
    "v": Array("v", (64,), Role.INPUT),
    "X": Array("X", (8, 8), Role.OUTPUT),
}


def read(text: str) -> tuple[Statement | None, list[Diagnostic]]:
    problems: list[Diagnostic] = []
    loops = {"i": 8, "j": 8, "k": 8}
    scope = StatementScope(text, SourceLoc("f", "nodes[0].body[0]"), ARRAYS, loops, {}, problems)
    return read_statement(scope), problems


def normal(text: str) -> str:
    statement, problems = read(text)
    assert problems == []
    assert statement is not None
    return written(statement)


def written(statement: Statement) -> str:
    (text,) = statement.texts
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X[i,j]=A[i , k]", "X[i][j] = A[i][k]"),
        ("X[i][j] = X[i][j] + v[k]", "X[i][j] += v[k]"),
        ("X[i][j] = v[k] + X[i][j]", "X[i][j] += v[k]"),
        ("X[i][j] = X[i][j] * v[k]", "X[i][j] *= v[k]"),
        ("X[i][j] = max(v[k], X[i][j])", "X[i][j] = max(X[i][j], v[k])"),
        ("X[i][j] = min(X[i][j], v[k], 2)", "X[i][j] = min(X[i][j], min(v[k], 2))"),
        ("X[i][j] = X[i][j] - v[k]", "X[i][j] = X[i][j] - v[k]"),
        ("X[i][j] = X[j][i] + v[k]", "X[i][j] = X[j][i] + v[k]"),
        ("X[i][j] = max(v[i], 0)", "X[i][j] = relu(v[i])"),
        ("X[i][j] = relu(v[i])", "X[i][j] = relu(v[i])"),
        ("X[i][j] = sigmoid(v[i])", "X[i][j] = 1 / (1 + exp(-v[i]))"),
        ("X[i][j] = 0 - v[i]", "X[i][j] = 0 - v[i]"),
        ("X[i][j] = -(v[i] * v[j])", "X[i][j] = -(v[i] * v[j])"),
        ("X[i][j] = -v[i] * v[j]", "X[i][j] = -v[i] * v[j]"),
        ("X[i][j] = (v[i] - (v[j] - v[k]))", "X[i][j] = v[i] - (v[j] - v[k])"),
        ("X[i][j] = v[i] / (v[j] * v[k])", "X[i][j] = v[i] / (v[j] * v[k])"),
        ("X[i][j] = v[i] * v[j] / v[k]", "X[i][j] = v[i] * v[j] / v[k]"),
        (
            "X[i][j] = (v[i] if v[i] > 0 else v[j] if v[j] <= 1 else 2) + 1",
            "X[i][j] = (v[i] if v[i] > 0 else v[j] if v[j] <= 1 else 2) + 1",
        ),
        (
            "X[i][j] = (1 if v[i] > 0 else 2) if (v[i] if v[i] != 2 else 3) == 1 else 4",
            "X[i][j] = (1 if v[i] > 0 else 2) if (v[i] if v[i] != 2 else 3) == 1 else 4",
        ),
        ("X[i][j] = v[i] * (1 / (2 + 2)) + 0", "X[i][j] = v[i] * 0.25 + 0"),
        ("X[i][j] = v[k + h]".replace("h", "j"), "X[i][j] = v[j + k]"),
        ("X[i][j] = v[2*(i + j) - i + 3*2]", "X[i][j] = v[i + 2*j + 6]"),
        ("X[i][j] = v[7 - i]", "X[i][j] = v[-i + 7]"),
        ("X[i][j] = A[j // 4][j / 4 + j % 4]", "X[i][j] = A[j // 4][j % 4 + j // 4]"),
        ("X[i][j] = v[(i + j) // 4 * 4 + 0*k]", "X[i][j] = v[4*((i + j) // 4)]"),
        ("X[i][j] = v[(i // 2) % 2]", "X[i][j] = v[(i // 2) % 2]"),
        ("X[i][j] = v[i // 1 + j % 1 + 9 // 2]", "X[i][j] = v[i + 4]"),
        ("X[i][j] = v[+i]", "X[i][j] = v[i]"),
        ("X[i][j] = +v[0x10]", "X[i][j] = v[16]"),
    ],
)
def test_meaning(text: str, expected: str) -> None:
    assert normal(text) == expected
    assert normal(expected) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/sqrt(1+1e-5)", 1 / (1 + 1e-5) ** 0.5),
        ("-2.5", -2.5),
        ("-(-2)", 2.0),
        ("max(1, 2, -3) - min(4, 5)", -2.0),
        ("abs(-3) + relu(-1)", 3.0),
        ("sigmoid(0)", 0.5),
        ("log(exp(0)) + tanh(0) + erf(0)", 0.0),
        ("0x10 + 1_0", 26.0),
    ],
)
def test_operations_on_literals_are_done(text: str, value: float) -> None:
    statement, problems = read(f"X[i][j] = {text}")
    assert problems == []
    assert statement is not None
    assert statement.value == Literal(value)


def test_reductions() -> None:
    for text, reduction in (("+=", Reduction.ADD), ("*=", Reduction.MUL)):
        statement, _ = read(f"X[i][j] {text} v[k]")
        assert statement is not None
        assert statement.reduction is reduction


def test_equal_subscripts_compare_equal_however_they_are_written() -> None:
    statement, _ = read("X[i][j] = v[i + j] + v[j + i] + v[2*j + i - j]")
    assert statement is not None
    assert written(statement).count("v[i + j]") == 3


def test_deep_statements_end_in_an_error_or_a_tree_that_others_can_walk() -> None:
    for depth in (50, 150, 199, 300, 3000):
        for wrapped in ("relu(" * depth + "v[i]" + ")" * depth, "-" * depth + "v[i]"):
            statement, problems = read(f"X[i][j] = {wrapped}")
            if not problems:
                assert statement is not None
                assert hash(statement)
                assert repr(statement)
                assert normal(written(statement)) == written(statement)
            else:
                assert {problem.code for problem in problems} == {"E106"}


subscripts = st.recursive(
    st.sampled_from(["i", "j", "k", "0", "3"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-"]), inner).map(" ".join).map("({})".format),
        st.tuples(st.integers(-3, 3).map(str), inner).map(" * ".join).map("({})".format),
        st.tuples(inner, st.sampled_from(["//", "%"]), st.integers(1, 5).map(str))
        .map(" ".join)
        .map("({})".format),
    ),
    max_leaves=5,
)
values = st.recursive(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.integers(0, 9).map(str),
        st.tuples(subscripts, subscripts).map("A[{0[0]}][{0[1]}]".format),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(" ".join).map("({})".format),
        st.tuples(st.sampled_from(["exp", "abs", "relu", "sigmoid", "-"]), inner).map(
            "{0[0]}({0[1]})".format
        ),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(
            "{0[0]}({0[1]}, {0[2]})".format
        ),
        st.tuples(inner, inner, st.sampled_from(["<", ">=", "=="]), inner, inner).map(
            "({0[0]} if {0[1]} {0[2]} {0[3]} else {0[4]})".format
        ),
    ),
    max_leaves=12,
)


@given(values, st.sampled_from(["=", "+=", "*=", "= max(X[i][j], {})", "= X[i][j] + {}"]))
def test_text_of_a_statement_reads_back_as_the_statement(value: str, form: str) -> None:
    text = f"X[i][j] {form.format(value)}" if "{}" in form else f"X[i][j] {form} {value}"
    statement, problems = read(text)
    assert (statement is None) <= bool(problems)
    if not problems and statement is not None:
        again, none = read(written(statement))
        assert none == []
        assert again == statement
