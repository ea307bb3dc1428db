"""SCIP: linear and nonlinear models, to global optimality; the search uses one thread.

References
----------
[1] Parameters, https://www.scipopt.org/doc/html/PARAMETERS.php
[2] Statuses, https://www.scipopt.org/doc/html/type__stat_8h.php
"""

import itertools
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from streamopt.solvers.base import Capability, SolveOptions, Solver
from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.linear_form import LinearForm
from streamopt.solvers.nonlinear import rebuild
from streamopt.solvers.outcome import Claim, NativeOutcome, Verdict, conclude
from streamopt.solvers.profiles import NativeNames, apply_options
from streamopt.solvers.result import SolveResult, Stop
from streamopt.solvers.watch import Watch

# [2]; a limit on nodes is a limit on time.
STATUSES: Mapping[str, Verdict] = {
    "optimal": Verdict(Claim.OPTIMAL, Stop.FINISHED),
    "gaplimit": Verdict(Claim.OPTIMAL, Stop.FINISHED),
    "infeasible": Verdict(Claim.INFEASIBLE, Stop.FINISHED),
    "inforunbd": Verdict(Claim.INFEASIBLE_OR_UNBOUNDED, Stop.FINISHED),
    "unbounded": Verdict(Claim.NOTHING, Stop.FAILED),
    "timelimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "nodelimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "totalnodelimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "stallnodelimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "restartlimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "sollimit": Verdict(Claim.NOTHING, Stop.FINISHED),
    "bestsollimit": Verdict(Claim.NOTHING, Stop.FINISHED),
    "primallimit": Verdict(Claim.NOTHING, Stop.FINISHED),
    "duallimit": Verdict(Claim.NOTHING, Stop.FINISHED),
    "userinterrupt": Verdict(Claim.NOTHING, Stop.INTERRUPTED),
    "terminate": Verdict(Claim.NOTHING, Stop.INTERRUPTED),
    "memlimit": Verdict(Claim.NOTHING, Stop.FAILED),
}
NAMES = NativeNames(
    time_limit="limits/time",
    seed="randomization/randomseedshift",
    gap="limits/absgap",
    fixed={"misc/catchctrlc": False},  # `Watch` sees Ctrl-C
)


class Scip(Solver):
    """Adapter of SCIP through pyscipopt."""

    name: ClassVar[str] = "scip"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {
            Capability.LINEAR,
            Capability.INTEGER,
            Capability.CONTINUOUS,
            Capability.NONLINEAR,
            Capability.WARM_START,
            Capability.PROGRESS,
            Capability.INTERRUPT,
        }
    )
    binding: ClassVar[str] = "pyscipopt"
    distribution: ClassVar[str] = "pyscipopt"
    extra: ClassVar[str] = "scip"
    licence: ClassVar[str] = "open source (Apache-2.0)"

    def solve(self, model: Any, options: SolveOptions) -> SolveResult:
        """Minimise a linear or polynomial model; see `Solver.solve`."""
        self.load()
        import pyscipopt

        watch = Watch(options)
        form = compile_linear(model, self.name, keep_nonlinear=True)
        native: Any = pyscipopt.Model()
        native.hideOutput()
        columns = _add_columns(native, form)
        _add_rows(native, form, columns)
        _set_parameters(native, watch)
        _add_hint(native, columns, form.hint(options.hint))
        return conclude(self, options, watch, form, _search(native, form, columns, watch))


def _add_columns(native: Any, form: LinearForm) -> list[Any]:
    kinds = np.where(form.is_binary, "B", np.where(form.is_integer, "I", "C")).tolist()
    bounds = zip(form.lower.tolist(), form.upper.tolist(), strict=True)
    return [
        native.addVar(name=f"x{column}", vtype=kind, lb=lower, ub=upper)
        for column, (kind, (lower, upper)) in enumerate(zip(kinds, bounds, strict=True))
    ]


def _add_rows(native: Any, form: LinearForm, columns: list[Any]) -> None:
    from pyscipopt import quicksum

    zero = native.addVar(name="zero", vtype="C", lb=0.0, ub=0.0)  # a row may have no terms
    indices: list[int] = form.columns.tolist()
    coefficients: list[float] = form.coefficients.tolist()
    for row, (first, last) in enumerate(itertools.pairwise(form.row_start.tolist())):
        terms = zip(coefficients[first:last], indices[first:last], strict=True)
        body: Any = quicksum(coefficient * columns[column] for coefficient, column in terms)
        if row in form.nonlinear:
            body = body + _translate(form, form.nonlinear[row], columns)
        elif first == last:
            body = zero
        _add_row(native, body, float(form.row_lower[row]), float(form.row_upper[row]))
    used: list[int] = np.flatnonzero(form.cost).tolist()
    cost: Any = quicksum(float(form.cost[column]) * columns[column] for column in used)
    if form.nonlinear_objective is not None:  # SCIP's objective is linear: an epigraph carries it
        level = native.addVar(name="level", vtype="C", lb=None, ub=None)
        native.addCons(level >= _translate(form, form.nonlinear_objective, columns))
        cost = cost + level
    native.setObjective(cost + form.offset, "minimize")


def _add_row(native: Any, body: Any, lower: float, upper: float) -> None:
    if lower == upper:
        native.addCons(body == lower)
    elif math.isfinite(lower) and math.isfinite(upper):
        native.addCons((body >= lower) <= upper)
    elif math.isfinite(lower):
        native.addCons(body >= lower)
    elif math.isfinite(upper):
        native.addCons(body <= upper)


def _translate(form: LinearForm, expression: Any, columns: list[Any]) -> Any:
    import pyscipopt

    functions = {name: getattr(pyscipopt, name) for name in ("exp", "log", "sqrt")}
    return rebuild(
        expression,
        lambda variable: columns[form.column_of[id(variable)]],
        {"abs": abs, **functions},
        "scip",
    )


def _set_parameters(native: Any, watch: Watch) -> None:
    def set_option(name: str, setting: object) -> bool:
        try:
            native.setParam(name, setting)
        except (KeyError, TypeError, ValueError):
            return False
        return True

    apply_options("scip", NAMES, watch, set_option)


def _add_hint(native: Any, columns: list[Any], hint: Mapping[int, float]) -> None:
    if not hint:
        return
    start = native.createPartialSol()
    for column, value in hint.items():
        native.setSolVal(start, columns[column], value)
    native.addSol(start)


def _search(native: Any, form: LinearForm, columns: list[Any], watch: Watch) -> NativeOutcome:
    from pyscipopt import Eventhdlr
    from pyscipopt.scip import PY_SCIP_EVENTTYPE as EVENTS

    class IncumbentHandler(Eventhdlr):
        def eventinit(self) -> None:
            self.model.catchEvent(EVENTS.BESTSOLFOUND, self)

        def eventexit(self) -> None:
            self.model.dropEvent(EVENTS.BESTSOLFOUND, self)

        def eventexec(self, event: Any) -> None:
            bound = self.model.getDualbound()
            watch.report(self.model.getPrimalbound(), bound)
            watch.report_point(form, self.point, bound)

        def point(self) -> list[float]:
            best = self.model.getBestSol()
            return [self.model.getSolVal(best, x) for x in columns]

    native.includeEventhdlr(IncumbentHandler(), "streamopt", "reports new incumbents")
    watch.run(native.optimizeNogil, native.interruptSolve)
    status: str = native.getStatus()
    point = None
    if native.getNSols() > 0:
        best = native.getBestSol()
        point = np.array([native.getSolVal(best, x) for x in columns], dtype=np.float64)
    bound = float(native.getDualbound())
    native.freeTransform()  # the handler ends here, not whenever the model is collected
    return NativeOutcome(status, STATUSES.get(status), point, bound)
