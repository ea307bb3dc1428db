"""Gurobi: linear and nonlinear models, to global optimality; needs a licence for real sizes.

The bare wheel brings a licence for 2000 rows and columns, and 200 columns in a nonlinear model.

References
----------
[1] Parameters, https://docs.gurobi.com/projects/optimizer/en/current/reference/parameters.html
[2] Statuses and [3] error codes,
    https://docs.gurobi.com/projects/optimizer/en/current/reference/numericcodes.html
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SolverError
from streamopt.solvers.base import Capability, SolveOptions, Solver
from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.linear_form import LinearForm
from streamopt.solvers.nonlinear import rebuild
from streamopt.solvers.outcome import Claim, NativeOutcome, Verdict, conclude
from streamopt.solvers.profiles import NativeNames, apply_options
from streamopt.solvers.result import SolveResult, Stop
from streamopt.solvers.watch import Watch

# [2]; a limit on nodes, iterations or work is a limit on time.
STATUSES: Mapping[int, Verdict] = {
    2: Verdict(Claim.OPTIMAL, Stop.FINISHED),
    3: Verdict(Claim.INFEASIBLE, Stop.FINISHED),
    4: Verdict(Claim.INFEASIBLE_OR_UNBOUNDED, Stop.FINISHED),
    5: Verdict(Claim.NOTHING, Stop.FAILED),  # unbounded
    6: Verdict(Claim.NOTHING, Stop.FINISHED),  # worse than the profile's Cutoff
    7: Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    8: Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    9: Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    10: Verdict(Claim.NOTHING, Stop.FINISHED),  # the profile's SolutionLimit
    11: Verdict(Claim.NOTHING, Stop.INTERRUPTED),
    12: Verdict(Claim.NOTHING, Stop.FAILED),  # numerical trouble
    13: Verdict(Claim.NOTHING, Stop.FINISHED),
    15: Verdict(Claim.NOTHING, Stop.FINISHED),  # the profile's BestObjStop
    16: Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    17: Verdict(Claim.NOTHING, Stop.FAILED),  # out of memory
}
NAMES = NativeNames("TimeLimit", seed="Seed", threads="Threads", gap="MIPGapAbs")
ALL_BUT_ENFORCEMENT = frozenset(set(Capability) - {Capability.ENFORCEMENT})
TOO_LARGE = 10010  # [3]


class Gurobi(Solver):
    """Adapter of Gurobi through gurobipy."""

    name: ClassVar[str] = "gurobi"
    capabilities: ClassVar[frozenset[Capability]] = ALL_BUT_ENFORCEMENT
    binding: ClassVar[str] = "gurobipy"
    distribution: ClassVar[str] = "gurobipy"
    extra: ClassVar[str] = "gurobi"
    licence: ClassVar[str] = "commercial, free for academics"

    def license_status(self) -> str:
        """Try a model that the licence of the bare wheel refuses."""
        import gurobipy

        try:
            with _environment() as environment, gurobipy.Model(env=environment) as native:
                native.addMVar(2001)
                native.optimize()
        except gurobipy.GurobiError as error:
            limits = "size-limited: 2000 rows and columns, 200 columns if nonlinear"
            return limits if error.errno == TOO_LARGE else f"no licence: {error}"
        return "full licence"

    def solve(self, model: Any, options: SolveOptions) -> SolveResult:
        """Minimise a linear or nonlinear model; see `Solver.solve`."""
        self.load()
        import gurobipy

        watch = Watch(options)
        form = compile_linear(model, self.name, keep_nonlinear=True)
        try:
            with _environment() as environment, gurobipy.Model(env=environment) as native:
                columns = native.addMVar(
                    len(form.names), lb=form.lower, ub=form.upper, vtype=_kinds(form)
                )
                _add_rows(native, form, columns)
                _set_parameters(native, watch)
                for column, value in form.hint(options.hint).items():
                    columns[column].Start = value
                return conclude(self, options, watch, form, _search(native, form, columns, watch))
        except gurobipy.GurobiError as error:
            raise SolverError(_diagnostic(error, form)) from error


def _environment() -> Any:
    import gurobipy

    environment = gurobipy.Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.start()
    return environment


def _diagnostic(error: Any, form: LinearForm) -> Diagnostic:
    message = f"gurobi stopped with error {error.errno}: {error}"
    if error.errno == TOO_LARGE:
        size = f"{len(form.row_names)} rows and {len(form.names)} columns"
        message = f"the model, {size}, is too large for the licence of the bare gurobipy wheel"
        message += " (2000 rows and columns, 200 columns if nonlinear; Gurobi error 10010)"
    hint = "install a licence (free for academics), or solve with cpsat, highs or scip"
    return Diagnostic("E503", message, hint=hint)


def _kinds(form: LinearForm) -> NDArray[np.str_]:
    return np.where(form.is_binary, "B", np.where(form.is_integer, "I", "C"))


def _add_rows(native: Any, form: LinearForm, columns: Any) -> None:
    from gurobipy import GRB
    from scipy.sparse import csr_array

    shape = (len(form.row_names), len(form.names))
    matrix: Any = csr_array((form.coefficients, form.columns, form.row_start), shape=shape)
    is_linear = np.ones(len(form.row_names), dtype=bool)
    is_linear[list(form.nonlinear)] = False
    equal = form.row_lower == form.row_upper
    for chosen, sense, side in (
        (equal, GRB.EQUAL, form.row_upper),
        (~equal & np.isfinite(form.row_upper), GRB.LESS_EQUAL, form.row_upper),
        (~equal & np.isfinite(form.row_lower), GRB.GREATER_EQUAL, form.row_lower),
    ):
        rows = np.flatnonzero(chosen & is_linear)
        if len(rows):
            native.addMConstr(matrix[rows], columns, sense, side[rows])
    scalars: list[Any] = columns.tolist()
    for row, expression in form.nonlinear.items():
        inside = slice(form.row_start[row], form.row_start[row + 1])
        terms = zip(form.coefficients[inside], form.columns[inside], strict=True)
        body = sum(float(c) * scalars[j] for c, j in terms)
        result = native.addVar(lb=form.row_lower[row], ub=form.row_upper[row])
        native.addConstr(result == body + _translate(form, expression, scalars))
    target = form.cost @ columns + form.offset
    if form.nonlinear_objective is not None:
        level = native.addVar(lb=-GRB.INFINITY)
        native.addConstr(level == _translate(form, form.nonlinear_objective, scalars))
        target = target + level
    native.setObjective(target, GRB.MINIMIZE)


def _translate(form: LinearForm, expression: Any, columns: list[Any]) -> Any:
    from gurobipy import nlfunc

    functions = {name: getattr(nlfunc, name) for name in ("exp", "log", "sqrt")}
    return rebuild(
        expression, lambda variable: columns[form.column_of[id(variable)]], functions, "gurobi"
    )


def _set_parameters(native: Any, watch: Watch) -> None:
    import gurobipy

    def set_option(name: str, setting: object) -> bool:
        try:
            native.setParam(name, setting)
        except (gurobipy.GurobiError, TypeError):
            return False
        return True

    apply_options("gurobi", NAMES, watch, set_option)


def _search(native: Any, form: LinearForm, columns: Any, watch: Watch) -> NativeOutcome:
    from gurobipy import GRB

    def on_event(model: Any, where: int) -> None:
        if where == GRB.Callback.MIPSOL:
            best: float = model.cbGet(GRB.Callback.MIPSOL_OBJ)
            bound: float = model.cbGet(GRB.Callback.MIPSOL_OBJBND)
            watch.report(best, bound)
            watch.report_point(form, lambda: model.cbGetSolution(columns.tolist()), bound)

    watch.run(lambda: native.optimize(on_event), native.terminate)
    status: int = native.Status
    bound = float(native.ObjBound) if native.IsMIP else None
    point = np.array(columns.X, dtype=np.float64) if native.SolCount > 0 else None
    if bound is None and point is not None and status == GRB.OPTIMAL:
        bound = float(native.ObjVal)
    return NativeOutcome(str(status), STATUSES.get(status), point, bound)
