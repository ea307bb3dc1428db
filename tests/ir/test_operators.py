"""The table of functions serves every stage, and rounding errors of a new row are bounded."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from streamopt.ir.element import ElementType
from streamopt.ir.operators import BinaryOp, CompareOp, Function, Operator
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.error_bounds import Reals


@pytest.mark.parametrize("function", Function)
def test_functions_have_operators_and_values(function: Function) -> None:
    assert Operator(function.value).value == function.value
    assert math.isfinite(function.of_reals(*[0.5] * function.arity))


def test_c_spells_functions_that_keep_integers_otherwise() -> None:
    assert [f.c_name for f in Function if f.c_name != f.value] == ["fabs", "fmax", "fmin"]


@pytest.mark.parametrize(("left", "right"), [(-7, 2), (7, -2), (-8, 2), (0, 5), (6, 4)])
def test_division_truncates(left: int, right: int) -> None:
    quotient = BinaryOp.DIV.of_integers(left, right)
    assert quotient == math.trunc(left / right)
    assert quotient * right + BinaryOp.MOD.of_integers(left, right) == left


@pytest.mark.parametrize("op", CompareOp)
def test_comparisons_turn_around(op: CompareOp) -> None:
    for left, right in [(1, 2), (2, 2), (3, 2)]:
        assert op.holds(left, right) == op.mirrored.holds(right, left)
        assert op.holds(left, right) != op.opposite.holds(left, right)


@pytest.mark.parametrize("function", Function)
def test_every_function_has_a_bound_of_its_rounding_error(function: Function) -> None:
    """By slopes in its row, or by a rule of its own."""
    center, off = np.array([0.25, 0.75, 1.625]), np.full(3, 1 / 64)  # sums are exact
    spread = [1 + 2 * number for number in range(function.arity)]
    center = center / 2
    operands = tuple(Bounded(center * one, off * one, 0.0) for one in spread)
    found = Reals.of(ElementType.FLOAT).call(function, operands)
    assert np.isfinite(found.bound).all()
    for moved in (-1 / 64, -1 / 256, 1 / 128, 1 / 64):
        points = [[each * one for one in spread] for each in (center + moved).tolist()]
        values = [function.of_reals(*point) for point in points]
        assert (np.abs(values - found.value) <= found.bound).all()


def test_a_function_without_a_rule_is_told_where_rules_are() -> None:
    unruled: Any = SimpleNamespace(value="gamma", slopes=None)
    operand = Bounded(np.array([0.5]), np.array([0.0]), 0.0)
    with pytest.raises(AssertionError, match=r"'gamma' has no bound: give slopes in its row of "):
        Reals.of(ElementType.FLOAT).call(unruled, (operand,))


def one(side: tuple[float, float]) -> list[float]:
    return [1.0]


def inverse(side: tuple[float, float]) -> list[float]:
    return [1 / side[0]]


def test_errors_of_a_row_with_slopes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function added to the table: its bound holds for all that the argument may be."""
    monkeypatch.setattr(Function.SIN, "slopes", one)
    value, bound = np.linspace(-3, 3, 50), np.full(50, 0.01)
    found = Reals.of(ElementType.FLOAT).call(Function.SIN, (Bounded(value, bound, 0.0),))
    for moved in (-0.01, -0.003, 0.007, 0.01):
        assert (np.abs(np.sin(value + moved) - found.value) <= found.bound).all()
    assert (found.bound < 0.0101).all()


def test_a_row_without_a_value_has_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Function.LOG, "slopes", inverse)
    operand = Bounded(np.array([-1.0, 2.0]), np.array([0.0, 0.5]), 0.0)
    found = Reals.of(ElementType.FLOAT).call(Function.LOG, (operand,))
    assert not found.bound[0] < math.inf
    assert abs(math.log(1.5) - math.log(2)) <= found.bound[1]
