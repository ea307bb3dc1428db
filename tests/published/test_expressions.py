from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycparser import c_ast

from streamopt.ir.affine import Affine, FloorDiv, Mod
from streamopt.ir.expression import Compare, CompareOp, Index, Literal, Logic, LogicOp
from streamopt.published.expressions import (
    CTextError,
    NotAffineError,
    number,
    operands,
    parse_c,
    read_guard,
    read_subscript,
)

AT_I, AT_J = Affine.iterator("i"), Affine.iterator("j")


def shown(tree: c_ast.Node) -> str:
    match tree:
        case c_ast.Constant():
            return str(number(tree))
        case c_ast.ID(name=name):
            return name
        case _:
            function, parts = operands(tree)
            return f"[{function} {' '.join(map(shown, parts))}]"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", "[- [- a b] c]"),
        ("a + b * c % d", "[+ a [% [* b c] d]]"),
        ("-(v15)", "[- v15]"),
        ("!a && b || c", "[|| [&& [! a] b] c]"),
        ("v49 ? (float)v48 : (float)0.000000", "[?: v49 [cast v48] [cast 0.0]]"),
        ("a ? b : c ? d : e", "[?: a b [?: c d e]]"),
        ("1.0f / std::sqrt(v45)", "[/ 1.0 [sqrt v45]]"),
        ("fmax(v114, v115)", "[fmax v114 v115]"),
        ("(unsigned int)a + 1e-5", "[+ [cast a] 1e-05]"),
        ("a <= b == c", "[== [<= a b] c]"),
    ],
)
def test_precedence_of_c(text: str, tree: str) -> None:
    assert shown(parse_c(text)) == tree


@pytest.mark.parametrize("text", ["", "a +", "a b", "f(a", "a[0]", "(a", "a ? b", "+" * 30000])
def test_texts_that_are_no_expressions(text: str) -> None:
    with pytest.raises(CTextError):
        parse_c(text)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(CTextError, match="deeply"):
        parse_c("(" * 150 + "a" + ")" * 150)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("((i * 2) + j)", AT_I.scaled(2) + AT_J),
        ("(j + (i * 2))", AT_I.scaled(2) + AT_J),
        ("((i + 1) - (j * 3))", AT_I + AT_J.scaled(-3) + Affine.of(1)),
        ("(i / 16)", Affine(((FloorDiv(AT_I, 16), 1),))),
        ("((i * 8 + j) % 16)", Affine(((Mod(AT_I.scaled(8) + AT_J, 16), 1),))),
        ("-i + 4", AT_I.scaled(-1) + Affine.of(4)),
        ("0", Affine.of(0)),
    ],
)
def test_subscripts(text: str, expected: Affine) -> None:
    assert read_subscript(text, ("i", "j")) == expected


@pytest.mark.parametrize("text", ["i * j", "n + 1", "f(i)", "i / j", "i % 0", "i / -2"])
def test_subscripts_that_are_not_affine(text: str) -> None:
    with pytest.raises(NotAffineError):
        read_subscript(text, ("i", "j"))


NAMES: tuple[str, ...] = ("i", "j", "k")
ATOMS = st.sampled_from([*NAMES, "0", "1", "2", "7"])
SUMS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.integers(1, 9)).map(lambda t: f"({t[0]} * {t[1]})"),
    ),
    max_leaves=6,
)
GUARDS = st.recursive(
    st.tuples(SUMS, st.sampled_from([op.value for op in CompareOp]), SUMS).map(" ".join),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["&&", "||"]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
        inner.map(lambda t: f"!({t})"),
    ),
    max_leaves=4,
)


def holds(condition: Compare | Logic, point: dict[str, int]) -> bool:
    def side(value: object) -> float:
        if isinstance(value, Index):
            return int(value.value.evaluate(point))
        assert isinstance(value, Literal)
        return value.value

    if isinstance(condition, Compare):
        return bool(condition.op.holds(side(condition.left), side(condition.right)))
    joined = all if condition.op is LogicOp.AND else any
    return joined(holds(operand, point) for operand in condition.operands)


@given(GUARDS, st.tuples(*(st.integers(0, 9) for _ in NAMES)))
def test_guards_mean_what_they_say(text: str, values: tuple[int, ...]) -> None:
    point: dict[str, int] = dict(zip(NAMES, values, strict=True))
    python = text.replace("!(", " not (").replace("&&", " and ").replace("||", " or ")
    assert holds(read_guard(text, NAMES), point) == eval(python, {}, {**point})


def test_guard_of_a_bare_number_is_a_comparison_with_zero() -> None:
    assert read_guard("i % 2", ("i",)) == Compare(CompareOp.NE, Index(AT_I.mod(2)), Literal(0))
