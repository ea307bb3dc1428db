"""From what a solver claims to what is reported: every incumbent is checked, every proof earned.

A solver's point is rounded on the integer columns and put back into the rows, because a
tolerance that is harmless on a big-M row in floating point is a wrong schedule in integers.
"""

import logging
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streamopt.solvers.base import SolveOptions, Solver
from streamopt.solvers.linear_form import LinearForm
from streamopt.solvers.nonlinear import NUMBER_FUNCTIONS, rebuild
from streamopt.solvers.result import Proof, SolveResult, Stop
from streamopt.solvers.watch import Watch, finite

logger = logging.getLogger(__name__)

# A whole-number objective is proved by a bound less than one below it; the rest of the one is
# the numerical error a bound may have.
INTEGRAL_GAP = 0.99
RELATIVE_TOLERANCE = 1e-6
LARGEST_VIOLATION = 0.5


class Claim(StrEnum):
    """The claim of a native status about the model."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    INFEASIBLE_OR_UNBOUNDED = "infeasible or unbounded"
    NOTHING = "nothing"


class Verdict(NamedTuple):
    """One row of an adapter's status table."""

    claim: Claim
    stop: Stop


@dataclass(frozen=True, slots=True)
class NativeOutcome:
    """The report of a solver."""

    status: str
    """Native name of the status."""
    verdict: Verdict | None
    """Its row of the status table; None if the table has none."""
    point: NDArray[np.float64] | None
    """Best point by column, None without an incumbent."""
    bound: float | None
    """Lower bound on the objective; None or infinite if there is none."""


def conclude(
    solver: Solver, options: SolveOptions, watch: Watch, form: LinearForm, native: NativeOutcome
) -> SolveResult:
    """Check the incumbent, decide what is proved, and report the final state to the caller."""
    claim, stop = native.verdict or Verdict(Claim.NOTHING, Stop.FAILED)
    message = f"{solver.name} status {native.status}"
    point = native.point
    if point is not None:
        point = np.where(form.is_integer, np.rint(point), point) + 0.0  # no -0.0
        violated = _violation(form, point)
        if violated is not None:
            message += f"; its point violates {violated}, so it is dropped"
            logger.warning("%s", message)
            point, claim, stop = None, Claim.NOTHING, Stop.FAILED
    objective = None if point is None else _objective(form, point)
    integral = options.integral_objective and (objective is None or _is_whole(objective))
    if objective is not None and integral:
        objective = float(round(objective))
    elif objective is not None and options.integral_objective:
        message += "; the objective is not a whole number, as the options promise"
    bound = _bound(native.bound, integral=integral)
    slack = 0.5 if integral else RELATIVE_TOLERANCE * max(1.0, abs(objective or 0.0))
    if bound is not None and objective is not None and bound > objective + slack:
        message += f"; its bound {bound:g} contradicts its point, so it is dropped"
        bound = None
    elif bound is not None and objective is not None:
        bound = min(bound, objective)
    proof = _proof(claim, form, objective, bound, integral=integral)
    if proof is Proof.OPTIMAL:
        bound = objective
        proof = Proof.OPTIMAL if solver.is_exact or _is_constant(form) else Proof.CLAIMED
    if watch.interrupted and stop is Stop.TIME_LIMIT:
        stop = Stop.INTERRUPTED
    watch.report(objective, bound)
    watch.deliver()
    return SolveResult(
        proof=proof,
        stop=Stop.FAILED if _is_inconclusive(proof, claim, stop) else stop,
        objective=objective,
        bound=bound,
        wall_seconds=watch.elapsed_seconds(),
        solver=solver.name,
        version=solver.version(),
        seed=options.seed,
        values={} if point is None else form.values(point),
        message=message,
    )


def _is_inconclusive(proof: Proof, claim: Claim, stop: Stop) -> bool:
    """Whether a search that finished has nothing to show: unbounded, or it contradicts itself."""
    return stop is Stop.FINISHED and proof is Proof.NONE and claim is not Claim.NOTHING


def _proof(
    claim: Claim,
    form: LinearForm,
    objective: float | None,
    bound: float | None,
    *,
    integral: bool,
) -> Proof:
    if objective is None:
        bounded = claim is Claim.INFEASIBLE_OR_UNBOUNDED and _is_objective_bounded(form)
        return Proof.INFEASIBLE if claim is Claim.INFEASIBLE or bounded else Proof.NONE
    if _is_constant(form):
        return Proof.OPTIMAL  # every feasible point is as good
    if bound is None:
        return Proof.FEASIBLE
    tolerance = RELATIVE_TOLERANCE * max(1.0, abs(objective)) if claim is Claim.OPTIMAL else 0.0
    if integral:
        tolerance = INTEGRAL_GAP
    return Proof.OPTIMAL if objective - bound <= tolerance else Proof.FEASIBLE


def _is_constant(form: LinearForm) -> bool:
    return form.nonlinear_objective is None and not form.cost.any()


def _is_objective_bounded(form: LinearForm) -> bool:
    used = np.ones_like(form.cost, dtype=bool)
    if form.nonlinear_objective is None:
        used = form.cost != 0
    return bool(np.isfinite(form.lower[used]).all() and np.isfinite(form.upper[used]).all())


def _objective(form: LinearForm, point: NDArray[np.float64]) -> float:
    value = float(form.cost @ point) + form.offset
    if form.nonlinear_objective is not None:
        value += _nonlinear(form, form.nonlinear_objective, point)
    return value


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) <= RELATIVE_TOLERANCE * max(1.0, abs(value))


def _bound(bound: float | None, *, integral: bool) -> float | None:
    bound = finite(bound)
    if bound is None or not integral:
        return bound
    return float(math.ceil(bound - (1.0 - INTEGRAL_GAP)))


def _nonlinear(form: LinearForm, expression: object, point: NDArray[np.float64]) -> float:
    def number(variable: object) -> int | float:
        column = form.column_of[id(variable)]
        return int(point[column]) if form.is_integer[column] else float(point[column])

    return float(rebuild(expression, number, NUMBER_FUNCTIONS, "check"))


def _violation(form: LinearForm, point: NDArray[np.float64]) -> str | None:
    """Name the first bound or row that a point misses by more than rounding; None if none."""
    slack = RELATIVE_TOLERANCE * np.maximum(1.0, np.abs(point))
    outside = (point < form.lower - slack) | (point > form.upper + slack)
    if outside.any():
        return f"the bounds of '{form.names[int(np.argmax(outside))]}'"
    activity = form.activities(point)
    for row, expression in form.nonlinear.items():
        activity[row] += _nonlinear(form, expression, point)
    slack = np.minimum(LARGEST_VIOLATION, RELATIVE_TOLERANCE * np.maximum(1.0, np.abs(activity)))
    outside = (activity < form.row_lower - slack) | (activity > form.row_upper + slack)
    return f"constraint '{form.row_names[int(np.argmax(outside))]}'" if outside.any() else None
