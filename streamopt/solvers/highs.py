"""HiGHS: linear models with integer and real variables.

References
----------
[1] Options, https://ergo-code.github.io/HiGHS/stable/options/definitions/
[2] Statuses, https://ergo-code.github.io/HiGHS/stable/structures/enums/#HighsModelStatus
[3] Callbacks, https://ergo-code.github.io/HiGHS/stable/callbacks/
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamopt.solvers.base import HIGHS_CLASH_HINT, Capability, SolveOptions, Solver
from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.linear_form import LinearForm
from streamopt.solvers.outcome import Claim, NativeOutcome, Verdict, conclude
from streamopt.solvers.profiles import NativeNames, apply_options
from streamopt.solvers.result import SolveResult, Stop
from streamopt.solvers.watch import Watch

if TYPE_CHECKING:
    import highspy

# [2]; a limit on iterations or nodes is a limit on time.
STATUSES: Mapping[str, Verdict] = {
    "kOptimal": Verdict(Claim.OPTIMAL, Stop.FINISHED),
    "kModelEmpty": Verdict(Claim.OPTIMAL, Stop.FINISHED),
    "kInfeasible": Verdict(Claim.INFEASIBLE, Stop.FINISHED),
    "kUnboundedOrInfeasible": Verdict(Claim.INFEASIBLE_OR_UNBOUNDED, Stop.FINISHED),
    "kUnbounded": Verdict(Claim.NOTHING, Stop.FAILED),
    "kTimeLimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "kIterationLimit": Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    "kSolutionLimit": Verdict(Claim.NOTHING, Stop.FINISHED),
    "kObjectiveBound": Verdict(Claim.NOTHING, Stop.FINISHED),
    "kObjectiveTarget": Verdict(Claim.NOTHING, Stop.FINISHED),
    "kInterrupt": Verdict(Claim.NOTHING, Stop.INTERRUPTED),
    "kMemoryLimit": Verdict(Claim.NOTHING, Stop.FAILED),
}
NAMES = NativeNames("time_limit", seed="random_seed", threads="threads", gap="mip_abs_gap")
ROWWISE = 2  # highspy.MatrixFormat.kRowwise
MINIMISE = 1  # highspy.ObjSense.kMinimize
FEASIBLE_POINT = 2  # highspy.SolutionStatus.kSolutionStatusFeasible


class Highs(Solver):
    """Adapter of HiGHS."""

    name: ClassVar[str] = "highs"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {
            Capability.LINEAR,
            Capability.INTEGER,
            Capability.CONTINUOUS,
            Capability.WARM_START,
            Capability.PROGRESS,
            Capability.INTERRUPT,
        }
    )
    binding: ClassVar[str] = "highspy"
    distribution: ClassVar[str] = "highspy"
    load_hint: ClassVar[str] = HIGHS_CLASH_HINT
    licence: ClassVar[str] = "open source (MIT)"

    def solve(self, model: Any, options: SolveOptions) -> SolveResult:
        """Minimise a linear model; see `Solver.solve`."""
        self.load()
        import highspy

        watch = Watch(options)
        form = compile_linear(model, self.name)
        native = highspy.Highs()
        native.setOptionValue("output_flag", False)
        _pass_model(native, form)
        hint = form.hint(options.hint)
        if hint:
            columns = np.fromiter(hint.keys(), np.int32, len(hint))
            native.setSolution(len(hint), columns, np.array(list(hint.values()), dtype=np.float64))
        _set_options(native, watch)
        found = _search(native, form, watch)
        while (better := _better(native, options, form, watch, found)) is not None:
            found = better
        return conclude(self, options, watch, form, found)


@dataclass(frozen=True, slots=True)
class LeastPoint:
    """A solution of a linear program, and whether none is better."""

    values: NDArray[np.float64]
    is_best: bool


def least_point(form: LinearForm, gap: float, most_nodes: int) -> LeastPoint | None:
    """Return the least point of a small program, without a watch; None if none is found.

    Without presolve where HiGHS fails with it.

    Parameters
    ----------
    gap
        Share by which the cost may be more than the least.
    most_nodes
        Of the branch-and-bound tree.
    """
    import highspy

    for presolve in ("choose", "off"):
        native = highspy.Highs()
        native.setOptionValue("output_flag", False)
        native.setOptionValue("mip_rel_gap", gap)
        native.setOptionValue("mip_max_nodes", most_nodes)
        native.setOptionValue("presolve", presolve)
        _pass_model(native, form)
        native.run()
        status = native.getModelStatus().name
        if int(native.getInfo().primal_solution_status) == FEASIBLE_POINT:
            point = np.array(native.getSolution().col_value, dtype=np.float64)
            return LeastPoint(point, is_best=status == "kOptimal" and gap == 0.0)
        if status == "kInfeasible":
            break
    return None


def _pass_model(native: highspy.Highs, form: LinearForm) -> None:
    native.passModel(
        len(form.names),
        len(form.row_names),
        len(form.columns),
        ROWWISE,
        MINIMISE,
        form.offset,
        form.cost,
        form.lower,
        form.upper,
        form.row_lower,
        form.row_upper,
        form.row_start[:-1].astype(np.int32),
        form.columns.astype(np.int32),
        form.coefficients,
        form.is_integer.astype(np.int32),
    )


def _set_options(native: highspy.Highs, watch: Watch) -> None:
    import highspy

    def set_option(name: str, setting: object) -> bool:
        if not isinstance(setting, (bool, int, float, str)):
            return False
        return native.setOptionValue(name, setting) != highspy.HighsStatus.kError

    apply_options("highs", NAMES, watch, set_option)


def _better(
    native: highspy.Highs,
    options: SolveOptions,
    form: LinearForm,
    watch: Watch,
    found: NativeOutcome,
) -> NativeOutcome | None:
    """Ask for a point below a claimed optimum, without presolve; None if there seems to be none.

    Reductions of presolve have cut off the optimum of rows with large coefficients (HiGHS 1.14:
    47899 for 47898). The second search gets as long as the first took, and a second more.
    """
    claims = found.verdict is not None and found.verdict.claim is Claim.OPTIMAL
    is_whole = options.integral_objective and bool(form.is_integer.any())
    if not (claims and is_whole and form.cost.any()) or found.point is None or watch.interrupted:
        return None
    columns = np.flatnonzero(form.cost).astype(np.int32)
    below = round(float(form.cost @ found.point) + form.offset) - 1 - form.offset
    native.clearSolver()
    native.addRow(-np.inf, below, len(columns), columns, form.cost[columns])
    native.setOptionValue("presolve", "off")
    left = watch.remaining_seconds()
    again = watch.elapsed_seconds() + 1.0
    native.setOptionValue("time_limit", again if left is None else min(left, again))
    better = _search(native, form, watch)
    return None if better.point is None else better


def _search(native: highspy.Highs, form: LinearForm, watch: Watch) -> NativeOutcome:
    stopping = threading.Event()

    def on_interrupt(event: Any) -> None:
        if stopping.is_set():
            event.interrupt()

    def on_incumbent(event: Any) -> None:
        watch.report(event.data_out.mip_primal_bound, event.data_out.mip_dual_bound)

    def on_point(event: Any) -> None:
        on_incumbent(event)
        watch.report_point(form, lambda: event.data_out.mip_solution, event.data_out.mip_dual_bound)

    def search() -> None:
        native.run()
        native.resetGlobalScheduler(False)  # the pool belongs to this thread, which ends here

    for callback in (native.cbMipInterrupt, native.cbSimplexInterrupt):
        callback.clear()
    for callback in (native.cbMipImprovingSolution, native.cbMipLogging):
        callback.clear()
    native.cbMipInterrupt.subscribe(on_interrupt)
    native.cbSimplexInterrupt.subscribe(on_interrupt)
    native.cbMipImprovingSolution.subscribe(on_point)
    native.cbMipLogging.subscribe(on_incumbent)
    watch.run(search, stopping.set)
    status = native.getModelStatus().name
    info = native.getInfo()
    bound = float(info.mip_dual_bound) if form.is_integer.any() else None
    if bound is None and status == "kOptimal":
        bound = float(info.objective_function_value)
    point = None
    if int(info.primal_solution_status) == FEASIBLE_POINT or status == "kModelEmpty":
        point = np.array(native.getSolution().col_value, dtype=np.float64)
    return NativeOutcome(status, STATUSES.get(status), point, bound)
