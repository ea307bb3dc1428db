"""The exact texts of errors about models, options and missing or unlicensed solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from streamopt.errors import SolverError
from streamopt.extras import installing
from streamopt.solvers import registry
from streamopt.solvers.base import HIGHS_CLASH_HINT, SolveOptions
from streamopt.solvers.scipy_milp import ScipyMilp
from tests.support.solver_models import polynomial, pyo, rows_of_cost, solver

if TYPE_CHECKING:
    from collections.abc import Callable

LINEAR_HINT = "solve with scip or gurobi, or write it as linear constraints"


def text_of(action: Callable[[], object]) -> str:
    with pytest.raises(SolverError) as raised:
        action()
    return str(raised.value)


def text_of_solve(name: str, model: Any, **options: Any) -> str:
    found = solver(name)
    return text_of(lambda: found.solve(model, SolveOptions(**options)))


def test_unknown_solver() -> None:
    assert text_of(lambda: registry.get("cplex")) == (
        "E501 unknown solver 'cplex'\n  hint: known solvers: auto, search, exhaustive, race, "
        "cpsat, highs, scip, gurobi, scipy"
    )


@pytest.mark.parametrize("name", ["scip", "gurobi", "cpsat"])
def test_missing_wheel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(_: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", find_nothing)
    assert text_of(lambda: registry.get(name)) == (
        f"E504 solver '{name}' is not installed\n  hint: {installing(name)}"
    )


def test_wheel_that_does_not_load() -> None:
    class Broken(ScipyMilp):
        binding: ClassVar[str] = "scipy.nothing"
        load_hint: ClassVar[str] = HIGHS_CLASH_HINT

    assert text_of(Broken().load) == (
        "E504 solver 'scipy' does not load: No module named 'scipy.nothing'\n"
        "  hint: ortools and highspy 1.15 or later can't share a process: "
        "pip install 'highspy<1.15'"
    )


@pytest.mark.parametrize("name", ["cpsat", "highs", "scipy"])
def test_nonlinear_constraint(name: str) -> None:
    assert text_of_solve(name, polynomial(200)) == (
        f"E502 solver '{name}' can't take constraint 'extent[1]': it is not linear\n"
        f"  hint: {LINEAR_HINT}"
    )


@pytest.mark.parametrize("name", ["cpsat", "highs", "scipy"])
def test_nonlinear_objective(name: str) -> None:
    model = rows_of_cost()
    model.cost.set_value(model.a * model.b)
    assert text_of_solve(name, model) == (
        f"E502 solver '{name}' can't take objective 'cost': it is not linear\n  hint: {LINEAR_HINT}"
    )


def test_maximisation() -> None:
    model = rows_of_cost()
    model.cost.sense = pyo.maximize
    assert text_of_solve("scipy", model) == (
        "E502 solver 'scipy' can't take objective 'cost': it is maximised\n"
        "  hint: minimise its negative"
    )


def test_two_objectives() -> None:
    model = rows_of_cost()
    model.second = pyo.Objective(expr=model.a)
    assert text_of_solve("scipy", model) == (
        "E502 solver 'scipy' can't take several objectives ('cost', 'second')\n"
        "  hint: deactivate all but one"
    )


def test_variable_of_a_set_with_holes() -> None:
    model = rows_of_cost()
    model.tile = pyo.Var(domain=pyo.Set(initialize=[1, 4, 16]))
    assert text_of_solve("scipy", model).startswith(
        "E502 solver 'scipy' can't take variable 'tile': its domain is "
    )


def test_continuous_variable_in_cpsat() -> None:
    model = rows_of_cost()
    model.x = pyo.Var(bounds=(0, 1))
    assert text_of_solve("cpsat", model) == (
        "E502 solver 'cpsat' can't take variable 'x': it is continuous\n"
        "  hint: make it an integer, or solve with highs"
    )


def test_unbounded_variable_in_cpsat() -> None:
    model = rows_of_cost()
    model.b.setub(None)
    assert text_of_solve("cpsat", model) == (
        "E502 solver 'cpsat' can't take variable 'b': it has no finite bounds\n  hint: bound it"
    )


def test_coefficients_beyond_64_bits_in_cpsat() -> None:
    model = rows_of_cost()
    model.third = pyo.Constraint(expr=model.a / 3 + model.b * 1e9 >= 1)
    assert text_of_solve("cpsat", model) == (
        "E502 solver 'cpsat' can't take constraint 'third': its coefficients, scaled to "
        "integers, leave the 64-bit range\n  hint: use small integer coefficients and tight bounds"
    )


def test_enforcing_variable_outside_its_row() -> None:
    model = rows_of_cost()
    model.z = pyo.Var(domain=pyo.Binary)
    model.enforced_by = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    model.enforced_by[model.need] = (model.z, 1, 100)
    assert text_of_solve("cpsat", model) == (
        "E502 solver 'cpsat' can't take the suffix 'enforced_by' on constraint 'need'\n"
        "  hint: 'z' must be a binary variable of the constraint"
    )


def test_size_limit_of_the_bare_gurobi_wheel() -> None:
    if not solver("gurobi").license_status().startswith("size-limited"):
        pytest.skip("this Gurobi licence has no size limit")
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2001), domain=pyo.Binary)
    model.row = pyo.Constraint(expr=sum(model.x[i] for i in range(2001)) >= 2)
    model.cost = pyo.Objective(expr=model.x[0])
    assert text_of_solve("gurobi", model) == (
        "E503 the model, 1 rows and 2001 columns, is too large for the licence of the bare "
        "gurobipy wheel (2000 rows and columns, 200 columns if nonlinear; Gurobi error 10010)\n"
        "  hint: install a licence (free for academics), or solve with cpsat, highs or scip"
    )


@pytest.mark.parametrize("name", registry.SOLVERS)
@pytest.mark.parametrize("option", ["no_such_option", "presolve.nothing"])
def test_unknown_option(name: str, option: str) -> None:
    assert text_of_solve(name, rows_of_cost(), profile={option: 1}) == (
        f"E506 solver '{name}' refuses the option {option} = 1\n"
        f"  hint: the options are described on the page that '{name}/default.toml' cites"
    )


@pytest.mark.parametrize(
    ("name", "option"),
    [("cpsat", "linearization_level"), ("highs", "mip_rel_gap"), ("scip", "limits/gap"),
     ("gurobi", "MIPGap"), ("scipy", "mip_rel_gap")],
)  # fmt: skip
def test_option_of_the_wrong_type(name: str, option: str) -> None:
    text = text_of_solve(name, rows_of_cost(), profile={option: "much"})
    assert text.startswith(f"E506 solver '{name}' refuses the option {option} = 'much'\n")


def test_limits_that_no_solver_can_keep() -> None:
    assert text_of(lambda: SolveOptions(time_limit_seconds=0, threads=0, seed=-1)) == (
        "E507 the time limit must be positive, not 0 s\n"
        "E507 the number of threads must be at least 1, not 0\n"
        "E507 the seed must lie in 0 .. 2000000000, not -1"
    )
