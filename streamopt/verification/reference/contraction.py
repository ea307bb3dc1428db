"""Sums of products of whole numbers, as products of matrices.

In ``y[o][h] += w[o][c][k] * x[c][h + k]`` one factor doesn't depend on h, the other not on o, and
both depend on c and k. So for each k the terms of all o, h and c are a product of two matrices:
doubles add whole numbers up to ``2**53`` exactly in any order, and quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.arithmetic import expression_type, operand_types
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Cast,
    Expression,
    Index,
    Read,
    walk,
)
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Nest, Statement
from streamopt.verification.reference.blocks import BLOCK_POINTS, Block, Point, blocks, point_of
from streamopt.verification.reference.bounded_array import Bounded, FloatArray
from streamopt.verification.reference.integers import EXACT

MOST_PRODUCTS = 4096
"""Of matrices: with more, these are too small to be quick."""
LEAST_POINTS = 2**16
"""Iterations of a nest for which it is worth it."""


@dataclass(frozen=True, slots=True)
class Contraction:
    """A sum of products, and the loops on which its factors depend."""

    factors: tuple[Expression, Expression]
    types: tuple[ElementType, ElementType]
    """That factors are converted to."""
    bits: int
    """Of the narrowest type of a product."""
    rows: tuple[str, ...]
    """Loops of the result on which the first factor alone depends."""
    columns: tuple[str, ...]
    """Loops of the result on which the second factor alone depends."""
    summed: str
    """The longest loop of the sum on which both depend."""
    outer: tuple[str, ...]
    """All others: a product of matrices for each of their iterations."""
    trips: Mapping[str, int]
    """Of all loops."""
    target: Access

    @property
    def terms(self) -> int:
        """Return the terms of an element of the result."""
        kept = self.target.iterators()
        return prod(trip for name, trip in self.trips.items() if name not in kept)

    def point(self, own: Block, other: Block, summed: range, place: tuple[int, ...]) -> Point:
        """Return the iterations of some rows and columns, with an axis for each loop."""
        names = (*self.rows, *self.columns, self.summed, *self.outer)
        every = (*own, *other, summed, *(range(at, at + 1) for at in place))
        return point_of(names, every)


def contraction_of(
    nest: Nest, statement: Statement, element_of: Callable[[str], ElementType]
) -> Contraction | None:
    """Return a statement as products of matrices; None if it is none of whole numbers."""
    wanted = element_of(statement.target.array)
    if (
        statement.reduction is not Reduction.ADD
        or statement.guard is not None
        or statement.start is not None
    ):
        return None
    value, kinds = statement.value, [wanted]
    while isinstance(value, Cast):
        kinds.append(value.element)
        value = value.operand
    if not isinstance(value, Binary) or value.op is not BinaryOp.MUL:
        return None
    element = expression_type(value, element_of) or kinds[-1]
    if not all(kind.is_integer and kind.is_signed for kind in (*kinds, element)):
        return None
    bits = min(kind.bits for kind in (*kinds[1:], element))
    trips = nest.trip_counts
    names = [subscript.as_iterator() for subscript in statement.target.subscripts]
    kept = [name for name in names if name is not None]
    if len(set(kept)) < len(kept) or set(statement.target.iterators()) != set(kept):
        return None
    first, second = _loops(value.left), _loops(value.right)
    both = [name for name in trips if name in first & second]
    summed = max((n for n in both if n not in kept), key=trips.__getitem__, default=None)
    rows = tuple(n for n in trips if n in kept and n in first - second)
    columns = tuple(n for n in trips if n in kept and n in second - first)
    if summed is None or not rows + columns or prod(trips.values()) < LEAST_POINTS:
        return None
    outer = tuple(n for n in trips if n not in (*rows, *columns, summed))
    if prod(trips[n] for n in outer) > MOST_PRODUCTS:
        return None
    types = operand_types(value, element, element_of)
    return Contraction(
        (value.left, value.right),
        types,
        bits,
        rows,
        columns,
        summed,
        outer,
        trips,
        statement.target,
    )


def contracted(
    asked: Contraction,
    size_elems: int,
    value: Callable[[Expression, Point, ElementType], Bounded],
    flat: Callable[[Access, Point], NDArray[np.intp]],
) -> Bounded | None:
    """Return the sums by element of the result; None if one may not be exact.

    Parameters
    ----------
    value, flat
        Give an expression, converted to a type, and the flat index of an access at some points.
    """
    trips, total = asked.trips, np.zeros(size_elems)
    most, whole = max(1, BLOCK_POINTS // trips[asked.summed]), range(trips[asked.summed])
    rows, columns = (
        [*blocks([range(trips[name]) for name in own], most)] for own in (asked.rows, asked.columns)
    )
    row0, column0 = (tuple(range(1) for _ in own) for own in (asked.rows, asked.columns))

    def factor(side: int, at: Point) -> Bounded:
        found = value(asked.factors[side], at, asked.types[side])
        shape = tuple(len(np.ravel(axis)) for axis in at.values())
        numbers, bound = (
            np.broadcast_to(part, shape).reshape(-1, len(whole))
            for part in (found.value, found.bound)
        )
        return Bounded(numbers, bound)

    for place in product(*(range(trips[name]) for name in asked.outer)):
        right = [factor(1, asked.point(row0, block, whole, place)) for block in columns]
        for row in rows:
            left = factor(0, asked.point(row, column0, whole, place))
            for column, matrix in zip(columns, right, strict=True):
                found = product_of(left, matrix, asked.bits, asked.terms)
                if found is None:
                    return None
                at = asked.point(row, column, range(1), place)
                total[flat(asked.target, at).ravel()] += found.ravel()
    return Bounded(total, np.zeros(total.size), 1.0)


def product_of(left: Bounded, right: Bounded, bits: int, terms: int) -> FloatArray | None:
    """Return the product of a matrix with a transposed one; None if it may not be exact.

    Parameters
    ----------
    bits
        Of the type of each product.
    terms
        Of an element of the result, those of other products of matrices included.
    """
    if np.any(left.bound) or np.any(right.bound):
        return None
    largest = float(np.abs(left.value).max(initial=0)) * float(np.abs(right.value).max(initial=0))
    if not largest < min(2.0 ** (bits - 1), EXACT / terms):
        return None
    return left.value @ right.value.T


def _loops(factor: Expression) -> set[str]:
    found = set[str]()
    for part in walk(factor):
        if isinstance(part, Read):
            found |= set(part.access.iterators())
        elif isinstance(part, Index):
            found |= set(part.value.iterators())
    return found
