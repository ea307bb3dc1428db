"""Compilation of Pyomo models: the arrays, exact integer rows, and the time it takes."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.integer_rows import integer_objective, integer_rows
from tests.support.solver_models import assignment, pyo, rows_of_cost


def test_arrays_of_a_small_model() -> None:
    model = rows_of_cost()
    model.b.setub(8.5)
    model.range = pyo.Constraint(expr=pyo.inequality(1, model.a + model.b + 2, 6))
    model.cost.set_value(3 * model.a + 2 * model.b + 10)
    form = compile_linear(model, "highs")
    assert form.names == ("a", "b")
    assert form.upper.tolist() == [9.0, 8.0]
    assert (form.cost.tolist(), form.offset) == ([3.0, 2.0], 10.0)
    assert form.row_names == ("need", "range")
    assert form.row_lower.tolist() == [7.0, -1.0]
    assert form.row_upper.tolist() == [math.inf, 4.0]
    assert form.activities(np.array([2.0, 1.0])).tolist() == [13.0, 3.0]


def test_repeated_variables_are_summed() -> None:
    model = rows_of_cost()
    model.twice = pyo.Constraint(expr=model.a + 2 * (model.a - model.b) <= model.a + 4)
    form = compile_linear(model, "highs")
    inside = slice(form.row_start[1], form.row_start[2])
    terms = dict(zip(form.columns[inside].tolist(), form.coefficients[inside], strict=True))
    assert terms == {0: 2.0, 1: -2.0}


def test_exactly_one_rows_are_found() -> None:
    form = compile_linear(assignment(((1, 2), (3, 4))), "cpsat")
    assert [row.is_exactly_one for row in integer_rows(form, "cpsat")] == [True] * 4


def test_rational_rows_are_scaled_exactly() -> None:
    model = rows_of_cost()
    model.rational = pyo.Constraint(expr=0.1 * model.a + 0.25 * model.b <= 0.6)
    row = integer_rows(compile_linear(model, "cpsat"), "cpsat")[1]
    assert (row.coefficients, row.upper) == ([2, 5], 12)


def test_objective_is_scaled_and_back() -> None:
    model = rows_of_cost()
    model.cost.set_value(1.5 * model.a + 0.4 * model.b + 2)
    objective = integer_objective(compile_linear(model, "cpsat"), "cpsat")
    assert (objective.coefficients, objective.scale) == ([15, 4], 10)
    assert objective.value(19) == pytest.approx(3.9)


@pytest.mark.parametrize(("active", "literal", "lower"), [(1, 1, 9), (0, -2, 9)])
def test_enforced_row_loses_its_big_m(active: int, literal: int, lower: int) -> None:
    model = pyo.ConcreteModel()
    model.t = pyo.Var(domain=pyo.Integers, bounds=(0, 50))
    model.z = pyo.Var(domain=pyo.Binary)
    inactive = 1 - model.z if active else model.z
    model.after = pyo.Constraint(expr=model.t + 100 * inactive >= 9)
    model.enforced_by = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    model.enforced_by[model.after] = (model.z, active, 100)
    row = integer_rows(compile_linear(model, "cpsat"), "cpsat")[0]
    assert (row.columns, row.coefficients, row.lower) == ([0], [1], lower)
    assert row.literal == literal


def test_fixed_enforcing_variable_leaves_a_plain_row() -> None:
    model = rows_of_cost()
    model.z = pyo.Var(domain=pyo.Binary)
    model.after = pyo.Constraint(expr=model.a + 100 * (1 - model.z) >= 4)
    model.enforced_by = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    model.enforced_by[model.after] = (model.z, 1, 100)
    model.z.fix(1)
    row = integer_rows(compile_linear(model, "cpsat"), "cpsat")[1]
    assert (row.coefficients, row.lower, row.literal) == ([1], 4, None)


def test_ten_thousand_columns_compile() -> None:
    generator = random.Random(0)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(10_000), domain=pyo.Binary)
    model.row = pyo.ConstraintList()
    for _ in range(1_000):
        chosen = generator.sample(range(10_000), 50)
        model.row.add(sum(generator.randint(1, 9) * model.x[i] for i in chosen) <= 60)
    model.cost = pyo.Objective(expr=sum(model.x[i] for i in range(10_000)))
    form = compile_linear(model, "cpsat")
    rows = integer_rows(form, "cpsat")
    assert (len(form.names), len(rows), len(form.columns)) == (10_000, 1_000, 50_000)
