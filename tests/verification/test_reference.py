"""The reference interpreter against a plain one, and its bounds against real rounding."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamopt.errors import VerificationError
from streamopt.ir.affine import Affine
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
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, ElementType, Loop, Nest, Program, Role, Statement
from streamopt.verification.reference import execution
from streamopt.verification.reference.execution import execute
from tests.support.programs.sketches import program
from tests.support.runners import scalars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

I_, J_ = Affine.iterator("i"), Affine.iterator("j")
ROWS, COLUMNS = 3, 5

ARITHMETIC = (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV)


def operators(leaves: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def extend(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        compare = st.builds(Compare, st.sampled_from(CompareOp), inner, inner)
        one = st.sampled_from([f for f in Function if f.arity == 1])
        two = st.sampled_from((Function.MAX, Function.MIN, Function.POW))
        return st.one_of(
            st.builds(Binary, st.sampled_from(ARITHMETIC), inner, inner),
            st.builds(Call, one, st.tuples(inner)),
            st.builds(Call, two, st.tuples(inner, inner)),
            st.builds(Select, compare, inner, inner),
        )

    return st.recursive(leaves, extend, max_leaves=6)


NUMBERS = (0.0, 0.1, 1.0, -2.5, 3.0, 1e-3, 1e4)
MASKS = (float("-inf"), float("inf"), -3.4028234663852886e38, -1e9)


def leaves(*accesses: Access) -> st.SearchStrategy[Expression]:
    literal = st.sampled_from((*NUMBERS, *MASKS)).map(Literal)
    return st.sampled_from([Read(access) for access in accesses]) | literal


X, U = Access("x", (I_, J_)), Access("u", (J_.floordiv(2),))
T, S = Access("t", (J_, I_)), Access("s", (I_,))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    both = (Loop("i", ROWS), Loop("j", COLUMNS))
    element = draw(st.sampled_from((ElementType.FLOAT, ElementType.DOUBLE)))
    arrays = (
        Array("x", (ROWS, COLUMNS), Role.INPUT, element),
        Array("u", (3,), Role.WEIGHT),
        Array(
            "t",
            (COLUMNS, ROWS),
            Role.INTERNAL,
            draw(st.sampled_from((ElementType.FLOAT, ElementType.DOUBLE))),
        ),
        Array("s", (ROWS,), Role.INTERNAL),
        Array(
            "y",
            (ROWS,),
            Role.OUTPUT,
            draw(st.sampled_from((ElementType.FLOAT, ElementType.DOUBLE))),
        ),
    )
    reduction = draw(st.sampled_from(Reduction))
    statements = (
        Statement(T, draw(operators(leaves(X, U)))),
        Statement(S, draw(operators(leaves(T, X, U))), reduction),
        Statement(Access("y", (I_,)), draw(operators(leaves(S, Access("x", (I_, I_)))))),
    )
    nests = tuple(
        Nest(f"n{at}", loops, (statement,))
        for at, (loops, statement) in enumerate(
            zip((both, both, both[:1]), statements, strict=True)
        )
    )
    return Program("random", arrays, nests)


def random_inputs(source: Program, seed: int) -> dict[str, NDArray[np.float64]]:
    generator = np.random.default_rng(seed)
    given_arrays = [array for array in source.arrays if array.is_given]
    values = {a.name: generator.uniform(-2, 2, a.shape) for a in given_arrays}
    return {name: array.astype(np.float32).astype(np.float64) for name, array in values.items()}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), st.integers(0, 2**32 - 1))
def test_every_rounded_evaluation_is_within_the_bound(source: Program, seed: int) -> None:
    inputs = random_inputs(source, seed)
    results = execute(source, inputs)
    for double in (True, False):
        got = scalars.run(source, inputs, double=double, shuffle=random.Random(seed))
        for array in source.arrays:
            result = results[array.name]
            bounded = np.isfinite(result.bound)
            assert not np.any(np.isnan(result.value[bounded]))
            found, wanted = got[array.name][bounded].astype(np.float64), result.value[bounded]
            with np.errstate(invalid="ignore"):
                error = np.where(found == wanted, 0.0, np.abs(found - wanted))
            assert np.all(error <= result.bound[bounded]), array.name


def test_a_sine_of_what_may_overflow_has_no_bound() -> None:
    arrays = {"x": "input 3", "y": "output 3"}
    source = program(arrays, {"n": "i 3: y[i] = sin(x[i] * 3e38)"})
    result = execute(source, {"x": np.array([0.5, 1.0, 1.5])})["y"]
    assert np.isinf(result.bound).tolist() == [False, False, True]


MATMUL = program(
    {"A": "input 20 30", "B": "input 30 10", "C": "internal 20 10", "D": "output 20"},
    {
        "mm": "i 20, j 10, k 30: C[i][j] += A[i][k] * B[k][j]",
        "most": "i 20, j 10: D[i] = max(D[i], C[i][j])",
    },
)


def integers(shape: tuple[int, ...], seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64)


def test_sums_of_integers_are_exact() -> None:
    a, b = integers((20, 30), 1), integers((30, 10), 2)
    results = execute(MATMUL, {"A": a, "B": b})
    assert np.array_equal(results["D"].value, (a @ b).max(axis=1))
    assert not results["D"].bound.any()


def test_exactness_ends_where_a_partial_sum_may_need_25_bits() -> None:
    total = program({"x": "input 4", "y": "output"}, {"add": "i 4: y += x[i]"})
    for top, exact in ((2.0**22, True), (2.0**22 + 1.0, False)):
        result = execute(total, {"x": np.array([top, -top, top, top - 1.0])})["y"]
        assert (result.bound == 0.0) == exact


def test_inputs_that_the_element_type_rounds_widen_the_bound() -> None:
    copy = program({"x": "input 2", "y": "output 2"}, {"copy": "i 2: y[i] = x[i]"})
    result = execute(copy, {"x": np.array([0.1, 0.5])})["y"]
    assert np.array_equal(result.bound, [abs(float(np.float32(0.1)) - 0.1), 0.0])


def test_select_near_a_tie_covers_both_branches() -> None:
    step = program(
        {"x": "input 3", "y": "output 3"}, {"step": "i 3: y[i] = 1 if x[i] * 0.1 < 0.1 else 0"}
    )
    result = execute(step, {"x": np.array([1.0, 0.5, 2.0])})["y"]
    assert np.allclose(result.bound, [1.0, 0.0, 0.0], rtol=1e-9, atol=0.0)


def test_values_out_of_range_have_no_bound() -> None:
    square = program(
        {"x": "input 2", "y": "output 2"}, {"square": "i 2: y[i] = x[i] * x[i] / 1e30"}
    )
    bound = execute(square, {"x": np.array([2.0, 1e20])})["y"].bound
    assert np.isfinite(bound[0])
    assert np.isinf(bound[1])


def test_a_short_bound_fits_tightly() -> None:
    """A sum of n terms is at most n + a few roundings of the sum of sizes away."""
    dot = program({"x": "input 100", "y": "output"}, {"dot": "i 100: y += x[i] * x[i]"})
    x = np.random.default_rng(0).uniform(-1, 1, 100).astype(np.float32)
    result = execute(dot, {"x": x})["y"]
    assert 100 * 2.0**-24 * result.value < result.bound < 102 * 2.0**-24 * result.value


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = {"A": integers((20, 30), 3) / 7, "B": integers((30, 10), 4) / 7}
    whole = execute(MATMUL, inputs)
    for points in (1, 7, 64, 350):
        monkeypatch.setattr(execution, "BLOCK_POINTS", points)
        parts = execute(MATMUL, inputs)
        for name, result in whole.items():
            assert np.allclose(parts[name].value, result.value, rtol=1e-14, atol=1e-14)
            assert np.allclose(parts[name].bound, result.bound, rtol=1e-6)


def test_later_nests_overwrite_and_the_rest_stays() -> None:
    pad = program(
        {"x": "input 2 2", "p": "output 4 4"},
        {"zero": "i 4, j 4: p[i][j] = 0", "copy": "i 2, j 2: p[i + 1][j + 1] = x[i][j]"},
    )
    x = integers((2, 2), 5)
    assert np.array_equal(execute(pad, {"x": x})["p"].value, np.pad(x, 1))


def nest(*statements: Statement) -> Program:
    arrays = (
        Array("x", (4,), Role.INPUT),
        Array("a", (4,), Role.INTERNAL),
        Array("y", (4,), Role.OUTPUT),
    )
    return Program("p", arrays, (Nest("n", (Loop("i", 4),), statements),))


def at(array: str, shift: int = 0) -> Access:
    return Access(array, (I_ + Affine.of(shift),))


def plus(array: str, shift: int = 0) -> Expression:
    return Binary(BinaryOp.ADD, Read(at(array, shift)), Literal(1.0))


def test_statements_of_one_nest_may_hand_on_the_element_they_stand_at() -> None:
    source = nest(Statement(at("a"), plus("x")), Statement(at("y"), plus("a")))
    x = np.arange(4.0)
    assert np.array_equal(execute(source, {"x": x})["y"].value, x + 2)


@pytest.mark.parametrize(
    "source",
    [
        nest(Statement(at("a"), plus("x")), Statement(at("y"), plus("a", -1))),
        nest(Statement(at("y"), plus("x")), Statement(at("y", 1), plus("x"))),
        nest(Statement(at("y"), plus("y", -1))),
    ],
)
def test_statements_that_depend_on_the_order_are_refused(source: Program) -> None:
    with pytest.raises(VerificationError, match="E711 nest 'n' touches"):
        execute(source, {"x": np.zeros(4)})


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "E710 input x has no values"),
        ({"x": np.zeros((2, 2))}, r"E710 input x has shape \(2, 2\), expected \(4,\)"),
    ],
)
def test_wrong_inputs_are_refused(inputs: Mapping[str, Any], message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        execute(nest(Statement(at("y"), plus("x"))), inputs)


@pytest.mark.parametrize(("shift", "value"), [(1, 4), (-1, -1)])
def test_subscripts_outside_are_refused(shift: int, value: int) -> None:
    message = rf"E712 nest 'n': subscript .* of x\[.*\] reaches {value}, outside 0 .. 3"
    with pytest.raises(VerificationError, match=message):
        execute(nest(Statement(at("y"), plus("x", shift))), {"x": np.zeros(4)})
