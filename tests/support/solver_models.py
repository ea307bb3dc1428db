"""Small Pyomo models with known answers, and the solvers to try them on."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pyomo.environ
import pytest

from streamopt.errors import SolverError
from streamopt.solvers import registry
from streamopt.solvers.result import Proof

if TYPE_CHECKING:
    from streamopt.solvers.base import Capability, Solver

pyo: Any = pyomo.environ


def solver(name: str) -> Solver:
    try:
        found = registry.get(name)
        found.load()
        return found
    except SolverError as error:
        pytest.skip(str(error))


def solver_with(name: str, *needed: Capability) -> Solver:
    found = solver(name)
    missing = set(needed) - found.capabilities
    if missing:
        pytest.skip(f"{name} does not declare {', '.join(sorted(missing))}")
    return found


def best_proof(name: str) -> Proof:
    """Return what an optimum of a solver counts for: who has tolerances claims, and proves not."""
    return Proof.OPTIMAL if registry.adapter(name).is_exact else Proof.CLAIMED


def assignment(cost: tuple[tuple[int, ...], ...]) -> Any:
    """Assign workers to jobs at least cost; every row is an exactly-one row."""
    model = pyo.ConcreteModel()
    side = range(len(cost))
    model.x = pyo.Var(side, side, domain=pyo.Binary)
    model.once = pyo.ConstraintList()
    for i in side:
        model.once.add(sum(model.x[i, j] for j in side) == 1)
        model.once.add(sum(model.x[j, i] for j in side) == 1)
    model.cost = pyo.Objective(expr=sum(cost[i][j] * model.x[i, j] for i in side for j in side))
    return model


def rows_of_cost() -> Any:
    """Buy 7 of two sizes: minimise 3a + 2b with 5a + 3b >= 7; the optimum is 5 at a = b = 1."""
    model = pyo.ConcreteModel()
    model.a = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
    model.b = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
    model.need = pyo.Constraint(expr=5 * model.a + 3 * model.b >= 7)
    model.cost = pyo.Objective(expr=3 * model.a + 2 * model.b)
    return model


def infeasible() -> Any:
    """Two binaries that must add up to three, as no relaxation of a domain allows."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), domain=pyo.Binary)
    model.sum = pyo.Constraint(expr=model.x[0] + model.x[1] >= 3)
    model.cost = pyo.Objective(expr=model.x[0])
    return model


def market_split(rows: int, columns: int, *, soft: bool) -> Any:
    """Market split (Cornuejols, Dawande 1998): hard for every MIP solver at any speed.

    The hard form asks for equality and no solver finds a point in seconds; the soft form pays
    for the differences, so points are easy and proofs are not.
    """
    generator = random.Random(1)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(columns), domain=pyo.Binary)
    model.over = pyo.Var(range(rows), domain=pyo.Integers, bounds=(0, 9999 if soft else 0))
    model.under = pyo.Var(range(rows), domain=pyo.Integers, bounds=(0, 9999 if soft else 0))
    model.split = pyo.ConstraintList()
    for row in range(rows):
        weights = [generator.randint(0, 99) for _ in range(columns)]
        sold = sum(weight * model.x[column] for column, weight in enumerate(weights))
        model.split.add(sold + model.under[row] - model.over[row] == sum(weights) // 2)
    model.cost = pyo.Objective(expr=sum(model.over[r] + model.under[r] for r in range(rows)))
    return model


def random_milp(seed: int) -> tuple[Any, float | None]:
    """Return four integers under three random rows, and the optimum by enumeration."""
    generator = random.Random(seed)
    bounds = [(low := generator.randint(-3, 1), low + generator.randint(0, 4)) for _ in range(4)]
    cost = [generator.randint(-6, 6) for _ in bounds]
    rows = [[generator.randint(-5, 5) for _ in bounds] for _ in range(3)]
    sides = [generator.randint(-6, 9) for _ in rows]
    senses = [generator.choice("<>=") if seed % 3 == 0 else "<" for _ in rows]
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(4), domain=pyo.Integers)
    for i, (low, high) in enumerate(bounds):
        model.x[i].setlb(low)
        model.x[i].setub(high)
    model.row = pyo.ConstraintList()
    for row, side, sense in zip(rows, sides, senses, strict=True):
        body = sum(c * model.x[i] for i, c in enumerate(row)) + 0 * model.x[0]
        if sense == "<":
            model.row.add((None, body, side))
        elif sense == ">":
            model.row.add((side, body, None))
        else:
            model.row.add((side - 1, body, side + 1))
    model.cost = pyo.Objective(expr=sum(c * model.x[i] for i, c in enumerate(cost)) + 7)
    return model, _enumerate(bounds, cost, rows, sides, senses)


def _enumerate(
    bounds: list[tuple[int, int]],
    cost: list[int],
    rows: list[list[int]],
    sides: list[int],
    senses: list[str],
) -> float | None:
    def fits(point: tuple[int, ...]) -> bool:
        for row, side, sense in zip(rows, sides, senses, strict=True):
            value = sum(c * x for c, x in zip(row, point, strict=True))
            kept = {"<": value <= side, ">": value >= side, "=": abs(value - side) <= 1}
            if not kept[sense]:
                return False
        return True

    points = product(*(range(low, high + 1) for low, high in bounds))
    return min((7 + sum(c * x for c, x in zip(cost, p, strict=True)) for p in points if fits(p)),
               default=None)  # fmt: skip


def brute_force_polynomial(limit: int) -> int:
    """Optimum of `polynomial` by enumeration over the divisors of 12."""
    tiles = [1, 2, 3, 4, 6, 12]
    return min(
        4 * a * b * c + a * a + 3 * b
        for a, b, c in product(tiles, repeat=3)
        if 5 * (12 // a) * (12 // b) * (12 // c) + (12 // a) * (12 // b + 2) <= limit
    )


def polynomial(limit: int) -> Any:
    """Tile three loops of 12 under a budget, as the paper's model does: products throughout."""
    model = pyo.ConcreteModel()
    model.unroll = pyo.Var(range(3), domain=pyo.Integers, bounds=(1, 12))
    model.tiles = pyo.Var(range(3), domain=pyo.Integers, bounds=(1, 12))
    u, x = model.unroll, model.tiles
    model.extent = pyo.ConstraintList()
    for i in range(3):
        model.extent.add(u[i] * x[i] == 12)
    model.budget = pyo.Constraint(expr=5 * u[0] * u[1] * u[2] + u[0] * (u[1] + 2) <= limit)
    model.cycles = pyo.Objective(expr=4 * x[0] * x[1] * x[2] + x[0] ** 2 + 3 * x[1])
    return model
