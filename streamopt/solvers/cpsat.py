"""CP-SAT of OR-tools: integer linear models; the default solver where it is installed.

Models must be integer with finite bounds. Rational rows are scaled to integers exactly, sums of
binaries equal to one become exactly-one constraints, and rows marked by the suffix ``enforced_by``
become conditional on their binary, without big-M.

With more than one thread the search is not deterministic: the objective of a proved optimum is
the same in every run, the point may not be. ``interleave_search = true`` in a profile makes it so.

References
----------
[1] Parameters, https://github.com/google/or-tools/blob/stable/ortools/sat/sat_parameters.proto
[2] Statuses, ``CpSolverStatus`` in
    https://github.com/google/or-tools/blob/stable/ortools/sat/cp_model.proto
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from streamopt.solvers.base import HIGHS_CLASH_HINT, Capability, SolveOptions, Solver
from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.integer_rows import (
    IntegerObjective,
    IntegerRow,
    integer_objective,
    integer_rows,
)
from streamopt.solvers.linear_form import LinearForm
from streamopt.solvers.outcome import Claim, NativeOutcome, Verdict, conclude
from streamopt.solvers.profiles import NativeNames, apply_options
from streamopt.solvers.result import SolveResult, Stop
from streamopt.solvers.watch import Watch

# [2]; FEASIBLE and UNKNOWN mean that a limit ended the search.
STATUSES: Mapping[str, Verdict] = {
    "OPTIMAL": Verdict(Claim.OPTIMAL, Stop.FINISHED),
    "INFEASIBLE": Verdict(Claim.INFEASIBLE, Stop.FINISHED),
    "FEASIBLE": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "UNKNOWN": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "MODEL_INVALID": Verdict(Claim.NOTHING, Stop.FAILED),
}
NAMES = NativeNames(
    time_limit="max_time_in_seconds",
    seed="random_seed",
    threads="num_workers",
    fixed={"catch_sigint_signal": False},  # `Watch` sees Ctrl-C
)
FIRST_FOUND = Verdict(Claim.NOTHING, Stop.FINISHED)  # `stop_after_first_solution` of a profile


class CpSat(Solver):
    """Adapter of CP-SAT."""

    name: ClassVar[str] = "cpsat"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {
            Capability.LINEAR,
            Capability.INTEGER,
            Capability.ENFORCEMENT,
            Capability.WARM_START,
            Capability.PROGRESS,
            Capability.INTERRUPT,
        }
    )
    binding: ClassVar[str] = "ortools.sat.python.cp_model"
    distribution: ClassVar[str] = "ortools"
    extra: ClassVar[str] = "cpsat"
    load_hint: ClassVar[str] = HIGHS_CLASH_HINT
    licence: ClassVar[str] = "open source (Apache-2.0)"
    is_exact: ClassVar[bool] = True

    def solve(self, model: Any, options: SolveOptions) -> SolveResult:
        """Minimise a linear integer model; see `Solver.solve`."""
        self.load()
        watch = Watch(options)
        form = compile_linear(model, self.name)
        rows = integer_rows(form, self.name)
        objective = integer_objective(form, self.name)
        native = _native_model(form, rows, objective, options)
        outcome = _search(native, form, objective, watch)
        return conclude(self, options, watch, form, outcome)


def _native_model(
    form: LinearForm,
    rows: list[IntegerRow],
    objective: IntegerObjective,
    options: SolveOptions,
) -> Any:
    from ortools.sat.python import cp_model

    native: Any = cp_model.CpModel()
    proto: Any = native.proto
    for lower, upper in zip(form.lower.tolist(), form.upper.tolist(), strict=True):
        proto.variables.add().domain.extend([int(lower), int(upper)])
    for row in rows:
        constraint: Any = proto.constraints.add()
        if row.is_exactly_one:
            constraint.exactly_one.literals.extend(row.columns)
            continue
        constraint.linear.vars.extend(row.columns)
        constraint.linear.coeffs.extend(row.coefficients)
        constraint.linear.domain.extend([row.lower, row.upper])
        if row.literal is not None:
            constraint.enforcement_literal.append(row.literal)
    proto.objective.vars.extend(objective.columns)
    proto.objective.coeffs.extend(objective.coefficients)
    for column, value in form.hint(options.hint).items():
        proto.solution_hint.vars.append(column)
        proto.solution_hint.values.append(round(value))
    return native


def _search(
    native: Any, form: LinearForm, objective: IntegerObjective, watch: Watch
) -> NativeOutcome:
    from ortools.sat.python import cp_model

    class IncumbentCallback(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            nonlocal incumbent
            incumbent = objective.value(self.ObjectiveValue())
            bound = objective.value(self.BestObjectiveBound())
            watch.report(incumbent, bound)
            watch.report_point(form, self.point, bound)

        def point(self) -> list[int]:
            response: Any = self.response_proto
            return list(response.solution)

    def on_bound(bound: float) -> None:
        watch.report(incumbent, objective.value(bound))

    incumbent: float | None = None
    solver: Any = cp_model.CpSolver()
    _set_parameters(solver.parameters, watch)
    solver.best_bound_callback = on_bound
    callback = IncumbentCallback()
    status: Any = watch.run(lambda: solver.solve(native, callback), solver.stop_search)
    name: str = solver.status_name(status)
    is_first = name == "FEASIBLE" and solver.parameters.stop_after_first_solution
    solution: list[int] = list(solver.response_proto.solution)
    return NativeOutcome(
        status=name,
        verdict=FIRST_FOUND if is_first else STATUSES.get(name),
        point=np.array(solution, dtype=np.float64) if solution else None,
        bound=objective.value(float(solver.best_objective_bound)),
    )


def _set_parameters(parameters: Any, watch: Watch) -> None:
    def set_option(name: str, setting: object) -> bool:
        try:
            if isinstance(setting, list):
                getattr(parameters, name).extend(setting)
            else:
                setattr(parameters, name, setting)
        except (AttributeError, TypeError, ValueError):
            return False
        return True

    apply_options("cpsat", NAMES, watch, set_option)
