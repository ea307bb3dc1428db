"""Scalars that carry a bound on how far another evaluation may be off.

The same standard model as in `streamopt.verification.error_bounds`, one number at a time, for
code whose order can't be changed. Integers are exact or not there: a comparison or a conversion
to an integer that the bounds leave open ends the run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Function
from streamopt.verification.error_bounds import Bounded, Reals
from streamopt.verification.scalar_operations import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["BOUNDED_OPERATIONS", "BoundedScalar", "UnsureError", "bounded", "parts"]

_V = 2.0**-53
_SLACK = 1.0 + 2.0**-40


class UnsureError(Exception):
    """The bounds don't tell how a comparison ends, or which integer a number is cut off to."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundedScalar:
    """A double, how far the other evaluation may be off, and whether that one is in float."""

    value: float
    bound: float
    single: bool

    def rounded(self, value: float, propagated: float, single: bool) -> BoundedScalar:
        """Return the result of one operation, rounded by both evaluations."""
        unit, tiny = (2.0**-24, 2.0**-126) if single else (_V, 2.0**-1022)
        bound = (propagated * (1.0 + unit) + (unit + 2 * _V) * abs(value) + tiny) * _SLACK
        largest = 3.4e38 if single else 1.7e308
        return BoundedScalar(value, bound if abs(value) + bound < largest else math.inf, single)

    def __add__(self, other: Any) -> BoundedScalar:
        """Return the sum."""
        right = _operand(other)
        total = self.value + right.value
        return self.rounded(total, self.bound + right.bound, self.single and right.single)

    def __sub__(self, other: Any) -> BoundedScalar:
        """Return the difference."""
        right = _operand(other)
        total = self.value - right.value
        return self.rounded(total, self.bound + right.bound, self.single and right.single)

    def __mul__(self, other: Any) -> BoundedScalar:
        """Return the product."""
        right = _operand(other)
        propagated = abs(self.value) * right.bound + abs(right.value) * self.bound
        propagated += self.bound * right.bound
        return self.rounded(self.value * right.value, propagated, self.single and right.single)

    def __truediv__(self, other: Any) -> BoundedScalar:
        """Return the quotient."""
        right = _operand(other)
        single, size = self.single and right.single, abs(right.value)
        gap = size - right.bound
        if gap <= 0.0 or size == 0.0:
            return BoundedScalar(math.nan, math.inf, single)
        propagated = (self.bound * size + abs(self.value) * right.bound) / (size * gap)
        return self.rounded(self.value / right.value, propagated, single)

    def __radd__(self, other: Any) -> BoundedScalar:
        """Return the sum."""
        return _operand(other) + self

    def __rsub__(self, other: Any) -> BoundedScalar:
        """Return the difference."""
        return _operand(other) - self

    def __rmul__(self, other: Any) -> BoundedScalar:
        """Return the product."""
        return _operand(other) * self

    def __rtruediv__(self, other: Any) -> BoundedScalar:
        """Return the quotient."""
        return _operand(other) / self

    def __abs__(self) -> BoundedScalar:
        """Return the absolute value."""
        return BoundedScalar(abs(self.value), self.bound, self.single)

    def _gap(self, other: Any) -> float:
        """Return the difference, whose sign is certain."""
        right = _operand(other)
        gap, reach = self.value - right.value, (self.bound + right.bound) * _SLACK
        if reach > 0.0 and not abs(gap) > reach:
            raise UnsureError
        return gap

    def __lt__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) < 0

    def __le__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) <= 0

    def __gt__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) > 0

    def __ge__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) >= 0

    def __eq__(self, other: object) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) == 0

    def __ne__(self, other: object) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) != 0


def _operand(value: Any) -> BoundedScalar:
    return value if isinstance(value, BoundedScalar) else BoundedScalar(float(value), 0.0, False)


def bounded(value: float, bound: float, element: ElementType) -> BoundedScalar | int:
    """Return a scalar of an element type; an integer must be known exactly."""
    if element.is_float:
        return BoundedScalar(value, bound, element is ElementType.FLOAT)
    if bound > 0.0 or not math.isfinite(value):
        raise UnsureError
    return int(value)


def parts(scalars: Sequence[BoundedScalar | float]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return values and bounds; a number that was never written has an infinite bound."""
    pairs = [(s.value, s.bound) if isinstance(s, BoundedScalar) else (s, 0.0) for s in scalars]
    value, bound = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    return value, np.where(np.isnan(value), np.inf, bound)


def _single(value: Any) -> BoundedScalar:
    operand = _operand(value)
    if operand.single:
        return operand
    off = abs(float(np.float32(operand.value)) - operand.value) if operand.bound == 0.0 else None
    if off is not None:
        return BoundedScalar(operand.value, off, True)
    return operand.rounded(operand.value, operand.bound, True)


def _double(value: Any) -> BoundedScalar:
    operand = _operand(value)
    return BoundedScalar(operand.value, operand.bound, False)


def _whole(value: Any) -> int:
    operand = _operand(value)
    if not math.isfinite(abs(operand.value) + operand.bound):
        raise UnsureError
    low, high = math.trunc(operand.value - operand.bound), math.trunc(operand.value + operand.bound)
    if low != high:
        raise UnsureError
    return low


def _divided(left: Any, right: Any) -> BoundedScalar:
    return _operand(left) / right


def _extreme(function: Function) -> Callable[[Any, Any], Any]:
    def call(left: Any, right: Any) -> Any:
        if not isinstance(left, BoundedScalar) and not isinstance(right, BoundedScalar):
            return max(left, right) if function is Function.MAX else min(left, right)
        return _applied(function, left, right)

    return call


def _applied(function: Function, *arguments: Any) -> BoundedScalar:
    operands = [_operand(argument) for argument in arguments]
    single = all(operand.single for operand in operands)
    pairs = tuple(Bounded(np.array(o.value), np.array(o.bound), 0.0) for o in operands)
    with np.errstate(all="ignore"):
        element = ElementType.FLOAT if single else ElementType.DOUBLE
        result = Reals(element).call(function, pairs)
    return BoundedScalar(float(result.value), float(result.bound), single)


def _function(function: Function) -> Callable[..., BoundedScalar]:
    return lambda *arguments: _applied(function, *arguments)


BOUNDED_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **OPERATIONS,
    "float": _double,
    "float32": _single,
    "whole": _whole,
    "divided": _divided,
    "largest": _extreme(Function.MAX),
    "smallest": _extreme(Function.MIN),
    **{
        f"{function}_{element}": _function(function)
        for function in [*Function]
        for element in (ElementType.FLOAT, ElementType.DOUBLE)
    },
}
"""What generated code calls when its scalars carry bounds."""
