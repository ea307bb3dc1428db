"""What a native outcome is worth: no claim is believed that the point or the bound contradicts."""

from __future__ import annotations

import numpy as np
import pytest

from streamopt.solvers.base import SolveOptions, Solver
from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.cpsat import CpSat
from streamopt.solvers.highs import Highs
from streamopt.solvers.outcome import Claim, NativeOutcome, Verdict, conclude
from streamopt.solvers.result import Proof, SolveResult, Stop
from streamopt.solvers.scipy_milp import ScipyMilp
from streamopt.solvers.watch import Watch
from tests.support.solver_models import infeasible, pyo, rows_of_cost

SOLVED = Verdict(Claim.OPTIMAL, Stop.FINISHED)
OUT_OF_TIME = Verdict(Claim.NOTHING, Stop.TIME_LIMIT)


def judge(
    verdict: Verdict | None,
    point: list[float] | None,
    bound: float | None,
    *,
    integral: bool = True,
    interrupted: bool = False,
    solver: Solver | None = None,
) -> SolveResult:
    options = SolveOptions(integral_objective=integral)
    watch = Watch(options)
    watch.interrupted = interrupted
    form = compile_linear(rows_of_cost(), "scipy")
    array = None if point is None else np.array(point)
    native = NativeOutcome("native", verdict, array, bound)
    return conclude(solver or ScipyMilp(), options, watch, form, native)


def test_unknown_status_is_a_failure() -> None:
    found = judge(None, None, None)
    assert (found.proof, found.stop) == (Proof.NONE, Stop.FAILED)
    assert found.message == "scipy status native"


def test_point_is_rounded_and_evaluated_again() -> None:
    found = judge(SOLVED, [1 - 1e-7, 1 + 1e-7], 5 - 1e-7)
    assert found.values == {"a": 1.0, "b": 1.0}
    assert (found.proof, found.objective, found.bound) == (Proof.CLAIMED, 5.0, 5.0)


@pytest.mark.parametrize(
    ("point", "what"), [([0, 2], "constraint 'need'"), ([10, 0], "the bounds of 'a'")]
)
def test_point_that_breaks_the_model_is_dropped(point: list[float], what: str) -> None:
    found = judge(SOLVED, point, 4)
    assert (found.proof, found.stop, found.values) == (Proof.NONE, Stop.FAILED, {})
    assert found.message == f"scipy status native; its point violates {what}, so it is dropped"


@pytest.mark.parametrize(("bound", "proof"), [(4.02, Proof.CLAIMED), (4.0, Proof.FEASIBLE)])
def test_bound_within_one_closes_a_whole_objective(bound: float, proof: Proof) -> None:
    assert judge(OUT_OF_TIME, [1, 1], bound).proof is proof


def test_only_whole_numbers_prove() -> None:
    assert judge(SOLVED, [1, 1], 5, solver=CpSat()).proof is Proof.OPTIMAL
    assert judge(SOLVED, [1, 1], 5, solver=Highs()).proof is Proof.CLAIMED


def test_bound_within_one_proves_nothing_else() -> None:
    found = judge(SOLVED, [1, 1], 4.02, integral=False)
    assert (found.proof, found.bound) == (Proof.FEASIBLE, 4.02)


def test_claim_of_an_optimum_needs_a_bound() -> None:
    assert judge(SOLVED, [1, 1], None).proof is Proof.FEASIBLE


def test_bound_above_the_point_is_no_proof() -> None:
    found = judge(SOLVED, [1, 1], 8)
    assert (found.proof, found.bound) == (Proof.FEASIBLE, None)
    assert found.message == (
        "scipy status native; its bound 8 contradicts its point, so it is dropped"
    )


def test_finished_without_a_point_is_a_failure() -> None:
    assert judge(SOLVED, None, 5).stop is Stop.FAILED


def test_time_limit_before_any_point_keeps_the_bound() -> None:
    found = judge(OUT_OF_TIME, None, 3.2)
    assert (found.proof, found.stop, found.bound) == (Proof.NONE, Stop.TIME_LIMIT, 4.0)
    assert judge(OUT_OF_TIME, None, -1e20).bound is None


def test_interrupt_explains_a_limit_and_not_a_proof() -> None:
    assert judge(OUT_OF_TIME, [1, 1], 3, interrupted=True).stop is Stop.INTERRUPTED
    assert judge(SOLVED, [1, 1], 5, interrupted=True).stop is Stop.FINISHED


def test_infeasible_or_unbounded_is_decided_by_the_bounds_of_the_objective() -> None:
    either = Verdict(Claim.INFEASIBLE_OR_UNBOUNDED, Stop.FINISHED)
    assert judge(either, None, None).proof is Proof.INFEASIBLE
    model = infeasible()
    model.free = pyo.Var()
    model.cost.set_value(model.free)
    options = SolveOptions()
    form = compile_linear(model, "scipy")
    native = NativeOutcome("native", either, None, None)
    found = conclude(ScipyMilp(), options, Watch(options), form, native)
    assert (found.proof, found.stop) == (Proof.NONE, Stop.FAILED)
