"""Values with bounds, and intervals where a bound around the value says too little.

A bound is a distance to both sides. A sum that may overflow has none, but its evaluations are
still below a limit: ``x - 3.4e38`` is about ``-3.4e38`` or ``-inf`` in single precision, and its
exponential is 0 in both cases. So where the bound is infinite a value may have `Bounded.ends`: two
numbers, which may be infinite, that every evaluation lies between. An infinity that every
evaluation gives has bound 0. Operations on intervals take the least and the largest result at their
corners, which holds for operations that are monotonic in each operand; a corner that is NaN leaves
the interval unknown, and one that overflows is a large number, not an infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.expression import CompareOp, LogicOp

FloatArray: TypeAlias = NDArray[np.float64]
Truth: TypeAlias = NDArray[np.bool_]
Ends: TypeAlias = tuple[FloatArray, FloatArray]

_LARGEST = float(np.finfo(np.float64).max)
SLACK = 1.0 + 2.0**-40
"""Factor of bounds, which are computed in double precision as well."""

V = 2.0**-53
"""Unit roundoff of the reference."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """A value of the reference, and how far an evaluation in the element type may be off."""

    value: FloatArray
    bound: FloatArray
    grain: float = 0.0
    """Power of two that all elements with bound 0 are multiples of; 0 if none is known."""
    ends: Ends | None = None
    """Lower and upper ends of all evaluations where the bound is infinite, NaN where nothing is
    known; None if nothing is known anywhere."""

    def at(self, flat: NDArray[np.intp]) -> Bounded:
        """Return the elements at flat indices."""
        ends = None if self.ends is None else (self.ends[0][flat], self.ends[1][flat])
        return Bounded(self.value[flat], self.bound[flat], self.grain, ends)


def interval(operand: Bounded) -> Ends:
    """Return the ends of all evaluations; NaN where nothing is known."""
    known = np.isfinite(operand.bound)
    value = np.asarray(operand.value, np.float64)  # mantissas may be whole numbers
    ends = operand.ends or (np.asarray(np.nan), np.asarray(np.nan))
    low = np.where(known, value - operand.bound, ends[0])
    return low, np.where(known, value + operand.bound, ends[1])


def settled(value: FloatArray, bound: FloatArray, grain: float, ends: Ends) -> Bounded:
    """Return a value with the bounds that its ends give where it has no finite one."""
    low, high = ends
    loose, number = ~np.isfinite(bound), np.asarray(value, np.float64)
    exact = (low == high) & (low == number)
    distance = np.maximum(high - number, number - low) * SLACK
    found = np.where(exact, 0.0, np.where(np.isfinite(distance), distance, np.inf))
    bound = np.where(loose, found, bound)
    loose = ~np.isfinite(bound) & ~np.isnan(low) & ~np.isnan(high)
    return Bounded(value, bound, grain, ends if loose.any() else None)


def corners(operation: Callable[..., FloatArray], left: Ends, right: Ends) -> Ends:
    """Return the ends of an operation that is monotonic in both operands."""
    found = [
        _unless_overflown(operation(one, other), np.isinf(one) | np.isinf(other))
        for one in left
        for other in right
    ]
    return np.asarray(np.minimum.reduce(found)), np.asarray(np.maximum.reduce(found))


def product_ends(left: Ends, right: Ends) -> Ends:
    """Return the ends of a product, unknown where 0 may meet an infinity."""
    meet = (_has_zero(left) & _has_infinity(right)) | (_has_zero(right) & _has_infinity(left))
    return _unless(meet, corners(np.multiply, left, right))


def quotient_ends(left: Ends, right: Ends) -> Ends:
    """Return the ends of a quotient, unknown where the divisor may be 0."""
    return _unless(_has_zero(right), corners(np.divide, left, right))


def image(function: Callable[[FloatArray], FloatArray], operand: Ends) -> Ends:
    """Return the ends of an increasing function."""
    low, high = (_unless_overflown(function(end), np.isinf(end) | (end == 0.0)) for end in operand)
    return low, high


def chosen(holds: Truth, unsure: Truth, then: Bounded, otherwise: Bounded) -> Ends:
    """Return the ends of one of two values, of both where it isn't sure which is taken."""
    (a, b), (c, d) = interval(then), interval(otherwise)
    low = np.where(unsure, np.minimum(a, c), np.where(holds, a, c))
    return low, np.where(unsure, np.maximum(b, d), np.where(holds, b, d))


def apart(left: Bounded, right: Bounded) -> Truth:
    """Return where two intervals have nothing in common, or are the same point."""
    (a, b), (c, d) = interval(left), interval(right)
    return (b < c) | (d < a) | ((a == b) & (c == d) & (a == c))


def replaced(old: Bounded, changes: Iterable[tuple[NDArray[np.intp], Bounded]]) -> Bounded:
    """Return an array with other elements at flat indices, the later ones where they repeat."""
    value, bound, grain = old.value.copy(), old.bound.copy(), old.grain
    ends = None if old.ends is None else (old.ends[0].copy(), old.ends[1].copy())
    for places, new in changes:
        value = value.astype(object) if new.value.dtype == object else value
        value[places], bound[places], grain = new.value, new.bound, min(grain, new.grain)
        if ends is None and new.ends is not None:
            ends = (np.full(value.shape, np.nan), np.full(value.shape, np.nan))
        for kept, given in zip(ends or (), new.ends or (np.nan, np.nan), strict=False):
            kept[places] = given
    return Bounded(value, bound, grain, ends)


def _unless_overflown(found: FloatArray, infinite: Truth) -> FloatArray:
    """Return results where infinities come from infinite operands, and from logarithms of 0."""
    return np.where(infinite, found, np.clip(found, -_LARGEST, _LARGEST))


def _has_zero(ends: Ends) -> Truth:
    return (ends[0] <= 0.0) & (ends[1] >= 0.0)


def _has_infinity(ends: Ends) -> Truth:
    return np.isinf(ends[0]) | np.isinf(ends[1])


def _unless(unknown: Truth, ends: Ends) -> Ends:
    return np.where(unknown, np.nan, ends[0]), np.where(unknown, np.nan, ends[1])


@dataclass(frozen=True, slots=True, eq=False)
class BoundedCondition:
    """Outcome of a comparison in the reference, and where the other evaluation may differ."""

    holds: Truth
    unsure: Truth


def compare_bounded(op: CompareOp, left: Bounded, right: Bounded) -> BoundedCondition:
    """Return ``left op right`` as a truth value."""
    reach = (left.bound + right.bound) * SLACK
    gap = np.abs(left.value - right.value)
    unsure = (reach > 0) & ~(gap > reach)
    if not np.isfinite(reach).all():
        unsure &= ~apart(left, right)
    return BoundedCondition(op.holds(left.value, right.value), unsure)


def join_conditions(
    op: LogicOp, left: BoundedCondition, right: BoundedCondition
) -> BoundedCondition:
    """Return both or either; sure where one side alone decides."""
    if op is LogicOp.AND:
        decided = (~left.holds & ~left.unsure) | (~right.holds & ~right.unsure)
        holds = left.holds & right.holds
    else:
        decided = (left.holds & ~left.unsure) | (right.holds & ~right.unsure)
        holds = left.holds | right.holds
    return BoundedCondition(holds, (left.unsure | right.unsure) & ~decided)


def select_bounded(condition: BoundedCondition, then: Bounded, otherwise: Bounded) -> Bounded:
    """Return ``then if condition else otherwise``, with a bound that covers what may be taken."""
    value = np.where(condition.holds, then.value, otherwise.value)
    bound = np.where(condition.holds, then.bound, otherwise.bound)
    distance = np.asarray(np.abs(then.value - otherwise.value), np.float64)
    other = distance + np.where(condition.holds, otherwise.bound, then.bound)
    both = np.maximum(bound, other * SLACK)
    bound = np.where(condition.unsure, np.where(np.isnan(both), np.inf, both), bound)
    grain = min(then.grain, otherwise.grain)
    if np.isfinite(bound).all():
        return Bounded(value, bound, grain)
    ends = chosen(condition.holds, condition.unsure, then, otherwise)
    return settled(value, bound, grain, ends)


def product_error(a: Any, e: Any, b: Any, f: Any) -> Any:
    """Return the propagated error of ``a * b``, of numbers or arrays with bounds e and f."""
    return abs(a) * f + abs(b) * e + e * f


def quotient_error(a: Any, e: Any, b: Any, f: Any) -> Any:
    """Return the propagated error of ``a / b`` where the bound of b is below its size."""
    size = abs(b)
    return (e + abs(a) * (f / size)) / (size - f)
