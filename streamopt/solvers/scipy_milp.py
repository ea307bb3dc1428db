"""SciPy's ``milp``: linear models without any extra wheel; no progress and no interrupt.

References
----------
[1] Options and statuses,
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.optimize.milp.html
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from streamopt.solvers.base import Capability, SolveOptions, Solver
from streamopt.solvers.compilation import compile_linear
from streamopt.solvers.linear_form import LinearForm
from streamopt.solvers.outcome import Claim, NativeOutcome, Verdict, conclude
from streamopt.solvers.profiles import NativeNames, apply_options
from streamopt.solvers.result import SolveResult, Stop
from streamopt.solvers.watch import Watch

# [1]
STATUSES: Mapping[int, Verdict] = {
    0: Verdict(Claim.OPTIMAL, Stop.FINISHED),
    1: Verdict(Claim.NOTHING, Stop.TIME_LIMIT),
    2: Verdict(Claim.INFEASIBLE, Stop.FINISHED),
    3: Verdict(Claim.NOTHING, Stop.FAILED),  # unbounded
    4: Verdict(Claim.NOTHING, Stop.FAILED),
}
OPTIONS = frozenset({"node_limit", "presolve", "mip_rel_gap"})


class ScipyMilp(Solver):
    """Adapter of ``scipy.optimize.milp``; it takes neither a seed nor a number of threads."""

    name: ClassVar[str] = "scipy"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.LINEAR, Capability.INTEGER, Capability.CONTINUOUS}
    )
    binding: ClassVar[str] = "scipy.optimize"
    distribution: ClassVar[str] = "scipy"
    licence: ClassVar[str] = "open source (BSD-3-Clause)"

    def solve(self, model: Any, options: SolveOptions) -> SolveResult:
        """Minimise a linear model; see `Solver.solve`."""
        watch = Watch(options)
        form = compile_linear(model, self.name)
        native: dict[str, Any] = {}

        def set_option(name: str, setting: object) -> bool:
            native[name] = setting
            return name in OPTIONS and isinstance(setting, (bool, int, float))

        apply_options(self.name, NativeNames("time_limit"), watch, set_option)
        return conclude(self, options, watch, form, _search(form, native))


def _search(form: LinearForm, native: Mapping[str, Any]) -> NativeOutcome:
    import scipy.optimize
    from scipy.sparse import csr_array

    optimize: Any = scipy.optimize
    shape = (len(form.row_names), len(form.names))
    rows: Any = csr_array((form.coefficients, form.columns, form.row_start), shape=shape)
    found: Any = optimize.milp(
        form.cost,
        integrality=form.is_integer.astype(np.int64),
        bounds=(form.lower, form.upper),
        constraints=[(rows, form.row_lower, form.row_upper)] if form.row_names else None,
        options=native,
    )
    bound = getattr(found, "mip_dual_bound", None)
    if not form.is_integer.any():  # a linear program: its optimum is its own bound
        bound = found.fun if found.status == 0 else None
    return NativeOutcome(
        status=str(found.message),
        verdict=STATUSES.get(int(found.status)),
        point=None if found.x is None else np.asarray(found.x, dtype=np.float64),
        bound=None if bound is None else float(bound) + form.offset,
    )
