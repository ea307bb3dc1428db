"""The kit of solvers that declare NONLINEAR: exact optima of polynomial integer models."""

from __future__ import annotations

from math import log, sqrt

import pytest

from streamopt.errors import SolverError
from streamopt.solvers.base import Capability, SolveOptions
from streamopt.solvers.registry import SOLVERS
from streamopt.solvers.result import Proof
from tests.support.solver_models import (
    best_proof,
    brute_force_polynomial,
    polynomial,
    pyo,
    solver_with,
)

every_solver = pytest.mark.parametrize("name", SOLVERS)


@every_solver
@pytest.mark.parametrize("limit", [40, 200, 999])
def test_polynomials_agree_with_enumeration(name: str, limit: int) -> None:
    found = solver_with(name, Capability.NONLINEAR).solve(polynomial(limit), SolveOptions())
    assert found.proof is best_proof(name)
    assert found.objective == brute_force_polynomial(limit)
    for i in range(3):
        assert found.values[f"unroll[{i}]"] * found.values[f"tiles[{i}]"] == 12


@every_solver
def test_infeasible_product(name: str) -> None:
    found = solver_with(name, Capability.NONLINEAR).solve(polynomial(5), SolveOptions())
    assert (found.proof, found.values) == (Proof.INFEASIBLE, {})


@every_solver
def test_a_million_cycles_are_exact_to_one(name: str) -> None:
    """A relative tolerance of 1e-6 would accept a product one below the bound."""
    least = 1_000_003
    model = pyo.ConcreteModel()
    model.u = pyo.Var(domain=pyo.Integers, bounds=(900, 1100))
    model.v = pyo.Var(domain=pyo.Integers, bounds=(900, 1100))
    model.t = pyo.Var(domain=pyo.Integers, bounds=(0, 2_000_000))
    model.product = pyo.Constraint(expr=model.t >= model.u * model.v)
    model.least = pyo.Constraint(expr=model.u * model.v >= least)
    model.cost = pyo.Objective(expr=model.t)
    sides = range(900, 1101)
    optimum = min(u * v for u in sides for v in sides if u * v >= least)
    found = solver_with(name, Capability.NONLINEAR).solve(model, SolveOptions())
    assert (found.proof, found.objective) == (best_proof(name), optimum)


@every_solver
def test_quotients_powers_functions_and_expressions(name: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(1, 9))
    model.y = pyo.Var(domain=pyo.Integers, bounds=(1, 9))
    model.k = pyo.Var(initialize=2, bounds=(0, 5))
    model.k.fix()
    model.ratio = pyo.Expression(expr=model.x / model.y)
    model.a = pyo.Constraint(expr=model.ratio + model.k <= 3.5)
    model.b = pyo.Constraint(expr=pyo.inequality(8, model.x**2 - model.y * model.k, 60))
    model.c = pyo.Constraint(expr=pyo.sqrt(model.y) + pyo.log(model.x) >= 3)
    model.cost = pyo.Objective(expr=-(model.x * model.y) + 5 * model.x**2 + model.x)
    points = [
        -x * y + 5 * x * x + x
        for x in range(1, 10)
        for y in range(1, 10)
        if x / y <= 1.5 and 8 <= x * x - 2 * y <= 60 and sqrt(y) + log(x) >= 3
    ]
    found = solver_with(name, Capability.NONLINEAR).solve(model, SolveOptions())
    assert (found.proof, found.objective) == (best_proof(name), min(points))
    assert found.values["k"] == 2.0


@every_solver
def test_unknown_function_is_named(name: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 1))
    model.row = pyo.Constraint(expr=pyo.atan(model.x) >= 0.5)
    model.cost = pyo.Objective(expr=model.x)
    found = solver_with(name, Capability.NONLINEAR)
    with pytest.raises(SolverError, match=f"E502 solver '{name}' can't take the function 'atan'"):
        found.solve(model, SolveOptions())
