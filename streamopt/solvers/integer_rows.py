"""Rows and objective of a linear form over the integers, exactly, for CP-SAT."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from streamopt.errors import SolverError
from streamopt.solvers.linear_form import Enforcement, LinearForm, unsupported

# CP-SAT works in 64 bits and wants the sum of |coefficient| x |bound| well inside.
LARGEST_ACTIVITY = 2**61


@dataclass(frozen=True, slots=True)
class IntegerRow:
    """``lower <= coefficients @ x[columns] <= upper`` while ``literal`` holds, if there is one.

    A literal is a binary column, or ``-column - 1`` for its negation.
    """

    columns: list[int]
    coefficients: list[int]
    lower: int
    upper: int
    literal: int | None = None
    is_exactly_one: bool = False


@dataclass(frozen=True, slots=True)
class IntegerObjective:
    """Objective ``coefficients @ x[columns] / scale + offset``."""

    columns: list[int]
    coefficients: list[int]
    scale: int
    offset: float

    def value(self, scaled: float) -> float:
        """Objective of the model for a value of the integer objective."""
        return scaled / self.scale + self.offset


def integer_rows(form: LinearForm, solver: str) -> list[IntegerRow]:
    """Return every row with integer coefficients, scaled exactly where need be.

    Raises
    ------
    SolverError
        E502, naming the variable or constraint that is not over the integers.
    """
    _refuse_columns(form, solver)
    reach = np.maximum(np.abs(form.lower), np.abs(form.upper))
    is_whole = np.rint(form.coefficients) == form.coefficients
    columns, coefficients = form.columns.tolist(), form.coefficients.tolist()
    starts = form.row_start.tolist()
    is_binary: list[bool] = form.is_binary.tolist()
    rows: list[IntegerRow] = []
    for row, name in enumerate(form.row_names):
        inside = slice(starts[row], starts[row + 1])
        where: list[int] = columns[inside]
        terms: list[float] = coefficients[inside]
        bounds = (float(form.row_lower[row]), float(form.row_upper[row]))
        scale = 1 if is_whole[inside].all() else _scale(terms)
        scaled = _integers(terms, scale)
        most = sum(abs(c) * float(reach[column]) for c, column in zip(scaled, where, strict=True))
        if most > LARGEST_ACTIVITY:
            raise _too_large(solver, f"constraint '{name}'")
        exactly_one = bounds == (1.0, 1.0) and row not in form.enforced
        exactly_one = exactly_one and set(terms) == {1.0} and all(is_binary[c] for c in where)
        rows.append(
            _row(where, scaled, bounds, scale, form.enforced.get(row), is_exactly_one=exactly_one)
        )
    return rows


def integer_objective(form: LinearForm, solver: str) -> IntegerObjective:
    """Return the objective with integer coefficients.

    Raises
    ------
    SolverError
        E502 if its coefficients can't be scaled to integers.
    """
    columns: list[int] = np.flatnonzero(form.cost).tolist()
    terms: list[float] = form.cost[columns].tolist()
    scale = _scale(terms)
    scaled = _integers(terms, scale)
    reach = np.maximum(np.abs(form.lower), np.abs(form.upper))[columns].tolist()
    if sum(abs(c) * bound for c, bound in zip(scaled, reach, strict=True)) > LARGEST_ACTIVITY:
        raise _too_large(solver, "the objective")
    return IntegerObjective(columns, scaled, scale, form.offset)


def _refuse_columns(form: LinearForm, solver: str) -> None:
    for column, name in enumerate(form.names):
        if not form.is_integer[column]:
            message = f"variable '{name}': it is continuous"
            raise unsupported(solver, message, "make it an integer, or solve with highs")
        if not math.isfinite(form.lower[column]) or not math.isfinite(form.upper[column]):
            raise unsupported(solver, f"variable '{name}': it has no finite bounds", "bound it")


def _row(
    columns: list[int],
    coefficients: list[int],
    bounds: tuple[float, float],
    scale: int,
    enforced: Enforcement | None,
    *,
    is_exactly_one: bool,
) -> IntegerRow:
    shift, literal = 0, None
    if enforced is not None:
        place = columns.index(enforced.column)
        shift = coefficients[place] * enforced.active_value
        literal = enforced.column if enforced.active_value else -enforced.column - 1
        columns = columns[:place] + columns[place + 1 :]
        coefficients = coefficients[:place] + coefficients[place + 1 :]
    lower, upper = bounds
    least, most = -LARGEST_ACTIVITY, LARGEST_ACTIVITY
    if lower > -math.inf:
        least = max(least, math.ceil(Fraction(repr(lower)) * scale) - shift)
    if upper < math.inf:
        most = min(most, math.floor(Fraction(repr(upper)) * scale) - shift)
    return IntegerRow(columns, coefficients, least, most, literal, is_exactly_one)


def _scale(terms: list[float]) -> int:
    """Least common denominator of the decimal fractions that the coefficients print as."""
    return math.lcm(*(Fraction(repr(term)).denominator for term in terms))


def _integers(terms: list[float], scale: int) -> list[int]:
    if scale == 1:
        return [int(term) for term in terms]
    return [int(Fraction(repr(term)) * scale) for term in terms]


def _too_large(solver: str, subject: str) -> SolverError:
    message = f"{subject}: its coefficients, scaled to integers, leave the 64-bit range"
    return unsupported(solver, message, "use small integer coefficients and tight bounds")
