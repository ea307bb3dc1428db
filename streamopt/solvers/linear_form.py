"""A model as sparse arrays, with what is not linear kept aside as expressions.

Every adapter reads this form, so a model is walked once and all solvers see the same rows:
minimise ``cost @ x + offset`` with ``row_lower <= A @ x <= row_upper`` and bounds on ``x``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SolverError


@dataclass(frozen=True, slots=True)
class Enforcement:
    """A row holds only while a binary column has one value; the row's big-M is that column's."""

    column: int
    active_value: int
    big_m: float


@dataclass(frozen=True, slots=True)
class LinearForm:
    """Compiled model; row ``r`` has the entries ``row_start[r] : row_start[r + 1]``."""

    # variables, column_of: Pyomo variables by column, and column by ``id`` of the variable
    variables: tuple[Any, ...]
    column_of: Mapping[int, int]
    # names, lower, upper, is_integer, cost, offset: per column; bounds of integer columns are whole
    # numbers, infinite where there is none
    names: tuple[str, ...]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    is_integer: NDArray[np.bool_]
    cost: NDArray[np.float64]
    offset: float
    # row_names, row_lower, row_upper, row_start, columns, coefficients: rows, compressed by row
    row_names: tuple[str, ...]
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    row_start: NDArray[np.int64]
    columns: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    enforced: Mapping[int, Enforcement]
    """Rows that the model's suffix ``enforced_by`` marks."""
    # nonlinear, nonlinear_objective: expressions to add to a row or to the objective; empty for a
    # linear model
    nonlinear: Mapping[int, Any]
    nonlinear_objective: Any | None
    fixed: Mapping[str, float]
    """Values of fixed variables, which have no column."""

    @property
    def is_binary(self) -> NDArray[np.bool_]:
        """Columns that are integer within 0 and 1."""
        return self.is_integer & (self.lower >= 0) & (self.upper <= 1)

    def activities(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Linear part of every row at a point."""
        rows = np.repeat(np.arange(len(self.row_names)), np.diff(self.row_start))
        terms = self.coefficients * point[self.columns]
        sums = np.bincount(rows, weights=terms, minlength=len(self.row_names))
        return sums.astype(np.float64)

    def values(self, point: NDArray[np.float64]) -> dict[str, float]:
        """Values of a point by variable name, whole numbers for integers, fixed ones included."""
        whole = np.where(self.is_integer, np.rint(point), point) + 0.0  # no -0.0
        return {**self.fixed, **dict(zip(self.names, whole.tolist(), strict=True))}

    def hint(self, values: Mapping[str, float]) -> dict[int, float]:
        """Columns and values of the hinted variables that are columns of this model."""
        return {c: values[name] for c, name in enumerate(self.names) if name in values}


def unsupported(solver: str, message: str, hint: str) -> SolverError:
    """Return the E502 error for a model that a solver can't take."""
    return SolverError(Diagnostic("E502", f"solver '{solver}' can't take {message}", hint=hint))
