"""Prices of linear programs by an interior-point method: HiGHS IPX without crossover.

The point lies within the optimal face and not at a vertex of it, so its prices change little when
columns are added, which is what column generation lives on. They are optimal up to a tolerance:
who needs a proof must check what they are used for.

J. Schork and J. Gondzio, Implementation of an interior point method with basis preconditioning,
Mathematical Programming Computation 12, 2020; https://ergo-code.github.io/HiGHS/stable/options/
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["InteriorPoint", "LinearProgram", "interior_point"]

COLUMNWISE = 1
MINIMISE = 1
TOLERANCE = 1e-5
"""Of the duality gap, relative, and of the residuals."""


@dataclass(frozen=True, slots=True)
class LinearProgram:
    """Minimise ``costs @ x`` with ``row_lower <= matrix @ x <= row_upper`` and ``x >= 0``.

    Attributes
    ----------
    matrix
        A sparse array of scipy, by columns.
    """

    costs: Floats
    matrix: Any
    row_lower: Floats
    row_upper: Floats


@dataclass(frozen=True, slots=True)
class InteriorPoint:
    """A point near the optimum: its cost, its variables, and the prices of the rows."""

    value: float
    values: Floats
    prices: Floats


def interior_point(
    program: LinearProgram, seconds: float, should_stop: Callable[[], bool]
) -> InteriorPoint | None:
    """Return a point near the optimum of a feasible, bounded program; None if it was stopped.

    Parameters
    ----------
    seconds
        After which it gives up; may be infinite.
    should_stop
        Asked at every iteration; true ends it.
    """
    import highspy

    native = highspy.Highs()
    settings: dict[str, Any] = {
        "output_flag": False,
        "solver": "ipm",
        "run_crossover": "off",
        "threads": 1,
        "ipm_optimality_tolerance": TOLERANCE,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
    }
    for name, setting in settings.items():
        native.setOptionValue(name, setting)
    if not isinf(seconds):
        native.setOptionValue("time_limit", seconds)
    _pass(native, program)

    def on_interrupt(event: Any) -> None:
        if should_stop():
            event.interrupt()

    native.cbIpmInterrupt.subscribe(on_interrupt)
    native.run()
    status = native.getModelStatus()
    stopped = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kInterrupt)
    if status in stopped:
        return None
    solution = native.getSolution()
    return InteriorPoint(
        value=float(native.getInfo().objective_function_value),
        values=np.array(solution.col_value, dtype=np.float64),
        prices=np.array(solution.row_dual, dtype=np.float64),
    )


def _pass(native: Any, program: LinearProgram) -> None:
    rows, columns = program.matrix.shape
    native.passModel(
        columns,
        rows,
        program.matrix.nnz,
        COLUMNWISE,
        MINIMISE,
        0.0,
        program.costs,
        np.zeros(columns),
        np.full(columns, np.inf),
        program.row_lower,
        program.row_upper,
        program.matrix.indptr[:-1].astype(np.int32),
        program.matrix.indices.astype(np.int32),
        program.matrix.data,
        np.zeros(columns, dtype=np.int32),
    )
