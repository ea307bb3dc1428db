"""One kit for every solver: register an adapter and it is tested here."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from streamopt.errors import SolverError
from streamopt.solvers.base import Capability, Progress, SolveOptions
from streamopt.solvers.profiles import load_profile
from streamopt.solvers.registry import SOLVERS
from streamopt.solvers.result import Proof, Stop
from tests.support.solver_models import (
    assignment,
    best_proof,
    infeasible,
    market_split,
    pyo,
    random_milp,
    rows_of_cost,
    solver,
    solver_with,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.solvers.result import SolveResult

every_solver = pytest.mark.parametrize("name", SOLVERS)


def solve(name: str, model: Any, **options: Any) -> SolveResult:
    return solver(name).solve(model, SolveOptions(**options))


@every_solver
def test_known_optimum_is_proved_or_claimed(name: str) -> None:
    found = solve(name, rows_of_cost(), seed=3)
    assert (found.proof, found.stop) == (best_proof(name), Stop.FINISHED)
    assert (found.objective, found.bound, found.gap) == (5.0, 5.0, 0.0)
    assert found.values == {"a": 1.0, "b": 1.0}
    assert (found.solver, found.seed) == (name, 3)
    assert found.version
    assert found.wall_seconds > 0


@every_solver
def test_assignment(name: str) -> None:
    found = solve(name, assignment(((9, 2, 7), (6, 4, 3), (5, 8, 1))))
    assert found.objective == 9.0
    chosen = {key for key, value in found.values.items() if value == 1.0}
    assert chosen == {"x[0,1]", "x[1,0]", "x[2,2]"}


@every_solver
def test_model_is_left_as_it_was(name: str) -> None:
    model = rows_of_cost()
    solve(name, model)
    assert model.a.value is None


@every_solver
def test_infeasible(name: str) -> None:
    found = solve(name, infeasible())
    assert (found.proof, found.stop) == (Proof.INFEASIBLE, Stop.FINISHED)
    assert found.objective is None
    assert found.gap is None
    assert found.values == {}


@every_solver
def test_constant_row_that_is_false(name: str) -> None:
    model = rows_of_cost()
    model.false = pyo.Constraint(expr=0 * model.a + 1 >= 2)
    assert solve(name, model).proof is Proof.INFEASIBLE


@every_solver
def test_unbounded_fails(name: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers)
    model.y = pyo.Var(domain=pyo.Integers, bounds=(0, 5))
    model.row = pyo.Constraint(expr=model.x <= model.y)
    model.cost = pyo.Objective(expr=model.x)
    if Capability.CONTINUOUS not in solver(name).capabilities:
        with pytest.raises(SolverError, match="E502"):
            solve(name, model)
        return
    found = solve(name, model)
    assert found.proof in (Proof.NONE, Proof.FEASIBLE)
    assert (found.stop, found.bound) == (Stop.FAILED, None)


@every_solver
def test_no_objective_is_a_feasibility_problem(name: str) -> None:
    model = rows_of_cost()
    model.cost.deactivate()
    found = solve(name, model)
    assert (found.proof, found.objective) == (Proof.OPTIMAL, 0.0)
    assert 5 * found.values["a"] + 3 * found.values["b"] >= 7


@every_solver
def test_fixed_and_unused_variables_have_values(name: str) -> None:
    model = rows_of_cost()
    model.a.fix(0)
    model.unused = pyo.Var(domain=pyo.Integers, bounds=(2, 4))
    found = solve(name, model)
    assert found.objective == 6.0
    assert (found.values["a"], found.values["b"]) == (0.0, 3.0)
    assert 2 <= found.values["unused"] <= 4


@every_solver
def test_expressions_parameters_blocks_and_inactive_rows(name: str) -> None:
    model = pyo.ConcreteModel()
    model.price = pyo.Param(initialize=4, mutable=True)
    model.part = pyo.Block()
    model.part.x = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
    model.half = pyo.Expression(expr=(model.part.x + 1) / 2)
    model.part.row = pyo.Constraint(expr=model.half >= 2)
    model.off = pyo.Constraint(expr=model.part.x >= 8)
    model.off.deactivate()
    model.cost = pyo.Objective(expr=model.price * model.part.x + 10)
    found = solve(name, model)
    assert (found.objective, found.values) == (22.0, {"part.x": 3.0})


@every_solver
def test_rational_rows_and_objective(name: str) -> None:
    model = rows_of_cost()
    model.rational = pyo.Constraint(expr=0.1 * model.a + 0.25 * model.b >= 0.6)
    model.cost.set_value(1.5 * model.a + 1.25 * model.b)
    found = solve(name, model, integral_objective=False)
    assert (found.proof, found.objective) == (best_proof(name), 3.75)


@every_solver
def test_objective_that_breaks_its_promise_says_so(name: str) -> None:
    model = rows_of_cost()
    model.cost.set_value(0.75 * model.a + 0.5 * model.b)
    found = solve(name, model, integral_objective=True)
    assert found.objective in (1.25, 1.5)
    assert found.message.endswith("the objective is not a whole number, as the options promise")


@every_solver
def test_real_variables(name: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.NonNegativeReals)
    model.n = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.row = pyo.Constraint(expr=2 * model.x + model.n >= 3.5)
    model.cost = pyo.Objective(expr=model.x + model.n)
    solver_with(name, Capability.CONTINUOUS)
    found = solve(name, model, integral_objective=False)
    assert found.proof is best_proof(name)
    assert found.objective == pytest.approx(1.75)


@every_solver
def test_linear_program_without_integers(name: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), domain=pyo.NonNegativeReals)
    model.row = pyo.Constraint(expr=2 * model.x[0] + model.x[1] >= 3)
    model.cost = pyo.Objective(expr=model.x[0] + model.x[1] + 1)
    solver_with(name, Capability.CONTINUOUS)
    found = solve(name, model, integral_objective=False)
    assert found.proof is best_proof(name)
    assert found.objective == pytest.approx(2.5)
    assert found.bound == pytest.approx(2.5)


@every_solver
@pytest.mark.parametrize("active", [0, 1])
def test_enforced_row_equals_its_big_m_row(name: str, active: int) -> None:
    model = pyo.ConcreteModel()
    model.t = pyo.Var(domain=pyo.Integers, bounds=(0, 50))
    model.z = pyo.Var(domain=pyo.Binary)
    inactive = 1 - model.z if active else model.z
    model.after = pyo.Constraint(expr=model.t >= 9 - 100 * inactive)
    model.enforced_by = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    model.enforced_by[model.after] = (model.z, active, 100)
    choice = model.z if active else 1 - model.z
    model.cost = pyo.Objective(expr=model.t + 20 * (1 - choice))
    found = solve(name, model)
    assert (found.objective, found.values) == (9.0, {"t": 9.0, "z": float(active)})


@every_solver
def test_no_incumbent_within_the_time_limit(name: str) -> None:
    model = market_split(6, 50, soft=False)
    found = solve(name, model, time_limit_seconds=0.3)
    assert (found.proof, found.stop) == (Proof.NONE, Stop.TIME_LIMIT)
    assert (found.objective, found.values) == (None, {})


@every_solver
def test_incumbent_at_the_time_limit_is_not_an_optimum(name: str) -> None:
    found = solve(name, market_split(8, 60, soft=True), time_limit_seconds=2)
    assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.TIME_LIMIT)
    assert found.objective is not None
    assert found.bound is not None
    assert found.bound < found.objective
    assert found.gap is not None
    assert found.gap > 0
    assert all(value == round(value) for value in found.values.values())


@every_solver
def test_should_stop_returns_the_incumbent(name: str) -> None:
    found = solver_with(name, Capability.INTERRUPT)
    incumbents: list[float] = []

    def note(progress: Progress) -> None:
        if progress.incumbent is not None:
            incumbents.append(progress.incumbent)

    options = SolveOptions(
        time_limit_seconds=60, on_progress=note, should_stop=lambda: bool(incumbents)
    )
    result = found.solve(market_split(8, 60, soft=True), options)
    assert (result.proof, result.stop) == (Proof.FEASIBLE, Stop.INTERRUPTED)
    assert result.values


@every_solver
def test_points_of_a_running_search_are_those_of_its_incumbents(name: str) -> None:
    found = solver_with(name, Capability.PROGRESS)
    model, copy = market_split(4, 20, soft=True), market_split(4, 20, soft=True)
    costs: list[float] = []

    def note(values: Mapping[str, float], bound: float | None) -> None:
        for variable in copy.component_data_objects(pyo.Var):
            variable.set_value(values[variable.name])
        costs.append(next(pyo.value(o) for o in copy.component_data_objects(pyo.Objective)))
        assert bound is None or bound <= costs[-1] + 1e-6

    result = found.solve(model, SolveOptions(time_limit_seconds=3, on_point=note))
    assert result.objective is not None
    assert costs
    assert min(costs) == pytest.approx(result.objective)


@every_solver
def test_stop_before_the_search_starts(name: str) -> None:
    found = solver_with(name, Capability.INTERRUPT)
    options = SolveOptions(time_limit_seconds=20, should_stop=lambda: True)
    result = found.solve(market_split(8, 60, soft=True), options)
    assert result.stop is Stop.INTERRUPTED
    assert result.wall_seconds < 5


@every_solver
def test_control_c_returns_the_incumbent(name: str) -> None:
    found = solver_with(name, Capability.INTERRUPT)
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread only")
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    result = found.solve(market_split(8, 60, soft=True), SolveOptions(time_limit_seconds=20))
    timer.join()
    assert (result.proof, result.stop) == (Proof.FEASIBLE, Stop.INTERRUPTED)
    assert result.values


@every_solver
def test_hint_is_where_the_search_starts(name: str) -> None:
    found = solver_with(name, Capability.WARM_START)
    model = market_split(8, 60, soft=True)
    good = solver("cpsat").solve(model, SolveOptions(time_limit_seconds=0.5))
    assert good.objective is not None
    again = found.solve(model, SolveOptions(time_limit_seconds=0.3, hint=good.values))
    assert again.objective is not None
    assert again.objective <= good.objective


@every_solver
def test_partial_or_wrong_hint_does_no_harm(name: str) -> None:
    for hint in ({"a": 1.0}, {"a": 0.0, "b": 0.0}, {"a": 99.0}):
        assert solve(name, rows_of_cost(), hint=hint).objective == 5.0


@every_solver
def test_progress_is_reported_in_the_callers_thread(name: str) -> None:
    events: list[Progress] = []
    threads: set[threading.Thread] = set()

    def note(event: Progress) -> None:
        events.append(event)
        threads.add(threading.current_thread())

    model = market_split(8, 60, soft=True)
    found = solve(name, model, time_limit_seconds=0.5, on_progress=note)
    assert threads == {threading.current_thread()}
    assert [event.elapsed_seconds for event in events] == sorted(e.elapsed_seconds for e in events)
    assert (events[-1].incumbent, events[-1].bound) == (found.objective, found.bound)
    least = 2 if Capability.PROGRESS in solver(name).capabilities else 1
    assert len(events) >= least


@every_solver
def test_error_in_a_callback_reaches_the_caller(name: str) -> None:
    def fail(_: Progress) -> None:
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        solve(name, rows_of_cost(), on_progress=fail)


@every_solver
def test_loose_gap_of_a_profile_is_not_a_proof(name: str) -> None:
    loose = {
        "cpsat": {"stop_after_first_solution": True},
        "highs": {"mip_max_improving_sols": 1},
        "scip": {"limits/solutions": 1},
        "gurobi": {"SolutionLimit": 1},
        "scipy": {"mip_rel_gap": 0.9},
    }
    model = market_split(8, 60, soft=True)
    model.base = pyo.Var(domain=pyo.Integers, bounds=(999, 1000))  # makes the relative gap small
    model.cost.set_value(model.cost.expr + model.base)
    found = solve(name, model, profile=loose[name], time_limit_seconds=5)
    assert (found.proof, found.stop) == (Proof.FEASIBLE, Stop.FINISHED)


@every_solver
def test_same_seed_gives_the_same_point(name: str) -> None:
    model = assignment(tuple(tuple((3 * i + 5 * j) % 7 for j in range(6)) for i in range(6)))
    profile = {"interleave_search": True} if name == "cpsat" else {}
    first, second = (solve(name, model, profile=profile, seed=5) for _ in range(2))
    assert first.values == second.values


@every_solver
def test_random_models_agree_with_enumeration(name: str) -> None:
    for seed in range(25):
        model, optimum = random_milp(seed)
        found = solve(name, model, seed=seed)
        expected = Proof.INFEASIBLE if optimum is None else best_proof(name)
        assert (found.proof, found.objective) == (expected, optimum), f"seed {seed}"


@every_solver
def test_packaged_profile_is_accepted(name: str) -> None:
    assert load_profile(name)
    assert solve(name, rows_of_cost(), profile=load_profile(name)).proof is best_proof(name)
