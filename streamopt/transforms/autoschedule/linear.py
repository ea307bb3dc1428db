"""Systems of linear equations over iterators, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Row = list[Fraction]
"""Coefficients of iterators, and a constant at the end."""


def equalities(points: Any) -> Iterator[Row]:
    """Yield the equations that hold for all points of an isl set, as rows whose sum is 0."""
    import islpy as isl

    hull = points.affine_hull().remove_divs()
    count = hull.dim(isl.dim_type.set)
    for constraint in hull.get_constraints():
        if constraint.is_equality():
            factors = (constraint.get_coefficient_val(isl.dim_type.set, at) for at in range(count))
            entries = (*factors, constraint.get_constant_val())
            yield [Fraction(entry.to_python()) for entry in entries]


def reduced(rows: Sequence[Row], columns: Sequence[int]) -> dict[int, Row]:
    """Return rows in reduced form, by the column in which each has a 1 and all others a 0.

    Parameters
    ----------
    columns
        In which a 1 is looked for, in this order.
    """
    left = [[*row] for row in rows]
    found: dict[int, Row] = {}
    for column in columns:
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        pivot = [entry / pivot[column] for entry in pivot]
        left = [_without(row, column, pivot) for row in left]
        found = {at: _without(row, column, pivot) for at, row in found.items()}
        found[column] = pivot
    return found


def _without(row: Row, column: int, pivot: Row) -> Row:
    factor = row[column]
    return [a - factor * b for a, b in zip(row, pivot, strict=True)] if factor else row


def row_of(value: Affine, names: Sequence[str]) -> Row:
    """Return a linear expression as a row."""
    factors = value.factors
    return [*(Fraction(factors.get(name, 0)) for name in names), Fraction(value.constant)]


def affine_of_row(row: Row, names: Sequence[str]) -> Affine:
    """Return the expression of a row; the floor of it where entries are no integers."""
    divisor = lcm(*(entry.denominator for entry in row))
    total = Affine.of(int(row[-1] * divisor))
    for name, entry in zip(names, row[:-1], strict=True):
        total = total + Affine.iterator(name).scaled(int(entry * divisor))
    return total.floordiv(divisor)


def inverse(values: Mapping[str, Affine], names: Sequence[str]) -> dict[str, Affine] | None:
    """Return iterators by the values of loops, None where these don't tell the iterators.

    Parameters
    ----------
    values
        By loop, outermost first: its value over the iterators.
    names
        The iterators.
    """
    loops = [*values]
    rows = [
        [*row[:-1], *(Fraction(-int(other == loop)) for other in loops), row[-1]]
        for loop, row in ((loop, row_of(value, names)) for loop, value in values.items())
    ]
    found = reduced(rows, range(len(names)))
    if len(found) < len(names):
        return None
    return {
        name: affine_of_row([-entry for entry in found[at][len(names) :]], loops)
        for at, name in enumerate(names)
    }


def is_combination(value: Affine, others: Sequence[Affine], names: Sequence[str]) -> bool:
    """Return whether a linear expression is a sum of multiples of others and a constant."""
    rows = [row_of(one, names) for one in (*others, value)]
    columns = range(len(names))
    return len(reduced(rows, columns)) == len(reduced(rows[:-1], columns))
